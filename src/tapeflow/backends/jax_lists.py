"""Lists of tensors in compiled code: one array with a row for each element.

An element that is absent is a row of zeros. The length is known, or computed; the number of rows is
always known. A list that grows beyond its rows is noted as outgrown: the program must be compiled
again with more. This file knows nothing of op semantics beyond what `core.tensor_list` promises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from tapeflow.backends.jax_flags import note_outgrown as note_outgrown
from tapeflow.core import dtypes
from tapeflow.core.dtypes import DType
from tapeflow.core.shape import Dims
from tapeflow.core.tensor_list import merged


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
        if value_dtype in (dtypes.variant, dtypes.string, dtypes.resource):
            raise ListError(f"a list of {value_dtype.name}")
        self.value_dtype = value_dtype
        self.element_shape = element_shape
        self.length = length
        self.items = items
        self.max_length = max_length
        if items is None and element_shape is not None and None not in element_shape:
            rows = length if isinstance(length, int) else 0
            self.items = jnp.zeros((rows, *element_shape), value_dtype.np)

    @property
    def rows(self) -> int:
        return 0 if self.items is None else int(self.items.shape[0])

    @property
    def counts(self) -> bool:
        """Whether the length is known."""
        return isinstance(self.length, int)

    @property
    def item_shape(self) -> tuple[int, ...] | None:
        return None if self.items is None else tuple(self.items.shape[1:])

    def kind(self) -> tuple[Any, ...]:
        """What must be the same for lists to be carried through one loop."""
        return self.item_shape, self.rows, self.length if self.counts else None

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
        made = object.__new__(DenseList)
        made.value_dtype, made.element_shape = self.value_dtype, self.element_shape
        made.max_length = self.max_length
        made.items, made.length = items, length
        return made

    # -- preparing ---------------------------------------------------------------------------

    def shaped(self, item_shape: tuple[int, ...]) -> DenseList:
        """The list with rows for elements of that shape."""
        merged(self.element_shape, item_shape)
        if self.items is not None:
            if self.item_shape != item_shape:
                raise ListError(f"elements of shapes {self.item_shape} and {item_shape}")
            return self
        rows = self.length if isinstance(self.length, int) else 0
        return self._with(jnp.zeros((rows, *item_shape), self.value_dtype.np), self.length)

    def with_rows(self, rows: int) -> DenseList:
        """The list with at least so many rows."""
        missing = rows - self.rows
        if self.items is None or missing <= 0:
            return self
        more = jnp.zeros((missing, *self.items.shape[1:]), self.items.dtype)
        return self._with(jnp.concatenate([self.items, more]), self.length)

    def counting(self) -> DenseList:
        """The list with a length that is computed."""
        return self._with(self.items, jnp.asarray(self.length, jnp.int32)) if self.counts else self

    def elements(self) -> Any:
        """The rows that are elements, if the length is known."""
        if not self.counts:
            raise ListError("the length of the list is not known when it is compiled")
        if self.items is None:
            raise ListError("the shape of the elements is not known when it is compiled")
        return self.items[: self.length]

    # -- changing ----------------------------------------------------------------------------

    def put(self, index: Any, item: Any, length: Any) -> DenseList:
        """The list with another element at `index`, and then of that length."""
        shaped = self.shaped(tuple(item.shape))
        if isinstance(length, int):
            shaped = shaped.with_rows(length)
        else:
            note_outgrown(length > shaped.rows)
        return shaped._with(shaped.items.at[index].set(item, mode="drop"), length)

    def scattered(self, places: Any, tensor: Any) -> DenseList:
        """The list with the rows of `tensor` at these places."""
        return self._with(self.items.at[places].set(tensor, mode="drop"), self.length)

    def resized(self, length: Any) -> DenseList:
        """The list with that many elements: cut, or with absent ones at the end."""
        if self.items is None:
            return self._with(None, length)
        if isinstance(length, int):
            rows = self.with_rows(length).items
            kept = rows[:length] if self.counts else rows
        else:
            note_outgrown(length > self.rows)
            kept = self.items
        there = jnp.arange(kept.shape[0]) < length
        mask = there.reshape((-1,) + (1,) * (kept.ndim - 1))
        return self._with(jnp.where(mask, kept, jnp.zeros_like(kept)), length)

    def plus(self, other: DenseList, add: Callable[[Any, Any], Any]) -> DenseList:
        """The sums of the elements; an absent one counts as zeros."""
        if self.items is None or other.items is None:
            return self if other.items is None else other
        rows = max(self.rows, other.rows)
        total = add(self.with_rows(rows).items, other.with_rows(rows).items)
        return self._with(total, self.length)

    def like(self, zeros: Callable[[Any], Any]) -> DenseList:
        """A list of the same kind, with zeros for every item."""
        return self._with(None if self.items is None else zeros(self.items), self.length)
