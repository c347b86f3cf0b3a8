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
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.io import tensors as ops
from tapeflow._src.ops.io.csv import decode_csv as decode_csv_op
from tapeflow._src.ops.io.protos import decode_json_example as decode_json_op
from tapeflow._src.ops.io.protos import decode_proto_v2
from tapeflow._src.ops.io.protos import encode_proto as encode_proto_op


def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Serialize a tensor to a TensorProto string.

    Args:
        tensor: A tensor of any dtype and shape.

    Returns:
        A scalar string tensor.

    Example:
        >>> text = tf.io.serialize_tensor([1, 2])
        >>> tf.io.parse_tensor(text, tf.int32).numpy()
        array([1, 2], dtype=int32)
    """
    return ops.serialize_tensor(dispatch.convert(tensor), name=name)


def parse_tensor(serialized: Any, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """Parse a string of `tf.io.serialize_tensor` into a tensor.

    Args:
        serialized: A scalar string.
        out_type: The dtype of the tensor.

    Returns:
        The tensor; its static shape is unknown in a graph.

    Raises:
        tf.errors.InvalidArgumentError: If the string is no tensor, or one of another dtype.

    Example:
        >>> text = tf.io.serialize_tensor(tf.constant(["a"]))
        >>> tf.io.parse_tensor(text, tf.string).numpy()
        array([b'a'], dtype=object)
    """
    return ops.parse_tensor(as_strings(serialized), out_type=as_dtype(out_type), name=name)


def _parts(sp_input: Any) -> tuple[Any, Any, Any]:
    return parts_of(as_sparse(sp_input))


def serialize_sparse(
    sp_input: Any, out_type: DTypeLike = dtypes.string, name: str | None = None
) -> Tensor:
    """Serialize a sparse tensor to a vector of three strings.

    Args:
        sp_input: A `tf.SparseTensor`.
        out_type: `tf.string` or `tf.variant`.

    Returns:
        A vector: indices, values and shape.

    Example:
        >>> tf.io.serialize_sparse(tf.sparse.from_dense([0, 5])).shape
        TensorShape([3])
    """
    return ops.serialize_sparse(*_parts(sp_input), out_type=out_type, name=name)


def serialize_many_sparse(
    sp_input: Any, out_type: DTypeLike = dtypes.string, name: str | None = None
) -> Tensor:
    """Serialize each slice of a sparse tensor along its first axis to three strings.

    Args:
        sp_input: A `tf.SparseTensor` of rank 2 or more.
        out_type: `tf.string` or `tf.variant`.

    Returns:
        A matrix with one row per slice.

    Example:
        >>> rows = tf.io.serialize_many_sparse(tf.sparse.from_dense([[0, 5], [6, 0]]))
        >>> rows.shape
        TensorShape([2, 3])
    """
    return ops.serialize_many_sparse(*_parts(sp_input), out_type=out_type, name=name)


def deserialize_many_sparse(
    serialized_sparse: Any, dtype: DTypeLike, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Deserialize sparse tensors and stack them along a new first axis.

    Args:
        serialized_sparse: A matrix of strings, as `serialize_many_sparse` returns it.
        dtype: The dtype of the values.
        rank: The rank of the result, if it is known.

    Returns:
        A `tf.SparseTensor`.

    Example:
        >>> rows = tf.io.serialize_many_sparse(tf.sparse.from_dense([[0, 5], [6, 0]]))
        >>> tf.sparse.to_dense(tf.io.deserialize_many_sparse(rows, tf.int32)).numpy()
        array([[0, 5],
               [6, 0]], dtype=int32)
    """
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

    Returns:
        A list with one tensor per column, each of the shape of `records`.

    Raises:
        ValueError: If `select_cols` does not increase, or does not match the defaults.
        tf.errors.InvalidArgumentError: If a line has another number of fields, or a field is wrong.

    Example:
        >>> names, ages = tf.io.decode_csv(["ann,31", "bob,"], ["", 0])
        >>> names.numpy(), ages.numpy()
        (array([b'ann', b'bob'], dtype=object), array([31,  0], dtype=int32))
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
    """Convert examples in JSON to serialized `tf.train.Example` messages.

    Args:
        json_examples: Strings of any shape.

    Returns:
        Strings in the shape of the input.

    Raises:
        tf.errors.InvalidArgumentError: If a string is no such JSON.

    Example:
        >>> text = '{"features": {"feature": {"x": {"int64List": {"value": [7]}}}}}'
        >>> message = tf.io.decode_json_example(text)
        >>> specs = {"x": tf.io.FixedLenFeature([], tf.int64)}
        >>> int(tf.io.parse_single_example(message, specs)["x"])
        7
    """
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
    """Decode fields of serialized messages.

    Args:
        bytes: Serialized messages, strings of any shape.
        message_type: The full name of the message type.
        field_names: The fields to decode.
        output_types: The dtype of each field.
        descriptor_source: "local://" for types known to the process, a file with a
            FileDescriptorSet, or "bytes://" followed by one.
        message_format: "binary" or "text".
        sanitize: Whether to drop unknown fields of messages that are returned as strings.

    Returns:
        The number of values of each field, and a list with the values, padded.
    """
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
    """Serialize messages from the values of their fields and the number of values.

    Args:
        sizes: Integers of shape (..., fields): the number of values.
        values: One tensor per field, of shape (..., max_size).
        field_names: The names of the fields.
        message_type: The full name of the message type.
        descriptor_source: "local://", a file with a FileDescriptorSet, or "bytes://" and one.

    Returns:
        A string tensor of the messages.
    """
    return encode_proto_op(
        dispatch.convert(sizes, dtypes.int32),
        [dispatch.convert(value) for value in values],
        field_names=tuple(field_names),
        message_type=message_type,
        descriptor_source=descriptor_source,
        name=name,
    )
