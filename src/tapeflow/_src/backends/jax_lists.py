"""Lists of tensors in compiled code: one array with a row for each element.

An element that is absent is a row of zeros. The length is known, or computed; the number of rows is
always known. A list that grows beyond its rows is noted as outgrown: the program must be compiled
again with more. The rows of a list of lists are those of the arrays that its elements consist of.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapeflow._src.backends.jax_flags import note_outgrown as note_outgrown
from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.shape import Dims
from tapeflow._src.core.tensor_list import merged

_map = jax.tree.map


class ListError(Exception):
    """What a list would have to do that compiled code cannot; the message says why."""


@jax.tree_util.register_pytree_node_class
class DenseList:
    """Elements in the rows of `items`, which is None while their shape is not known."""

    dtype = dtypes.variant
    shape = ()
    ndim = 0
    size = 1

    def __init__(
        self,
        value_dtype: DType,
        element_shape: Dims | None,
        length: Any,
        items: Any = None,
        max_length: int = -1,
    ) -> None:
        if value_dtype in (dtypes.string, dtypes.resource):
            raise ListError(f"a list of {value_dtype.name}")
        self.value_dtype = value_dtype
        self.element_shape = element_shape
        self.length = length
        self.items = items
        self.max_length = max_length

    @property
    def rows(self) -> int:
        """How many elements there is room for."""
        leaves = jax.tree.leaves(self.items)
        return int(leaves[0].shape[0]) if leaves else 0

    @property
    def counts(self) -> bool:
        """Whether the length is known."""
        return isinstance(self.length, int)

    @property
    def item(self) -> Any:
        """What describes an element: its shape and dtype; None if nothing does yet."""
        return _map(lambda rows: jax.ShapeDtypeStruct(rows.shape[1:], rows.dtype), self.items)

    @property
    def row_bytes(self) -> int:
        leaves = jax.tree.leaves(self.item)
        return sum(math.prod(leaf.shape) * leaf.dtype.itemsize for leaf in leaves)

    def kind(self) -> tuple[Any, ...]:
        """What must be the same for lists to be carried through one loop."""
        leaves, tree = jax.tree.flatten(self.items)
        shapes = tuple((leaf.shape, leaf.dtype) for leaf in leaves)
        return tree, shapes, self.length if self.counts else None

    # -- as a value of JAX's -----------------------------------------------------------------

    def tree_flatten(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        known = self.length if self.counts else None
        children = (self.items,) if self.counts else (self.items, self.length)
        return children, (self.value_dtype, self.element_shape, known, self.max_length)

    @classmethod
    def tree_unflatten(cls, known: tuple[Any, ...], children: tuple[Any, ...]) -> DenseList:
        made = object.__new__(cls)
        made.value_dtype, made.element_shape, length, made.max_length = known
        made.items = children[0]
        made.length = length if len(children) == 1 else children[1]
        return made

    def _with(self, items: Any, length: Any) -> DenseList:
        return DenseList(self.value_dtype, self.element_shape, length, items, self.max_length)

    # -- preparing ---------------------------------------------------------------------------

    def shaped(self, item: Any) -> DenseList:
        """The list with rows for elements like `item`: a shape, or a description of a list."""
        if type(item) is tuple:
            merged(self.element_shape, item)
            item = jax.ShapeDtypeStruct(item, self.value_dtype.np)
        if self.items is not None:
            if _described(self.item) != _described(item):
                raise ListError(f"elements of different shapes: {self.item} and {item}")
            return self
        rows = self.length if isinstance(self.length, int) else bound_of(self.length)
        return self._with(
            _map(lambda one: jnp.zeros((rows, *one.shape), one.dtype), item), self.length
        )

    def with_rows(self, rows: int) -> DenseList:
        """The list with at least so many rows."""
        missing = rows - self.rows
        if self.items is None or missing <= 0:
            return self

        def longer(array: Any) -> Any:
            more = jnp.zeros((missing, *array.shape[1:]), array.dtype)
            return jnp.concatenate([array, more])

        return self._with(_map(longer, self.items), self.length)

    def counting(self) -> DenseList:
        """The list with a length that is computed."""
        return self._with(self.items, jnp.asarray(self.length, jnp.int32)) if self.counts else self

    def elements(self) -> Any:
        """The rows that are elements, if the length is known."""
        if not self.counts:
            raise ListError("the length of the list is not known when it is compiled")
        if self.items is None or self.value_dtype is dtypes.variant:
            raise ListError("the shape of the elements is not known when it is compiled")
        return self.items[: self.length]

    # -- one element -------------------------------------------------------------------------

    def get(self, index: Any) -> Any:
        """The element at `index`, which lies within; zeros if it is absent."""
        if not self.rows:
            return self.zero()
        return _map(lambda rows: rows[index], self.items)

    def zero(self) -> Any:
        """An element that is absent."""
        return _map(lambda one: jnp.zeros(one.shape, one.dtype), self.item)

    def put(self, index: Any, item: Any, length: Any) -> DenseList:
        """The list with another element at `index`, and then of that length."""
        item = _movable(item)
        shaped = self.shaped(_map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), item))
        if isinstance(length, int):
            shaped = shaped.with_rows(length)
        else:
            note_outgrown(length > shaped.rows)
        if not shaped.rows:
            return shaped._with(shaped.items, length)
        put = _map(lambda rows, one: rows.at[index].set(one, mode="drop"), shaped.items, item)
        return shaped._with(put, length)

    # -- all of them -------------------------------------------------------------------------

    def scattered(self, places: Any, tensor: Any) -> DenseList:
        """The list with the rows of `tensor` at these places."""
        if not self.rows:
            return self
        return self._with(self.items.at[places].set(tensor, mode="drop"), self.length)

    def resized(self, length: Any) -> DenseList:
        """The list with that many elements: cut, or with absent ones at the end."""
        if self.items is None:
            return self._with(None, length)
        if isinstance(length, int):
            longer = self.with_rows(length).items
            rows = _map(lambda a: a[:length], longer) if self.counts else longer
        else:
            note_outgrown(length > self.rows)
            rows = self.items

        def cut(array: Any) -> Any:
            there = jnp.arange(array.shape[0]) < length
            mask = there.reshape((-1,) + (1,) * (array.ndim - 1))
            return jnp.where(mask, array, jnp.zeros_like(array))

        return self._with(_map(cut, rows), length)

    def plus(self, other: DenseList, add: Callable[[Any, Any], Any]) -> DenseList:
        """The sums of the elements; an absent one counts as zeros."""
        if self.items is None or other.items is None:
            return self if other.items is None else other
        rows = max(self.rows, other.rows)
        mine, theirs = self.with_rows(rows), other.with_rows(rows)
        return self._with(_sum(mine.items, theirs.items, add), self.length)

    def like(self, zeros: Callable[[Any], Any]) -> DenseList:
        """A list of the same kind, with zeros for every item."""
        if isinstance(self.items, DenseList):
            # The elements keep their lengths; what is in them is zero.
            return self._with(self.items.like(zeros), self.length)
        return self._with(None if self.items is None else zeros(self.items), self.length)


def _sum(a: Any, b: Any, add: Callable[[Any, Any], Any]) -> Any:
    """The sum of the rows of two lists; of lists of lists, of the rows of their elements."""
    if not isinstance(a, DenseList):
        return add(a, b)
    if a.items is None or b.items is None:
        return a if b.items is None else b
    # Where one element is absent its length is zero, and the other's counts.
    return a._with(_sum(a.items, b.items, add), jnp.maximum(a.length, b.length))


def _movable(item: Any) -> Any:
    """An element in the form that rows have: a list with its length computed."""
    return item.counting() if isinstance(item, DenseList) else item


def _described(item: Any) -> Any:
    leaves, tree = jax.tree.flatten(item)
    return tree, tuple((tuple(leaf.shape), np.dtype(leaf.dtype)) for leaf in leaves)


# -- bounds of computed lengths ------------------------------------------------------------------


_bounds: dict[int, tuple[Any, int]] = {}
_BOUNDS_KEPT = 1024


def remember_bound(length: Any, rows: int) -> Any:
    """A computed length, of which it is known that it is at most `rows`."""
    if len(_bounds) >= _BOUNDS_KEPT:
        _bounds.clear()
    _bounds[id(length)] = (length, rows)
    return length


def bound_of(length: Any) -> int:
    """The most that a computed length can be."""
    found = _bounds.get(id(length))
    if found is None or found[0] is not length:
        raise ListError("the length of the list is not known when it is compiled")
    return found[1]
