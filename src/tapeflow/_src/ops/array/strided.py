"""`StridedSlice`: Python's slicing as an op, with the notations as bit masks.

Bit i of each mask refers to entry i of `begin`, `end` and `strides`: an open begin or end, an
ellipsis, a new axis, or a single index whose axis is removed.
"""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.core import dispatch
from tapeflow._src.core.batching import Batch, is_static
from tapeflow._src.core.errors import UnimplementedError, fmt_shape
from tapeflow._src.core.infer import Shape, broadcast_shape
from tapeflow._src.core.registry import InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import INHERITS_NUMERICS, MOVES, TOTAL_ON_SHAPES
from tapeflow._src.ops.array.broadcasting import sum_to


class Span(NamedTuple):
    """In compiled code: a slice with a computed begin and a static size."""

    start: Any
    size: int


class Entries(list[Any]):
    """In compiled code: the begins or ends of slices, where some are computed or spans."""

    ndim = 1
    dtype = np.dtype(np.int32)

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)


MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
_WHOLE = slice(None)


def layout(rank: int, entries: int, ellipsis_mask: int, new_axis_mask: int) -> list[int | None]:
    """Return the entry of each axis in turn: -1 for none, and None for a new axis."""
    ellipses = [i for i in range(entries) if ellipsis_mask >> i & 1]
    if len(ellipses) > 1:
        raise InferError("Multiple ellipses in slice spec not allowed")
    new_axes = new_axis_mask & ~ellipsis_mask
    indexed = sum(1 for i in range(entries) if i not in ellipses and not new_axes >> i & 1)
    if indexed > rank:
        if rank == 0:
            raise InferError("Attempting to slice scalar input.")
        raise InferError(f"Index out of range using input dim {rank}; input has only {rank} dims")
    plan: list[int | None] = []
    for i in range(entries):
        if i in ellipses:
            plan += [-1] * (rank - indexed)
        else:
            plan.append(None if new_axes >> i & 1 else i)
    return plan if ellipses else plan + [-1] * (rank - indexed)


def _entry(i: int, axis: int, size: int | None, begin: Any, end: Any, step: int, masks: Any) -> Any:
    """Return entry `i`, which refers to `axis`, as an index or a slice."""
    begin_mask, end_mask, _, _, shrink_axis_mask = masks
    if step == 0:
        raise InferError(f"strides[{i}] must be non-zero")
    if not shrink_axis_mask >> i & 1:
        if isinstance(begin[i], Span):
            if step != 1:
                raise UnimplementedError(None, None, "computed slices with steps")
            return begin[i]
        return slice(
            None if begin_mask >> i & 1 else int(begin[i]),
            None if end_mask >> i & 1 else int(end[i]),
            step,
        )
    if step < 0:
        raise InferError("only stride 1 allowed on non-range indexing.")
    start = begin[i]
    if not isinstance(start, (int, np.integer)):
        return start
    if size is not None:
        start = start + size if start < 0 else start
        if not 0 <= start < size:
            raise InferError(
                f"slice index {start} is out of bounds: dimension {axis} has size {size}."
            )
    return int(start)


def numpy_key(dims: Any, begin: Any, end: Any, strides: Any, masks: tuple[int, ...]) -> list[Any]:
    """Return the slice as a NumPy key: indices, slices and None."""
    if not begin.shape == end.shape == strides.shape or begin.ndim != 1:
        raise InferError(
            f"Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"{fmt_shape(begin.shape)}, {fmt_shape(end.shape)}, and {fmt_shape(strides.shape)} "
            f"instead."
        )
    key: list[Any] = []
    axis = 0
    for i in layout(len(dims), len(begin), masks[2], masks[3]):
        if i is None:
            key.append(None)
            continue
        if i < 0:
            key.append(_WHOLE)
        else:
            key.append(_entry(i, axis, dims[axis], begin, end, int(strides[i]), masks))
        axis += 1
    return key


@lru_cache(maxsize=8192)
def _cached_key(
    dims: tuple[int, ...], begin: bytes, end: bytes, strides: bytes, kind: str, masks: Any
) -> tuple[Any, ...]:
    starts, stops, steps = (np.frombuffer(values, kind) for values in (begin, end, strides))
    # The ellipsis keeps a single element an array.
    return (*numpy_key(dims, starts, stops, steps, masks), ...)


def _sliced_shape(dims: Any, key: list[Any]) -> Shape:
    sizes = iter(dims)
    shape: list[int | None] = []
    for entry in key:
        if entry is None:
            shape.append(1)
            continue
        size = next(sizes)
        if isinstance(entry, slice):
            shape.append(None if size is None else len(range(*entry.indices(size))))
    return tuple(shape)


def _static_entries(spec: Spec, entries: int) -> list[int | None]:
    """Return the values of a vector as far as they are static."""
    values = spec.partial if spec.value is None else spec.value
    return [None] * entries if values is None else values.tolist()


def _partial_shape(dims: Any, entries: int, where: Any, masks: tuple[int, ...]) -> Shape:
    """Return the shape of a partly static slice: single indices are removed, whole axes stay."""
    begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask = masks
    begin, end, strides = (_static_entries(spec, entries) for spec in where)
    sizes = iter(dims)
    shape: list[int | None] = []
    for i in layout(len(dims), entries, ellipsis_mask, new_axis_mask):
        if i is None:
            shape.append(1)
            continue
        size = next(sizes)
        if i < 0:
            shape.append(size)
        elif not shrink_axis_mask >> i & 1:
            open_begin, open_end = begin_mask >> i & 1, end_mask >> i & 1
            entry = (strides[i], 0 if open_begin else begin[i], 0 if open_end else end[i])
            key = slice(None if open_begin else begin[i], None if open_end else end[i], strides[i])
            is_static = size is not None and None not in entry and strides[i]
            shape.append(len(range(*key.indices(size))) if is_static else None)
    return tuple(shape)


def _result_shape(data: Shape, begin: Spec, end: Spec, strides: Spec, masks: Any) -> Shape:
    if data is None:
        return None
    if begin.value is not None and end.value is not None and strides.value is not None:
        key = numpy_key(data, begin.value, end.value, strides.value, masks)
        return _sliced_shape(data, key)
    shapes = (begin.shape, end.shape, strides.shape)
    entries = next((s[0] for s in shapes if s and s[0] is not None), None)
    if entries is None:
        return None
    return _partial_shape(data, entries, (begin, end, strides), masks)


def _masks_of(attrs: dict[str, Any]) -> tuple[int, ...]:
    return tuple(attrs[name] for name in MASKS)


def _infer_slice(op, specs, attrs):
    data, *where = specs
    return Spec(_result_shape(data.shape, *where, _masks_of(attrs)), data.dtype)


@op(
    "StridedSlice",
    infer=_infer_slice,
    traits=(INHERITS_NUMERICS, MOVES, TOTAL_ON_SHAPES),
    display="strided_slice",
    graph_inputs={"begin": "stack", "end": "stack_1", "strides": "stack_2"},
)
def strided_slice(
    xp,
    input,
    begin: Static,
    end: Static,
    strides: Static,
    *,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
):
    """Return `input[begin:end:strides]`; bit masks encode Python's other notations.

    Compiled code may pass a computed `begin`, as long as only single indices use it.
    """
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    key = numpy_key(input.shape, begin, end, strides, masks)
    check_computed(xp, input.shape, key)
    starts, sizes, rest = _without_spans(input.shape, key)
    part = input if starts is None else xp.lax.dynamic_slice(input, starts, sizes)
    return part[tuple(rest)]


strided_slice.computes("begin", "end")


def check_computed(xp: ModuleType, dims: tuple[int, ...], key: list[Any]) -> None:
    """Require that computed indices of compiled code are in range."""
    for axis, entry in enumerate(e for e in key if e is not None):
        size = dims[axis]
        if isinstance(entry, Span):
            inside = (entry.start >= 0) & (entry.start + entry.size <= size)
            xp.require(inside, "the slice is of another size at the end of the axis")
        elif not isinstance(entry, (int, slice)):
            xp.require(
                (entry >= -size) & (entry < size),
                f"slice index is out of bounds: dimension {axis} has size {size}.",
            )


def _without_spans(dims: Any, key: list[Any]) -> tuple[Any, list[int], list[Any]]:
    """Return the offset of a box around the spans (or None), its sizes, and the key inside."""
    indexed = [entry for entry in key if entry is not None]
    rest = [slice(None) if isinstance(entry, Span) else entry for entry in key]
    if not any(isinstance(entry, Span) for entry in indexed):
        return None, list(dims), rest
    indexed += [slice(None)] * (len(dims) - len(indexed))
    starts = [e.start.astype(np.int64) if isinstance(e, Span) else np.int64(0) for e in indexed]
    sizes = [e.size if isinstance(e, Span) else n for e, n in zip(indexed, dims, strict=True)]
    return starts, sizes, rest


@strided_slice.kernel("numpy")
def _(
    xp,
    input,
    begin,
    end,
    strides,
    *,
    begin_mask,
    end_mask,
    ellipsis_mask,
    new_axis_mask,
    shrink_axis_mask,
):
    if shrink_axis_mask == 1 and begin.shape == end.shape == strides.shape == (1,):
        # `x[i]`, in a loop with another `i` each time.
        index, size = begin.item(), input.shape[0] if input.ndim else 0
        plain = strides.item() > 0 and not ellipsis_mask | new_axis_mask
        if plain and -size <= index < size:
            return input[index, ...]
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    if (
        not begin.dtype == end.dtype == strides.dtype
        or not begin.ndim == end.ndim == strides.ndim == 1
    ):
        return input[(*numpy_key(input.shape, begin, end, strides, masks), ...)]
    where = (begin.tobytes(), end.tobytes(), strides.tobytes())
    return input[_cached_key(input.shape, *where, begin.dtype.char, masks)]


@strided_slice.gradient
def _(dz, *, shape_of_input, begin, end, strides, attrs):
    return strided_slice_grad(shape_of_input, begin, end, strides, dz, **attrs), None, None, None


def _batch_slice(
    batch: Batch, begin: Any, end: Any, strides: Any, masks: dict[str, int]
) -> tuple[tuple[Any, Any, Any], dict[str, int]]:
    """Return the arguments of a slice that is the same for each member of a batch."""
    shifted = {name: mask << 1 for name, mask in masks.items()}
    shifted["begin_mask"] |= 1
    shifted["end_mask"] |= 1
    return (
        batch.ints(0, *map(int, begin.static_value)),
        batch.ints(0, *map(int, end.static_value)),
        batch.ints(1, *map(int, strides.static_value)),
    ), shifted


@strided_slice.batch
def _(batch: Batch, input: Any, begin: Any, end: Any, strides: Any, **attrs: Any) -> Any:
    if not is_static(begin, end, strides):
        return NotImplemented
    where, shifted = _batch_slice(batch, begin, end, strides, attrs)
    return batch.op(batch.values(input), *where, **shifted)


@op("StridedSliceGrad", checked=True, traits=(INHERITS_NUMERICS,))
def strided_slice_grad(
    xp,
    shape: Static,
    begin: Static,
    end: Static,
    strides: Static,
    dy,
    *,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
):
    """Zeros of `shape` with `dy` where the slice was."""
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    dims = tuple(shape.tolist())
    key = numpy_key(dims, begin, end, strides, masks)
    check_computed(xp, dims, key)
    return written(xp, xp.zeros(dims, dy.dtype), key, dy)


strided_slice_grad.computes("begin", "end")


def written(xp: ModuleType, array: Any, key: list[Any], values: Any) -> Any:
    """Return a copy of `array` with `values` at `key`, which may hold spans."""
    starts, sizes, rest = _without_spans(array.shape, key)
    if starts is None:
        return xp.index_set(array, tuple(rest), values)
    part = xp.lax.dynamic_slice(array, starts, sizes)
    return xp.lax.dynamic_update_slice(array, xp.index_set(part, tuple(rest), values), starts)


@strided_slice_grad.kernel("numpy")
def _(xp, shape, begin, end, strides, dy, **attrs):
    dims = tuple(shape.tolist())
    result = np.zeros(dims, dy.dtype)
    result[(*numpy_key(dims, begin, end, strides, _masks_of(attrs)), ...)] = dy
    return result


@strided_slice_grad.infer
def _(shape, begin, end, strides, dy, **attrs):
    if shape.value is None:
        rank = shape.shape[0] if shape.shape else None
        return Spec(None if rank is None else (None,) * rank, dy.dtype)
    dims = tuple(int(n) for n in shape.value.reshape(-1))
    if any(n < 0 for n in dims):
        raise InferError(f"shape must be non-negative, got {fmt_shape(dims)}")
    result_shape = _result_shape(dims, begin, end, strides, _masks_of(attrs))
    if result_shape is not None and dy.shape is not None and not _agree(result_shape, dy.shape):
        raise InferError(
            f"shape of dy was {fmt_shape(dy.shape)} instead of {fmt_shape(result_shape)}"
        )
    return Spec(dims, dy.dtype)


def _agree(a: Any, b: Any) -> bool:
    return len(a) == len(b) and all(x == y or None in (x, y) for x, y in zip(a, b, strict=True))


@strided_slice_grad.gradient
def _(dz, *, begin, end, strides, attrs):
    return None, None, None, None, strided_slice(dz, begin, end, strides, **attrs)


@strided_slice_grad.batch
def _(batch: Batch, shape: Any, begin: Any, end: Any, strides: Any, dy: Any, **attrs: Any) -> Any:
    if not is_static(shape, begin, end, strides):
        return NotImplemented
    where, shifted = _batch_slice(batch, begin, end, strides, attrs)
    sizes = batch.ints(batch.size, *map(int, shape.static_value))
    return batch.op(sizes, *where, batch.values(dy), **shifted)


@op("TensorStridedSliceUpdate", checked=True)
def tensor_strided_slice_update(
    xp,
    input,
    begin: Static,
    end: Static,
    strides: Static,
    value,
    *,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
):
    """Return `input` with `value`, broadcast, in place of the slice."""
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    key = numpy_key(input.shape, begin, end, strides, masks)
    check_computed(xp, input.shape, key)
    return written(xp, input, key, value)


tensor_strided_slice_update.computes("begin", "end")


@tensor_strided_slice_update.infer
def _(input, begin, end, strides, value, **attrs):
    result_shape = _result_shape(input.shape, begin, end, strides, _masks_of(attrs))
    is_static = result_shape is not None and None not in result_shape and value.is_static
    if is_static and not _can_broadcast(value.shape, result_shape):
        raise InferError(
            f"Cannot broadcast input shape {fmt_shape(value.shape)} into final shape "
            f"{fmt_shape(result_shape)}"
        )
    return Spec(input.shape, input.dtype)


def _can_broadcast(shape: Any, target: Any) -> bool:
    """Whether a tensor of one shape can be broadcast to the other."""
    try:
        return broadcast_shape(target, shape) == target
    except InferError:
        return False


@tensor_strided_slice_update.gradient
def _(dz, *, begin, end, strides, shape_of_value, attrs, needed):
    input_gradient = written = None
    if needed[0]:
        zero = dispatch.convert(0, dz.dtype)
        input_gradient = tensor_strided_slice_update(dz, begin, end, strides, zero, **attrs)
    if needed[4]:
        written = sum_to(strided_slice(dz, begin, end, strides, **attrs), shape_of_value)
    return input_gradient, None, None, None, written


@tensor_strided_slice_update.batch
def _(
    batch: Batch, input: Any, begin: Any, end: Any, strides: Any, value: Any, **attrs: Any
) -> Any:
    if not is_static(begin, end, strides):
        return NotImplemented
    where, shifted = _batch_slice(batch, begin, end, strides, attrs)
    # A value of lower rank than the slice is broadcast, within its member.
    added = attrs["new_axis_mask"].bit_count() - attrs["shrink_axis_mask"].bit_count()
    gap = (1,) * (len(input.static_shape) + added - len(value.static_shape))
    values = batch.reshape(batch.values(value), batch.size, *gap, *value.static_shape)
    return batch.op(batch.values(input), *where, values, **shifted)
