"""Tables from keys to values: what stands behind a table's handle, and the ops that use it.

Keys are strings or numbers, or vectors of them; values are tensors of one shape and dtype. A table
that is not `mutable` is filled once, and refuses a key with two values.
"""

from __future__ import annotations

import struct
import threading
from contextlib import suppress
from itertools import repeat
from operator import itemgetter
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.errors import FailedPreconditionError, InvalidArgumentError, fmt_shape
from tapeflow._src.core.infer import fixed
from tapeflow._src.core.paths import local_path, translated
from tapeflow._src.core.registry import Free, Resource, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.kernels.strings.lookup_index import IntegerIndex, StringIndex
from tapeflow._src.kernels.strings.packed import PackedStrings
from tapeflow._src.ops.strings.numbers import reader
from tapeflow._src.ops.strings.text import bytes_array

_HOST = "tables of keys and values"
WHOLE_LINE, LINE_NUMBER = -2, -1
# From this many keys on an index is quicker than the dictionary (measured at 4,000 to 8,000).
_INDEX_KEYS = 8192
# Of packed keys, which need no reading (1,000 took 182 µs by the index, 73 by the dictionary).
_PACKED_KEYS = 4096
# How `struct` writes values of NumPy's dtypes.
_CODES = {"<i8": "q", "<i4": "i", "<f8": "d", "<f4": "f", "|b1": "?"}
_INDICES: dict[DType, Any] = {
    dtypes.string: StringIndex,
    dtypes.int64: IntegerIndex,
    dtypes.int32: IntegerIndex,
}


class Table:
    """The entries behind a table's handle. `shape` is that of one value."""

    dtype = dtypes.resource
    ndim = 0

    def __init__(
        self,
        key_dtype: DType,
        value_dtype: DType,
        name: str,
        *,
        mutable: bool,
        shape: tuple[int, ...] = (),
        key_shape: tuple[int, ...] = (),
        reserved: tuple[tuple[str, Any], ...] = (),
    ) -> None:
        self.key_dtype = key_dtype
        self.value_dtype = value_dtype
        self.name = name
        self.mutable = mutable
        self.shape = shape
        self.key_shape = key_shape
        # Keys that cannot be used, each with what it is called.
        self.reserved = reserved
        self.initialized = mutable
        self.entries: dict[Any, Any] = {}
        self.lock = threading.RLock()
        # For calls with many keys; built once as many keys were looked up as the table has.
        self._index: StringIndex | IntegerIndex | None = None
        self._looked_up = 0

    def __repr__(self) -> str:
        return (
            f"<Table(name={self.name!r}, {self.key_dtype.name} -> {self.value_dtype.name}, "
            f"{len(self.entries)} entries)>"
        )

    def keys_of(self, keys: Any) -> tuple[list[Any], tuple[int, ...]]:
        """Return the keys in hashable form, and their shape."""
        self._check_dtype(keys)
        if not self.key_shape:
            flat, shape = keys.reshape(-1).tolist(), keys.shape
        else:
            rank = len(self.key_shape)
            if keys.shape[keys.ndim - rank :] != self.key_shape:
                raise _invalid(
                    f"Expected keys of shape {fmt_shape(self.key_shape)}, got "
                    f"{fmt_shape(keys.shape)}"
                )
            rows = keys.reshape(-1, int(np.prod(self.key_shape)))
            flat, shape = [tuple(row) for row in rows.tolist()], keys.shape[: keys.ndim - rank]
        for what, key in self.reserved:
            if key in flat:
                raise _invalid(f"Using the {what} as a table key is not allowed")
        return flat, shape

    def _check_dtype(self, keys: Any) -> None:
        if keys.dtype != self.key_dtype.np:
            received = dtypes.FROM_NUMPY[keys.dtype].name
            raise _invalid(
                f"Conflicting key/value dtypes: table {self.name} has {self.key_dtype.name} keys, "
                f"got {received}"
            )

    def find(self, keys: Any, default_value: Any) -> Any:
        """Return the values of keys; missing ones take the default, a scalar or one per key."""
        if keys.size >= _INDEX_KEYS and default_value.ndim == 0:
            values = self.find_many(keys, default_value)
            if values is not None:
                return values
        flat, shape = self.keys_of(keys)
        self._require_filled()
        expected = shape + self.shape
        if default_value.shape not in (self.shape, expected):
            raise _invalid(
                f"Expected shape {fmt_shape(self.shape)} or {fmt_shape(expected)} for default "
                f"value, got {fmt_shape(default_value.shape)}"
            )
        if not self.shape and default_value.ndim == 0:
            return self._find_scalars(flat, default_value).reshape(shape)
        with self.lock:
            entries = list(map(self.entries.get, flat))
        result = np.empty((len(flat), *self.shape), self.value_dtype.np)
        defaults = np.broadcast_to(default_value, expected).reshape(result.shape)
        for i, value in enumerate(entries):
            result[i] = defaults[i] if value is None else value
        return result.reshape(expected)

    def find_many(self, keys: Any, default_value: Any) -> Any:
        """Return the values of keys from the index, or None if there is none."""
        kind = _INDICES.get(self.key_dtype)
        if self.mutable or self.shape or self.key_shape or self.reserved or kind is None:
            return None
        self._check_dtype(keys)
        self._require_filled()
        with self.lock:
            self._looked_up += keys.size
            if self._index is None and self._looked_up >= len(self.entries):
                self._index = kind(self.entries, self.value_dtype.np)
            index = self._index
        if index is None:
            return None
        values = index.find(keys.reshape(-1), default_value.item())
        return None if values is None else values.reshape(keys.shape)

    def _find_scalars(self, keys: list[Any], default_value: Any) -> Any:
        """Return the values of keys with one default for all: one pass in C."""
        code = _CODES.get(np.dtype(self.value_dtype.np).str)
        with self.lock:
            if code is not None and len(keys) > 1:
                # Half the time of the general way, if all keys are present.
                with suppress(KeyError):
                    present = itemgetter(*keys)(self.entries)
                    packed = bytearray(struct.pack(f"<{len(keys)}{code}", *present))
                    return np.frombuffer(packed, self.value_dtype.np)
            values: Any = map(self.entries.get, keys, repeat(default_value.item()))
            if self.value_dtype is dtypes.string:
                return bytes_array(list(values))
            return np.fromiter(values, self.value_dtype.np, len(keys))

    def _require_filled(self) -> None:
        if not self.initialized:
            raise FailedPreconditionError(None, None, f"Table not initialized: {self.name}")

    def insert(self, keys: Any, values: Any) -> None:
        """Assign values to keys, replacing existing ones."""
        flat, shape = self.keys_of(keys)
        self._require_values(values, shape)
        # Single values are Python's, which dictionaries and `find` take without unpacking.
        rows = values.reshape(len(flat), *self.shape) if self.shape else values.reshape(-1).tolist()
        with self.lock:
            if self.mutable:
                self.entries.update(zip(flat, rows, strict=True))
            else:
                self._add_once(flat, rows)
            self.initialized = True

    def _require_values(self, values: Any, shape: tuple[int, ...]) -> None:
        if values.dtype != self.value_dtype.np:
            received = dtypes.FROM_NUMPY[values.dtype].name
            raise _invalid(
                f"Conflicting key/value dtypes: table {self.name} has {self.value_dtype.name} "
                f"values, got {received}"
            )
        if values.shape != shape + self.shape:
            raise _invalid(
                f"Expected shape {fmt_shape(shape + self.shape)} for value, got "
                f"{fmt_shape(values.shape)}"
            )

    def _add_once(self, keys: list[Any], values: Any) -> None:
        if self.initialized:
            raise FailedPreconditionError(None, None, f"Table already initialized: {self.name}")
        pairs = dict(zip(keys, values, strict=True))
        if len(pairs) == len(keys):
            self.entries = pairs
            return
        for key, value in zip(keys, values, strict=True):
            before = self.entries.setdefault(key, value)
            if not np.array_equal(before, value):
                raise FailedPreconditionError(
                    None,
                    None,
                    f"HashTable has different value for same key. Key {_as_text(key)} has "
                    f"{_as_text(before)} and trying to add value {_as_text(value)}",
                )

    def clear(self) -> None:
        """Drop all keys; a table that is filled once can be filled again."""
        self.entries = {}
        self.initialized = self.mutable
        self._index, self._looked_up = None, 0

    def remove(self, keys: Any) -> None:
        """Drop keys, if they are there."""
        flat, _ = self.keys_of(keys)
        with self.lock:
            self._index, self._looked_up = None, 0
            for key in flat:
                self.entries.pop(key, None)

    def export(self) -> tuple[Any, Any]:
        """Return all keys and their values."""
        self._require_filled()
        with self.lock:
            pairs = list(self.entries.items())
        keys = np.empty((len(pairs), *self.key_shape), self.key_dtype.np)
        values = np.empty((len(pairs), *self.shape), self.value_dtype.np)
        for i, (key, value) in enumerate(pairs):
            keys[i], values[i] = key, value
        return keys, values


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


def _as_text(item: Any) -> Any:
    return item.decode(errors="replace") if isinstance(item, bytes) else item


def _no_outputs(op: Any, specs: Any, attrs: Any) -> tuple[Spec, ...]:
    return ()


# -- making tables -----------------------------------------------------------------------------


_A_TABLE = fixed((), dtypes.resource)


@op("HashTableV2", infer=_A_TABLE, outputs=("table_handle",), effect="io", host=_HOST, grad=None)
def hash_table_v2(
    xp, *, key_dtype, value_dtype, container="", shared_name="", use_node_name_sharing=False
):
    """Return the handle of a new table that is initialised once."""
    return Table(as_dtype(key_dtype), as_dtype(value_dtype), shared_name, mutable=False)


@op(
    "MutableHashTableV2",
    infer=_A_TABLE,
    outputs=("table_handle",),
    effect="io",
    host=_HOST,
    grad=None,
)
def mutable_hash_table_v2(
    xp, *, key_dtype, value_dtype, container="", shared_name="", use_node_name_sharing=False
):
    """Return the handle of a new table from keys to scalars."""
    return Table(as_dtype(key_dtype), as_dtype(value_dtype), shared_name, mutable=True)


@op(
    "MutableHashTableOfTensorsV2",
    infer=_A_TABLE,
    outputs=("table_handle",),
    effect="io",
    host=_HOST,
    grad=None,
)
def mutable_hash_table_of_tensors_v2(
    xp,
    *,
    key_dtype,
    value_dtype,
    container="",
    shared_name="",
    use_node_name_sharing=False,
    value_shape=(),
):
    """Return the handle of a new table from keys to tensors of one shape."""
    shape = tuple(value_shape)
    name = shared_name or "table"
    return Table(as_dtype(key_dtype), as_dtype(value_dtype), name, mutable=True, shape=shape)


# -- using tables ------------------------------------------------------------------------------


@op("LookupTableFindV2", outputs=("values",), effect="reads", host=_HOST, grad=None)
def lookup_table_find_v2(xp, table_handle: Resource, keys: Free, default_value: Free):
    """Return the values of keys, or the default."""
    return table_handle.find(keys, default_value)


@lookup_table_find_v2.kernel("packed")
def _(xp, table_handle, keys, default_value):
    if type(keys) is not PackedStrings or default_value.ndim or keys.size < _PACKED_KEYS:
        return NotImplemented
    values = table_handle.find_many(keys, default_value)
    return NotImplemented if values is None else values


@lookup_table_find_v2.infer
def _(table_handle, keys, default_value):
    table = table_handle.value
    if keys.shape is None or not isinstance(table, Table):
        return Spec(None, default_value.dtype)
    rank = len(keys.shape) - len(table.key_shape)
    return Spec((*keys.shape[:rank], *table.shape), default_value.dtype)


def _declare_filling(name: str) -> Any:
    @op(name, infer=_no_outputs, outputs=(), effect="writes", host=_HOST, grad=None)
    def filling(xp, table_handle: Resource, keys: Free, values: Free):
        table_handle.insert(keys, values)

    return filling


lookup_table_insert_v2 = _declare_filling("LookupTableInsertV2")
initialize_table_v2 = _declare_filling("InitializeTableV2")


@op("LookupTableImportV2", infer=_no_outputs, outputs=(), effect="writes", host=_HOST, grad=None)
def lookup_table_import_v2(xp, table_handle: Resource, keys: Free, values: Free):
    """Replace all entries of a table."""
    with table_handle.lock:
        table_handle.clear()
        table_handle.insert(keys, values)


@op("LookupTableRemoveV2", infer=_no_outputs, outputs=(), effect="writes", host=_HOST, grad=None)
def lookup_table_remove_v2(xp, table_handle: Resource, keys: Free):
    """Drop keys of a table."""
    table_handle.remove(keys)


@op("LookupTableSizeV2", outputs=("size",), effect="reads", host=_HOST, grad=None)
def lookup_table_size_v2(xp, table_handle: Resource):
    """Return the number of keys."""
    return np.array(len(table_handle.entries), np.int64)


@lookup_table_size_v2.infer
def _(table_handle):
    return Spec((), dtypes.int64)


@op("LookupTableExportV2", outputs=("keys", "values"), effect="reads", host=_HOST, grad=None)
def lookup_table_export_v2(xp, table_handle: Resource, *, Tkeys, Tvalues):
    """Return all keys of a table, and their values."""
    return table_handle.export()


@lookup_table_export_v2.infer
def _(table_handle, *, Tkeys, Tvalues):
    table = table_handle.value
    if not isinstance(table, Table):
        return Spec(None, as_dtype(Tkeys)), Spec(None, as_dtype(Tvalues))
    return (
        Spec((None, *table.key_shape), as_dtype(Tkeys)),
        Spec((None, *table.shape), as_dtype(Tvalues)),
    )


# -- from files --------------------------------------------------------------------------------


@op(
    "InitializeTableFromTextFileV2",
    infer=_no_outputs,
    outputs=(),
    effect="writes",
    host=_HOST,
    grad=None,
)
def initialize_table_from_text_file_v2(
    xp,
    table_handle: Resource,
    filename: Free,
    *,
    key_index,
    value_index,
    vocab_size=-1,
    delimiter="\t",
    offset=0,
):
    """Fill a table from the lines of a file, each a key and a value between delimiters."""
    path = local_path(filename.item())
    lines = _lines(path, vocab_size)
    mark = delimiter.encode() if isinstance(delimiter, str) else delimiter
    fields = [line.split(mark) for line in lines]
    least = max(key_index, value_index) + 1
    for number, (line, parts) in enumerate(zip(lines, fields, strict=True)):
        if len(parts) < least:
            raise _invalid(
                f"{path}, line {number}: expected at least {least} columns separated by "
                f"{delimiter!r}, received {len(parts)}: {_as_text(line)}."
            )
    keys = _column(path, lines, fields, key_index, table_handle.key_dtype, offset)
    values = _column(path, lines, fields, value_index, table_handle.value_dtype, offset)
    table_handle.insert(keys, values)


initialize_table_from_text_file_v2.accesses("files", path="filename")


def _lines(path: str, vocab_size: int) -> list[bytes]:
    with translated(path), open(path, "rb") as file:
        lines = file.read().split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    if vocab_size > len(lines):
        raise _invalid(
            f"{path}: expected vocab_size={vocab_size} lines, received only {len(lines)}."
        )
    return [line.removesuffix(b"\r") for line in lines[: vocab_size if vocab_size > 0 else None]]


def _column(
    path: str, lines: list[bytes], fields: list[list[bytes]], index: int, dtype: DType, offset: int
) -> Any:
    """Return one column of the file: a field of each line, the full line, or its number."""
    if index == LINE_NUMBER:
        return (np.arange(len(lines)) + offset).astype(dtype.np)
    texts = lines if index == WHOLE_LINE else [parts[index] for parts in fields]
    if dtype is dtypes.string:
        return bytes_array(texts)
    read = reader(dtype)
    numbers = [read(text) for text in texts]
    if None in numbers:
        number = numbers.index(None)
        raise _invalid(
            f"{path}, line {number}: expected a number of dtype {dtype.name}, received "
            f"{_as_text(texts[number])!r}."
        )
    return np.array(numbers, dtype.np)
