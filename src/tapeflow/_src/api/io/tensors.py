"""Serialize tensors; decode CSV, JSON and protocol buffers."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.sparse.arguments import as_sparse, parts_of
from tapeflow._src.api.strings.arguments import as_text
from tapeflow._src.api.strings.rows import as_strings
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.io import tensors as ops
from tapeflow._src.ops.io.csv import decode_csv as decode_csv_op
from tapeflow._src.ops.io.protos import decode_json_example as decode_json_op
from tapeflow._src.ops.io.protos import decode_proto_v2
from tapeflow._src.ops.io.protos import encode_proto as encode_proto_op


def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """Serialize a tensor to a TensorProto string."""
    return ops.serialize_tensor(dispatch.convert(tensor), name=name)


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """Parse a string of `tf.io.serialize_tensor` into a tensor."""
    return ops.parse_tensor(as_strings(serialized), out_type=as_dtype(out_type), name=name)


def _parts(sp_input: Any) -> tuple[Any, Any, Any]:
    return parts_of(as_sparse(sp_input))


def serialize_sparse(
    sp_input: Any, out_type: Any = dtypes.string, name: str | None = None
) -> Tensor:
    """Serialize a sparse tensor to a vector of three strings."""
    return ops.serialize_sparse(*_parts(sp_input), out_type=out_type, name=name)


def serialize_many_sparse(
    sp_input: Any, out_type: Any = dtypes.string, name: str | None = None
) -> Tensor:
    """Serialize each slice of a sparse tensor along its first axis to three strings."""
    return ops.serialize_many_sparse(*_parts(sp_input), out_type=out_type, name=name)


def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Deserialize sparse tensors and stack them along a new first axis."""
    rows = dispatch.convert(serialized_sparse, dtypes.string)
    indices, values, shape = ops.deserialize_many_sparse(rows, dtype=as_dtype(dtype), name=name)
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> list[Any]:
    """Decode lines of CSV into one tensor per column.

    Args:
        records: Strings, one line each.
        record_defaults: One tensor per column: its dtype, and its default unless it is empty.
        field_delim: The separator of fields.
        use_quote_delim: Whether double quotes enclose fields.
        na_value: A string that stands for a missing value.
        select_cols: The columns to return, in increasing order; all by default.
        name: Name of the op in a graph.
    """
    if select_cols is not None and any(a >= b for a, b in zip(select_cols, list(select_cols)[1:])):
        raise ValueError("select_cols is not strictly increasing.")
    if select_cols is not None and any(column < 0 for column in select_cols):
        raise ValueError("select_cols contains negative values.")
    if select_cols is not None and len(select_cols) != len(record_defaults):
        raise ValueError(
            f"Each of `select_cols` needs one of `record_defaults`. Received {len(select_cols)} "
            f"columns and {len(record_defaults)} defaults"
        )
    columns = decode_csv_op(
        dispatch.convert(records, dtypes.string),
        [dispatch.convert(default) for default in record_defaults],
        field_delim=as_text(field_delim, "field_delim"),
        use_quote_delim=use_quote_delim,
        na_value=as_text(na_value, "na_value"),
        select_cols=tuple(select_cols or ()),
        name=name,
    )
    return list(columns)


def decode_json_example(json_examples: Any, name: str | None = None) -> Tensor:
    """Convert examples in JSON to serialized `tf.train.Example` messages."""
    return decode_json_op(dispatch.convert(json_examples, dtypes.string), name=name)


def decode_proto(
    bytes: Any,
    message_type: str,
    field_names: Any,
    output_types: Any,
    descriptor_source: str = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> tuple[Any, list[Any]]:
    """Decode fields of serialized messages: the number of values, and the padded values."""
    sizes, *values = decode_proto_v2(
        dispatch.convert(bytes, dtypes.string),
        message_type=message_type,
        field_names=tuple(field_names),
        output_types=tuple(as_dtype(kind) for kind in output_types),
        descriptor_source=descriptor_source,
        message_format=message_format,
        sanitize=sanitize,
        name=name,
    )
    return sizes, values


def encode_proto(
    sizes: Any,
    values: Any,
    field_names: Any,
    message_type: str,
    descriptor_source: str = "local://",
    name: str | None = None,
) -> Tensor:
    """Serialize messages from the values of their fields and the number of values."""
    return encode_proto_op(
        dispatch.convert(sizes, dtypes.int32),
        [dispatch.convert(value) for value in values],
        field_names=tuple(field_names),
        message_type=message_type,
        descriptor_source=descriptor_source,
        name=name,
    )
