"""Concatenation of tensors along an axis, and splitting."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.backends import blocks
from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import Batch
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import Shape, element_count, merge_shape
from tapeflow._src.core.registry import MANY_OUTPUTS, InferError, Many, ManyIndex, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import INHERITS_NUMERICS, MOVES, TOTAL_ON_SHAPES
from tapeflow._src.ops.array.pad_slice import slice_
from tapeflow._src.ops.array.shape import axis_of, scalar_int, single_int, static_ints
from tapeflow._src.ops.math.cast import cast


@op(
    "ConcatV2",
    traits=(INHERITS_NUMERICS, MOVES, TOTAL_ON_SHAPES),
    display="concat",
    ragged_scope="RaggedConcat",
    public_name="concat",
)
def concat_v2(xp, values: Many, axis: Static):
    """Concatenate tensors along an axis."""
    at, rank = single_int(axis, "axis"), values[0].ndim
    if not -rank <= at < rank:
        # NumPy reads the smallest integer as "no axis".
        raise InferError(f"ConcatV2 got axis {at} for tensors of rank {rank}.")
    return xp.concatenate(values, axis=at)


@concat_v2.kernel("numpy")
def _(xp, values, axis):
    at, rank = single_int(axis, "axis"), values[0].ndim
    if not -rank <= at < rank or sum(value.size for value in values) < blocks.BLOCK:
        return concat_v2.body(xp, values, axis)
    return blocks.joined(values, at % rank)


@concat_v2.infer
def _(values, axis):
    if not values:
        raise InferError("ConcatOp : needs at least one tensor")
    if element_count(axis.shape) not in (None, 1):
        raise InferError(
            f"axis tensor should be a scalar integer, but got shape {fmt_shape(axis.shape)}"
        )
    shapes = [v.shape for v in values]
    static_shapes = [s for s in shapes if s is not None]
    if not static_shapes:
        return Spec(None, values[0].dtype)
    if axis.value is None:
        _check_ranks(shapes, static_shapes[0])
        return Spec((None,) * len(static_shapes[0]), values[0].dtype)
    return Spec(_joined(shapes, static_shapes[0], axis.value.item()), values[0].dtype)


def _check_ranks(shapes: list[Shape], first: Any) -> None:
    """Raise InferError unless the tensors have one rank, and an axis to concatenate along."""
    scalars = "Can't concatenate scalars (use tf.stack instead)"
    if not first:
        raise InferError(f"ConcatOp : {scalars}", scalars)
    for i, shape in enumerate(shapes):
        if shape is not None and len(shape) != len(first):
            raise InferError(
                f"ConcatOp : Ranks of all input tensors should match: shape[0] = "
                f"{fmt_shape(first)} vs. shape[{i}] = {fmt_shape(shape)}"
                if shape
                else f"ConcatOp : {scalars}",
                f"Shape must be rank {len(first)} but is rank {len(shape)}",
            )


def _joined(shapes: list[Shape], first: Any, axis: int) -> Shape:
    rank = len(first)
    _check_ranks(shapes, first)
    if not -rank <= axis < rank:
        raise InferError(
            f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), "
            f"but got {axis}"
        )
    at = axis % rank
    merged: Any = None
    total: int | None = 0
    for i, shape in enumerate(shapes):
        if shape is None:
            total = None
            continue
        try:
            merged = merge_shape(merged, (*shape[:at], None, *shape[at + 1 :]))
        except InferError:
            raise InferError(
                f"ConcatOp : Dimension {_first_difference(first, shape, at)} in both shapes must "
                f"be equal: shape[0] = {fmt_shape(first)} vs. shape[{i}] = {fmt_shape(shape)}"
            ) from None
        size = shape[at]
        total = None if total is None or size is None else total + size
    return (*merged[:at], total, *merged[at + 1 :])


def _first_difference(a: Any, b: Any, but: int) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y and i != but), but)


@concat_v2.gradient
def _(dz, *, shape_of_values, axis):
    shapes = shape_of_values
    if len(shapes) == 1:
        return [dz], None
    at = axis_of(axis, shapes[0].static_shape[0])
    sizes = [s.static_value for s in shapes]
    if at is not None and all(size is not None for size in sizes):
        parts = static_ints(tuple(int(size[at]) for size in sizes))
        return list(split_v(dz, parts, scalar_int(at), num_split=len(sizes))), None
    offsets = concat_offset(cast(axis, DstT=dtypes.int32), shapes)
    return [slice_(dz, o, s) for o, s in zip(offsets, shapes, strict=True)], None


@concat_v2.batch
def _(batch: Batch, values: Any, axis: Any) -> Any:
    after = batch.axis(axis, len(values[0].static_shape))
    return NotImplemented if after is None else batch.op([batch.values(v) for v in values], after)


@op("ConcatOffset", outputs=MANY_OUTPUTS, grad=None, checked=True)
def concat_offset(xp, concat_dim: Static, shape: ManyIndex):
    """Return the offset of each tensor of these shapes in their concatenation."""
    at = concat_dim.item() % len(shape[0])
    others = np.arange(len(shape[0])) != at
    start, offsets = 0, []
    for i, sizes in enumerate(shape):
        same = xp.all((sizes == shape[0]) | ~others)
        xp.require(same, lambda i=i: _not_joinable(at, i, shape))
        offsets.append(xp.index_set(np.zeros(sizes.shape, sizes.dtype), at, start))
        start = start + sizes[at]
    return offsets


def _not_joinable(at: int, i: int, shapes: Any) -> str:
    return (
        f"All dimensions except {at} must match. Input {i} has shape {shapes[i]} and doesn't match "
        f"input 0 with shape {shapes[0]}."
    )


@concat_offset.infer
def _(concat_dim, shape):
    if any(s.shape is not None and len(s.shape) != 1 for s in shape):
        raise InferError("ConcatOffset takes shapes, which are vectors")
    counts = {s.shape[0] for s in shape if s.shape and s.shape[0] is not None}
    if len(counts) > 1:
        raise InferError(f"ConcatOffset takes shapes of one rank, not {sorted(counts)}")
    if counts and concat_dim.value is not None:
        (rank,), axis = counts, single_int(concat_dim.value, "concat_dim")
        if not -rank <= axis < rank:
            raise InferError(f"Concat dim is out of range: {axis} vs. {rank}")
    return tuple(Spec(s.shape, s.dtype) for s in shape)


# -- splitting --------------------------------------------------------------------------------


def _split_axis(axis: Any, rank: int) -> int:
    at = single_int(axis, "split_dim")
    if not -rank <= at < rank:
        raise InferError(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {at}")
    return at % rank


def _at_least_one(num_split: int) -> None:
    if num_split < 1:
        raise InferError(f"Value for attr 'num_split' of {num_split} must be at least minimum 1")


def _split_at_sizes(value: Any, at: int, sizes: Any) -> list[Any]:
    before = (slice(None),) * at
    parts, start = [], 0
    for size in sizes:
        parts.append(value[(*before, slice(start, start + size))])
        start += size
    return parts


@op(
    "Split",
    outputs=MANY_OUTPUTS,
    checked=True,
    traits=(MOVES, TOTAL_ON_SHAPES),
    display="split",
    graph_inputs={"axis": "split_dim"},
    ragged_scope="RaggedSplit",
    public_name="split",
)
def split(xp, axis: Static, value, *, num_split):
    """Split `value` into `num_split` equal parts along an axis."""
    at = axis.item() % value.ndim
    return _split_at_sizes(value, at, [value.shape[at] // num_split] * num_split)


@split.infer
def _(axis, value, *, num_split):
    _at_least_one(num_split)
    if value.shape is None:
        return (Spec(None, value.dtype),) * num_split
    if axis.value is None:
        return (Spec((None,) * len(value.shape), value.dtype),) * num_split
    at = _split_axis(axis.value, len(value.shape))
    size = value.shape[at]
    if size is not None and size % num_split:
        raise InferError(
            f"Number of ways to split should evenly divide the split dimension, but got split_dim "
            f"{at} (size = {size}) and num_split {num_split}"
        )
    part = None if size is None else size // num_split
    shape = (*value.shape[:at], part, *value.shape[at + 1 :])
    return (Spec(shape, value.dtype),) * num_split


@split.gradient
def _(dzs, *, axis):
    return None, concat_v2(list(dzs), axis)


@split.batch
def _(batch: Batch, axis: Any, value: Any, *, num_split: Any) -> Any:
    after = batch.axis(axis, len(value.static_shape))
    if after is None:
        return NotImplemented
    return batch.op(after, batch.values(value), num_split=num_split)


@op(
    "SplitV",
    outputs=MANY_OUTPUTS,
    traits=(MOVES, TOTAL_ON_SHAPES),
    display="split",
    graph_inputs={"axis": "split_dim"},
    ragged_scope="RaggedSplit",
    public_name="split",
)
def split_v(xp, value, size_splits: Static, axis: Static, *, num_split):
    """Split `value` into parts of the given sizes along an axis; one size may be -1."""
    at = _split_axis(axis, value.ndim)
    return _split_at_sizes(value, at, _part_sizes(value.shape[at], size_splits, num_split))


def _part_sizes(total: int | None, size_splits: Any, num_split: int) -> list[Any]:
    _at_least_one(num_split)
    if size_splits.ndim != 1 or len(size_splits) != num_split:
        raise InferError(
            f"size of the split_tensor must be 1-D and have the same elements as outputs got "
            f"{size_splits.ndim} -D and {size_splits.size} elements"
        )
    sizes = size_splits.tolist()
    for i, size in enumerate(sizes):
        if size < -1:
            raise InferError(f"Split size at index {i} must be >= 0. Got: {size}")
    if sizes.count(-1) > 1:
        raise InferError("There can only be one -1 in the input.")
    fixed = sum(size for size in sizes if size != -1)
    if total is not None and (fixed > total or (fixed != total and -1 not in sizes)):
        raise InferError(
            f"Determined shape must either match input shape along split_dim exactly if fully "
            f"specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {fixed}"
        )
    rest = None if total is None else total - fixed
    return [rest if size == -1 else size for size in sizes]


@split_v.infer
def _(value, size_splits, axis, *, num_split):
    if value.shape is None:
        return (Spec(None, value.dtype),) * num_split
    rank = len(value.shape)
    if axis.value is None:
        return (Spec((None,) * rank, value.dtype),) * num_split
    at = _split_axis(axis.value, rank)
    if size_splits.value is None:
        sizes: list[Any] = [None] * num_split
    else:
        sizes = _part_sizes(value.shape[at], size_splits.value, num_split)
    return tuple(
        Spec((*value.shape[:at], size, *value.shape[at + 1 :]), value.dtype) for size in sizes
    )


@split_v.gradient
def _(dzs, *, axis):
    return concat_v2(list(dzs), axis), None, None


@split_v.batch
def _(batch: Batch, value: Any, size_splits: Any, axis: Any, *, num_split: Any) -> Any:
    after = batch.axis(axis, len(value.static_shape))
    if after is None:
        return NotImplemented
    return batch.op(batch.values(value), size_splits, after, num_split=num_split)
