"""Lists of tensors in compiled code: one array with a row for each element.

An undefined element is a row of zeros. The length is static, or computed; the number of rows is
always static. A list that grows beyond its rows is flagged as outgrown: the program must be
compiled again with more. The rows of a list of lists are those of the arrays that its elements
consist of.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tapeflow._src.backends.jax_flags import note_outgrown as note_outgrown
from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.shape import Dims
from tapeflow._src.core.tensor_list import merged
from tapeflow._src.core.types import Array

_map = jax.tree.map


class ListError(Exception):
    """An operation on a list that compiled code does not support; the message says why."""


@jax.tree_util.register_pytree_node_class
class DenseList:
    """Elements in the rows of `items`, which is None while their shape is unknown."""

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
        """The capacity, in elements."""
        leaves = jax.tree.leaves(self.items)
        return int(leaves[0].shape[0]) if leaves else 0

    @property
    def counts(self) -> bool:
        """Whether the length is static."""
        return isinstance(self.length, int)

    @property
    def item(self) -> Any:
        """The description of an element: its shape and dtype; None if unknown."""
        return _map(lambda rows: jax.ShapeDtypeStruct(rows.shape[1:], rows.dtype), self.items)

    @property
    def row_bytes(self) -> int:
        leaves = jax.tree.leaves(self.item)
        return sum(math.prod(leaf.shape) * leaf.dtype.itemsize for leaf in leaves)

    def kind(self) -> tuple[Any, ...]:
        """Compute the properties that must agree for lists to be carried through one loop."""
        leaves, tree = jax.tree.flatten(self.items)
        shapes = tuple((leaf.shape, leaf.dtype) for leaf in leaves)
        return tree, shapes, self.length if self.counts else None

    # -- as a JAX pytree ---------------------------------------------------------------------

    def tree_flatten(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        static_length = self.length if self.counts else None
        children = (self.items,) if self.counts else (self.items, self.length)
        return children, (self.value_dtype, self.element_shape, static_length, self.max_length)

    @classmethod
    def tree_unflatten(cls, static: tuple[Any, ...], children: tuple[Any, ...]) -> DenseList:
        new = object.__new__(cls)
        new.value_dtype, new.element_shape, length, new.max_length = static
        new.items = children[0]
        new.length = length if len(children) == 1 else children[1]
        return new

    def _with(self, items: Any, length: Any) -> DenseList:
        return DenseList(self.value_dtype, self.element_shape, length, items, self.max_length)

    # -- preparing ---------------------------------------------------------------------------

    def shaped(self, item: Any) -> DenseList:
        """Return the list with rows for elements like `item`, a shape or a list's description."""
        if type(item) is tuple:
            merged(self.element_shape, item)
            item = jax.ShapeDtypeStruct(item, self.value_dtype.np)
        if self.items is not None:
            if _spec_of(self.item) != _spec_of(item):
                raise ListError(f"elements of different shapes: {self.item} and {item}")
            return self
        rows = self.length if isinstance(self.length, int) else bound_of(self.length)
        return self._with(
            _map(lambda one: jnp.zeros((rows, *one.shape), one.dtype), item), self.length
        )

    def with_rows(self, rows: int) -> DenseList:
        """Return the list with at least that many rows."""
        missing = rows - self.rows
        if self.items is None or missing <= 0:
            return self

        def longer(array: Array) -> Any:
            more = jnp.zeros((missing, *array.shape[1:]), array.dtype)
            return jnp.concatenate([array, more])

        return self._with(_map(longer, self.items), self.length)

    def counting(self) -> DenseList:
        """Return the list with a computed length."""
        return self._with(self.items, jnp.asarray(self.length, jnp.int32)) if self.counts else self

    def elements(self) -> Any:
        """Return the rows that are elements, if the length is static."""
        if not self.counts:
            raise ListError("the length of the list is not known when it is compiled")
        if self.items is None or self.value_dtype is dtypes.variant:
            raise ListError("the shape of the elements is not known when it is compiled")
        return self.items[: self.length]

    # -- one element -------------------------------------------------------------------------

    def get(self, index: Any) -> Any:
        """Return the element at `index`, which is in range; zeros if it is undefined."""
        if not self.rows:
            return self.zero()
        return _map(lambda rows: rows[index], self.items)

    def zero(self) -> Any:
        """Return an undefined element."""
        return _map(lambda one: jnp.zeros(one.shape, one.dtype), self.item)

    def put(self, index: Any, item: Any, length: Any) -> DenseList:
        """Return the list with another element at `index`, and that length."""
        item = _as_row(item)
        shaped = self.shaped(_map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), item))
        if isinstance(length, int):
            shaped = shaped.with_rows(length)
        else:
            note_outgrown(length > shaped.rows)
        if not shaped.rows:
            return shaped._with(shaped.items, length)
        # Clamped where it is out of range, which is a failure: then no result matters.
        return shaped._with(_map(partial(_with_row, index), shaped.items, item), length)

    # -- all of them -------------------------------------------------------------------------

    def scattered(self, indices: Array, tensor: Any) -> DenseList:
        """Return the list with the rows of `tensor` at these indices."""
        if not self.rows:
            return self
        return self._with(self.items.at[indices].set(tensor, mode="drop"), self.length)

    def resized(self, length: Any) -> DenseList:
        """Return the list with that many elements: truncated, or with undefined ones at the end."""
        if self.items is None:
            return self._with(None, length)
        if isinstance(length, int):
            longer = self.with_rows(length).items
            rows = _map(lambda a: a[:length], longer) if self.counts else longer
        else:
            note_outgrown(length > self.rows)
            rows = self.items

        def cut(array: Array) -> Any:
            in_range = jnp.arange(array.shape[0]) < length
            mask = in_range.reshape((-1,) + (1,) * (array.ndim - 1))
            return jnp.where(mask, array, jnp.zeros_like(array))

        return self._with(_map(cut, rows), length)

    def plus(self, other: DenseList, add: Callable[[Any, Any], Any]) -> DenseList:
        """Return the sums of the elements; an undefined one counts as zeros."""
        if self.items is None or other.items is None:
            return self if other.items is None else other
        rows = max(self.rows, other.rows)
        left, right = self.with_rows(rows), other.with_rows(rows)
        return self._with(_sum(left.items, right.items, add), self.length)

    def like(self, zeros: Callable[[Any], Any]) -> DenseList:
        """Return a list of the same kind, with zeros for every item."""
        if isinstance(self.items, DenseList):
            # The elements keep their lengths; their contents are zero.
            return self._with(self.items.like(zeros), self.length)
        return self._with(None if self.items is None else zeros(self.items), self.length)


def _sum(a: Array, b: Array, add: Callable[[Any, Any], Any]) -> Any:
    """Return the sum of the rows of two lists, recursively for lists of lists."""
    if not isinstance(a, DenseList):
        return add(a, b)
    if a.items is None or b.items is None:
        return a if b.items is None else b
    # If one element is undefined its length is zero, and the other's counts.
    return a._with(_sum(a.items, b.items, add), jnp.maximum(a.length, b.length))


def _with_row(index: Any, rows: Array, row: Array) -> Any:
    row = jnp.asarray(row, rows.dtype)
    return jax.lax.dynamic_update_index_in_dim(rows, row, index, axis=0)


def _as_row(item: Any) -> Any:
    """Return an element in the form that rows have: a list with a computed length."""
    return item.counting() if isinstance(item, DenseList) else item


def _spec_of(item: Any) -> Any:
    leaves, tree = jax.tree.flatten(item)
    return tree, tuple((tuple(leaf.shape), np.dtype(leaf.dtype)) for leaf in leaves)


# -- bounds of computed lengths ------------------------------------------------------------------


_bounds: dict[int, tuple[Any, int]] = {}
_CACHED_BOUNDS = 1024


def remember_bound(length: Any, rows: int) -> Any:
    """Record that a computed length is at most `rows`."""
    if len(_bounds) >= _CACHED_BOUNDS:
        _bounds.clear()
    _bounds[id(length)] = (length, rows)
    return length


def bound_of(length: Any) -> int:
    """Return the upper bound of a computed length."""
    bound = _bounds.get(id(length))
    if bound is None or bound[0] is not length:
        raise ListError("the length of the list is not known when it is compiled")
    return bound[1]
