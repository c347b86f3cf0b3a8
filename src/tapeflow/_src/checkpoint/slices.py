"""Tensors that lie in a bundle in parts: each part is an entry of its own, in any data file.

The entry of the tensor has its shape and lists the parts. A part has the key that TensorFlow
uses: the name and the extents, encoded so that keys sort like what they stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tapeflow._src.core.dtypes import FROM_NUMPY
from tapeflow._src.core.protos.values import set_shape
from tapeflow._src.eager.dtensor import DTensor, lies_in_several_processes

# Along each axis, the first index and how many there are; -1 for all of them.
Extents = tuple[tuple[int, int], ...]
ALL = -1
# Keys of parts begin with this byte, names of tensors do not.
PREFIX = b"\0"
# The first two bytes of a signed number state how many bytes it has, by their leading ones.
_HEADERS = (
    *((0x00, 0x00), (0x80, 0x00), (0xC0, 0x00), (0xE0, 0x00), (0xF0, 0x00), (0xF8, 0x00)),
    *((0xFC, 0x00), (0xFE, 0x00), (0xFF, 0x00), (0xFF, 0x80), (0xFF, 0xC0)),
)


class Part(NamedTuple):
    """A part of a tensor: where it belongs, how to get it, and which process has it."""

    extents: Extents
    load: Callable[[], np.ndarray]
    process: int = 0


class Sliced(NamedTuple):
    """A tensor in parts, which cover it without overlapping; they are loaded one at a time."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    parts: Sequence[Part]

    def describe(self, entry: Any) -> None:
        """Set the entry of the whole tensor in an index."""
        entry.dtype = FROM_NUMPY[self.dtype].as_datatype_enum
        set_shape(entry.shape, self.shape)
        for part in self.parts:
            proto = entry.slices.add()
            for start, length in part.extents:
                extent = proto.extent.add()
                if length != ALL:
                    extent.start, extent.length = start, length


Content = np.ndarray | Sliced


def in_parts(tensor: Any) -> Sliced | None:
    """Return the parts of a tensor that is divided over the devices of a mesh, None of others."""
    if not isinstance(tensor, DTensor) or tensor._layout.is_fully_replicated():
        return None
    value = tensor.value_on_mesh
    shards = getattr(value, "addressable_shards", None)
    if shards is None:
        return None
    loads = {
        _extents(shard.index, value.shape): partial(np.asarray, shard.data) for shard in shards
    }
    owners = dict.fromkeys(loads, 0)
    if lies_in_several_processes(tensor):
        # Of the processes that have a part, the first one writes it.
        owners = {}
        for device, index in value.sharding.devices_indices_map(value.shape).items():
            extents = _extents(index, value.shape)
            owners[extents] = min(device.process_index, owners.get(extents, device.process_index))
    if len(owners) < 2:
        return None
    parts = [
        Part(extents, loads.get(extents, partial(_elsewhere, extents)), owners[extents])
        for extents in sorted(owners)
    ]
    return Sliced(np.dtype(value.dtype), tuple(value.shape), parts)


def _elsewhere(extents: Extents) -> np.ndarray:
    raise ValueError(f"The part at {extents} belongs to another process.")


def content_of(tensor: Any) -> Content:
    """Return what is written of a tensor: its parts, or an array."""
    parts = in_parts(tensor)
    if parts is not None:
        return parts
    array: np.ndarray = tensor._array
    return array


def _extents(index: Sequence[slice], shape: Sequence[int]) -> Extents:
    extents = []
    for axis, size in zip(index, shape, strict=True):
        start, stop, _ = axis.indices(size)
        extents.append((0, ALL) if stop - start == size else (start, stop - start))
    return tuple(extents)


def extents_of(proto: Any) -> Extents:
    """Return the extents that an index states."""
    return tuple(
        (int(extent.start), int(extent.length) if extent.HasField("length") else ALL)
        for extent in proto.extent
    )


def region(extents: Extents) -> tuple[slice, ...]:
    """Return the region of the whole tensor that a part is."""
    return tuple(
        slice(None) if length == ALL else slice(start, start + length) for start, length in extents
    )


def key_of(name: str, extents: Extents) -> bytes:
    """Return the key of a part.

    >>> key_of("v", ((2, 2), (0, -1)))
    b'\\x00v\\x00\\x01\\x01\\x02\\x82\\x82\\x80\\x7f'
    """
    escaped = name.encode().replace(b"\xff", b"\xff\x00").replace(b"\0", b"\x00\xff")
    numbers = b"".join(_signed(number) for extent in extents for number in extent)
    return _unsigned(0) + escaped + b"\x00\x01" + _unsigned(len(extents)) + numbers


def _unsigned(number: int) -> bytes:
    content = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return bytes([len(content)]) + content


def _signed(number: int) -> bytes:
    bits = (~number if number < 0 else number).bit_length()
    length = bits // 7 + 1
    content = bytearray(number.to_bytes(10, "big", signed=True)[10 - length :])
    for i, header in enumerate(_HEADERS[length][: len(content)]):
        content[i] ^= header
    return bytes(content)
