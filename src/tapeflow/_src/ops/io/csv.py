"""Lines of comma-separated values, by RFC 4180."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import Batch
from tapeflow._src.core.dtypes import FROM_NUMPY
from tapeflow._src.core.errors import invalid
from tapeflow._src.core.registry import MANY_OUTPUTS, InferError, ManyFree, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import EXACT_IN_BATCHES
from tapeflow._src.ops.strings.numbers import reader
from tapeflow._src.ops.strings.text import HOST, STRING, bytes_array

_ALLOWED = frozenset({dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string})
_C_NAMES = {dtypes.float32: "float", dtypes.float64: "double"}
_QUOTE, _BREAKS = ord('"'), (ord("\n"), ord("\r"))


def _batch_records(batch: Batch, records: Any, record_defaults: Any, **attrs: Any) -> Any:
    if any(batch.has(default) for default in record_defaults):
        return NotImplemented
    return batch.op(batch.values(records), record_defaults, **attrs)


@op(
    "DecodeCSV",
    dtypes=STRING,
    outputs=MANY_OUTPUTS,
    grad=None,
    host=HOST,
    checked=True,
    traits=(EXACT_IN_BATCHES,),
    batch=_batch_records,
)
def decode_csv(
    xp,
    records,
    record_defaults: ManyFree,
    *,
    field_delim=",",
    use_quote_delim=True,
    na_value="",
    select_cols=(),
):
    """Parse CSV records into columns; empty fields and `na_value` take the column's default."""
    style = CsvStyle(ord(field_delim), use_quote_delim, na_value.encode(), frozenset(select_cols))
    columns = parsed_columns(records.reshape(-1).tolist(), record_defaults, style)
    return [column.reshape(records.shape) for column in columns]


class CsvStyle(NamedTuple):
    """How records are written, and which of their fields are read.

    Attributes:
        delimiter: The byte that separates fields.
        quoting: Whether double quotes can surround fields.
        missing: The text that stands for a missing value, besides the empty one.
        selected: The indices of the fields to read; all if it is empty.
        excluded: The indices of fields to leave out.
        empty_is_field: Whether an empty record is one empty field; else it has no field.
    """

    delimiter: int
    quoting: bool
    missing: bytes
    selected: frozenset[int] = frozenset()
    excluded: frozenset[int] = frozenset()
    empty_is_field: bool = False

    def reads(self, column: int) -> bool:
        """Whether the field of a column is read."""
        return column not in self.excluded and (not self.selected or column in self.selected)


def parsed_columns(
    records: list[bytes], defaults: Sequence[np.ndarray], style: CsvStyle
) -> list[np.ndarray]:
    """Parse records into one array a column.

    Raises:
        tf.errors.InvalidArgumentError: if a record has another number of fields, or a field is
            missing or no value of its column.
    """
    columns: list[Any] | None = _split_at_once(records, len(defaults), style)
    if columns is None:
        columns = _split_one_by_one(records, len(defaults), style)
    return [
        _column(i, fields, default, style.missing)
        for i, (fields, default) in enumerate(zip(columns, defaults, strict=True))
    ]


def _split_at_once(records: list[bytes], count: int, style: CsvStyle) -> list[list[bytes]] | None:
    """Return the columns of records that have equally many fields without quotes, else None."""
    delimiter = bytes([style.delimiter])
    joined = delimiter.join(records)
    breaks = any(mark in joined for mark in _BREAKS)
    if breaks or (style.quoting and _QUOTE in joined) or b"" in records:
        return None
    widths = {record.count(delimiter) for record in records}
    if len(widths) != 1:
        return None
    width = widths.pop() + 1
    read = [column for column in range(width) if style.reads(column)]
    if len(read) != count:
        return None
    fields = joined.split(delimiter)
    return [fields[column::width] for column in read]


def _split_one_by_one(records: list[bytes], count: int, style: CsvStyle) -> list[Sequence[bytes]]:
    rows = []
    for record, line in enumerate(records):
        fields = _fields(line, style.delimiter, style.quoting)
        if not line and style.empty_is_field:
            fields = [b""]
        fields = [field for i, field in enumerate(fields) if style.reads(i)]
        if len(fields) != count:
            raise invalid(f"Expect {count} fields but have {len(fields)} in record {record}")
        rows.append(fields)
    return list(zip(*rows, strict=True)) if rows else [()] * count


def _fields(line: bytes, delimiter: int, quoting: bool) -> list[bytes]:
    if quoting and _QUOTE in line:
        return _quoted_fields(line, delimiter)
    if any(mark in line for mark in _BREAKS):
        raise invalid("Unquoted fields cannot have quotes/CRLFs inside")
    return line.split(bytes([delimiter])) if line else []


def _quoted_fields(line: bytes, delimiter: int) -> list[bytes]:
    """Return the fields of a line in which some are quoted."""
    fields: list[bytes] = []
    at, size = 0, len(line)
    while at < size:
        if line[at] == _QUOTE:
            field, at = _quoted_field(line, at + 1, delimiter)
        else:
            end = line.find(delimiter, at)
            end = size if end < 0 else end
            field = line[at:end]
            if any(mark in field for mark in (_QUOTE, *_BREAKS)):
                raise invalid("Unquoted fields cannot have quotes/CRLFs inside")
            at = end
        fields.append(field)
        at += 1
    if line[-1] == delimiter:
        fields.append(b"")
    return fields


def _quoted_field(line: bytes, at: int, delimiter: int) -> tuple[bytes, int]:
    """Return a quoted field and the position after its closing quote."""
    field = bytearray()
    while at < len(line) - 1 and (line[at] != _QUOTE or line[at + 1] != delimiter):
        if line[at] == _QUOTE:
            if line[at + 1] != _QUOTE:
                raise invalid("Quote inside a string has to be escaped by another quote")
            at += 1
        field.append(line[at])
        at += 1
    if at >= len(line) or line[at] != _QUOTE:
        raise invalid("Quoted field has to end with quote followed by delim or end")
    return bytes(field), at + 1


def _column(column: int, fields: Any, default: np.ndarray, missing: bytes) -> np.ndarray:
    dtype = FROM_NUMPY[default.dtype]
    if b"" not in fields and missing not in fields:
        numbers = _numbers(fields, default.dtype)
        if numbers is not None:
            return numbers
    read = None if dtype is dtypes.string else reader(dtype)
    values: list[Any] = []
    for i, field in enumerate(fields):
        if not field or field == missing:
            if default.size != 1:
                raise invalid(f"Field {column} is required but missing in record {i}!")
            values.append(default.item())
            continue
        value = field if read is None else read(field)
        if value is None:
            name = _C_NAMES.get(dtype, dtype.name)
            shown = field.decode(errors="replace")
            raise invalid(f"Field {column} in record {i} is not a valid {name}: {shown}")
        values.append(value)
    return bytes_array(values) if read is None else np.array(values, default.dtype)


def _numbers(fields: Sequence[bytes], dtype: np.dtype[Any]) -> np.ndarray | None:
    """Return all fields of a column as an array; None if each needs to be looked at."""
    if dtype.kind == "O":
        return bytes_array(list(fields))
    is_float = dtype.kind == "f"
    try:
        values = np.array(list(map(float if is_float else int, fields)), "f8" if is_float else "i8")
    except (ValueError, OverflowError):
        return None
    # Python reads underscores between digits, which are no part of a number here.
    if any(b"_" in field for field in fields):
        return None
    if is_float or dtype == np.int64:
        return values.astype(dtype, copy=False)
    limits = np.iinfo(dtype)
    fits = values.size == 0 or (values.min() >= limits.min and values.max() <= limits.max)
    return values.astype(dtype) if fits else None


@decode_csv.infer
def _(records, record_defaults, *, field_delim, use_quote_delim, na_value, select_cols):
    if not record_defaults:
        raise InferError("Length for attr 'OUT_TYPE' of 0 must be at least minimum 1")
    if len(field_delim.encode()) != 1:
        raise InferError("field_delim should be only 1 char")
    if select_cols and len(select_cols) != len(record_defaults):
        raise InferError("select_cols should match output size")
    for column, spec in enumerate(record_defaults):
        if spec.dtype not in _ALLOWED:
            raise InferError(
                f"Value for attr 'OUT_TYPE' of {spec.dtype.name} is not in the list of allowed "
                f"values: {', '.join(sorted(d.name for d in _ALLOWED))}"
            )
        if spec.shape is not None and len(spec.shape) > 1:
            raise InferError("Shape of a default must be a length-0 or length-1 vector")
        if spec.shape and spec.shape[0] is not None and spec.shape[0] > 1:
            raise InferError(
                f"There should only be 1 default per field but field {column} has {spec.shape[0]}"
            )
    return tuple(Spec(records.shape, spec.dtype) for spec in record_defaults)
