"""Initializers of static tables: tensors of keys and values, or the lines of a file."""

from __future__ import annotations

import os
from typing import Any

from tapeflow._src.api.scopes import init_scope
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.trackable import Trackable
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.state import lookup as ops


class TableInitializerBase(Trackable):
    """Base class of table initializers."""

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    def initialize(self, table: Any) -> None:
        """Fill `table`."""
        raise NotImplementedError(f"{type(self).__name__} does not say how a table is filled.")

    def _require_dtypes(self, table: Any) -> None:
        if (table.key_dtype, table.value_dtype) != (self._key_dtype, self._value_dtype):
            raise TypeError(
                f"Invalid dtypes, expected {self._key_dtype!r} keys and {self._value_dtype!r} "
                f"values but the table has {table.key_dtype!r} and {table.value_dtype!r}."
            )


class KeyValueTensorInitializer(TableInitializerBase):
    """Initializes a table from tensors of keys and values.

    Args:
        keys: Tensor of keys.
        values: Tensor of as many values.
        key_dtype: The dtype of the keys.
        value_dtype: The dtype of the values.

    Example:
        >>> initializer = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
        >>> table = tf.lookup.StaticHashTable(initializer, default_value=-1)
        >>> table.lookup(tf.constant(["b", "c"])).numpy()
        array([ 2, -1], dtype=int32)
    """

    def __init__(
        self,
        keys: Any,
        values: TensorLike,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        with init_scope():
            self._keys = _lifted(keys, key_dtype)
            self._values = _lifted(values, value_dtype)
        self._name = name or "key_value_init"
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> None:
        """Fill `table` with the keys and values.

        Args:
            table: The table.

        Raises:
            TypeError: If its dtypes are others.
        """
        self._require_dtypes(table)
        ops.lookup_table_import_v2(table.resource_handle, self._keys, self._values)


def _lifted(value: Any, dtype: Any) -> Any:
    """Convert `value` to a tensor outside of all functions; a constant of one is visible there."""
    static_value = getattr(value, "static_value", None)
    if static_value is not None:
        value = dispatch.convert(static_value, value.dtype)
    return dispatch.convert(value, None if dtype is None else as_dtype(dtype))


class TextFileIndex:
    """Column indices with a special meaning: the whole line, or the line number.

    Example:
        >>> tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
        (-2, -1)
    """

    WHOLE_LINE = ops.WHOLE_LINE
    LINE_NUMBER = ops.LINE_NUMBER


_NUMBERED = (dtypes.int64,)
_LINE_DTYPES = (dtypes.string, dtypes.int64)


class TextFileInitializer(TableInitializerBase):
    r"""Initializes a table from the lines of a text file.

    Args:
        filename: The path of the file.
        key_dtype: The dtype of the keys.
        key_index: The column of the keys, or a `tf.lookup.TextFileIndex`.
        value_dtype: The dtype of the values.
        value_index: The column of the values, or a `tf.lookup.TextFileIndex`.
        vocab_size: The number of lines, if it is known.
        delimiter: What separates columns.
        value_index_offset: What is added to line numbers as values.

    Raises:
        ValueError: If there is no file name, or an index or dtype is not allowed.

    Example:
        >>> tf.io.write_file("words.txt", "cat\ndog\n")
        >>> index = tf.lookup.TextFileIndex
        >>> initializer = tf.lookup.TextFileInitializer(
        ...     "words.txt", tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
        ... )
        >>> tf.lookup.StaticHashTable(initializer, -1).lookup(tf.constant(["dog"])).numpy()
        array([1])
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if not hasattr(filename, "dtype") and not filename:
            raise ValueError("TextFileInitializer needs a filename, received an empty one.")
        super().__init__(key_dtype, value_dtype)
        _check_index("key", key_index, self.key_dtype)
        _check_index("value", value_index, self.value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        path = filename if hasattr(filename, "dtype") else os.fspath(filename)
        with init_scope():
            self._filename = dispatch.convert(path, dtypes.string)
        self._key_index, self._value_index = key_index, value_index
        self._vocab_size = -1 if vocab_size is None else int(vocab_size)
        self._delimiter, self._offset = delimiter, value_index_offset
        self._name = name or "text_file_init"

    def initialize(self, table: Any) -> None:
        """Fill `table` from the file.

        Args:
            table: The table.

        Raises:
            TypeError: If its dtypes are others.
        """
        self._require_dtypes(table)
        ops.initialize_table_from_text_file_v2(
            table.resource_handle,
            self._filename,
            key_index=self._key_index,
            value_index=self._value_index,
            vocab_size=self._vocab_size,
            delimiter=self._delimiter,
            offset=self._offset,
        )


def _check_index(what: str, index: int, dtype: DType) -> None:
    if index < TextFileIndex.WHOLE_LINE:
        raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
    allowed: tuple[DType, ...] = ()
    if index == TextFileIndex.LINE_NUMBER:
        allowed = _NUMBERED
    elif index == TextFileIndex.WHOLE_LINE:
        allowed = _LINE_DTYPES
    if allowed and dtype not in allowed:
        raise ValueError(
            f"`{what}_dtype` must be {' or '.join(d.name for d in allowed)} for `{what}_index` "
            f"{index}, received: {dtype!r}"
        )
