"""Broadcasting, and its transpose: summing over the broadcast axes.

Nearly every family builds on this file; of them it may import arithmetic, casts and comparisons.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import Batch, along_axes, is_static
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import broadcast_shape, reduction, require_rank, shape_from_value
from tapeflow._src.core.registry import InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import (
    EXACT_IN_BATCHES,
    FOLDS,
    FOLDS_ON_HOST,
    KEEPS_WEAK,
    TOTAL_ON_SHAPES,
)
from tapeflow._src.core.types import ShapeLike
from tapeflow._src.ops.array.ranges import range_
from tapeflow._src.ops.array.shape import reshape, scalar_int, shape, size, static_ints
from tapeflow._src.ops.array.stacking import pack, unpack
from tapeflow._src.ops.math.arithmetic import add_v2, mul, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal

# Below this many elements copying is faster than creating a broadcast view.
_WORTH_A_VIEW = 4096


@op("BroadcastTo", traits=(EXACT_IN_BATCHES, TOTAL_ON_SHAPES))
def broadcast_to(xp, input, shape: Static):
    """Broadcast `input` to that shape."""
    return xp.broadcast_to(input, tuple(shape.tolist()))


@broadcast_to.kernel("numpy")
def _(xp, input, shape):
    sizes = tuple(shape.tolist())
    if math.prod(sizes) > _WORTH_A_VIEW or input.ndim > len(sizes):
        return np.broadcast_to(input, sizes)
    result = np.empty(sizes, input.dtype)
    result[...] = input
    return result


@broadcast_to.infer
def _(input, shape):
    require_rank(shape, 1, "shape")
    target = shape_from_value(shape)
    if target is None or input.shape is None:
        return Spec(target, input.dtype)
    if len(input.shape) > len(target):
        raise InferError(
            f"Rank of input ({len(input.shape)}) must be no greater than rank of output shape "
            f"({len(target)})."
        )
    for n, target_size in zip(reversed(input.shape), reversed(target), strict=False):
        if n not in (None, 1, target_size) and target_size is not None:
            raise InferError(
                f"Unable to broadcast shape {fmt_shape(input.shape)} to shape {fmt_shape(target)}: "
                f"size {n} cannot become {target_size}"
            )
    return Spec(target, input.dtype)


@broadcast_to.gradient
def _(dz, *, shape_of_input):
    return sum_to(dz, shape_of_input), None


@broadcast_to.batch
def _(batch: Batch, input: Any, shape: Any) -> Any:
    if not is_static(shape):
        return NotImplemented
    dims = tuple(int(n) for n in shape.static_value)
    values = batch.values(input)
    gap = len(dims) - len(input.static_shape)
    if gap:
        values = batch.reshape(values, batch.size, *(1,) * gap, *input.static_shape)
    return batch.broadcast(values, batch.size, *dims)


def sum_to(tensor: Any, target: Any) -> Any:
    """Sum `tensor` over the axes along which a tensor of shape `target` was broadcast to it."""
    target_value = target.static_value
    if target_value is None or tensor.static_shape is None or None in tensor.static_shape:
        axes, _ = broadcast_gradient_args(target, shape(tensor, out_type=target.dtype))
        return reshape(sum_(tensor, axes), target)
    return sum_to_dims(tensor, tuple(target_value.tolist()))


def sum_to_dims(tensor: Any, dims: tuple[int, ...]) -> Any:
    """Like `sum_to`, with both shapes static."""
    shape = tensor.static_shape
    if shape == dims:
        return tensor
    axes = _repeated(shape, dims)
    if axes is not None:
        tensor = sum_(tensor, axes)
    return tensor if tensor.static_shape == dims else reshape(tensor, static_ints(dims))


@lru_cache(maxsize=8192)
def _repeated(shape: tuple[int, ...], dims: tuple[int, ...]) -> Any:
    """Return the axes along which `dims` was broadcast to `shape`, as a tensor; None if none."""
    extra = len(shape) - len(dims)
    axes = tuple(i for i, n in enumerate(shape) if i < extra or (dims[i - extra] == 1 and n != 1))
    return static_ints(axes) if axes else None


@op(
    "BroadcastGradientArgs",
    outputs=("r0", "r1"),
    grad=None,
    host="data-dependent shape",
    traits=(FOLDS_ON_HOST,),
)
def broadcast_gradient_args(xp, s0: Static, s1: Static):
    """Return the axes over which to sum gradients of two broadcast operands, from their shapes."""
    a, b = s0.tolist(), s1.tolist()
    if a == b:
        return np.zeros(0, s0.dtype), np.zeros(0, s1.dtype)
    rank = max(len(a), len(b))
    a, b = [1] * (rank - len(a)) + a, [1] * (rank - len(b)) + b
    return tuple(
        np.array([i for i in range(rank) if sizes[i] == 1], like.dtype)
        for sizes, like in ((a, s0), (b, s1))
    )


@broadcast_gradient_args.infer
def _(s0, s1):
    return Spec((None,), s0.dtype), Spec((None,), s1.dtype)


@op("BroadcastArgs", grad=None, checked=True)
def broadcast_args(xp, s0: Static, s1: Static):
    """Return the shape of an element-wise result, from the shapes of the operands."""
    return np.array(broadcast_shape(tuple(s0.tolist()), tuple(s1.tolist())), s0.dtype)


@broadcast_args.infer
def _(s0, s1):
    if s0.dtype is not s1.dtype:
        raise InferError(f"s0 and s1 must have one dtype, got {s0.dtype.name} and {s1.dtype.name}")
    for name, spec in (("s0", s0), ("s1", s1)):
        require_rank(spec, 1, name)
    if s0.value is None or s1.value is None:
        is_static = (
            s0.shape is not None and s1.shape is not None and None not in (*s0.shape, *s1.shape)
        )
        return Spec((max(s0.shape[0], s1.shape[0]) if is_static else None,), s0.dtype)
    value = broadcast_shape(tuple(s0.value.tolist()), tuple(s1.value.tolist()))
    return Spec((len(value),), s0.dtype, np.array(value, s0.dtype.np))


@op(
    "Sum",
    infer=reduction(),
    dtypes=dtypes.NUMERIC,
    traits=(FOLDS, KEEPS_WEAK, TOTAL_ON_SHAPES),
    graph_inputs={"axis": "reduction_indices"},
    ragged_scope="RaggedReduceSum",
    batch=along_axes,
)
def sum_(xp, input, axis: Static, *, keep_dims=False):
    """Return the sum over `axis`."""
    axes = tuple(axis.reshape(-1).tolist())
    return xp.sum(input, axis=axes, keepdims=keep_dims, dtype=input.dtype)


@sum_.kernel("numpy")
def _(xp, input, axis, *, keep_dims):
    axes = tuple(axis.tolist()) if axis.ndim == 1 else tuple(axis.reshape(-1).tolist())
    dtype = input.dtype
    if dtype.itemsize == 2 and dtype.kind in "fV":
        # A float16 total stops growing at 2048 times its terms, a bfloat16 one at 256 times:
        # add up in float32, which is also several times faster.
        total = np.add.reduce(input, axis=axes, dtype=np.float32, keepdims=keep_dims)
        return total.astype(dtype)
    return np.add.reduce(input, axis=axes, dtype=dtype, keepdims=keep_dims)


@sum_.gradient
def _(dz, *, shape_of_input, axis):
    return spread(dz, shape_of_input, axis), None


def spread(tensor: Any, input_shape: ShapeLike, axis: Any) -> Any:
    """Broadcast a reduction's result over the reduced axes, to the input's shape."""
    keep_dims_shape = keep_dims_shape_of(input_shape, axis)
    if keep_dims_shape.static_value is None or not _broadcasts(
        tensor.static_shape, tuple(keep_dims_shape.static_value.tolist())
    ):
        tensor = reshape(tensor, keep_dims_shape)
    return broadcast_to(tensor, input_shape)


def _broadcasts(shape: Any, keep_dims_shape: tuple[int, ...]) -> bool:
    """Whether `shape` lacks only leading ones of the shape, which broadcasting adds."""
    if shape is None:
        return False
    extra = len(keep_dims_shape) - len(shape)
    return keep_dims_shape[extra:] == shape and keep_dims_shape[:extra] == (1,) * extra


@lru_cache(maxsize=8192)
def _with_ones(dims: tuple[int, ...], axes: tuple[int, ...]) -> Any:
    gone = {a % len(dims) for a in axes} if dims else ()
    return static_ints(tuple(1 if i in gone else n for i, n in enumerate(dims)))


def keep_dims_shape_of(input_shape: Any, axis: Any) -> Any:
    """Return `input_shape` with size 1 at the reduced axes: the shape with `keep_dims`."""
    dims, axes, rank = input_shape.static_value, axis.static_value, input_shape.static_shape[0]
    if axes is not None and rank is not None:
        if dims is not None:
            return _with_ones(tuple(dims.tolist()), tuple(axes.reshape(-1).tolist()))
        gone = {int(a) % rank for a in axes.reshape(-1)} if rank else set()
        sizes = unpack(input_shape, num=rank)
        return pack([1 if i in gone else n for i, n in enumerate(sizes)])
    count = size(input_shape)
    every = reshape(range_(scalar_int(0), count, scalar_int(1)), static_ints((-1, 1)))
    axes = reshape(cast(axis, DstT=dtypes.int32), static_ints((1, -1)))
    hits = add_v2(
        cast(equal(every, axes), DstT=input_shape.dtype),
        cast(equal(every, add_v2(axes, count)), DstT=input_shape.dtype),
    )
    gone = sum_(hits, static_ints((1,)))
    return add_v2(mul(input_shape, sub(1, gone)), gone)
