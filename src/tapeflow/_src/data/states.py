"""Positions of iterators and elements as bytes: plain data only, so that reading runs no code.

8 bytes     the length of the text, little-endian
text        JSON: numbers, text and lists as such, anything else an object of one key
content     the bytes of arrays and strings, in the order in which the text refers to them
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tapeflow._src.composite.ragged.variants import RaggedValue
from tapeflow._src.core.dtypes import FROM_NUMPY, as_dtype, string
from tapeflow._src.core.errors import (
    UNKNOWN,
    DataLossError,
    OpError,
    exception_type_from_error_code,
)
from tapeflow._src.core.variants import VariantArray
from tapeflow._src.data import graphs
from tapeflow._src.data.sources import Elements
from tapeflow._src.data.stage import Stage
from tapeflow._src.graph.safe_mode import Guard

_PREFIX = 8

# Stages that are written as their class and the arguments of its constructor.
_CLASSES: dict[str, type[Stage]] = {}


def register_stage(cls: type[Stage]) -> type[Stage]:
    """Let positions hold stages of a class, whose `arguments()` are those of its constructor."""
    _CLASSES[cls.__name__] = cls
    return cls


def to_bytes(state: Any) -> bytes:
    """Serialize numbers, text, bytes, containers, arrays, datasets and errors."""
    content: list[bytes] = []
    text = json.dumps(_plain(state, content)).encode()
    return b"".join([len(text).to_bytes(_PREFIX, "little"), text, *content])


def from_bytes(data: bytes) -> Any:
    """Deserialize what `to_bytes` returned.

    Raises:
        tf.errors.DataLossError: if the bytes are damaged.
    """
    try:
        start = _PREFIX + int.from_bytes(data[:_PREFIX], "little")
        return _Reader(data, start).restored(json.loads(data[_PREFIX:start]))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise DataLossError(
            None, None, f"The saved state of an iterator is damaged: {error}"
        ) from error


def _plain(value: Any, content: list[bytes]) -> Any:
    """Return a value as JSON has it; the bytes that belong to it are added to `content`."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case bytes():
            content.append(value)
            return {"bytes": len(value)}
        case tuple():
            return {"tuple": [_plain(item, content) for item in value]}
        case list():
            return [_plain(item, content) for item in value]
        case dict():
            items = [[_plain(k, content), _plain(v, content)] for k, v in value.items()]
            return {"map": items}
        case np.ndarray():
            return _plain_array(value, content)
        case RaggedValue():
            return {"ragged": [_plain(part, content) for part in (*value.splits, value.values)]}
        case VariantArray():
            items = [_plain(item, content) for item in value.items.ravel()]
            return {"variants": [list(value.shape), items]}
        case Elements():
            return {"elements": [_plain(element, content) for element in value.elements]}
        case Stage() if type(value).__name__ in _CLASSES:
            arguments = value.arguments()  # type: ignore[attr-defined]
            return {"stage": [type(value).__name__, _plain(arguments, content)]}
        case Stage():
            return {"dataset": _plain(graphs.to_bytes(value), content)}
        case OpError():
            return {"error": [value.error_code, value.message]}
        case Exception():
            return {"error": [UNKNOWN, f"{type(value).__name__}: {value}"]}
    raise NotImplementedError(
        f"The position of an iterator cannot be saved: it holds a {type(value).__name__}."
    )


def _plain_array(array: np.ndarray, content: list[bytes]) -> Any:
    if array.dtype == object:
        items: list[bytes] = array.ravel().tolist()
        content.extend(items)
        return {"strings": [list(array.shape), [len(item) for item in items]]}
    data = np.ascontiguousarray(array).tobytes()
    content.append(data)
    return {"array": [FROM_NUMPY[array.dtype].name, list(array.shape), len(data)]}


class _Reader:
    """Reads values as they were written, one after the other."""

    def __init__(self, data: bytes, start: int) -> None:
        self._data = memoryview(data)
        self._at = start

    def _take(self, size: int) -> memoryview:
        piece = self._data[self._at : self._at + size]
        if size < 0 or len(piece) < size:
            raise ValueError(f"expected {size} bytes at {self._at}, received {len(piece)}")
        self._at += size
        return piece

    def restored(self, value: Any) -> Any:
        """Return the value of its form in JSON."""
        if isinstance(value, list):
            return [self.restored(item) for item in value]
        if not isinstance(value, dict):
            return value
        ((kind, content),) = value.items()
        match kind:
            case "bytes":
                return bytes(self._take(content))
            case "tuple":
                return tuple([self.restored(item) for item in content])
            case "map":
                return {self.restored(key): self.restored(item) for key, item in content}
            case "array" | "strings":
                return self._array(kind, content)
            case "ragged":
                *splits, values = [self.restored(part) for part in content]
                return RaggedValue(splits, values)
            case "variants":
                shape, items = content
                restored = np.empty(len(items), object)
                restored[:] = [self.restored(item) for item in items]
                return VariantArray(restored.reshape(shape))
            case "elements":
                return Elements([self.restored(element) for element in content])
            case "stage":
                name, arguments = content
                return _CLASSES[name](*self.restored(arguments))
            case "dataset":
                return graphs.from_bytes(self.restored(content), Guard())
            case "error":
                code, message = content
                make: Any = exception_type_from_error_code(code)
                return make(None, None, message)
        raise ValueError(f"there is no value of kind {kind!r}")

    def _array(self, kind: str, content: Any) -> np.ndarray:
        if kind == "strings":
            shape, sizes = content
            strings = np.empty(len(sizes), object)
            strings[:] = [bytes(self._take(size)) for size in sizes]
            return strings.reshape(shape)
        name, shape, size = content
        dtype = as_dtype(name)
        if dtype is string:
            raise ValueError("expected numbers, received strings")
        return np.frombuffer(self._take(size), dtype.np).reshape(shape)
