"""Functions of `x`, `y` and `m` whose gradients are compared, as text either library runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.experimental_numpy.cases import describe

_UNARY = (
    "abs arcsin arcsinh arctan arctanh cbrt cos cosh deg2rad exp exp2 expm1 log1p negative "
    "positive rad2deg reciprocal sin sinc sinh sqrt square tan tanh amax amin average cumprod "
    "cumsum max mean min nanmean nanprod nansum prod ptp std sum var sort flip ravel transpose "
    "diagflat diag log log2 log10 fabs floor round sign copy array squeeze atleast_2d"
)
_BINARY = (
    "add subtract multiply divide power maximum minimum hypot logaddexp logaddexp2 arctan2 mod "
    "heaviside inner outer dot vdot cross kron"
)
CASES = [
    *(f"tnp.{name}(x)" for name in _UNARY.split()),
    *(f"tnp.{name}(x, y)" for name in _BINARY.split()),
    "tnp.matmul(m, x)",
    "tnp.matmul(x, m)",
    "tnp.einsum('ij,j->i', m, x)",
    "tnp.tensordot(m, x, 1)",
    "tnp.polyval(x, 0.5)",
    "tnp.polyval([1.0, 2.0], x)",
    "tnp.vander(x)",
    "tnp.where(x > 0.3, x, y)",
    "tnp.clip(x, 0.3, 0.6)",
    "tnp.take(x, [0, 0, 2])",
    "tnp.take_along_axis(m, [[0, 2], [1, 1], [0, 0]], 1)",
    "tnp.concatenate([x, y, x])",
    "tnp.stack([x, y])",
    "tnp.pad(x, ((1, 1),), 'reflect')",
    "tnp.roll(x, 1)",
    "tnp.repeat(x, 2)",
    "tnp.tile(x, 2)",
    "tnp.tril(m)",
    "tnp.trace(m)",
    "tnp.diagonal(m, 1)",
    "tnp.linspace(x, y, 4)",
    "tnp.geomspace(x, y + 1.0, 3)",
    "tnp.average(x, weights=y)",
    "tnp.diff(x)",
    "tnp.select([x > 0.5], [x], y)",
    "tnp.nanmean(tnp.array([1.0, float('nan')]) * x[0])",
    "x[[0, 2]] * y[1]",
    "m[:, [0, 2]]",
    "m[[0, 1], [1, 2]]",
    "m.T.reshape(-1)[2:5]",
    "tf.constant([1, 2, 3]) * x",
    "x.astype(np.float64) ** 2",
]


POINT = (
    [0.25, 0.5, 0.75],
    [0.4, -0.3, 0.9],
    [[1.0, 0.5, -0.25], [0.75, 2.0, 0.1], [0.3, -0.6, 1.5]],
)


def gradients(tf: Any, case: str, *point: Any) -> list[Any]:
    """The gradients of the sum of what a case gives, by `x`, `y` and `m`."""
    values = dict(zip("xym", point, strict=True))
    with tf.GradientTape() as tape:
        tape.watch(point)
        result = eval(case, {"tf": tf, "tnp": tf.experimental.numpy, "np": np, **values})
        total = tf.reduce_sum(result)
    return [
        None if g is None else tf.convert_to_tensor(g) for g in tape.gradient(total, list(point))
    ]


def run(tf: Any, case: str) -> list[Any]:
    """The gradients at one point, described."""
    found = gradients(tf, case, *(tf.constant(value) for value in POINT))
    return [None if g is None else describe(g) for g in found]
