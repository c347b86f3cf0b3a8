"""Mutable hash tables."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.lookup.tables import LookupTable
from tapeflow._src.api.scopes import init_scope
from tapeflow._src.core import dispatch
from tapeflow._src.core.errors import InvalidArgumentError, UnimplementedError
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.state import lookup as ops


class _MutableTable(LookupTable):
    _find_scope = "lookup_table_find"
    _export_scope = "lookup_table_export_values"

    def insert(self, keys: Any, values: TensorLike, name: str | None = None) -> None:
        """Insert keys with their values, replacing existing ones.

        Args:
            keys: Tensor of keys.
            values: Tensor of values, one per key.

        Example:
            >>> table = tf.lookup.experimental.DenseHashTable(tf.string, tf.int32, -1, "", "gone")
            >>> table.insert(["a"], [1])
            >>> table.lookup(tf.constant(["a", "b"])).numpy()
            array([ 1, -1], dtype=int32)
        """
        keys = dispatch.convert(keys, self._key_dtype)
        values = dispatch.convert(values, self._value_dtype)
        self._insert(keys, values, name=name or f"{self._name}_lookup_table_insert")

    @scoped("lookup_table_insert")
    def _insert(self, keys: Any, values: TensorLike, name: str) -> None:
        ops.lookup_table_insert_v2(self._handle, keys, values)

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Remove keys; missing ones are ignored.

        Args:
            keys: Tensor of keys.

        Raises:
            TypeError: If the keys have another dtype.
        """
        keys = dispatch.convert(keys, None if hasattr(keys, "dtype") else self._key_dtype)
        if keys.dtype is not self._key_dtype:
            raise TypeError(f"Expected keys of dtype {self._key_dtype!r}, received {keys.dtype!r}.")
        self._remove(keys, name=name or f"{self._name}_lookup_table_remove")

    @scoped("lookup_table_remove")
    def _remove(self, keys: Any, name: str) -> None:
        ops.lookup_table_remove_v2(self._handle, keys)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Look up the values of keys; missing ones have the default value.

        Args:
            keys: Tensor of keys.

        Example:
            >>> table = tf.lookup.experimental.DenseHashTable(tf.string, tf.int32, -1, "", "gone")
            >>> table.lookup(tf.constant(["a"])).numpy()
            array([-1], dtype=int32)
        """
        if not hasattr(keys, "dtype"):
            keys = dispatch.convert(keys, self._key_dtype)
        return super().lookup(keys, name)


class MutableHashTable(_MutableTable):
    """A mutable hash table, empty at first.

    Args:
        key_dtype: The dtype of the keys.
        value_dtype: The dtype of the values.
        default_value: The value of missing keys, whose shape all values have.
        checkpoint: Whether its entries are part of checkpoints.
        experimental_is_anonymous: Accepted for compatibility.

    Example:
        >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        >>> table.insert(["a", "b"], [1, 2])
        >>> table.remove(["a"])
        >>> table.lookup(["a", "b"]).numpy()
        array([-1,  2])
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype, name)
        with init_scope():
            self._default = dispatch.convert(default_value, self._value_dtype)
        self._make(mutable=True, shape=tuple(self._default.shape))
        self._tpf_checkpoint_attribute = "table" if checkpoint else None

    def _serialize_to_tensors(self) -> dict[str, Any]:
        if self._tpf_checkpoint_attribute is None:
            return {}
        keys, values = self.export()
        return {"table-keys": keys, "table-values": values}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        keys, values = restored_tensors["table-keys"], restored_tensors["table-values"]
        ops.lookup_table_import_v2(self._handle, keys, values)

    def lookup(  # type: ignore[override]  # TF's order of the arguments
        self, keys: Any, dynamic_default_values: Any = None, name: str | None = None
    ) -> Any:
        """Look up the values of keys; missing ones have the default, or one passed per key.

        Args:
            keys: Tensor of keys.
            dynamic_default_values: Values of missing keys, one per key, instead of the default.

        Returns:
            The values, a tensor.
        """
        if dynamic_default_values is None:
            return super().lookup(keys, name)
        default = dispatch.convert(dynamic_default_values, self._value_dtype)
        return self._find(keys, default, name=name or f"{self._name}_{self._find_scope}")


class DenseHashTable(_MutableTable):
    """A mutable hash table with reserved empty and deleted keys; keys may be vectors.

    Args:
        key_dtype: The dtype of the keys.
        value_dtype: The dtype of the values.
        default_value: The value of missing keys, whose shape all values have.
        empty_key: A key that is never used.
        deleted_key: Another key that is never used.
        initial_num_buckets: Accepted for compatibility.
        checkpoint: Pass False to leave it out of checkpoints, which cannot hold its entries.
        experimental_is_anonymous: Accepted for compatibility.

    Raises:
        tf.errors.InvalidArgumentError: If the reserved keys are equal.

    Example:
        >>> table = tf.lookup.experimental.DenseHashTable(
        ...     tf.int64, tf.int64, default_value=-1, empty_key=0, deleted_key=-1
        ... )
        >>> table.insert([5], [50])
        >>> table.lookup([5, 6]).numpy()
        array([50, -1])
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype, name)
        with init_scope():
            self._default = dispatch.convert(default_value, self._value_dtype)
            empty = dispatch.convert(empty_key, self._key_dtype)
            deleted = dispatch.convert(deleted_key, self._key_dtype)
        reserved = ("empty_key", _as_key(empty)), ("deleted_key", _as_key(deleted))
        if reserved[0][1] == reserved[1][1]:
            raise InvalidArgumentError(None, None, "Empty and deleted keys cannot be equal")
        self._make(
            mutable=True,
            shape=tuple(self._default.shape),
            key_shape=tuple(empty.shape),
            reserved=reserved,
        )

        self._in_checkpoints = checkpoint

    def _serialize_to_tensors(self) -> dict[str, Any]:
        if not self._in_checkpoints:
            return {}
        raise UnimplementedError(
            None,
            None,
            "The entries of a DenseHashTable cannot be saved: files hold them by a hash that is "
            "not known here. Use a MutableHashTable, or make the table with checkpoint=False.",
        )

    def insert_or_assign(self, keys: Any, values: TensorLike, name: str | None = None) -> None:
        """Insert keys with their values, replacing existing ones.

        Args:
            keys: Tensor of keys.
            values: Tensor of values, one per key.
        """
        self.insert(keys, values, name)

    def erase(self, keys: Any, name: str | None = None) -> None:
        """Remove keys; missing ones are ignored.

        Args:
            keys: Tensor of keys.
        """
        self.remove(keys, name)


def _as_key(tensor: Any) -> Any:
    value = tensor.numpy()
    if not tensor.shape.rank:
        return value if isinstance(value, bytes) else value.item()
    return tuple(value.reshape(-1).tolist())
