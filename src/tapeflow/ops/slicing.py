"""`tensor[...]`: Python's slicing syntax, and the `StridedSlice` it becomes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.core import dispatch, dtypes
from tapeflow.core.registry import InferError, Static, op
from tapeflow.core.spec import Spec
from tapeflow.core.tensor import Tensor
from tapeflow.ops.array import pack, static_ints
from tapeflow.ops.masking import boolean_mask

_MAX = 2**31 - 1


def resolve(
    dims: tuple[int | None, ...], begin: Any, end: Any, strides: Any, masks: dict[str, int]
) -> list[Any]:
    """The slice as a NumPy key (ints, slices, None), one entry per axis named; InferError if none.

    The masks are TF's: bit i of each speaks of entry i of `begin`, `end` and `strides`.
    """
    entries = len(begin)
    ellipsis_at = [i for i in range(entries) if masks["ellipsis_mask"] >> i & 1]
    if len(ellipsis_at) > 1:
        raise InferError("Multiple ellipses in slice spec not allowed")
    new_axes = masks["new_axis_mask"] & ~masks["ellipsis_mask"]
    named = sum(1 for i in range(entries) if i not in ellipsis_at and not new_axes >> i & 1)
    if named > len(dims):
        raise InferError(
            f"Index out of range using input dim {len(dims)}; input has only {len(dims)} dims"
        )
    key: list[Any] = []
    axis = 0
    for i in range(entries):
        if i in ellipsis_at:
            skipped = len(dims) - named
            key.extend([slice(None)] * skipped)
            axis += skipped
        elif new_axes >> i & 1:
            key.append(None)
        else:
            key.append(_entry(i, axis, dims[axis], begin, end, strides, masks))
            axis += 1
    return key + [slice(None)] * (len(dims) - axis)


def _entry(i, axis, size, begin, end, strides, masks):
    """Entry `i`, which speaks of `axis`, as an int or a slice."""
    start, stop, step = int(begin[i]), int(end[i]), int(strides[i])
    if step == 0:
        raise InferError(f"strides[{i}] must be non-zero")
    if masks["shrink_axis_mask"] >> i & 1:
        if step < 0:
            raise InferError("only stride 1 allowed on non-range indexing.")
        if size is not None and not -size <= start < size:
            raise InferError(f"slice index {start} of dimension {axis} out of bounds.")
        return start
    return slice(
        None if masks["begin_mask"] >> i & 1 else start,
        None if masks["end_mask"] >> i & 1 else stop,
        step,
    )


def _sliced_size(size: int | None, entry: slice) -> int | None:
    if size is None:
        return None
    return len(range(*entry.indices(size)))


def _infer_slice(op, specs, attrs):
    data, begin, end, strides = specs
    if data.shape is None or begin.value is None or end.value is None or strides.value is None:
        return Spec(None, data.dtype)
    if not len(begin.value) == len(end.value) == len(strides.value):
        raise InferError("begin, end and strides must have the same length")
    key = resolve(data.shape, begin.value, end.value, strides.value, attrs)
    sizes = iter(data.shape)
    shape: list[int | None] = []
    for entry in key:
        if entry is None:
            shape.append(1)
            continue
        size = next(sizes)
        if isinstance(entry, slice):
            shape.append(_sliced_size(size, entry))
    return Spec(tuple(shape), data.dtype)


@op("StridedSlice", infer=_infer_slice)
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
    """`input[begin:end:strides]` along the first axes, with Python's other notations as bit masks."""
    masks = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    return input[tuple(resolve(input.shape, begin, end, strides, masks))]


@strided_slice.gradient
def _(
    dz,
    *,
    shape_of_input,
    begin,
    end,
    strides,
    begin_mask,
    end_mask,
    ellipsis_mask,
    new_axis_mask,
    shrink_axis_mask,
):
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return (
        strided_slice_grad(
            shape_of_input, begin, end, strides, dz, **dict(zip(MASKS, masks, strict=True))
        ),
        None,
        None,
        None,
    )


MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


@op("StridedSliceGrad", checked=True)
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
    """Zeros of `shape` with `dy` put where the slice was taken."""
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    dims = tuple(shape.tolist())
    key = resolve(dims, begin, end, strides, dict(zip(MASKS, masks, strict=True)))
    return xp.index_set(xp.zeros(dims, dy.dtype), tuple(key), dy)


@strided_slice_grad.infer
def _(shape, begin, end, strides, dy, **masks):
    if shape.value is None:
        return Spec(None, dy.dtype)
    return Spec(tuple(int(n) for n in shape.value), dy.dtype)


@strided_slice_grad.gradient
def _(
    dz,
    *,
    begin,
    end,
    strides,
    begin_mask,
    end_mask,
    ellipsis_mask,
    new_axis_mask,
    shrink_axis_mask,
):
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    back = strided_slice(dz, begin, end, strides, **dict(zip(MASKS, masks, strict=True)))
    return None, None, None, None, back


# -- from Python's syntax ---------------------------------------------------------------------


def get_item(tensor: Any, key: Any) -> Any:
    """`tensor[key]` with ints, slices, `...`, `tf.newaxis`, scalar tensors, or one boolean mask."""
    if _is_mask(key):
        return boolean_mask(dispatch.convert(tensor), dispatch.convert(key))
    where, masks = slice_arguments(key)
    return strided_slice(dispatch.convert(tensor), *where, **masks)


def _is_mask(key: Any) -> bool:
    if isinstance(key, (bool, np.bool_)):
        return True
    dtype = getattr(key, "dtype", None)
    return dtype is not None and (
        dtype == np.bool_ if isinstance(key, np.ndarray) else dtype is dtypes.bool
    )


def slice_arguments(key: Any) -> tuple[tuple[Any, Any, Any], dict[str, int]]:
    """The begin, end and strides tensors and the masks of `tensor[key]`."""
    items = key if isinstance(key, tuple) else tuple(key) if isinstance(key, list) else (key,)
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    masks = dict.fromkeys(MASKS, 0)
    for i, item in enumerate(items):
        bit = 1 << i
        start, stop, step = 0, 0, 1
        if isinstance(item, slice):
            start, stop, step = _slice_entry(item, bit, masks)
        elif item is Ellipsis:
            masks["ellipsis_mask"] |= bit
        elif item is None:
            masks["new_axis_mask"] |= bit
        else:
            start = _index(item)
            # -1 is the last element, so the end after it cannot be 0.
            stop = _MAX if type(start) is int and start == -1 else start + 1
            masks["shrink_axis_mask"] |= bit
        begin.append(start)
        end.append(stop)
        strides.append(step)
    return (_ints(begin), _ints(end), _ints(strides)), masks


def _slice_entry(item: slice, bit: int, masks: dict[str, int]) -> tuple[Any, Any, Any]:
    start, stop = 0, 0
    if item.start is None:
        masks["begin_mask"] |= bit
    else:
        start = _index(item.start)
    if item.stop is None:
        masks["end_mask"] |= bit
    else:
        stop = _index(item.stop)
    return start, stop, 1 if item.step is None else _index(item.step)


def _index(item: Any) -> Any:
    """An index as a Python int if its value is known, else as the tensor it is."""
    if type(item) is int:
        return item
    if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
        return int(item)
    dtype = getattr(item, "dtype", None)
    if isinstance(item, np.ndarray) and item.ndim == 0 and item.dtype.kind in "iu":
        return int(item)
    if dtype is not None and getattr(dtype, "is_integer", False) and len(item.shape) == 0:
        tensor = dispatch.convert(item)
        return tensor if tensor._static is None else int(tensor._static)
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
        f"tf.int32/tf.int64 tensors are valid indices, got {item!r}"
    )


def _ints(values: list[Any]) -> Any:
    if any(isinstance(v, Tensor) for v in values):
        return pack([dispatch.convert(v) for v in values])
    return static_ints(tuple(values))
