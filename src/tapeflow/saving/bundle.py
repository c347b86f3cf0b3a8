"""Tensors in files by name: TensorBundle, the format of TensorFlow's checkpoints.

`prefix.index` is a table that says of each tensor what and where it is, and what its check sum is;
`prefix.data-00000-of-00001` holds the bytes. The index is written last: a bundle is there when its
index is.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from math import prod
from typing import Any, BinaryIO

import numpy as np

from tapeflow.backends.memory import aligned_empty
from tapeflow.core import dtypes, protos
from tapeflow.core.crc32c import crc32c, mask
from tapeflow.core.dtypes import FROM_NUMPY, DType, as_dtype
from tapeflow.core.errors import DataLossError, NotFoundError, UnimplementedError
from tapeflow.core.paths import local_path, translated
from tapeflow.core.protos.values import set_shape, shape_from_proto
from tapeflow.saving.files import read_file, replacing, write_file
from tapeflow.saving.sorted_table import decode_varint, encode_varint, read_table, write_table

_LARGE = 0xFFFFFFFF


def index_name(prefix: str) -> str:
    """The file that says what a bundle holds."""
    return f"{prefix}.index"


def data_name(prefix: str, shard: int = 0, shards: int = 1) -> str:
    """A file with the bytes of tensors."""
    return f"{prefix}.data-{shard:05}-of-{shards:05}"


def exists(prefix: str) -> bool:
    """Whether there is a bundle of that name."""
    return os.path.isfile(index_name(local_path(prefix)))


def write_bundle(prefix: str, tensors: Iterable[tuple[str, np.ndarray]]) -> None:
    """Write arrays, in this order, under their names."""
    prefix = local_path(prefix)
    header = protos.BundleHeaderProto(num_shards=1)
    header.version.producer = 1
    entries: dict[str, Any] = {"": header}
    with replacing(data_name(prefix)) as file:
        for name, array in tensors:
            if name in entries:
                raise ValueError(f"Two tensors of a checkpoint have the name {name!r}.")
            entries[name] = _write_tensor(file, array)
    table = sorted((name.encode(), entry.SerializeToString()) for name, entry in entries.items())
    write_file(index_name(prefix), write_table(table))


def _write_tensor(file: BinaryIO, array: np.ndarray) -> Any:
    """Append the bytes of a tensor; returns its entry in the index."""
    dtype = FROM_NUMPY[array.dtype]
    if not dtype.is_numpy_compatible:
        raise UnimplementedError(
            None, None, f"A tensor of dtype {dtype.name} holds a handle: it cannot be saved."
        )
    entry = protos.BundleEntryProto(dtype=dtype.as_datatype_enum, offset=file.tell())
    set_shape(entry.shape, array.shape)
    data: bytes | memoryview
    if dtype is dtypes.string:
        data, checksum = _encode_strings(array)
    else:
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        data = np.ascontiguousarray(little).reshape(-1).view(np.uint8).data
        checksum = crc32c(data)
    entry.size = file.write(data)
    entry.crc32c = mask(checksum)
    return entry


def _encode_strings(array: np.ndarray) -> tuple[bytes, int]:
    """All lengths, their check sum, then all bytes; and the check sum of these.

    In the sum a length counts as the number of 32 or 64 bits that it is, not as it is written.
    """
    values = [v.encode() if isinstance(v, str) else v for v in array.reshape(-1).tolist()]
    sizes = list(map(len, values))
    checksum = crc32c(b"".join(map(_as_number, sizes)))
    lengths_checksum = struct.pack("<I", mask(checksum))
    joined = b"".join(values)
    checksum = crc32c(joined, crc32c(lengths_checksum, checksum))
    return b"".join(map(encode_varint, sizes)) + lengths_checksum + joined, checksum


def _as_number(size: int) -> bytes:
    return struct.pack("<I" if size <= _LARGE else "<Q", size)


class BundleReader:
    """The tensors of a bundle; each is read when it is asked for."""

    def __init__(self, prefix: Any) -> None:
        self.prefix = local_path(prefix)
        path = index_name(self.prefix)
        if not os.path.isfile(path):
            raise self._missing()
        found = dict(read_table(read_file(path), path))
        self._header = _parsed(protos.BundleHeaderProto, found.pop(b"", b""), path)
        if self._header.endianness != 0:
            raise UnimplementedError(
                None,
                None,
                f"{path} was written on a machine whose numbers have the high byte first.",
            )
        self.entries = {
            name.decode(): _parsed(protos.BundleEntryProto, entry, path)
            for name, entry in found.items()
        }

    def _missing(self) -> Exception:
        if os.path.isdir(self.prefix):
            return DataLossError(
                None,
                None,
                f"Unable to open table file {self.prefix}: it is a directory. Ask "
                f"tf.train.latest_checkpoint for a checkpoint in it.",
            )
        return NotFoundError(
            None,
            None,
            f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
            f"{self.prefix}",
        )

    def entry(self, name: str) -> Any:
        """What the index says of a tensor."""
        if name not in self.entries:
            raise NotFoundError(None, None, f"Key {name} not found in checkpoint")
        return self.entries[name]

    def dtype(self, name: str) -> DType:
        return as_dtype(self.entry(name).dtype)

    def shape(self, name: str) -> tuple[int, ...]:
        dims: Any = shape_from_proto(self.entry(name).shape)
        return tuple(dims)

    def read(self, name: str) -> np.ndarray:
        """A tensor's value; DataLossError if it is not what was written."""
        entry, dtype, shape = self.entry(name), self.dtype(name), self.shape(name)
        if entry.slices or not dtype.is_numpy_compatible:
            what = "in slices" if entry.slices else f"of dtype {dtype.name}"
            raise UnimplementedError(
                None, None, f"{self.prefix}: {name!r} is a tensor {what}, which cannot be read."
            )
        data = self._bytes(entry)
        if dtype is dtypes.string:
            try:
                values, checksum = _decode_strings(data.data, prod(shape))
            except (IndexError, struct.error):
                raise self._corrupt(entry, "the lengths of its strings are not readable") from None
            array = np.empty(len(values), object)
            array[:] = values
        else:
            checksum = crc32c(data.data)
            array = data.view(dtype.np)
        if mask(checksum) != entry.crc32c:
            raise self._corrupt(
                entry,
                f"Checksum does not match: stored {entry.crc32c:#x} vs. calculated on the restored "
                f"bytes {mask(checksum):#x}",
            )
        if array.size != prod(shape):
            raise self._corrupt(entry, f"{array.size} elements do not make a shape {shape}")
        return array.reshape(shape)

    def _bytes(self, entry: Any) -> np.ndarray:
        path = data_name(self.prefix, entry.shard_id, self._header.num_shards)
        # Compiled code takes over what starts on a cache line without copying it.
        data = aligned_empty((entry.size,), np.uint8)
        with translated(path), open(path, "rb") as file:
            file.seek(entry.offset)
            count = file.readinto(data.data)
        if count != entry.size:
            raise self._corrupt(entry, f"Read less bytes than requested ({count})")
        return data

    def _corrupt(self, entry: Any, reason: str) -> DataLossError:
        return DataLossError(
            None,
            None,
            f"TensorBundle at {self.prefix} shard {entry.shard_id} ({entry.size} bytes): {reason}",
        )


def _parsed(kind: Any, data: bytes, path: str) -> Any:
    message = kind()
    try:
        message.ParseFromString(data)
    except Exception as error:
        raise DataLossError(None, None, f"{path} is corrupt: {error}") from None
    return message


def _decode_strings(data: memoryview, count: int) -> tuple[list[bytes], int]:
    sizes, at = [], 0
    for _ in range(count):
        size, at = decode_varint(data, at)
        sizes.append(size)
    checksum = crc32c(b"".join(map(_as_number, sizes)))
    stored = bytes(data[at : at + 4])
    if struct.pack("<I", mask(checksum)) != stored:
        raise IndexError
    at += 4
    checksum = crc32c(data[at:], crc32c(stored, checksum))
    values = []
    for size in sizes:
        values.append(bytes(data[at : at + size]))
        at += size
    return values, checksum
