"""Where a condition holds: ops whose result's size depends on values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.core import dtypes
from tapeflow.core.registry import Free, op
from tapeflow.core.spec import Spec
from tapeflow.ops.array import reshape, scalar_int, static_ints
from tapeflow.ops.gather import gather_v2


@op("Where", grad=None, host="data-dependent shape")
def where(xp, condition: Free):
    """The coordinates of the elements that are true or not zero, one row each."""
    return np.argwhere(condition).astype(np.int64).reshape(-1, condition.ndim)


@where.infer
def _(condition):
    return Spec((None, condition.rank), dtypes.int64)


def boolean_mask(tensor: Any, mask: Any, axis: int = 0) -> Any:
    """The slices of `tensor` along `axis` for which the mask holds."""
    if len(mask.shape) == 0:
        raise ValueError("mask cannot be scalar.")
    dims, mask_dims = tensor._dims, mask._dims
    end = axis + len(mask_dims)
    if any(
        a is not None and b is not None and a != b
        for a, b in zip(dims[axis:end], mask_dims, strict=False)
    ) or end > len(dims):
        raise ValueError(f"Shapes {tensor.shape[axis:end]} and {mask.shape} are incompatible")
    flat = reshape(tensor, static_ints((*dims[:axis], -1, *dims[end:])))
    places = reshape(where(reshape(mask, static_ints((-1,)))), static_ints((-1,)))
    return gather_v2(flat, places, scalar_int(axis))
