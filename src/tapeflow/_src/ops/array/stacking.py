"""Stacking tensors of one shape along a new axis, and unstacking."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.backends import blocks
from tapeflow._src.core.batching import Batch, on_list
from tapeflow._src.core.dtypes import variant
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import merge_shape, normalize_axis, require_rank_at_least
from tapeflow._src.core.registry import MANY_OUTPUTS, InferError, Many, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import INHERITS_NUMERICS, MOVES, TOTAL_ON_SHAPES
from tapeflow._src.core.variants import VariantArray


@op(
    "Pack",
    traits=(MOVES, TOTAL_ON_SHAPES),
    display="stack",
    ragged_scope="RaggedConcat",
    public_name="stack",
)
def pack(xp, values: Many, *, axis=0):
    """Stack tensors of one shape along a new axis."""
    return xp.stack(values, axis=axis)


@pack.kernel("numpy")
def _(xp, values, *, axis):
    at = normalize_axis(axis, values[0].ndim + 1)
    if values[0].dtype is variant and not at:
        return VariantArray.stacked(values)
    new_axis = (*(slice(None),) * at, None)
    # Half the time of `np.stack`.
    expanded = [value[new_axis] for value in values]
    if values[0].size < blocks.BLOCK:
        return np.concatenate(expanded, axis=at)
    return blocks.joined(expanded, at)


@pack.infer
def _(values, *, axis):
    if not values:
        raise InferError("Pack needs at least one tensor")
    shape = values[0].shape
    for i, value in enumerate(values):
        try:
            shape = merge_shape(shape, value.shape)
        except InferError:
            raise InferError(
                f"Shapes of all inputs must match: values[0].shape = {fmt_shape(values[0].shape)} "
                f"!= values[{i}].shape = {fmt_shape(value.shape)}"
            ) from None
    if shape is None:
        return Spec(None, values[0].dtype)
    at = normalize_axis(axis, len(shape) + 1)
    return Spec((*shape[:at], len(values), *shape[at:]), values[0].dtype)


@pack.gradient
def _(dz, *, shape_of_values, axis):
    return list(unpack(dz, num=len(shape_of_values), axis=axis))


@pack.batch
def _(batch: Batch, values: Any, *, axis: Any) -> Any:
    rank = len(values[0].static_shape) + 1
    return on_list(batch, values, axis=axis % rank + 1)


@op(
    "Unpack",
    outputs=MANY_OUTPUTS,
    traits=(INHERITS_NUMERICS, MOVES, TOTAL_ON_SHAPES),
    display="unstack",
)
def unpack(xp, value, *, num, axis=0):
    """Return the slices along an axis, each without it."""
    if value.shape[axis] != num:
        raise InferError(f"Input shape axis {axis} must equal {num}, got shape {value.shape}")
    before = (slice(None),) * (axis % value.ndim)
    # The ellipsis keeps what is left of a vector an array.
    return [value[(*before, i, ...)] for i in range(num)]


@unpack.infer
def _(value, *, num, axis):
    if value.shape is None:
        return (Spec(None, value.dtype),) * num
    require_rank_at_least(value, 1, "value")
    at = normalize_axis(axis, len(value.shape))
    if value.shape[at] not in (None, num):
        raise InferError(
            f"Input shape axis {at} must equal {num}, got shape {fmt_shape(value.shape)}"
        )
    rest = (*value.shape[:at], *value.shape[at + 1 :])
    return (Spec(rest, value.dtype),) * num


@unpack.gradient
def _(dzs, *, axis):
    return pack(list(dzs), axis=axis)


@unpack.batch
def _(batch: Batch, value: Any, *, num: Any, axis: Any) -> Any:
    return batch.op(batch.values(value), num=num, axis=axis % len(value.static_shape) + 1)
