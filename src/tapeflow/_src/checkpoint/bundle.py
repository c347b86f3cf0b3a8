"""Tensors in files by name: TensorBundle, the format of TensorFlow's checkpoints.

`prefix.index` is a table that says of each tensor what and where it is, and what its check sum is;
`prefix.data-00000-of-00001` holds the bytes; a tensor may lie in parts, in several such files
(`slices.py`). They are replaced together: whoever opens a bundle has the index and the data of one
writer, also while others write and after they were killed.
"""

from __future__ import annotations

import os
import re
import struct
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from math import prod
from typing import Any, BinaryIO

import numpy as np

from tapeflow._src.backends.memory import aligned_empty
from tapeflow._src.checkpoint.files import read_file
from tapeflow._src.checkpoint.messages import parsed
from tapeflow._src.checkpoint.slices import (
    ALL,
    PREFIX,
    Content,
    Extents,
    Part,
    Sliced,
    extents_of,
    key_of,
    region,
)
from tapeflow._src.checkpoint.sorted_table import (
    decode_varint,
    encode_varint,
    read_table,
    write_table,
)
from tapeflow._src.core import dtypes, protos
from tapeflow._src.core.atomic_files import FileTransaction, file_transaction, one_generation
from tapeflow._src.core.crc32c import crc32c, mask
from tapeflow._src.core.dtypes import FROM_NUMPY, DType, as_dtype
from tapeflow._src.core.errors import DataLossError, NotFoundError, UnimplementedError
from tapeflow._src.core.paths import local_path, translated
from tapeflow._src.core.protos.values import set_shape, shape_from_proto

PathResolver = Callable[[str], str]
# The journal with which all files of a SavedModel are replaced, in its folder.
MODEL_JOURNAL = "saved_model"
_LARGE = 0xFFFFFFFF
# So many files of data are opened together with the index; others when they are read.
_MOST_OPEN = 64
_TRIES = 100


def index_name(prefix: str) -> str:
    """Return the name of the index file of a bundle."""
    return f"{prefix}.index"


def data_name(prefix: str, shard: int = 0, shards: int = 1) -> str:
    """Return a file with the bytes of tensors."""
    return f"{prefix}.data-{shard:05}-of-{shards:05}"


def exists(prefix: str) -> bool:
    """Whether there is a bundle of that name."""
    path = local_path(prefix)
    with _one_generation(path) as resolve:
        return os.path.isfile(resolve(index_name(path)))


def write_bundle(prefix: str, tensors: Iterable[tuple[str, Content]]) -> None:
    """Write arrays, in this order, under their names.

    Of tensors in parts, the first parts are in the first file, the second in the second.
    """
    path = local_path(prefix)
    with translated(path), file_transaction(journal_of(path)) as files:
        add_bundle(files, path, tensors)


def add_bundle(files: FileTransaction, path: str, tensors: Iterable[tuple[str, Content]]) -> bytes:
    """Write arrays as part of a transaction; returns the content of the index."""
    values = by_name(tensors)
    data = data_files(values)
    entries = write_data(files, path, data)
    name, index = index_of(path, values, entries, len(data))
    files.write(name, index)
    return index


def by_name(tensors: Iterable[tuple[str, Content]]) -> dict[str, Content]:
    """Return tensors by their names, each of which may occur once."""
    values: dict[str, Content] = {}
    for name, value in tensors:
        if name in values:
            raise ValueError(f"Two tensors of a checkpoint have the name {name!r}.")
        values[name] = value
    return values


def data_files(
    values: Mapping[str, Content], processes: int = 1
) -> list[tuple[int, dict[str, np.ndarray | Part]]]:
    """Return the process and the content of each file of data.

    The first process writes whole tensors. Each process writes the parts that it has: the first
    parts of all tensors to its first file, the second parts to its second.
    """
    files: list[tuple[int, dict[str, np.ndarray | Part]]] = []
    for process in range(processes):
        own: list[dict[str, np.ndarray | Part]] = [] if process else [{}]
        for name, value in values.items():
            items: Sequence[np.ndarray | Part] = () if process else (value,)  # type: ignore[assignment]
            if isinstance(value, Sliced):
                items = [part for part in value.parts if part.process == process]
            own += [{} for _ in range(len(items) - len(own))]
            for content, item in zip(own, items):
                content[name] = item
        files += [(process, content) for content in own]
    return files


def write_data(
    files: FileTransaction,
    path: str,
    data: Sequence[tuple[int, Mapping[str, np.ndarray | Part]]],
    process: int = 0,
) -> dict[bytes, bytes]:
    """Write the files of data that belong to a process; returns their entries in the index."""
    entries = {}
    for shard, (owner, content) in enumerate(data):
        if owner != process:
            continue
        with files.replacing(data_name(path, shard, len(data))) as file:
            for name, item in content.items():
                if isinstance(item, Part):
                    key, entry = key_of(name, item.extents), _write_tensor(file, item.load())
                else:
                    key, entry = name.encode(), _write_tensor(file, item)
                entry.shard_id = shard
                entries[key] = entry.SerializeToString()
    return entries


def index_of(
    path: str, values: Mapping[str, Content], entries: Mapping[bytes, bytes], shards: int
) -> tuple[str, bytes]:
    """Return the name and the content of the index, from the entries in all files of data."""
    header = protos.BundleHeaderProto(num_shards=shards)
    header.version.producer = 1
    table = {b"": header.SerializeToString(), **entries}
    for name, value in values.items():
        if isinstance(value, Sliced):
            entry = protos.BundleEntryProto()
            value.describe(entry)
            table[name.encode()] = entry.SerializeToString()
    return index_name(path), write_table(sorted(table.items()))


def delete_bundle(path: str) -> None:
    """Remove the files of a bundle: those that its index names, and no others."""
    index = index_name(path)
    shards = 1
    if os.path.isfile(index):
        with suppress(DataLossError, UnimplementedError):
            shards = _read_index(index)[0].num_shards
    folder, name = os.path.split(path)
    data = re.compile(rf"{re.escape(name)}\.data-([0-9]{{5,}})-of-{shards:05}")
    with translated(path), suppress(FileNotFoundError):
        names = [name for name in os.listdir(folder or ".") if data.fullmatch(name)]
        # The index first: without it there is no checkpoint, so none is ever there in part.
        for victim in (index, *(os.path.join(folder, name) for name in names)):
            with suppress(FileNotFoundError):
                os.unlink(victim)


def journal_of(path: str) -> str:
    """Return the start of the name of the journal with which the files of a bundle are replaced."""
    folder, name = os.path.split(path)
    above, inside = os.path.split(os.path.abspath(folder))
    # Those of a SavedModel are replaced with the rest of it.
    return os.path.join(above, MODEL_JOURNAL) if name == inside == "variables" else path


@contextmanager
def _one_generation(path: str) -> Iterator[PathResolver]:
    """Return where the files of a bundle are to be opened, while nobody replaces them."""
    with translated(path), one_generation(journal_of(path)) as resolve:
        yield resolve


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
    """Return all lengths, their checksum, then all bytes; and the checksum of these.

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
    """The tensors of a bundle; each is read on demand.

    The files stay open: whoever replaces or deletes them meanwhile changes nothing here.
    """

    def __init__(self, prefix: Any, resolve: PathResolver | None = None) -> None:
        """`resolve` says where files are, for callers that hold off writers themselves."""
        self.prefix = local_path(prefix)
        self._index = index_name(self.prefix)
        self._shards: dict[int, int] = {}
        self._header: Any = None
        self.entries: dict[str, Any] = {}
        # Entries of the parts of tensors, by their keys.
        self._parts: dict[bytes, Any] = {}
        weakref.finalize(self, _close_all, self._shards)
        for _ in range(_TRIES):
            with _one_generation(self.prefix) if resolve is None else nullcontext(resolve) as where:
                if self._open(where):
                    break

    def _open(self, resolve: PathResolver) -> bool:
        """Open the files; False if the index was replaced meanwhile.

        It cannot be by this library, but TensorFlow replaces one file after the other.
        """
        _close_all(self._shards)
        path = resolve(self._index)
        if not os.path.isfile(path):
            raise self._missing()
        written = os.stat(path)
        self._header, self.entries, self._parts = _read_index(path)
        stored = (*self.entries.values(), *self._parts.values())
        for shard in sorted({entry.shard_id for entry in stored})[:_MOST_OPEN]:
            self._open_shard(shard, resolve)
        return os.path.isfile(path) and os.path.samestat(written, os.stat(path))

    def _open_shard(self, shard: int, resolve: PathResolver) -> None:
        with suppress(OSError):
            path = resolve(data_name(self.prefix, shard, self._header.num_shards))
            self._shards[shard] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def _missing(self) -> Exception:
        if os.path.isdir(self.prefix):
            return DataLossError(
                None,
                None,
                f"{self.prefix} is a directory, not the prefix of a checkpoint. Pass "
                f"tf.train.latest_checkpoint({self.prefix!r}) to open the latest one in it.",
            )
        return NotFoundError(
            None,
            None,
            f"{self.prefix}: checkpoint not found, for there is no file {self._index}.",
        )

    def entry(self, name: str) -> Any:
        """Return the index entry of a tensor."""
        if name not in self.entries:
            raise NotFoundError(None, None, f"Key {name} not found in checkpoint {self.prefix}")
        return self.entries[name]

    def dtype(self, name: str) -> DType:
        return self._dtype(name, self.entry(name))

    def _dtype(self, name: str, entry: Any) -> DType:
        number = entry.dtype
        try:
            return as_dtype(number)
        except TypeError:
            raise self._data_loss(name, f"has the unknown dtype {number}") from None

    def shape(self, name: str) -> tuple[int, ...]:
        return self._shape(name, self.entry(name))

    def _shape(self, name: str, entry: Any) -> tuple[int, ...]:
        try:
            dims = shape_from_proto(entry.shape)
        except ValueError as error:
            raise self._data_loss(name, f"has no shape: {error}") from None
        if dims is None or any(size is None or size < 0 for size in dims):
            raise self._data_loss(name, f"has no complete shape: {dims}")
        return tuple(size for size in dims if size is not None)

    def check(self, name: str) -> None:
        """Raise DataLossError unless the index entry of a tensor is consistent with the data."""
        entry = self.entry(name)
        if not entry.slices:
            return self._check(name, entry)
        shape, dtype, covered = self.shape(name), self.dtype(name), 0
        for extents, part in self._parts_of(name):
            self._check(name, part)
            part_shape, fits = self._shape(name, part), len(extents) == len(shape)
            lengths = [
                size if length == ALL else length for size, (_, length) in zip(shape, extents)
            ]
            inside = all(
                start >= 0 and start + length <= size
                for size, (start, _), length in zip(shape, extents, lengths)
            )
            if not fits or not inside or list(part_shape) != lengths or part.dtype != entry.dtype:
                raise self._data_loss(
                    name, f"of shape {shape} has a part of shape {part_shape} at {extents}"
                )
            covered += prod(part_shape)
        if covered != prod(shape):
            raise self._data_loss(
                name, f"of {prod(shape)} elements of {dtype.name} has parts with {covered}"
            )
        return None

    def _parts_of(self, name: str) -> Iterator[tuple[Extents, Any]]:
        """Return the extents and the entries of the parts of a tensor."""
        for proto in self.entry(name).slices:
            extents = extents_of(proto)
            part = self._parts.get(key_of(name, extents))
            if part is None:
                raise self._data_loss(name, f"lacks the part at {extents}")
            yield extents, part

    def _check(self, name: str, entry: Any) -> None:
        dtype, count = self._dtype(name, entry), prod(self._shape(name, entry))
        if not dtype.is_numpy_compatible:
            raise UnimplementedError(
                None,
                None,
                f"{self.prefix}: {name!r} is a tensor of dtype {dtype.name}, which cannot be read.",
            )
        size = count * dtype.np.itemsize
        if dtype is dtypes.string:
            # Of each string there is one byte at least, that of its length.
            fits = count + 4 <= entry.size
        else:
            fits = size == entry.size
        if not fits:
            raise self._data_loss(
                name,
                f"has {entry.size} bytes, which do not make {count} elements of {dtype.name}",
            )
        available = os.fstat(self._descriptor(entry.shard_id)).st_size
        if entry.offset < 0 or entry.offset + entry.size > available:
            raise self._data_loss(
                name,
                f"is at bytes {entry.offset} to {entry.offset + entry.size} of a data file of "
                f"{available} bytes",
            )

    def read(self, name: str) -> np.ndarray:
        """Return a tensor's value; DataLossError if it is not what was written."""
        self.check(name)
        entry = self.entry(name)
        if not entry.slices:
            return self._read(name, entry)
        whole: np.ndarray = aligned_empty(self.shape(name), self.dtype(name).np)
        for extents, part in self._parts_of(name):
            whole[region(extents)] = self._read(name, part)
        return whole

    def _read(self, name: str, entry: Any) -> np.ndarray:
        dtype, shape = self._dtype(name, entry), self._shape(name, entry)
        data = self._bytes(name, entry)
        if dtype is dtypes.string:
            try:
                values, checksum = _decode_strings(data.data, prod(shape))
            except (IndexError, struct.error):
                raise self._data_loss(name, "has lengths of strings that cannot be read") from None
            array = np.empty(len(values), object)
            array[:] = values
        else:
            checksum = crc32c(data.data)
            array = data.view(dtype.np)
        if mask(checksum) != entry.crc32c:
            raise self._data_loss(
                name,
                f"has checksum {mask(checksum):#x}, and {entry.crc32c:#x} was written with it",
            )
        return array.reshape(shape)

    def _descriptor(self, shard: int) -> int:
        if shard not in self._shards:
            path = data_name(self.prefix, shard, self._header.num_shards)
            with translated(path):
                self._shards[shard] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        return self._shards[shard]

    def _bytes(self, name: str, entry: Any) -> np.ndarray:
        # Compiled code takes over what starts on a cache line without copying it.
        data = aligned_empty((entry.size,), np.uint8)
        descriptor, view, at = self._descriptor(entry.shard_id), data.data, 0
        with translated(data_name(self.prefix, entry.shard_id, self._header.num_shards)):
            while at < entry.size:
                count = os.preadv(descriptor, [view[at:]], entry.offset + at)
                if not count:
                    raise self._data_loss(name, f"ends after {at} of {entry.size} bytes")
                at += count
        return data

    def _data_loss(self, name: str, reason: str) -> DataLossError:
        return DataLossError(None, None, f"{self.prefix}: the tensor {name!r} {reason}.")


def _close_all(descriptors: dict[int, int]) -> None:
    while descriptors:
        os.close(descriptors.popitem()[1])


def _read_index(path: str) -> tuple[Any, dict[str, Any], dict[bytes, Any]]:
    """Return the header of an index, its entries by name, and those of parts by their keys."""
    table = dict(read_table(read_file(path), path))
    header = parsed(protos.BundleHeaderProto, table.pop(b"", b""), path)
    if header.endianness != 0:
        raise UnimplementedError(
            None,
            None,
            f"{path} was written on a machine whose numbers have the high byte first.",
        )
    entries, parts = {}, {}
    for name, entry in table.items():
        if name.startswith(PREFIX):
            parts[name] = parsed(protos.BundleEntryProto, entry, f"{path}: {name!r}")
            continue
        try:
            key = name.decode()
        except UnicodeDecodeError:
            raise DataLossError(
                None, None, f"{path}: the name {name!r} of a tensor is not UTF-8."
            ) from None
        entries[key] = parsed(protos.BundleEntryProto, entry, f"{path}: {key}")
    return header, entries, parts


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
    if at + sum(sizes) != len(data):
        raise IndexError
    checksum = crc32c(data[at:], crc32c(stored, checksum))
    values = []
    for size in sizes:
        values.append(bytes(data[at : at + size]))
        at += size
    return values, checksum
