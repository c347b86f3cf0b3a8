"""Lines of comma-separated values, by RFC 4180."""

from __future__ import annotations

from typing import Any

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
    chosen = set(select_cols)
    count = len(record_defaults)
    rows = []
    for record, line in enumerate(records.reshape(-1).tolist()):
        fields = _fields(line, ord(field_delim), use_quote_delim)
        if chosen:
            fields = [field for i, field in enumerate(fields) if i in chosen]
        if len(fields) != count:
            raise invalid(f"Expect {count} fields but have {len(fields)} in record {record}")
        rows.append(fields)
    missing = na_value.encode()
    columns = zip(*rows, strict=True) if rows else [()] * count
    return [
        _column(i, column, default, missing).reshape(records.shape)
        for i, (column, default) in enumerate(zip(columns, record_defaults, strict=True))
    ]


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
