"""Conversion of attributes to and from AttrValue messages, by their types in the op's signature."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import protos
from tapeflow._src.core.dtypes import FROM_NUMPY, DType, as_dtype
from tapeflow._src.core.protos.values import (
    set_shape,
    shape_from_proto,
    tensor_from_proto,
    tensor_to_proto,
)
from tapeflow._src.core.shape import as_dims

# The field of the message for a type; other fields are named after their type.
_FIELDS = {"string": "s", "int": "i", "float": "f", "bool": "b"}


def item_type(kind: str) -> str | None:
    """Return the type of the items of a list, or None."""
    return kind[5:-1] if kind.startswith("list(") else None


def encode(value: Any, kind: str) -> Any:
    """Return an AttrValue; functions are passed by name."""
    message = protos.AttrValue()
    write(message, value, kind)
    return message


def write(message: Any, value: Any, kind: str) -> None:
    """Write `value` into an empty AttrValue; without a type, it is one itself."""
    if not kind:
        message.CopyFrom(value)
        return
    of = item_type(kind)
    if of is None:
        _write_item(message, value, kind)
        return
    message.list.SetInParent()
    field = getattr(message.list, _FIELDS.get(of, of))
    for item in value:
        if of == "shape":
            set_shape(field.add(), as_dims(item))
        elif of == "func":
            field.add(name=item)
        elif of == "tensor":
            field.append(_tensor(item))
        else:
            field.append(_plain(item, of))


def _write_item(message: Any, value: Any, kind: str) -> None:
    match kind:
        case "shape":
            set_shape(message.shape, as_dims(value))
        case "tensor":
            message.tensor.CopyFrom(_tensor(value))
        case "func":
            message.func.name = value
        case _:
            setattr(message, _FIELDS.get(kind, kind), _plain(value, kind))


def _plain(value: Any, kind: str) -> Any:
    match kind:
        case "string":
            return value.encode() if isinstance(value, str) else value
        case "type":
            return as_dtype(value).as_datatype_enum
        case "int":
            return int(value)
        case "bool":
            return bool(value)
        case "float":
            return float(value)
    raise TypeError(f"There is no type of attributes {kind!r}; its value is {value!r}.")


def _tensor(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        if hasattr(value, "tensor_shape"):
            return value
        raise ValueError(
            f"A graph's file holds values, not {value!r}. What a tf.function uses from outside is "
            f"an input of its graph: write that one."
        )
    # A broadcast value is written once: the last element of the message is repeated.
    elements = value.reshape(-1)[:1] if value.size > 1 and not any(value.strides) else value
    return tensor_to_proto(elements, FROM_NUMPY[value.dtype], value.shape)


def decode(message: Any, kind: str) -> Any:
    """Return the value of an AttrValue as ops take it: text, tuples, dtypes, dims, arrays."""
    of = item_type(kind)
    if of is None:
        return _decode_item(getattr(message, _FIELDS.get(kind, kind)), kind)
    items = getattr(message.list, _FIELDS.get(of, of))
    return tuple([_decode_item(item, of) for item in items])


def _decode_item(value: Any, kind: str) -> Any:
    match kind:
        case "string":
            return _text(value)
        case "type":
            return as_dtype(value)
        case "shape":
            return shape_from_proto(value)
        case "tensor":
            return tensor_from_proto(value)
        case "float":
            # The message holds a float32: its shortest decimal representation is what was meant.
            return float(str(np.float32(value)))
        case "func":
            return value.name
    return value


def _text(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def as_public(message: Any) -> Any:
    """Return the value of an AttrValue as `Operation.get_attr` returns it."""
    field = message.WhichOneof("value")
    if field is None:
        return None
    value = getattr(message, field)
    if field == "list":
        for name, items in ((f.name, getattr(value, f.name)) for f in value.DESCRIPTOR.fields):
            if items:
                return [_dtype(i) for i in items] if name == "type" else list(items)
        return []
    return _dtype(value) if field == "type" else value


def _dtype(number: int) -> DType:
    return as_dtype(number)
