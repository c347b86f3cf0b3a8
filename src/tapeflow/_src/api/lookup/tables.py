"""The base class of tables, and the static hash table."""

from __future__ import annotations

from itertools import count
from typing import Any

from tapeflow._src.api.scopes import init_scope
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.trackable import CHECKPOINT, Trackable
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.ops.state import lookup as ops
from tapeflow._src.ops.state.lookup import Table

_numbers = count()


class LookupTable(Trackable):
    """A table from keys to values of one dtype each."""

    # What scopes are called in graphs, after the name of the table.
    _find_scope = "Lookup"
    _export_scope = "Export"

    def __init__(self, key_dtype: Any, value_dtype: Any, name: str | None) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)
        self._name = name or type(self).__name__
        self._handle: Any = None
        self._default: Any = None

    def _make(self, **about: Any) -> None:
        """Create the resource behind the handle, outside of any function being traced."""
        table = Table(self._key_dtype, self._value_dtype, f"{self._name}_{next(_numbers)}", **about)
        self._handle = EagerTensor(table)  # type: ignore[arg-type]

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._name

    @property
    def resource_handle(self) -> Any:
        """The handle that ops take."""
        return self._handle

    def size(self, name: str | None = None) -> Any:
        """Return the number of keys.

        Example:
            >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1], [2]), 0)
            >>> int(table.size())
            1
        """
        return self._size(name=name or f"{self._name}_Size")

    @scoped("Size")
    def _size(self, name: str) -> Any:
        return ops.lookup_table_size_v2(self._handle)

    def export(self, name: str | None = None) -> tuple[Any, Any]:
        """Return all keys, and their values in the same order.

        Example:
            >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1], [2]), 0)
            >>> [part.numpy() for part in table.export()]
            [array([1], dtype=int32), array([2], dtype=int32)]
        """
        return self._export(name=name or f"{self._name}_{self._export_scope}")

    @scoped("Export")
    def _export(self, name: str) -> tuple[Any, Any]:
        keys, values = ops.lookup_table_export_v2(
            self._handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype
        )
        return keys, values

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Look up the values of keys; missing ones have the default value.

        Args:
            keys: Tensor, sparse tensor or ragged tensor of keys.

        Returns:
            The values, in the same kind of tensor.

        Raises:
            TypeError: If the keys have another dtype.

        Example:
            >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
            >>> table = tf.lookup.StaticHashTable(init, default_value=-1)
            >>> table.lookup(tf.constant(["b", "c"])).numpy()
            array([ 2, -1], dtype=int32)
        """
        return self._find(keys, self._default, name=name or f"{self._name}_{self._find_scope}")

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)

    @scoped("Lookup")
    def _find(self, keys: Any, default: Any, name: str) -> Any:
        return over_values(keys, lambda flat: self._find_values(flat, default))

    def _find_values(self, keys: Any, default: Any) -> Any:
        keys = dispatch.convert(keys, None if hasattr(keys, "dtype") else self._key_dtype)
        if keys.dtype is not self._key_dtype:
            raise TypeError(f"Expected keys of dtype {self._key_dtype!r}, received {keys.dtype!r}.")
        return ops.lookup_table_find_v2(self._handle, keys, default)


def over_values(keys: Any, find: Any) -> Any:
    """Apply `find` to the values of sparse or ragged keys."""
    if isinstance(keys, SparseTensor):
        return keys.with_values(find(keys.values))
    if isinstance(keys, RaggedTensor):
        return keys.with_flat_values(find(keys.flat_values))
    return find(keys)


class StaticHashTable(LookupTable):
    """An immutable hash table that an initializer fills.

    Args:
        initializer: A table initializer, such as `tf.lookup.KeyValueTensorInitializer`.
        default_value: The value of missing keys, a scalar.
        experimental_is_anonymous: Accepted for compatibility.

    Example:
        >>> initializer = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
        >>> table = tf.lookup.StaticHashTable(initializer, default_value=-1)
        >>> table.lookup(tf.constant(["b", "c"])).numpy()
        array([ 2, -1], dtype=int32)
    """

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(initializer.key_dtype, initializer.value_dtype, name or "hash_table")
        self._initializer = initializer
        with init_scope():
            self._default = dispatch.convert(default_value, self._value_dtype)
            self._default.shape.assert_is_compatible_with(())
            self._make(mutable=False)
            initializer.initialize(self)

    def _trackable_children(self, save_type: str = CHECKPOINT, **kwargs: Any) -> dict[str, Any]:
        return {"_initializer": self._initializer}

    @property
    def default_value(self) -> Any:
        """The value of missing keys."""
        return self._default
