"""The safetensors format: a JSON header with names, dtypes, shapes and offsets, then the bytes."""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from tapeflow._src.backends.memory import aligned_empty
from tapeflow._src.checkpoint.files import replacing
from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.errors import DataLossError
from tapeflow._src.core.paths import local_path, translated

_HEADER = struct.Struct("<Q")
_MOST_HEADER_BYTES = 100_000_000
_ALIGNMENT = 8
# What NumPy's arrays can have; empty ones too.
_MOST_DIMENSIONS, _MOST_BYTES = 64, 2**63 - 1
_NAMES: dict[DType, str] = {
    dtypes.float64: "F64",
    dtypes.float32: "F32",
    dtypes.float16: "F16",
    dtypes.bfloat16: "BF16",
    dtypes.int64: "I64",
    dtypes.int32: "I32",
    dtypes.int16: "I16",
    dtypes.int8: "I8",
    dtypes.uint64: "U64",
    dtypes.uint32: "U32",
    dtypes.uint16: "U16",
    dtypes.uint8: "U8",
    dtypes.bool: "BOOL",
    dtypes.complex64: "C64",
}
# Dtype, shape, and the offset of the first byte.
Entry = tuple[DType, tuple[int, ...], int]
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}


def write_safetensors(
    path: Any, tensors: Iterable[tuple[str, np.ndarray]], metadata: Mapping[str, str] | None = None
) -> None:
    """Write arrays under their names; the file appears whole or not at all.

    Raises:
        ValueError: if an array has a dtype that the format lacks, or a name occurs twice.
    """
    arrays: dict[str, np.ndarray] = {}
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    offset = 0
    for name, array in tensors:
        if name in header:
            raise ValueError(f"Two tensors have the name {name!r}.")
        arrays[name] = np.ascontiguousarray(array)
        end = offset + array.nbytes
        header[name] = {
            "dtype": _format_name(name, array),
            "shape": list(array.shape),
            "data_offsets": [offset, end],
        }
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    with replacing(local_path(path)) as file:
        file.write(_HEADER.pack(len(text)))
        file.write(text)
        for array in arrays.values():
            file.write(array.tobytes())


def _format_name(name: str, array: np.ndarray) -> str:
    dtype = as_dtype(array.dtype)
    if dtype not in _NAMES:
        raise ValueError(
            f"The tensor {name!r} has dtype {dtype.name}, which safetensors files cannot hold; "
            f"they hold {', '.join(sorted(each.name for each in _NAMES))}."
        )
    return _NAMES[dtype]


class SafetensorsReader:
    """The tensors of a safetensors file; each is read on demand."""

    def __init__(self, path: Any) -> None:
        self.path = local_path(path)
        with translated(self.path), open(self.path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            start = file.read(_HEADER.size)
            length = _HEADER.unpack(start)[0] if len(start) == _HEADER.size else -1
            if not 0 <= length <= min(_MOST_HEADER_BYTES, size - _HEADER.size):
                raise self._data_loss(f"its header cannot be read: the file has {size} bytes")
            text = file.read(length)
        self._first_byte = _HEADER.size + length
        self.metadata: dict[str, str] = {}
        self.entries = self._entries(text, size - self._first_byte)

    def _entries(self, text: bytes, data_bytes: int) -> dict[str, Entry]:
        """Return dtype, shape and offset of each tensor, checked against the size of the file."""
        try:
            header = json.loads(text)
            if not isinstance(header, dict):
                raise ValueError("expected an object")
        except (ValueError, RecursionError) as error:
            raise self._data_loss(f"its header is no JSON object: {error}") from None
        self.metadata = header.pop("__metadata__", {})
        if not isinstance(self.metadata, dict):
            raise self._data_loss(f"its metadata is {self.metadata!r:.80}, no JSON object")
        entries = {}
        for name, entry in header.items():
            try:
                dtype = _DTYPES[entry["dtype"]]
                shape = tuple(map(_count, entry["shape"]))
                if len(shape) > _MOST_DIMENSIONS:
                    raise ValueError(f"it has {len(shape)} dimensions")
                if math.prod(filter(None, shape)) * dtype.np.itemsize > _MOST_BYTES:
                    raise ValueError("an array cannot be as large")
                begin, end = map(_count, entry["data_offsets"])
            except (KeyError, TypeError, ValueError) as error:
                raise self._data_loss(f"the entry of {name!r} is {entry!r:.200}: {error}") from None
            expected = math.prod(shape) * dtype.np.itemsize
            if end - begin != expected or end > data_bytes:
                raise self._data_loss(
                    f"{name!r} of dtype {dtype.name} and shape {shape} needs {expected} bytes, but "
                    f"is at bytes {begin} to {end} of {data_bytes}"
                )
            entries[name] = (dtype, shape, begin)
        return entries

    def read(self, name: str) -> np.ndarray:
        """Return the value of a tensor."""
        dtype, shape, begin = self.entries[name]
        array = aligned_empty(shape, dtype.np)
        with translated(self.path), open(self.path, "rb") as file:
            file.seek(self._first_byte + begin)
            if file.readinto(array.reshape(-1).view(np.uint8).data) != array.nbytes:
                raise self._data_loss(f"it ends within {name!r}")
        return array

    def tensors(self) -> Iterator[tuple[str, np.ndarray]]:
        """Yield all names and values."""
        for name in self.entries:
            yield name, self.read(name)

    def _data_loss(self, problem: str) -> DataLossError:
        return DataLossError(None, None, f"{self.path} is no safetensors file: {problem}.")


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"expected a count, received {value!r}")
    return value
