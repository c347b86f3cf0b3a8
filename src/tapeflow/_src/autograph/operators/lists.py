"""Lists to which staged code appends.

In a branch, the original list must stay unchanged: appending creates a longer one. In a loop of the
graph a list cannot grow; it is replaced by an array of tensors, a `StagedList`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from tapeflow._src.autograph.operators import staging
from tapeflow._src.composite.tensor_array import TensorArray
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.thread_state import inherited
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.graph.tensor import tracing
from tapeflow._src.ops.array.shape import reshape, shape
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.array.transpose import transpose


def list_append(items: Any, value: Any) -> Any:
    """Evaluate `items.append(value)`; return what the variable holds then."""
    if isinstance(items, StagedList | GrowingList):
        return items.append(value)
    if any(each is items for protected in _protected_lists.lists for each in protected):
        return [*items, value]
    items.append(value)
    return items


class _ProtectedLists(threading.local):
    """The lists that the blocks being traced must not change."""

    def __init__(self) -> None:
        self.lists: list[list[Any]] = []


_protected_lists = inherited(_ProtectedLists())


@contextmanager
def keeping(values: Sequence[Any]) -> Iterator[None]:
    """In the block, keep lists among `values` unchanged."""
    _protected_lists.lists.append([value for value in values if type(value) is list])
    try:
        yield
    finally:
        _protected_lists.lists.pop()


_UNKNOWN = (
    "This list was filled in a loop of the graph: its length is only known when the graph runs. "
    "Use tf.stack, len, an index or a `for` statement in converted code, or a tf.TensorArray."
)


class StagedList:
    """A list whose length is only known when the graph runs. Its items are of one type.

    `tf.stack(items)`, `tf.concat(items, axis)`, `len(items)`, `items[i]`, `for … in items` and
    `items.append(value)` work in code that AutoGraph converts. As a tensor it is its items stacked.
    After the function has returned, it is a list again.
    """

    def __init__(self, like: Any, arrays: Sequence[TensorArray]) -> None:
        # An item, for its structure; there is one array for each of its leaves.
        self._like = like
        self._arrays = arrays

    def append(self, value: Any) -> StagedList:
        """Return the list with one item more."""
        nest.assert_same_structure(self._like, value)
        leaves = [staging.as_tensor(leaf) for leaf in nest.flatten(value)]
        arrays = [
            array.write(array.size(), leaf)
            for array, leaf in zip(self._arrays, leaves, strict=True)
        ]
        return StagedList(self._like, arrays)

    def size(self) -> Any:
        """Return the number of items, as a tensor."""
        return self._arrays[0].size()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.__tf_tensor__()[index]
        if isinstance(index, int) and index < 0:
            index = self.size() + index
        return nest.pack_sequence_as(self._like, [array.read(index) for array in self._arrays])

    def stack(self) -> Any:
        """Return all items in one tensor, along a new first axis."""
        return nest.pack_sequence_as(self._like, [array.stack() for array in self._arrays])

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        return dispatch.convert(self.stack(), dtype, None, name)

    def __tf_concat__(self, axis: Any) -> Any:
        """Concatenate all items along one of their axes."""
        (array,) = self._arrays
        if axis == 0:
            return array.concat()
        stacked = array.stack()
        rank = stacked.shape.rank
        if rank is None or not isinstance(axis, int):
            raise ValueError("tf.concat of a list filled in a loop needs items of known rank")
        axis %= rank - 1
        order = [*range(1, axis + 1), 0, *range(axis + 1, rank)]
        moved = transpose(stacked, order)
        sizes = shape(moved)
        joined = [sizes[i] for i in range(rank)]
        joined[axis : axis + 2] = [joined[axis] * joined[axis + 1]]
        return reshape(moved, pack(joined))

    def __iter__(self) -> NoReturn:
        raise TypeError(f"{_UNKNOWN} Python cannot run through it.")

    def __len__(self) -> NoReturn:
        raise TypeError(f"{_UNKNOWN} Python cannot count its items.")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{_UNKNOWN} It has no `{name}`.", name=name, obj=self)


def _rebuilt(items: StagedList, arrays: Sequence[TensorArray]) -> Any:
    rebuilt = StagedList(items._like, arrays)
    return rebuilt if tracing() else [rebuilt[i] for i in range(int(rebuilt.size()))]


nest.register_composite(
    StagedList,
    lambda items: items._arrays,
    _rebuilt,
    lambda a, b: isinstance(b, StagedList) and len(a._arrays) == len(b._arrays),
)


class GrowingList:
    """Stands for a list in an iteration that is traced to infer its elements."""

    def __init__(self, items: list[Any]) -> None:
        self._items = items
        self._appended: list[Any] = []

    def append(self, value: Any) -> GrowingList:
        """Record an item."""
        self._appended.append(value)
        return self

    def __getitem__(self, index: Any) -> Any:
        return nest.map_structure(staging.unknown, [*self._items, *self._appended][index])

    def size(self) -> Any:
        """Return an unknown number."""
        return staging.placeholder(dtypes.int32)

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        element = dispatch.convert([*self._items, *self._appended][0])
        dims = element.static_shape
        return staging.placeholder(element.dtype, None if dims is None else (None, *dims))

    def staged(self, name: str, problem: str) -> Any:
        """Return the list as it goes through the loop: unchanged, if nothing is appended."""
        if not self._appended:
            if problem:
                raise ValueError(f"what is appended to '{name}' cannot be found out{problem}")
            return self._items
        every = [*self._items, *self._appended]
        like = every[0]
        for item in every[1:]:
            self._require_alike(name, like, item)
        columns = zip(*(nest.flatten(item) for item in every))
        arrays = [self._array(name, column) for column in columns]
        staged = StagedList(like, arrays)
        for item in self._items:
            staged = staged.append(item)
        return staged

    def _require_alike(self, name: str, first: Any, other: Any) -> None:
        try:
            nest.assert_same_structure(first, other)
        except (ValueError, TypeError) as error:
            raise TypeError(f"the items of '{name}' are not nested alike.\n\n{error}") from error

    def _array(self, name: str, leaves: Sequence[Any]) -> TensorArray:
        for leaf in leaves:
            if not staging.can_be_staged(leaf):
                raise TypeError(
                    f"{leaf!r} is appended to '{name}' in a loop of the graph: only tensors, and "
                    f"numbers that can become one, can be."
                )
        tensors = [staging.as_tensor(leaf) for leaf in leaves]
        first = tensors[0]
        for other in tensors[1:]:
            if other.dtype is not first.dtype:
                raise TypeError(
                    f"the items of '{name}' have the dtypes {first.dtype.name} and "
                    f"{other.dtype.name}"
                )
        return TensorArray(
            first.dtype, 0, dynamic_size=True, infer_shape=False, element_shape=_common(tensors)
        )


def _common(tensors: Sequence[Tensor]) -> TensorShape:
    """Return the most specific shape that all tensors have."""
    shape = tensors[0].shape
    for tensor in tensors[1:]:
        shape = shape.most_specific_common_supertype([tensor.shape]) or TensorShape(None)
    return shape
