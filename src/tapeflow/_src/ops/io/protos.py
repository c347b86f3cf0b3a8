"""Conversion of protobuf messages to tensors, and back."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from functools import cache
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes, protos
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.errors import DataLossError, invalid
from tapeflow._src.core.infer import same_as
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.registry import MANY_OUTPUTS, Free, InferError, ManyFree, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.strings.text import HOST, STRING, each, one_of

message_factory = LazyModule("google.protobuf.message_factory", "messages of protobuf")
text_format = LazyModule("google.protobuf.text_format", "messages as text")

_STRINGS = frozenset({dtypes.string})
_INTS, _LONGS = frozenset({dtypes.int32, dtypes.int64}), frozenset({dtypes.int64})
_UINTS, _ULONGS = frozenset({dtypes.uint32, dtypes.uint64}), frozenset({dtypes.uint64})
# The dtypes that a field can be read as, by the number of its type.
_COMPATIBLE: dict[int, frozenset[DType]] = {
    1: frozenset({dtypes.float64}),
    2: frozenset({dtypes.float32, dtypes.float64}),
    **dict.fromkeys((3, 16, 18), _LONGS),
    **dict.fromkeys((4, 6), _ULONGS),
    **dict.fromkeys((5, 15, 17), _INTS),
    **dict.fromkeys((7, 13), _UINTS),
    8: frozenset({dtypes.bool}),
    **dict.fromkeys((9, 10, 11, 12), _STRINGS),
    14: frozenset({dtypes.int32}),
}
_MESSAGE = 11


@cache
def _message_class(message_type: str, descriptor_source: str) -> Any:
    if descriptor_source not in ("", "local://"):
        raise InferError(
            f"descriptor_source must be 'local://', the messages known here, got "
            f"{descriptor_source!r}"
        )
    try:
        descriptor = protos.schema().pool.FindMessageTypeByName(message_type)
    except KeyError:
        raise InferError(f"No descriptor found for message type {message_type}") from None
    return message_factory.GetMessageClass(descriptor)


def _field(cls: Any, name: str) -> Any:
    field = cls.DESCRIPTOR.fields_by_name.get(name)
    if field is None:
        raise InferError(f"Unknown field: {name} in message type {cls.DESCRIPTOR.full_name}")
    return field


def _items(message: Any, field: Any) -> list[Any]:
    """Return the values of a message's field, as elements of a tensor."""
    if field.is_repeated:
        values = list(getattr(message, field.name))
    elif field.has_presence:
        values = [getattr(message, field.name)] if message.HasField(field.name) else []
    else:
        value = getattr(message, field.name)
        values = [value] if value != field.default_value else []
    if field.type == _MESSAGE:
        return [value.SerializeToString() for value in values]
    return [value.encode() if isinstance(value, str) else value for value in values]


# -- decoding ----------------------------------------------------------------------------------


@op("DecodeProtoV2", dtypes=STRING, outputs=MANY_OUTPUTS, grad=None, host=HOST, checked=True)
def decode_proto_v2(
    xp,
    bytes,
    *,
    message_type,
    field_names,
    output_types,
    descriptor_source="local://",
    message_format="binary",
    sanitize=False,
):
    """Return the number of values of each message field, and the values, padded to one length."""
    cls = _message_class(message_type, descriptor_source)
    messages = [_read(cls, text, message_format) for text in bytes.reshape(-1).tolist()]
    sizes, columns = [], []
    for name, kind in zip(field_names, output_types, strict=True):
        field, dtype = _field(cls, name), as_dtype(kind)
        rows = [_items(message, field) for message in messages]
        least = 0 if field.is_repeated else 1
        width = max([least, *[len(row) for row in rows]])
        empty: Any = b"" if dtype is dtypes.string else 0
        if least and dtype is not dtypes.string:
            empty = field.default_value
        filled = np.full((len(rows), width), empty, dtype.np)
        for target, row in zip(filled, rows, strict=True):
            target[: len(row)] = row
        sizes.append([len(row) for row in rows])
        columns.append(filled.reshape(*bytes.shape, width))
    counts = np.array(sizes, np.int32).reshape(len(sizes), len(messages))
    return [np.ascontiguousarray(counts.T).reshape(*bytes.shape, len(sizes)), *columns]


def _read(cls: Any, text: bytes, message_format: str) -> Any:
    try:
        if message_format == "text":
            return text_format.Parse(text.decode(), cls())
        return cls.FromString(text)
    except Exception as error:
        raise DataLossError(
            None, None, f"Unable to parse {message_format} message: {error}"
        ) from error


@decode_proto_v2.infer
def _(
    bytes, *, message_type, field_names, output_types, descriptor_source, message_format, sanitize
):
    cls = _message_class(message_type, descriptor_source)
    one_of("message_format", message_format, ("binary", "text"))
    if len(field_names) != len(output_types):
        raise InferError("field_names and output_types attributes must have the same length")
    for name, kind in zip(field_names, output_types, strict=True):
        if as_dtype(kind) not in _COMPATIBLE[_field(cls, name).type]:
            raise InferError(
                f"Unexpected output type for {message_type}.{name}: {as_dtype(kind).name}"
            )
    shape = bytes.shape
    last = None if shape is None else (*shape, None)
    sizes = None if shape is None else (*shape, len(field_names))
    return (Spec(sizes, dtypes.int32), *(Spec(last, as_dtype(kind)) for kind in output_types))


# -- encoding ----------------------------------------------------------------------------------


@op("EncodeProto", grad=None, host=HOST, checked=True)
def encode_proto(
    xp,
    sizes: Free,
    values: ManyFree,
    *,
    field_names,
    message_type,
    descriptor_source="local://",
):
    """Encode messages from the numbers of values of their fields, and the values."""
    cls = _message_class(message_type, descriptor_source)
    shape = sizes.shape[:-1]
    counts = sizes.reshape(-1, sizes.shape[-1])
    rows = [value.reshape(len(counts), value.shape[-1]) for value in values]
    result = np.empty(len(counts), object)
    for i, row in enumerate(counts):
        message = cls()
        for name, count, value in zip(field_names, row.tolist(), rows, strict=True):
            _fill(message, _field(cls, name), value[i, :count].tolist())
        result[i] = message.SerializeToString()
    return result.reshape(shape)


def _fill(message: Any, field: Any, values: list[Any]) -> None:
    for value in values:
        target = getattr(message, field.name)
        if field.type == _MESSAGE:
            (target.add() if field.is_repeated else target).MergeFromString(value)
        else:
            item = value.decode() if field.type == 9 else value
            target.append(item) if field.is_repeated else setattr(message, field.name, item)


@encode_proto.infer
def _(sizes, values, *, field_names, message_type, descriptor_source):
    cls = _message_class(message_type, descriptor_source)
    if sizes.dtype is not dtypes.int32:
        raise InferError(f"sizes must be int32, got {sizes.dtype.name}")
    if sizes.shape is not None and (not sizes.shape or sizes.shape[-1] not in (None, len(values))):
        raise InferError(f"sizes must have one column for each of {len(values)} fields")
    if len(field_names) != len(values):
        raise InferError(f"There are {len(field_names)} field_names but {len(values)} values")
    for name, spec in zip(field_names, values, strict=True):
        if spec.dtype not in _COMPATIBLE[_field(cls, name).type]:
            raise InferError(f"Incompatible type for field {name}.  Saw dtype: {spec.dtype.name}")
    return Spec(None if sizes.shape is None else sizes.shape[:-1], dtypes.string)


# -- examples in JSON --------------------------------------------------------------------------


@op("DecodeJSONExample", infer=same_as("json_examples"), dtypes=STRING, grad=None, host=HOST)
def decode_json_example(xp, json_examples):
    """Convert examples from JSON to serialized `tf.train.Example`."""
    return each(_example_from_json, json_examples)


def _example_from_json(text: bytes) -> bytes:
    try:
        features = _only(json.loads(text), "features")
        return b"" if features is None else _tagged(1, _features(features))
    except (ValueError, TypeError, AttributeError, binascii.Error, struct.error) as error:
        raise invalid(
            f"Expected a tf.train.Example as JSON, received {_abbreviated(text)}: {error}."
        ) from None
    except RecursionError:
        raise invalid(
            f"Expected a tf.train.Example as JSON, received {_abbreviated(text)}: too "
            "deeply nested."
        ) from None


def _abbreviated(text: bytes) -> str:
    return repr(text if len(text) <= 60 else text[:57] + b"...")


def _only(value: dict[str, Any], *names: str) -> Any:
    """Return the only field of an object, which must have one of these names; None if empty."""
    unknown = [name for name in value if name not in names]
    if unknown:
        raise ValueError(f"no such field: {unknown[0]!r}")
    return next(iter(value.values()), None)


def _features(value: dict[str, Any]) -> bytes:
    entries = _only(value, "feature") or {}
    # In the order of the text: TensorFlow writes while it reads.
    return b"".join(
        _tagged(1, _tagged(1, key.encode()) + _tagged(2, _feature(feature)))
        for key, feature in entries.items()
    )


def _feature(value: dict[str, Any]) -> bytes:
    kinds = {
        "bytesList": (1, _bytes_item),
        "floatList": (2, lambda v: b"\x0d" + struct.pack("<f", float(v))),
        "int64List": (3, lambda v: b"\x08" + varint(int(v) & 0xFFFFFFFFFFFFFFFF)),
    }
    kinds |= {"bytes_list": kinds["bytesList"], "float_list": kinds["floatList"]}
    kinds["int64_list"] = kinds["int64List"]
    listed = _only(value, *kinds)
    if listed is None:
        return b""
    number, item = kinds[next(iter(value))]
    items = _only(listed, "value") or []
    return _tagged(number, b"".join(item(v) for v in items))


def _bytes_item(value: str) -> bytes:
    padded = value.rstrip("=").replace("-", "+").replace("_", "/")
    return _tagged(1, base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True))


def _tagged(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2]) + varint(len(data)) + data


def varint(value: int) -> bytes:
    """Encode a number as a base-128 varint."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
