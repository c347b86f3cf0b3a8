"""Shapes of tensors and ops that only move elements: the ones everything else needs."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from tapeflow.core import dispatch, dtypes
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.errors import fmt_shape
from tapeflow.core.infer import (
    broadcast_shape,
    element_count,
    merge_shape,
    normalize_axis,
    reduction,
    require_rank,
    require_rank_at_least,
    same_as,
    shape_from_value,
)
from tapeflow.core.registry import (
    MANY_OUTPUTS,
    Free,
    InferError,
    Many,
    ManyIndex,
    Static,
    StaticT,
    op,
)
from tapeflow.core.spec import Spec


@lru_cache(maxsize=8192)
def static_ints(values: tuple[int, ...]) -> Any:
    """A shape or a list of axes as an int32 tensor, made once for each value."""
    kind = dtypes.int32 if all(-(2**31) <= v < 2**31 for v in values) else dtypes.int64
    return dispatch.base_mode().convert(np.array(values, kind.np), None, None, None)


def shape_of(tensor: Any) -> Any:
    """The shape as a tensor: a constant if it is known."""
    dims = tensor._dims
    if dims is None or None in dims:
        return shape(tensor)
    return static_ints(dims)


@op("Identity", infer=same_as("input"))
def identity(xp, input):
    """The same value."""
    return input


@identity.gradient
def _(dz):
    return dz


@op("StopGradient", infer=same_as("input"), grad=None)
def stop_gradient(xp, input):
    """The same value, a constant to the tape."""
    return input


@op("Shape", grad=None)
def shape(xp, input: Free, *, out_type=dtypes.int32):
    """The sizes of the axes, as a 1-D tensor."""
    return np.array(input.shape, as_dtype(out_type).np)


@shape.infer
def _(input, *, out_type):
    value = None
    if input.known:
        value = np.array(input.shape, as_dtype(out_type).np)
    return Spec((input.rank,), as_dtype(out_type), value)


@op("Reshape", checked=True)
def reshape(xp, tensor, shape: Static):
    """The same elements, in row-major order, in another shape; one size may be -1."""
    return xp.reshape(tensor, tuple(shape.tolist()))


@reshape.infer
def _(tensor, shape):
    if shape.value is None:
        rank = shape.shape[0] if shape.shape else None
        return Spec(None if rank is None else (None,) * rank, tensor.dtype)
    if shape.value.ndim != 1:
        raise InferError(f"sizes input must be 1-D, not {fmt_shape(shape.value.shape)}")
    sizes = [int(size) for size in shape.value]
    unknown = [i for i, size in enumerate(sizes) if size == -1]
    if len(unknown) > 1:
        raise InferError(f"Only one input size may be -1, not both {unknown[0]} and {unknown[1]}")
    for i, size in enumerate(sizes):
        if size < -1:
            raise InferError(f"Size {i} must be non-negative, not {size}")
    known = element_count(tuple(size for size in sizes if size != -1))
    count = element_count(tensor.shape)
    if unknown:
        if count is None:
            return Spec(tuple(None if s == -1 else s for s in sizes), tensor.dtype)
        if known == 0 or count % known:
            raise InferError(
                f"Input to reshape is a tensor with {count} values, but the requested shape "
                f"{fmt_shape(sizes)} requires a multiple of {known}"
            )
        sizes[unknown[0]] = count // known
    elif count is not None and count != known:
        raise InferError(
            f"Input to reshape is a tensor with {count} values, but the requested shape has {known}"
        )
    return Spec(tuple(sizes), tensor.dtype)


@reshape.gradient
def _(dz, *, shape_of_tensor):
    return reshape(dz, shape_of_tensor), None


@op("BroadcastTo", checked=True)
def broadcast_to(xp, input, shape: Static):
    """`input` repeated along new axes and axes of size 1, to have that shape."""
    return xp.broadcast_to(input, tuple(shape.tolist()))


@broadcast_to.infer
def _(input, shape):
    target = shape_from_value(shape)
    if target is None or input.shape is None:
        return Spec(target, input.dtype)
    if (
        len(input.shape) > len(target)
        or broadcast_shape(input.shape, target) != target
        and (None not in target and None not in input.shape)
    ):
        raise InferError(f"Incompatible shapes: {fmt_shape(input.shape)} vs. {fmt_shape(target)}")
    return Spec(target, input.dtype)


@broadcast_to.gradient
def _(dz, *, shape_of_input):
    return sum_to(dz, shape_of_input), None


def sum_to(tensor: Any, target: Any) -> Any:
    """`tensor` summed over the axes along which a tensor of shape `target` was broadcast to it."""
    wanted = target._static
    if wanted is None or tensor._dims is None or None in tensor._dims:
        axes, _ = broadcast_gradient_args(target, shape(tensor))
        return reshape(sum_(tensor, axes), target)
    return sum_to_dims(tensor, tuple(wanted.tolist()))


def sum_to_dims(tensor: Any, dims: tuple[int, ...]) -> Any:
    """As `sum_to`, with both shapes known."""
    have = tensor._dims
    if have == dims:
        return tensor
    extra = len(have) - len(dims)
    axes = tuple(i for i, n in enumerate(have) if i < extra or (dims[i - extra] == 1 and n != 1))
    if axes:
        tensor = sum_(tensor, static_ints(axes))
    return tensor if tensor._dims == dims else reshape(tensor, static_ints(dims))


@op("BroadcastGradientArgs", outputs=("r0", "r1"), grad=None, host="data-dependent shape")
def broadcast_gradient_args(xp, s0: Static, s1: Static):
    """The axes over which to sum gradients of two broadcast operands, from their shapes."""
    rank = max(len(s0), len(s1))
    a = [1] * (rank - len(s0)) + s0.tolist()
    b = [1] * (rank - len(s1)) + s1.tolist()
    r0 = [i for i in range(rank) if a[i] == 1 and (b[i] != 1 or i < rank - len(s0))]
    r1 = [i for i in range(rank) if b[i] == 1 and (a[i] != 1 or i < rank - len(s1))]
    return np.array(r0, s0.dtype), np.array(r1, s1.dtype)


@broadcast_gradient_args.infer
def _(s0, s1):
    return Spec((None,), s0.dtype), Spec((None,), s1.dtype)


@op("Sum", infer=reduction(), dtypes=dtypes.NUMERIC, checked=True)
def sum_(xp, input, axis: Static, *, keep_dims=False):
    """The sum over `axis`."""
    axes = tuple(axis.reshape(-1).tolist())
    return xp.sum(input, axis=axes, keepdims=keep_dims, dtype=input.dtype)


@sum_.gradient
def _(dz, *, shape_of_input, axis):
    return spread(dz, shape_of_input, axis), None


def spread(tensor: Any, input_shape: Any, axis: Any) -> Any:
    """A reduction's result repeated over the axes that were reduced, to the input's shape."""
    return broadcast_to(reshape(tensor, kept_shape(input_shape, axis)), input_shape)


def kept_shape(input_shape: Any, axis: Any) -> Any:
    """`input_shape` with size 1 at the axes reduced: what `keep_dims` gives."""
    dims, axes = input_shape._static, axis._static
    if dims is not None and axes is not None:
        rank = len(dims)
        gone = {int(a) % rank for a in axes.reshape(-1)} if rank else set()
        return static_ints(tuple(1 if i in gone else int(n) for i, n in enumerate(dims)))
    every = range_(scalar_int(0), size(input_shape), scalar_int(1))
    return dynamic_stitch([every, axis], [input_shape, ones_like(axis)])


def scalar_int(value: int) -> Any:
    return dispatch.convert(value, dtypes.int32)


@op("Size", grad=None)
def size(xp, input: Free, *, out_type=dtypes.int32):
    """The number of elements."""
    return np.array(input.size, as_dtype(out_type).np)


@size.infer
def _(input, *, out_type):
    count = element_count(input.shape)
    value = None if count is None else np.array(count, as_dtype(out_type).np)
    return Spec((), as_dtype(out_type), value)


@op("Range", dtypes=dtypes.REAL, grad=None, checked=True)
def range_(xp, start: StaticT, limit: StaticT, delta: StaticT):
    """The numbers from `start` up to but without `limit`, `delta` apart."""
    count = _range_count(start, limit, delta)
    # Counting in the dtype itself would round; TF adds up in it, which rounds differently.
    wide = np.float64 if start.dtype.kind not in "iu" else start.dtype
    return (start.astype(wide) + np.arange(count) * delta.astype(wide)).astype(start.dtype)


def _range_count(start: Any, limit: Any, delta: Any) -> int:
    first, last, step = start.item(), limit.item(), delta.item()
    if step == 0:
        raise InferError(f"Requires delta != 0: {step}")
    if (step > 0 and first > last) or (step < 0 and first < last):
        sign = ("<=", ">") if step > 0 else (">=", "<")
        raise InferError(f"Requires start {sign[0]} limit when delta {sign[1]} 0: {first}/{last}")
    if isinstance(step, int):
        return (abs(last - first) + abs(step) - 1) // abs(step)
    return math.ceil(abs((last - first) / step))


@range_.infer
def _(start, limit, delta):
    for name, spec in (("start", start), ("limit", limit), ("delta", delta)):
        require_rank(spec, 0, name)
    if start.value is None or limit.value is None or delta.value is None:
        return Spec((None,), start.dtype)
    return Spec((_range_count(start.value, limit.value, delta.value),), start.dtype)


@op("DynamicStitch", host="data-dependent shape")
def dynamic_stitch(xp, indices: ManyIndex, data: Many):
    """One tensor in which `data[k][i]` stands at place `indices[k][i]`; later ones win."""
    count = max((int(i.max()) + 1 for i in indices if i.size), default=0)
    rest = data[0].shape[indices[0].ndim :]
    result = np.zeros((count, *rest), data[0].dtype)
    for where, values in zip(indices, data, strict=True):
        if where.size and where.min() < 0:
            raise InferError(f"indices must be >= 0, got {where.min()}")
        result[where.reshape(-1)] = values.reshape(-1, *rest)
    return result


@dynamic_stitch.infer
def _(indices, data):
    if len(indices) != len(data) or not data:
        raise InferError(
            f"indices ({len(indices)}) and data ({len(data)}) must be as many, and some"
        )
    rest: Any = None
    for where, values in zip(indices, data, strict=True):
        if where.shape is None or values.shape is None:
            continue
        rank = len(where.shape)
        merge_shape(where.shape, values.shape[:rank], "data must start with the shape of indices")
        rest = merge_shape(rest, values.shape[rank:], "data must agree after the indices")
    return Spec(None if rest is None else (None, *rest), data[0].dtype)


@op("Fill", checked=True)
def fill(xp, dims: Static, value):
    """A tensor of shape `dims` full of `value`."""
    return xp.full(tuple(dims.tolist()), value, dtype=value.dtype)


@fill.infer
def _(dims, value):
    require_rank(value, 0, "value")
    return Spec(shape_from_value(dims), value.dtype)


@fill.gradient
def _(dz):
    return None, sum_(dz, static_ints(tuple(range(len(dz.shape)))))


@op("ZerosLike", infer=same_as("x"))
def zeros_like(xp, x):
    """Zeros of the same shape and dtype."""
    if x.dtype == object:
        return np.full(x.shape, b"", object)
    return xp.zeros_like(x)


@zeros_like.gradient
def _(dz):
    return zeros_like(dz)


@op("OnesLike", infer=same_as("x"))
def ones_like(xp, x):
    """Ones of the same shape and dtype."""
    return xp.ones_like(x)


@ones_like.gradient
def _(dz):
    return zeros_like(dz)


def _infer_pack(op, specs, attrs):
    (values,) = specs
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
    axis = normalize_axis(attrs["axis"], len(shape) + 1)
    return Spec((*shape[:axis], len(values), *shape[axis:]), values[0].dtype)


@op("Pack", infer=_infer_pack)
def pack(xp, values: Many, *, axis=0):
    """Tensors of one shape, stacked along a new axis."""
    return xp.stack(values, axis=axis)


@pack.gradient
def _(dz, *, values, axis):
    return list(unpack(dz, num=len(values), axis=axis))


@op("Unpack", outputs=MANY_OUTPUTS, checked=True)
def unpack(xp, value, *, num, axis=0):
    """The slices along an axis, each without it."""
    return [part for part in xp.moveaxis(value, axis, 0)]


@unpack.infer
def _(value, *, num, axis):
    if value.shape is None:
        return (Spec(None, value.dtype),) * num
    require_rank_at_least(value, 1, "value")
    axis = normalize_axis(axis, len(value.shape))
    if value.shape[axis] not in (None, num):
        raise InferError(
            f"Input shape axis {axis} must equal {num}, got shape {fmt_shape(value.shape)}"
        )
    rest = (*value.shape[:axis], *value.shape[axis + 1 :])
    return (Spec(rest, value.dtype),) * num


@unpack.gradient
def _(dzs, *, axis):
    return pack(list(dzs), axis=axis)


@op("ConcatV2", checked=True)
def concat_v2(xp, values: Many, axis: Static):
    """Tensors joined along an axis they have."""
    return xp.concatenate(values, axis=int(axis))


@concat_v2.infer
def _(values, axis):
    require_rank(axis, 0, "axis")
    shapes = [v.shape for v in values]
    if axis.value is None or any(s is None for s in shapes):
        rank = next((len(s) for s in shapes if s is not None), None)
        return Spec(None if rank is None else (None,) * rank, values[0].dtype)
    rank = len(shapes[0])
    at = normalize_axis(int(axis.value), rank, "ConcatOp : Expected concatenating dimensions")
    merged: Any = (*shapes[0][:at], None, *shapes[0][at + 1 :])
    total: Any = 0
    for i, one in enumerate(shapes):
        if len(one) != rank:
            raise InferError(
                f"ConcatOp : Ranks of all input tensors should match: shape[0] = "
                f"{fmt_shape(shapes[0])} vs. shape[{i}] = {fmt_shape(one)}"
            )
        try:
            merged = merge_shape(merged, (*one[:at], None, *one[at + 1 :]))
        except InferError:
            raise InferError(
                f"ConcatOp : Dimensions of inputs should match: shape[0] = "
                f"{fmt_shape(shapes[0])} vs. shape[{i}] = {fmt_shape(one)}"
            ) from None
        total = None if total is None or one[at] is None else total + one[at]
    return Spec((*merged[:at], total, *merged[at + 1 :]), values[0].dtype)
