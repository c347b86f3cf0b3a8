"""Boolean masks: ops whose result's size depends on values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import NUMERIC, QUANTIZED
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.registry import op
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import FOLDS_ON_HOST
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import reshape, scalar_int, shape_of, static_ints
from tapeflow._src.ops.array.strided import strided_slice
from tapeflow._src.ops.math.arithmetic import add_v2
from tapeflow._src.ops.math.cast import cast

_MOST_AXES = 8


@op(
    "Where",
    dtypes=NUMERIC | QUANTIZED | {dtypes.bool},
    grad=None,
    host="data-dependent shape",
    traits=(FOLDS_ON_HOST,),
    graph_inputs={"condition": "input"},
    ragged_scope="RaggedWhere",
)
def where(xp, condition):
    """Return the coordinates of the elements that are true or non-zero, one row each."""
    if not 1 <= condition.ndim <= _MOST_AXES:
        raise InvalidArgumentError(
            None, None, f"WhereOp : Unhandled input dimensions: {condition.ndim}"
        )
    if condition.ndim == 2 and condition.dtype == np.bool_:
        return _true_cells(condition)
    return np.argwhere(condition).astype(np.int64, copy=False)


def _true_cells(condition: np.ndarray) -> np.ndarray:
    """Return the rows and columns of true elements: a division is faster than NumPy's own walk."""
    flat = np.flatnonzero(condition)
    cells = np.empty((len(flat), 2), np.int64)
    columns = max(condition.shape[1], 1)
    rows = flat // columns
    cells[:, 0] = rows
    rows *= columns
    np.subtract(flat, rows, out=cells[:, 1])
    return cells


@where.infer
def _(condition):
    return Spec((None, condition.rank), dtypes.int64)


@scoped("boolean_mask")
def boolean_mask(tensor: Any, mask: Any, axis: Any = 0, name: str | None = None) -> Any:
    """Select the slices of `tensor` along `axis`, an int or a tensor, where the mask holds."""
    mask_dims = mask.static_shape
    if mask_dims is None:
        raise ValueError(
            "boolean_mask needs a mask of known rank: sizes may be None (shape=[None]), the shape "
            "itself may not (shape=None). Set it with mask.set_shape or tf.ensure_shape."
        )
    if not mask_dims:
        raise ValueError("mask cannot be scalar.")
    flat_shape = _with_one_axis_for(tensor, mask_dims, axis)
    indices = reshape(where(reshape(mask, static_ints((-1,)))), static_ints((-1,)))
    along = scalar_int(axis) if isinstance(axis, int) else axis
    return gather_v2(reshape(tensor, flat_shape), indices, along)


def _with_one_axis_for(tensor: Any, mask_dims: Any, axis: Any) -> Any:
    """Return the shape of the tensor with -1 in place of the axes of the mask."""
    dims = tensor.static_shape
    if isinstance(axis, int):
        end = axis + len(mask_dims)
        if dims is not None:
            expected = TensorShape(dims[axis:end])
            if not expected.is_compatible_with(TensorShape(mask_dims)):
                raise ValueError(
                    f"Shapes {expected} and {TensorShape(mask_dims)} are incompatible: the mask "
                    f"must have the sizes of the tensor's axes from axis={axis} on, here "
                    f"{expected}. Pass the axis that it belongs to, or a mask of that shape."
                )
            if None not in dims:
                return static_ints((*dims[:axis], -1, *dims[end:]))
        begins, ends = static_ints((axis,)), static_ints((end,))
    else:
        begins = reshape(axis, static_ints((1,)))
        ends = add_v2(begins, dispatch.convert(len(mask_dims), axis.dtype))
    sizes, step = shape_of(tensor), static_ints((1,))
    if begins.dtype is not step.dtype:
        begins, ends = cast(begins, DstT=step.dtype), cast(ends, DstT=step.dtype)
    first = strided_slice(sizes, static_ints((0,)), begins, step)
    last = strided_slice(sizes, ends, static_ints((0,)), step, end_mask=1)
    return concat_v2([first, static_ints((-1,)), last], scalar_int(0))
