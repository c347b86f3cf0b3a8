"""The JSON in which Keras 2 notes what the objects of a SavedModel are: plain data and a few types.

Tuples, shapes and specs of tensors are dicts with a class name. Nothing else in them is an object.
"""

from __future__ import annotations

import json
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.saving import limits
from tapeflow._src.keras.saving.deserialization import fail, shown

_TUPLE, _SHAPE, _SPEC, _BYTES = "__tuple__", "TensorShape", "TypeSpec", "__bytes__"
_TENSOR_SPEC = "tf.TensorSpec"


def encoded(value: Any) -> str:
    """Metadata as text."""
    return json.dumps(_plain(value))


def _plain(value: Any) -> Any:
    if isinstance(value, tf.TensorShape):
        return {"class_name": _SHAPE, "items": value.as_list() if value.rank is not None else None}
    if isinstance(value, tf.TensorSpec):
        parts = (value.shape, value.dtype.name, value.name)
        return {"class_name": _SPEC, "type_spec": _TENSOR_SPEC, "serialized": _plain(parts)}
    if isinstance(value, tuple):
        return {"class_name": _TUPLE, "items": [_plain(item) for item in value]}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def decoded(text: str, where: str) -> dict[str, Any]:
    """The metadata of an object; tuples are lists in it, as in other configs, and so are shapes."""
    metadata = _value(limits.parse_json(text, where))
    if not isinstance(metadata, dict):
        raise ValueError(f"Expected a dict in {where}, but received {shown(metadata)}.")
    return metadata


def _value(value: Any) -> Any:
    if isinstance(value, list):
        return [_value(item) for item in value]
    if not isinstance(value, dict):
        return value
    match value.get("class_name"):
        case "__tuple__" | "TensorShape":
            items = value.get("items")
            return None if items is None else [_value(item) for item in items]
        case "__bytes__":
            return value.get("value")
        case "TypeSpec":
            return _spec(value)
    return {key: _value(item) for key, item in value.items()}


def _spec(value: dict[str, Any]) -> Any:
    """The spec of a tensor; other specs stay as they are written."""
    if value.get("type_spec") != _TENSOR_SPEC:
        return value
    parts = _value(value.get("serialized"))
    if not isinstance(parts, list) or len(parts) != 3:
        raise fail(f"Expected the shape, dtype and name of a tensor, but received {shown(value)}.")
    shape, dtype, name = parts
    return tf.TensorSpec(shape, dtype, name)
