"""`TensorList`: the value of a variant tensor, a persistent list of arrays.

Every update returns a new list at the cost of a change in place: the newest list owns the items,
and an older one remembers what was overwritten. Only reading an older one copies.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import InvalidArgumentError, fmt_shape
from tapeflow._src.core.shape import Dims

# Elements by index, None for undefined ones.
Changes = tuple[tuple[int, Any], ...]

_make = object.__new__

# If two threads update the same list, one of them must see it as older.
_lock = threading.Lock()
# Takes a third of the time of `with _lock`.
_acquire, _release = _lock.acquire, _lock.release


class TensorList:
    """Elements of one dtype, whose shapes fit `element_shape`; unset elements are undefined."""

    __slots__ = (
        "__weakref__",
        "_items",
        "_newer",
        "_overwritten",
        "element_shape",
        "length",
        "max_length",
        "value_dtype",
    )

    # It takes the place of an array.
    dtype = dtypes.variant
    shape = ()
    ndim = 0
    size = 1

    def __init__(
        self,
        value_dtype: dtypes.DType,
        element_shape: Dims | None,
        length: int = 0,
        items: dict[int, Any] | None = None,
        max_length: int = -1,
    ) -> None:
        self.value_dtype = value_dtype
        self.element_shape = element_shape
        self.length = length
        self.max_length = max_length
        self._items: dict[int, Any] | None = {} if items is None else items
        # For an older list: the one that took its items, and what that changed.
        self._newer: TensorList | None = None
        self._overwritten: Changes = ()

    def __repr__(self) -> str:
        return "<TensorList>"

    # -- reading -----------------------------------------------------------------------------

    def get(self, index: int) -> Any:
        """Return the element, or None if it is undefined."""
        items = self._items
        if items is not None:
            item = items.get(index)
            # The taker of the items removes them here before changing them.
            if self._items is items:
                return item
        return self.items().get(index)

    def items(self) -> dict[int, Any]:
        """Return the elements that are set, by index, in no particular order."""
        items = self._items
        if items is not None:
            copy = dict(items)
            if self._items is items:
                return copy
        with _lock:
            return dict(self._recovered())

    def _count(self) -> int:
        """Return how many elements are set."""
        with _lock:
            return len(self._recovered())

    def _recovered(self) -> dict[int, Any]:
        """Return the items of a list, also of an older one: the newest's, with later changes
        undone.
        """
        if self._items is None:
            overwritten, newest = [], self
            while newest._items is None and newest._newer is not None:
                overwritten.append(newest._overwritten)
                newest = newest._newer
            items = dict(newest._items or {})
            for changes in reversed(overwritten):
                _apply(changes, items)
            self._items, self._newer, self._overwritten = items, None, ()
        return self._items

    # -- updating ----------------------------------------------------------------------------

    def put(self, index: int, item: Any, length: int) -> TensorList:
        """Return the list, resized, with one element replaced (None: undefined)."""
        # Loops do this all the time, so it is inlined.
        new = _make(TensorList)
        new.value_dtype = self.value_dtype
        new.element_shape = self.element_shape
        new.max_length = self.max_length
        new.length = length
        new._newer = None
        _acquire()
        try:
            items = self._items
            if items is None:
                items = self._recovered()
            self._items = None
            self._newer = new
            self._overwritten = ((index, items.get(index)),)
            if item is None:
                items.pop(index, None)
            else:
                items[index] = item
            new._items = items
        finally:
            _release()
        return new

    def changed(self, changes: Mapping[int, Any], length: int | None = None) -> TensorList:
        """Return the list with some elements replaced (None: undefined), possibly resized."""
        new = TensorList(self.value_dtype, self.element_shape, self.length, None, self.max_length)
        if length is not None:
            new.length = length
        with _lock:
            items = self._recovered()
            self._items = None
            self._newer = new
            self._overwritten = tuple([(i, items.get(i)) for i in changes])
            _apply(changes.items(), items)
            new._items = items
        return new

    def resized(self, length: int) -> TensorList:
        """Return the list with that many elements: truncated, or with undefined ones at the end."""
        gone = dict.fromkeys(range(length, self.length)) if length < self.length else {}
        return self.changed(gone, length)

    def plus(self, other: TensorList, add: Callable[[Any, Any], Any]) -> TensorList:
        """Return the sums of the elements; an undefined one counts as zeros."""
        if self.value_dtype is not other.value_dtype:
            raise InvalidArgumentError(
                None,
                None,
                f"Trying to add two lists of tensors of different dtypes. One is "
                f"{self.value_dtype.name} and other is {other.value_dtype.name}",
            )
        if self.length != other.length:
            raise InvalidArgumentError(
                None,
                None,
                f"Trying to add two lists of tensors with different lengths. One is {self.length} "
                f"and other is {other.length}",
            )
        base, fewer = (self, other) if self._count() >= other._count() else (other, self)
        sums = {}
        for i, item in fewer.items().items():
            present = base.get(i)
            sums[i] = item if present is None else add(present, item)
        result = base.changed(sums)
        result.element_shape = merged(self.element_shape, other.element_shape)
        return result

    def like(self, zeros: Callable[[Any], Any]) -> TensorList:
        """Return a list of the same kind, with `zeros(item)` for every item.

        If the shape of the items is static, they can stay undefined.
        """
        is_static = self.element_shape is not None and None not in self.element_shape
        if is_static and self.value_dtype is not dtypes.variant:
            return TensorList(self.value_dtype, self.element_shape, self.length)
        items = {i: zeros(item) for i, item in self.items().items()}
        return TensorList(self.value_dtype, self.element_shape, self.length, items, self.max_length)


def _apply(changes: Iterable[tuple[int, Any]], items: dict[int, Any]) -> None:
    for index, item in changes:
        if item is None:
            items.pop(index, None)
        else:
            items[index] = item


def merged(a: Dims | None, b: Dims | None) -> Dims | None:
    """Merge two descriptions of one shape, or raise InvalidArgumentError."""
    if a is None or b is None or a == b:
        return b if a is None else a
    if len(a) != len(b) or any(
        x is not None and y is not None and x != y for x, y in zip(a, b, strict=True)
    ):
        raise InvalidArgumentError(
            None,
            None,
            f"PartialTensorShape: Incompatible shapes during merge: {fmt_shape(a)} vs. "
            f"{fmt_shape(b)}",
        )
    return tuple(y if x is None else x for x, y in zip(a, b, strict=True))
