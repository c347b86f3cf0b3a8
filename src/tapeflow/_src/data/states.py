"""Serialize states of cursors: plain data only, so that reading one runs no code."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from tapeflow._src.composite.ragged.variants import RaggedValue
from tapeflow._src.core.dtypes import FROM_NUMPY, as_dtype, string
from tapeflow._src.core.variants import VariantArray
from tapeflow._src.data.sources import Elements

# JSON has lists, text and numbers; what else a state holds is a mapping with one of these keys.
_TUPLE, _BYTES, _ARRAY, _MAP = "tuple", "bytes", "array", "map"
_ELEMENTS, _RAGGED, _VARIANTS = "elements", "ragged", "variants"


def to_bytes(state: Any) -> bytes:
    """Serialize a state."""
    return json.dumps(_plain(state)).encode()


def from_bytes(data: bytes) -> Any:
    """Deserialize a state that `to_bytes` returned."""
    return _restored(json.loads(data))


def _plain(value: Any) -> Any:
    match value:
        case None | bool() | int() | float() | str():
            return value
        case bytes():
            return {_BYTES: base64.b64encode(value).decode()}
        case tuple():
            return {_TUPLE: [_plain(item) for item in value]}
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {_MAP: [[_plain(key), _plain(item)] for key, item in value.items()]}
        case RaggedValue():
            return {_RAGGED: [_plain(part) for part in (*value.splits, value.values)]}
        case VariantArray():
            return {_VARIANTS: [list(value.shape), [_plain(i) for i in value.items.ravel()]]}
        case Elements():
            return {_ELEMENTS: [_plain(element) for element in value.elements]}
        case np.ndarray():
            return {_ARRAY: [FROM_NUMPY[value.dtype].name, list(value.shape), _content(value)]}
    raise NotImplementedError(
        f"The place of an iterator cannot be saved: it holds a {type(value).__name__}."
    )


def _content(array: np.ndarray) -> Any:
    if array.dtype == object:
        return [_plain(item) for item in array.ravel().tolist()]
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def _restored(value: Any) -> Any:
    if isinstance(value, list):
        return [_restored(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    match kind:
        case "tuple":
            return tuple([_restored(item) for item in content])
        case "bytes":
            return base64.b64decode(content)
        case "ragged":
            *splits, values = [_restored(part) for part in content]
            return RaggedValue(splits, values)
        case "variants":
            shape, items = content
            restored = VariantArray.stacked([_restored(item) for item in items])
            return VariantArray(restored.items.reshape(shape))
        case "elements":
            return Elements([_restored(element) for element in content])
        case "map":
            return {_restored(key): _restored(item) for key, item in content}
    name, shape, data = content
    dtype = as_dtype(name)
    if dtype is string:
        array = np.empty(len(data), object)
        array[:] = [_restored(item) for item in data]
        return array.reshape(shape)
    return np.frombuffer(base64.b64decode(data), dtype.np).reshape(shape)
