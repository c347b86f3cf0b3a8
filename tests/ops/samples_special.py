"""Samples of special functions."""

import numpy as np

from tests.ops.harness import Law, S, bf16, f16, f32, f64, positive

_UNIT = {"low": -0.9, "high": 0.9}
_X_ONLY = Law(grad=False, finite=False, why="TF differentiates by the last argument only")
_LOOSE = Law(rtol=1e-4, why="XLA's series in single precision is good to four digits")


def _fixed(value: float, *shape: int) -> np.ndarray:
    return np.full(shape, value, np.float32)


SAMPLES = [
    S("Erf", f32(2, 3)),
    S("Erf", bf16(3)),
    S("Erfc", f32(3)),
    S("Erfc", f16(3)),
    S("Erfinv", f32(3, **_UNIT)),
    S("Erfinv", f64(3, **_UNIT)),
    S("Ndtri", positive(3, low=0.1, high=0.9)),
    S("Lgamma", positive(2, 3)),
    S("Lgamma", f16(3, low=0.5)),
    S("Digamma", positive(3)),
    S("Polygamma", _fixed(1, 3), positive(2, 3), law=_X_ONLY),
    S("Polygamma", np.array([0.0, 1.0, 2.0]), f64(3, low=0.5), law=_X_ONLY),
    S("Zeta", positive(3, low=1.5), positive(2, 3), law=_X_ONLY),
    S("Igamma", positive(2, 3), positive(3), law=Law(order2=False, why="by `a` only once")),
    S("Igammac", positive(3), positive(2, 1), law=Law(order2=False, why="by `a` only once")),
    S("Igamma", f16(3, low=0.5), f16(3, low=0.5)),
    S("IgammaGradA", positive(2, 3), positive(3), law=_LOOSE),
    S("IgammaGradA", f64(4, low=5, high=50), f64(4, low=5, high=50)),
    S("Betainc", positive(3), positive(2, 3), positive(3, low=0.1, high=0.9), law=_X_ONLY),
    S("Dawsn", f32(3)),
    S("Expint", positive(3)),
    S("FresnelCos", f32(3)),
    S("FresnelSin", f32(3)),
    S("Spence", positive(3), law=Law(grad=False, why="JAX has NaN for its slope around 1")),
    S("SobolSample", 3, 5, 0),
    S("SobolSample", 40, 3, 7, dtype="float64"),
    # Bessel functions
    S("BesselI0", f32(3)),
    S("BesselI1", f32(3)),
    S("BesselI0e", f32(3)),
    S("BesselI1e", f32(3)),
    S("BesselI0", f16(3)),
    S("BesselJ0", f32(3)),
    S("BesselJ0", f64(6, low=-60, high=60)),
    S("BesselJ1", f32(3)),
    S("BesselJ1", f64(6, low=-60, high=60)),
    S("BesselY0", positive(3)),
    S("BesselY0", f64(6, low=5, high=60)),
    S("BesselY1", positive(3)),
    S("BesselY1", f64(6, low=5, high=60)),
    S("BesselK0", positive(3)),
    S("BesselK1", positive(3)),
    S("BesselK0e", positive(3)),
    S("BesselK0e", f64(6, low=1, high=60)),
    S("BesselK1e", positive(3)),
    S("BesselK1e", f64(6, low=1, high=60)),
]
