"""`tensor[...]`: from Python's syntax to `StridedSlice` or a mask."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.ops.array.masking import boolean_mask
from tapeflow._src.ops.array.shape import ints, static_ints
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.array.strided import MASKS, strided_slice
from tapeflow._src.ops.math.cast import cast

_LAST = 2**31 - 1
_SCALARS = frozenset({dtypes.int16, dtypes.int32, dtypes.int64})
_WHOLE = (None, None, None)
_state = dispatch.state


def get_item(tensor: Any, key: Any) -> Any:
    """Return `tensor[key]` with ints, slices, `...`, `tf.newaxis`, scalar tensors, or one boolean
    mask.
    """
    if type(key) is int:
        where, masks = _index_arguments(key)
    elif _is_mask(key):
        return boolean_mask(convert(tensor), convert(key))
    else:
        items, computed = _items(key)
        if computed:
            static_key, rest = _split_static(items)
            return _computed_slice(tensor, static_key, *_rows(rest))
        where, masks = _static_arguments(tuple(items))
    return _state.mode.execute(strided_slice, (tensor, *where), masks, None)


def _is_mask(key: Any) -> bool:
    kind = type(key)
    if kind is tuple or kind is slice:
        return False
    if kind is bool:
        return True
    if isinstance(key, np.ndarray):
        return key.dtype == np.bool_
    return isinstance(key, Tensor) and key.dtype is dtypes.bool


def slice_arguments(key: Any) -> tuple[tuple[Any, Any, Any], dict[str, int]]:
    """Return the begin, end and strides tensors and the masks of `tensor[key]`."""
    return _arguments(_items(key)[0])


def _items(key: Any) -> tuple[list[Any], bool]:
    """Return the entries of a key, slices as tuples, and whether any of them is a tensor."""
    items: list[Any] = []
    computed = False
    for item in key if isinstance(key, (tuple, list)) else (key,):
        kind = type(item)
        if kind is int or item is None or item is Ellipsis:
            items.append(item)
        elif kind is slice:
            parts = (_bound(item.start), _bound(item.stop), _bound(item.step))
            computed = computed or any(isinstance(part, Tensor) for part in parts)
            items.append(parts)
        else:
            index = _index(item)
            computed = computed or isinstance(index, Tensor)
            items.append(index)
    return items, computed


def _split_static(items: list[Any]) -> tuple[tuple[Any, ...] | None, list[Any]]:
    """Split off the slices with static bounds, which are applied first; and the rest.

    One op with both would have a computed size, where `x[i, 1:3]` has a static one.
    """
    is_static = [isinstance(i, tuple) and not any(isinstance(p, Tensor) for p in i) for i in items]
    if not any(k and item != _WHOLE for k, item in zip(is_static, items, strict=True)):
        return None, items
    first = tuple(
        item if k or item is Ellipsis else _WHOLE
        for k, item in zip(is_static, items, strict=True)
        if item is not None
    )
    return first, [_WHOLE if k else item for k, item in zip(is_static, items, strict=True)]


@scoped("strided_slice", names_result=True)
def _computed_slice(
    tensor: Any,
    static_key: tuple[Any, ...] | None,
    rows: Any,
    masks: dict[str, int],
    name: str | None = None,
) -> Any:
    """Slice `tensor` by the `static_key` bounds, and then by those that are tensors."""
    if static_key is not None:
        where, known_masks = _static_arguments(static_key)
        tensor = strided_slice(tensor, *where, **known_masks)
    return strided_slice(tensor, *_same_dtype(*rows), **masks, name=name)


def _bound(item: Any) -> Any:
    return item if item is None or type(item) is int else _index(item)


def _index(item: Any) -> Any:
    """Return an index as a Python int if it is static, else as the tensor it is."""
    if isinstance(item, (bool, np.bool_)) and not isinstance(item, np.generic):
        raise InvalidArgumentError(
            None,
            None,
            "Value for attr 'Index' of bool is not in the list of allowed values: int16, int32, "
            "int64 [Op:StridedSlice]",
        )
    if isinstance(item, (int, np.integer)):
        return int(item)
    if isinstance(item, np.ndarray) and item.ndim == 0 and item.dtype.kind in "iu":
        return int(item)
    if getattr(item, "dtype", None) in _SCALARS and item.shape.rank in (None, 0):
        tensor = convert(item)
        return tensor if tensor.static_value is None else int(tensor.static_value)
    raise TypeError(
        "Tensors are indexed by integers, slices, `...`, tf.newaxis and scalar int32 or int64 "
        f"tensors, received {item!r}. For lists and masks use tf.gather and tf.boolean_mask."
    )


_INDEX_MASKS = {**dict.fromkeys(MASKS, 0), "shrink_axis_mask": 1}


@lru_cache(maxsize=8192)
def _index_arguments(index: int) -> tuple[tuple[Any, Any, Any], dict[str, int]]:
    """Return the arguments of `tensor[index]`."""
    if not -(2**31) <= index < _LAST:
        return _arguments((index,))
    return (static_ints((index,)), static_ints((index + 1,)), static_ints((1,))), _INDEX_MASKS


@lru_cache(maxsize=8192)
def _static_arguments(items: tuple[Any, ...]) -> tuple[tuple[Any, Any, Any], dict[str, int]]:
    """Return the arguments of a key without tensors, cached."""
    return _arguments(items)


def _arguments(items: Any) -> tuple[tuple[Any, Any, Any], dict[str, int]]:
    """Return the arguments of a key, whose slices are tuples of start, stop and step."""
    rows, masks = _rows(items)
    return _same_dtype(*rows), masks


def _rows(items: Any) -> tuple[tuple[list[Any], list[Any], list[Any]], dict[str, int]]:
    """Return begin, end and strides of a key along each axis; and the masks."""
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    masks = dict.fromkeys(MASKS, 0)
    for i, item in enumerate(items):
        bit = 1 << i
        start, stop, step = 0, 0, 1
        if item is Ellipsis:
            masks["ellipsis_mask"] |= bit
        elif item is None:
            masks["new_axis_mask"] |= bit
        elif isinstance(item, tuple):
            start, stop, step = item
            masks["begin_mask"] |= bit if start is None else 0
            masks["end_mask"] |= bit if stop is None else 0
        else:
            # For -1, the last element, the end is 0: the end of a single index is not used.
            start, stop = item, item + 1
            masks["shrink_axis_mask"] |= bit
        begin.append(0 if start is None else start)
        end.append(0 if stop is None else stop)
        strides.append(1 if step is None else step)
    return (begin, end, strides), masks


def _same_dtype(*rows: list[Any]) -> tuple[Any, Any, Any]:
    """Return each row as one tensor, int64 if any value needs it."""
    values = [v for row in rows for v in row]
    wide = any(
        v.dtype is dtypes.int64 if isinstance(v, Tensor) else not -(2**31) <= v < 2**31
        for v in values
    )
    dtype = dtypes.int64 if wide else dtypes.int32
    names = ("stack", "stack_1", "stack_2")
    begin, end, strides = (_as_tensor(*part, dtype) for part in zip(rows, names, strict=True))
    return begin, end, strides


def _as_tensor(row: list[Any], name: str, dtype: Any) -> Any:
    if any(isinstance(v, Tensor) for v in row):
        return pack([_of_dtype(v, dtype) for v in row], name=name)
    if dtype is dtypes.int32:
        return static_ints(tuple(row))
    return convert(ints(row, dtype.np))


def _of_dtype(value: Any, dtype: DTypeLike) -> Any:
    if not isinstance(value, Tensor):
        return convert(value, dtype)
    return value if value.dtype is dtype else cast(value, DstT=dtype)
