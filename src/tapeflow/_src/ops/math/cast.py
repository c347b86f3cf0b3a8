"""`Cast`: the only way from one dtype to another."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import on_values
from tapeflow._src.core.dtypes import FROM_NUMPY, as_dtype
from tapeflow._src.core.errors import UnimplementedError
from tapeflow._src.core.infer import dtype_attr, same_as
from tapeflow._src.core.registry import op
from tapeflow._src.core.traits import (
    ELEMENTWISE,
    KEEPS_FINITE,
    MAPS_SPARSE_VALUES,
    OWN_SCOPE,
    TOTAL,
)

_TEXT = frozenset({dtypes.string, dtypes.resource, dtypes.variant})

# Which bits of the wider float the narrower one has room for.
_PRESERVED_BITS = {
    (dtypes.float64, dtypes.float32): np.uint64(2**64 - 2**29),
    (dtypes.float64, dtypes.float16): np.uint64(2**64 - 2**42),
    (dtypes.float32, dtypes.bfloat16): np.uint32(2**32 - 2**16),
    (dtypes.float32, dtypes.float16): np.uint32(2**32 - 2**13),
}


@op(
    "Cast",
    infer=dtype_attr("DstT", same_as("x")),
    traits=(ELEMENTWISE, KEEPS_FINITE, MAPS_SPARSE_VALUES, OWN_SCOPE, TOTAL),
    batch=on_values,
)
def cast(xp, x, *, DstT, Truncate=False):
    """Convert elements: floats to integers by truncation, complex numbers to their real part.

    `Truncate` rounds floats to narrower floats towards zero instead of to the nearest.
    """
    source, target = FROM_NUMPY[x.dtype], as_dtype(DstT)
    if source is target:
        return x
    if source in _TEXT or target in _TEXT:
        raise UnimplementedError(
            None, None, f"Cast {source.name} to {target.name} is not supported"
        )
    if Truncate and (source, target) in _PRESERVED_BITS:
        mask = _PRESERVED_BITS[source, target]
        x = (x.view(mask.dtype) & mask).view(x.dtype)
    return xp.cast(x, target.np)


@cast.gradient
def _(dz, *, dtype_of_x):
    if not (dtype_of_x.is_floating or dtype_of_x.is_complex):
        return None
    return cast(dz, DstT=dtype_of_x)


def as_index(indices: Any, narrow: frozenset[Any] = frozenset({dtypes.int16})) -> Any:
    """Widen narrow indices to a dtype that the ops take; return others unchanged."""
    dtype = getattr(indices, "dtype", None)
    if isinstance(dtype, np.dtype):
        dtype = FROM_NUMPY.get(dtype)
    return cast(indices, DstT=dtypes.int32) if dtype in narrow else indices
