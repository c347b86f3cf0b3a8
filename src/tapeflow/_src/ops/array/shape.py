"""The shape of a tensor, and the ops that change it or check it and leave the elements alone."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.batching import Batch, Shared, is_static, on_list
from tapeflow._src.core.dtypes import INDEX
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import Shape, allowed_dtype, element_count, normalize_axis, same_as
from tapeflow._src.core.registry import MANY_OUTPUTS, Free, InferError, Many, ManyFree, Static, op
from tapeflow._src.core.shape import as_dims
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import (
    FORWARDS,
    INHERITS_NUMERICS,
    KEEPS_WEAK,
    MOVES,
    SHAPE_ONLY,
    TOTAL,
    TOTAL_ON_SHAPES,
)
from tapeflow._src.core.types import DTypeLike

_MOST_ELEMENTS = 2**63 - 1


@lru_cache(maxsize=8192)
def static_ints(values: tuple[int, ...]) -> Any:
    """Return a shape or a list of axes as a cached int32 tensor."""
    fits = not values or (min(values) >= -(2**31) and max(values) < 2**31)
    kind = dtypes.int32 if fits else dtypes.int64
    return dispatch.base_mode().convert(ints(values, kind.np), None, None, None)


def ints(values: Any, dtype: Any) -> np.ndarray:
    """Return an array of Python ints; ValueError if one does not fit into the dtype."""
    try:
        return np.array(values, dtype)
    except OverflowError as error:
        raise ValueError(
            f"Sizes, axes and indices must be integers of at most 64 bits. "
            f"Received: {list(values)!r}"
        ) from error


def scalar_int(value: int) -> Any:
    """Return an axis or a size as an int32 tensor."""
    return dispatch.convert(value, dtypes.int32)


def single_int(array: Any, name: str) -> int:
    """Return the value of an axis or a size; InferError unless there is exactly one."""
    if array.size != 1:
        raise InferError(f"{name} must be a single value, got shape {fmt_shape(array.shape)}")
    return array.item()


def shape_of(tensor: Any) -> Any:
    """Return the shape as a tensor: a constant if it is static."""
    dims = tensor.static_shape
    if dims is None or None in dims:
        return shape(tensor)
    return static_ints(dims)


# -- the tensor itself ------------------------------------------------------------------------


@op(
    "Identity",
    infer=same_as("input"),
    traits=(FORWARDS, INHERITS_NUMERICS, KEEPS_WEAK, MOVES, TOTAL),
)
def identity(xp, input):
    """Return the input."""
    return input


@identity.gradient
def _(dz):
    return dz


@op("Snapshot", infer=same_as("input"), traits=(FORWARDS, TOTAL))
def snapshot(xp, input):
    """Return the current value."""
    return input


@snapshot.gradient
def _(dz):
    return dz


@op("GuaranteeConst", infer=same_as("input"), traits=(FORWARDS,))
def guarantee_const(xp, input):
    """Return the input, a constant."""
    return input


@guarantee_const.gradient
def _(dz):
    return dz


@op("IdentityN", outputs=MANY_OUTPUTS, batch=on_list)
def identity_n(xp, input: ManyFree):
    """Return several tensors, as one operation."""
    return list(input)


@identity_n.infer
def _(input):
    return tuple(Spec(spec.shape, spec.dtype) for spec in input)


@identity_n.gradient
def _(dzs):
    return list(dzs)


@op("StopGradient", infer=same_as("input"), grad=None, traits=(FORWARDS, KEEPS_WEAK, TOTAL))
def stop_gradient(xp, input):
    """Return the input; tapes treat it as a constant."""
    return input


@op("PreventGradient", infer=same_as("input"), traits=(FORWARDS, TOTAL))
def prevent_gradient(xp, input, *, message=""):
    """Return the input; its gradient raises."""
    return input


@prevent_gradient.gradient
def _(dz, *, message):
    raise LookupError(f"Gradient explicitly disabled. Reason: {message!r}")


# -- what its shape is ------------------------------------------------------------------------


def _size_dtype(out_type: DTypeLike) -> Any:
    return allowed_dtype("out_type", out_type, INDEX)


def _shape_spec(spec: Spec, out_type: DTypeLike) -> Spec:
    dtype = _size_dtype(out_type)
    value = np.array(spec.shape, dtype.np) if spec.is_static else None
    return Spec((spec.rank,), dtype, value)


def _batch_of_shape(batch: Batch, input: Any, **attrs: Any) -> Any:
    """Return the shape, which all members share."""
    if None in input.static_shape:
        return NotImplemented
    return Shared(batch.op(batch.broadcast(scalar_int(0), *input.static_shape), **attrs))


@op(
    "Shape",
    grad=None,
    traits=(SHAPE_ONLY, TOTAL),
    ragged_scope="RaggedShape",
    batch=_batch_of_shape,
)
def shape(xp, input: Free, *, out_type=dtypes.int32):
    """Return the sizes of the axes, as a 1-D tensor."""
    return np.array(input.shape, _size_dtype(out_type).np)


@shape.infer
def _(input, *, out_type):
    return _shape_spec(input, out_type)


@op("ShapeN", outputs=MANY_OUTPUTS, grad=None, traits=(SHAPE_ONLY,))
def shape_n(xp, input: Many, *, out_type=dtypes.int32):
    """Return the shapes of several tensors."""
    return [np.array(one.shape, _size_dtype(out_type).np) for one in input]


@shape_n.infer
def _(input, *, out_type):
    return tuple(_shape_spec(spec, out_type) for spec in input)


@shape_n.batch
def _(batch: Batch, input: Any, **attrs: Any) -> Any:
    if any(None in x.static_shape for x in input):
        return NotImplemented
    alike = [batch.broadcast(scalar_int(0), *x.static_shape) for x in input]
    return tuple(Shared(sizes) for sizes in batch.op(alike, **attrs))


@op("Rank", grad=None, traits=(SHAPE_ONLY, TOTAL), ragged_scope="RaggedRank", batch=_batch_of_shape)
def rank(xp, input: Free):
    """Return the number of axes."""
    return np.array(input.ndim, np.int32)


@rank.infer
def _(input):
    value = None if input.rank is None else np.array(input.rank, np.int32)
    return Spec((), dtypes.int32, value)


@op("Size", grad=None, traits=(SHAPE_ONLY, TOTAL), batch=_batch_of_shape)
def size(xp, input: Free, *, out_type=dtypes.int32):
    """Return the number of elements."""
    return np.array(input.size, _size_dtype(out_type).np)


@size.infer
def _(input, *, out_type):
    dtype = _size_dtype(out_type)
    count = element_count(input.shape)
    return Spec((), dtype, None if count is None else np.array(count, dtype.np))


# -- the same elements in another shape -------------------------------------------------------


@op("Reshape", traits=(INHERITS_NUMERICS, KEEPS_WEAK, MOVES, TOTAL_ON_SHAPES))
def reshape(xp, tensor, shape: Static):
    """Return the elements, in row-major order, in another shape; one size may be -1."""
    sizes = tuple(shape.tolist()) if shape.ndim else (shape.item(),)
    if (-1 in sizes and 0 in sizes) or (sizes and min(sizes) < -1):
        sizes = _resolved(tensor.shape, list(sizes))
    return tensor.reshape(sizes)


def _resolved(shape: Shape, sizes: list[int]) -> Any:
    """Resolve -1 in a requested shape, as far as it is static."""
    unknown = [i for i, n in enumerate(sizes) if n == -1]
    if len(unknown) > 1:
        raise InferError(f"Only one input size may be -1, not both {unknown[0]} and {unknown[1]}")
    for i, n in enumerate(sizes):
        if n < -1:
            raise InferError(f"Size {i} must be non-negative, not {n}")
    count = element_count(shape)
    if not unknown:
        requested = element_count(tuple(sizes))
        if requested is not None and requested > _MOST_ELEMENTS:
            raise InferError(f"Shape {sizes} has too many elements")
        if count is not None and count != requested:
            raise InferError(
                f"Cannot reshape a tensor with {count} elements to shape {fmt_shape(tuple(sizes))} "
                f"({requested} elements): the number of elements must stay the same"
            )
        return tuple(sizes)
    if count is None or shape is None:
        return tuple(None if n == -1 else n for n in sizes)
    static_count = element_count(tuple(n for n in sizes if n != -1))
    if static_count == 0 and count == 0:
        # Sizes of zero on both sides do not determine the open one, and need not divide.
        others = element_count(tuple(n for n in sizes if n > 0)) or 1
        sizes[unknown[0]] = (element_count(tuple(n for n in shape if n)) or 1) // others
        return tuple(sizes)
    if static_count == 0:
        raise InferError(
            f"Cannot reshape a tensor with {count} elements to a shape with a size of 0: it has no "
            "elements"
        )
    if static_count is None or count is None or count % static_count:
        raise InferError(
            f"Cannot reshape a tensor with {count} elements: the given sizes multiply to "
            f"{static_count}, which does not divide {count}, so no size fits in place of -1"
        )
    sizes[unknown[0]] = count // static_count
    return tuple(sizes)


@reshape.infer
def _(tensor, shape):
    if shape.value is None:
        return Spec(_partly_resolved(tensor.shape, shape), tensor.dtype)
    if shape.value.ndim > 1:
        raise InferError(f"sizes input must be 1-D, not {fmt_shape(shape.value.shape)}")
    sizes = [int(n) for n in shape.value.reshape(-1)]
    return Spec(_resolved(tensor.shape, sizes), tensor.dtype)


def _partly_resolved(dims: Shape, shape: Spec) -> Shape:
    """Return the requested shape, as far as it is static."""
    if shape.partial is None or shape.partial.ndim != 1:
        rank = shape.shape[0] if shape.shape else None
        return None if rank is None else (None,) * rank
    sizes = [None if n is None or n < 0 else int(n) for n in shape.partial]
    count, static_count = (
        element_count(dims),
        element_count(tuple(n for n in sizes if n is not None)),
    )
    if sizes.count(None) == 1 and count is not None and static_count:
        if count % static_count:
            raise InferError(
                f"Cannot reshape a tensor with {count} elements: the given sizes multiply to "
                f"{static_count}, which does not divide {count}, so no size fits in place of -1"
            )
        sizes[sizes.index(None)] = count // static_count
    return tuple(sizes)


@reshape.gradient
def _(dz, *, shape_of_tensor):
    return reshape(dz, shape_of_tensor), None


@reshape.batch
def _(batch: Batch, tensor: Any, shape: Any) -> Any:
    if not is_static(shape) or None in tensor.static_shape:
        return NotImplemented
    specs = (
        Spec(tensor.static_shape, tensor.dtype),
        Spec(shape.static_shape, shape.dtype, shape.static_value),
    )
    (result,) = batch.op.infer_outputs(specs, {})
    return batch.reshape(batch.values(tensor), batch.size, *(result.shape or ()))


@op(
    "ExpandDims",
    traits=(INHERITS_NUMERICS, KEEPS_WEAK, MOVES, TOTAL_ON_SHAPES),
    graph_inputs={"axis": "dim"},
    ragged_scope="RaggedExpandDims",
)
def expand_dims(xp, input, axis: Static):
    """Insert an axis of size 1 at position `axis`."""
    return input.reshape(_expanded(input.shape, axis))


def _expanded(dims: tuple[int | None, ...], axis: Any) -> Any:
    if axis.size != 1:
        raise InferError("'dim' must be a tensor with a single value")
    at, rank = axis.item(), len(dims)
    if not -rank - 1 <= at <= rank:
        raise InferError(f"Tried to expand dim index {at} for tensor with {rank} dimensions.")
    at = at + rank + 1 if at < 0 else at
    return (*dims[:at], 1, *dims[at:])


@expand_dims.infer
def _(input, axis):
    if input.shape is None:
        return Spec(None, input.dtype)
    if axis.value is None:
        return Spec((None,) * (len(input.shape) + 1), input.dtype)
    return Spec(_expanded(input.shape, axis.value), input.dtype)


@expand_dims.gradient
def _(dz, *, shape_of_input):
    return reshape(dz, shape_of_input), None


@expand_dims.batch
def _(batch: Batch, input: Any, axis: Any) -> Any:
    after = batch.axis(axis, len(input.static_shape) + 1)
    return NotImplemented if after is None else batch.op(batch.values(input), after)


@op(
    "Squeeze",
    traits=(INHERITS_NUMERICS, KEEPS_WEAK, MOVES, TOTAL_ON_SHAPES),
    ragged_scope="RaggedSqueeze",
)
def squeeze(xp, input, *, axis=()):
    """Remove the axes of size 1, or those of them that `axis` lists."""
    return input.reshape(_squeezed(input.shape, axis))


def _squeezed(dims: tuple[int | None, ...], axes: Any) -> Any:
    rank = len(dims)
    gone = set()
    for axis in axes:
        if not -rank <= axis < rank:
            raise InferError(
                f"Tried to squeeze dim index {axis} for tensor with {rank} dimensions."
            )
        axis %= rank
        if dims[axis] not in (1, None):
            raise InferError(
                f"Can not squeeze dim[{axis}], expected a dimension of 1, got {dims[axis]}"
            )
        gone.add(axis)
    if not axes:
        return None if None in dims else tuple(n for n in dims if n != 1)
    return tuple(n for i, n in enumerate(dims) if i not in gone)


@squeeze.infer
def _(input, *, axis):
    return Spec(None if input.shape is None else _squeezed(input.shape, axis), input.dtype)


@squeeze.gradient
def _(dz, *, shape_of_input):
    return reshape(dz, shape_of_input)


@squeeze.batch
def _(batch: Batch, input: Any, *, axis: Any) -> Any:
    rank = len(input.static_shape)
    gone = (
        {a % rank for a in axis}
        if axis
        else {i for i, n in enumerate(input.static_shape) if n == 1}
    )
    if not gone:
        # No axis named would mean every axis of size 1, the batch among them.
        return identity(batch.values(input))
    return batch.op(batch.values(input), axis=[a + 1 for a in sorted(gone)])


@op("EnsureShape")
def ensure_shape(xp, input, *, shape):
    """Check that `input` has a shape compatible with `shape`."""
    _fitted(input.shape, shape)
    return input


def _fitted(dims: Shape, target: Any) -> Shape:
    """Merge two static shapes, or raise InferError if they disagree."""
    expected = as_dims(target)
    if dims is None or expected is None:
        return expected if dims is None else dims
    if len(dims) != len(expected) or any(
        a is not None and b is not None and a != b for a, b in zip(dims, expected, strict=True)
    ):
        raise InferError(
            f"Shape of tensor input {fmt_shape(dims)} is not compatible with expected shape "
            f"{fmt_shape(expected)}."
        )
    return tuple(b if a is None else a for a, b in zip(dims, expected, strict=True))


@ensure_shape.infer
def _(input, *, shape):
    return Spec(_fitted(input.shape, shape), input.dtype)


@ensure_shape.gradient
def _(dz, *, shape):
    return ensure_shape(dz, shape=shape)


@ensure_shape.batch
def _(batch: Batch, input: Any, **attrs: Any) -> Any:
    """Checked for one member already."""
    return identity(batch.values(input))


def axis_of(axis: Any, rank: int | None) -> int | None:
    """Return an axis given as a tensor, as an int counted from the front, if it is static."""
    value = axis.static_value
    if value is None or (int(value) < 0 and rank is None):
        return None
    return int(value) if rank is None else normalize_axis(int(value), rank)
