"""Tensors and tables of values in strings."""

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
    """A tensor as a string."""
    return ops.serialize_tensor(dispatch.convert(tensor), name=name)


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor that `tf.io.serialize_tensor` made a string of."""
    return ops.parse_tensor(as_strings(serialized), out_type=as_dtype(out_type), name=name)


def _parts(sp_input: Any) -> tuple[Any, Any, Any]:
    return parts_of(as_sparse(sp_input))


def serialize_sparse(
    sp_input: Any, out_type: Any = dtypes.string, name: str | None = None
) -> Tensor:
    """A sparse tensor as three strings."""
    return ops.serialize_sparse(*_parts(sp_input), out_type=out_type, name=name)


def serialize_many_sparse(
    sp_input: Any, out_type: Any = dtypes.string, name: str | None = None
) -> Tensor:
    """The parts of a sparse tensor along its first axis, each as three strings."""
    return ops.serialize_many_sparse(*_parts(sp_input), out_type=out_type, name=name)


def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Serialized sparse tensors as one, along a new first axis."""
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
    """The columns of lines of comma-separated values; a default says the dtype of its column."""
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
    """Examples written as JSON, as serialized `tf.train.Example` messages."""
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
    """How many values fields of serialized messages have, and these values, filled up."""
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
    """Serialized messages from the values of their fields, and how many of these there are."""
    return encode_proto_op(
        dispatch.convert(sizes, dtypes.int32),
        [dispatch.convert(value) for value in values],
        field_names=tuple(field_names),
        message_type=message_type,
        descriptor_source=descriptor_source,
        name=name,
    )
