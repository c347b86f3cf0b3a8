"""Where a condition holds: ops whose result's size depends on values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.core import dtypes
from tapeflow.core.dtypes import NUMERIC, QUANTIZED
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.naming import scoped
from tapeflow.core.registry import op
from tapeflow.core.shape import TensorShape
from tapeflow.core.spec import Spec
from tapeflow.ops.gather import gather_v2
from tapeflow.ops.joining import concat_v2
from tapeflow.ops.shape import reshape, scalar_int, shape_of, static_ints
from tapeflow.ops.strided import strided_slice

_MOST_AXES = 8


@op("Where", dtypes=NUMERIC | QUANTIZED | {dtypes.bool}, grad=None, host="data-dependent shape")
def where(xp, condition):
    """The coordinates of the elements that are true or not zero, one row each."""
    if not 1 <= condition.ndim <= _MOST_AXES:
        raise InvalidArgumentError(
            None, None, f"WhereOp : Unhandled input dimensions: {condition.ndim}"
        )
    return np.argwhere(condition).astype(np.int64, copy=False)


@where.infer
def _(condition):
    return Spec((None, condition.rank), dtypes.int64)


@scoped("boolean_mask")
def boolean_mask(tensor: Any, mask: Any, axis: int = 0, name: str | None = None) -> Any:
    """The slices of `tensor` along `axis` for which the mask holds."""
    mask_dims = mask._dims
    if mask_dims is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None.  E.g. "
            "shape=[None] is ok, but shape=None is not."
        )
    if not mask_dims:
        raise ValueError("mask cannot be scalar.")
    dims = tensor._dims
    end = axis + len(mask_dims)
    if dims is not None:
        TensorShape(dims[axis:end]).assert_is_compatible_with(TensorShape(mask_dims))
    if dims is not None and None not in dims:
        flat_shape = static_ints((*dims[:axis], -1, *dims[end:]))
    else:
        sizes = shape_of(tensor)
        first = strided_slice(sizes, static_ints((0,)), static_ints((axis,)), static_ints((1,)))
        last = strided_slice(
            sizes, static_ints((end,)), static_ints((0,)), static_ints((1,)), end_mask=1
        )
        flat_shape = concat_v2([first, static_ints((-1,)), last], scalar_int(0))
    places = reshape(where(reshape(mask, static_ints((-1,)))), static_ints((-1,)))
    return gather_v2(reshape(tensor, flat_shape), places, scalar_int(axis))
