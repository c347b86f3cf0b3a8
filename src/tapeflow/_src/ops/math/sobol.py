"""`SobolSample`: points that fill the unit cube more evenly than random ones."""

from __future__ import annotations

import math

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.registry import InferError, Static, op
from tapeflow._src.core.spec import Spec

_qmc = LazyModule("scipy.stats.qmc", "Sobol sequences")
_BITS = 32
_MAX_POINTS = 2**31 - 1


@op("SobolSample", grad=None, checked=True)
def sobol_sample(xp, dim: Static, num_results: Static, skip: Static, *, dtype=dtypes.float32):
    """Points of the Sobol sequence of dimension `dim`, one a row, from point `skip` + 1 on.

    Point 0, the origin, is skipped. The direction numbers are those of Joe and Kuo.
    """
    sequence = _qmc.Sobol(int(dim), scramble=False, bits=_BITS)
    sequence.fast_forward(int(skip) + 1)
    return xp.asarray(sequence.random(int(num_results)).astype(as_dtype(dtype).np))


@sobol_sample.infer
def _(dim, num_results, skip, *, dtype):
    if as_dtype(dtype) not in (dtypes.float32, dtypes.float64):
        raise InferError(f"dtype must be float32 or float64, got {as_dtype(dtype).name}")
    for name, spec, least in (("dim", dim, 1), ("num_results", num_results, 1), ("skip", skip, 0)):
        if spec.rank not in (0, None):
            raise InferError(f"{name} must be a scalar, got one of rank {spec.rank}")
        if spec.value is not None and spec.value < least:
            raise InferError(f"{name} must be at least {least}, got {spec.value}")
    static_sizes = [0 if s.value is None else int(s.value) for s in (num_results, skip)]
    if sum(static_sizes) >= _MAX_POINTS:
        raise InferError(f"num_results+skip must be less than {_MAX_POINTS}, got {static_sizes}")
    sizes = [None if s.value is None else int(s.value) for s in (num_results, dim)]
    if None not in sizes and math.prod(sizes) > _MAX_POINTS:
        raise InferError(f"num_results*dim must be less than {_MAX_POINTS}, got {sizes}")
    return Spec(tuple(sizes), as_dtype(dtype))
