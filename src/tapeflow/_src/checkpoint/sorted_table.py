"""Sorted string tables: LevelDB's file format, which checkpoint indices have.

A table is a row of blocks of entries, each followed by a byte for its compression and a check sum;
then a block that says where they are, and a footer that says where that is.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from tapeflow._src.core.crc32c import masked_crc32c
from tapeflow._src.core.errors import DataLossError, UnimplementedError

_MAGIC = struct.pack("<Q", 0xDB4775248B80FB57)
_FOOTER = 48
_BLOCK_SIZE = 1 << 18
_RESTART_INTERVAL = 16
_PLAIN, _SNAPPY = 0, 1
# Keys share what they begin with, so that they can be longer than the file; those of damaged files
# could be as long as memory allows.
_KEYS_PER_BYTE = 64
_KEYS_FREE = 1 << 24


def encode_varint(value: int) -> bytes:
    """Encode a varint: seven bits per byte, lowest first; the high bit marks continuation."""
    encoded = bytearray()
    while value >= 128:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def decode_varint(data: bytes | memoryview, at: int) -> tuple[int, int]:
    """Decode the varint at `at`; return it and its end. IndexError if it is invalid.

    IndexError if there is none of at most 64 bits.
    """
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise IndexError


class _Block:
    """Entries that share what their keys begin with, but for every sixteenth."""

    def __init__(self, restart_interval: int) -> None:
        self.data = bytearray()
        self.last = b""
        self._interval = restart_interval
        self._restarts = [0]
        self._since = 0

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self._since < self._interval:
            shared = _shared(self.last, key)
        else:
            self._restarts.append(len(self.data))
            self._since = 0
        self.data += encode_varint(shared)
        self.data += encode_varint(len(key) - shared)
        self.data += encode_varint(len(value))
        self.data += key[shared:]
        self.data += value
        self.last = key
        self._since += 1

    def bytes(self) -> bytes:
        restarts = self._restarts
        return bytes(self.data) + struct.pack(f"<{len(restarts) + 1}I", *restarts, len(restarts))


def _shared(a: bytes, b: bytes) -> int:
    """Return how many bytes both begin with."""
    count = 0
    for x, y in zip(a, b):
        if x != y:
            break
        count += 1
    return count


def write_table(items: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the file of a table; `items` are sorted by key."""
    file = bytearray()
    index = _Block(restart_interval=1)
    block = _Block(_RESTART_INTERVAL)
    handle: bytes | None = None
    for key, value in items:
        if handle is not None:
            index.add(_short_separator(block.last, key), handle)
            block, handle = _Block(_RESTART_INTERVAL), None
        block.add(key, value)
        if len(block.data) >= _BLOCK_SIZE:
            handle = _append(file, block.bytes())
    if handle is None and block.data:
        handle = _append(file, block.bytes())
    if handle is not None:
        index.add(_short_successor(block.last), handle)
    about = _append(file, _Block(_RESTART_INTERVAL).bytes())
    footer = about + _append(file, index.bytes())
    return bytes(file) + footer.ljust(_FOOTER - len(_MAGIC), b"\0") + _MAGIC


def _append(file: bytearray, block: bytes) -> bytes:
    """Append a block to the file; return its encoded handle."""
    handle = encode_varint(len(file)) + encode_varint(len(block))
    file += block
    file.append(_PLAIN)
    file += struct.pack("<I", masked_crc32c(block + bytes([_PLAIN])))
    return handle


def _short_separator(low: bytes, high: bytes) -> bytes:
    """Return a short key that is not below `low` and is below `high`."""
    at = _shared(low, high)
    if at < min(len(low), len(high)) and low[at] < 255 and low[at] + 1 < high[at]:
        return low[:at] + bytes([low[at] + 1])
    return low


def _short_successor(key: bytes) -> bytes:
    """Return a short key that is not below `key`."""
    for at, byte in enumerate(key):
        if byte != 255:
            return key[:at] + bytes([byte + 1])
    return key


def read_table(file: bytes, name: str) -> Iterator[tuple[bytes, bytes]]:
    """Return the keys and values of a table, in order.

    Raise DataLossError if the file is truncated.
    """
    if len(file) < _FOOTER or file[-len(_MAGIC) :] != _MAGIC:
        raise _corrupt(name, "it does not end in the magic number of a table")
    last: bytes | None = None
    allowed = _KEYS_PER_BYTE * len(file) + _KEYS_FREE
    at = len(file) - _FOOTER
    try:
        _, at = decode_varint(file, at)
        _, at = decode_varint(file, at)
        end = 0
        for _, handle in _entries(_block(file, *_handle(file, at), name)):
            start, size = _handle(handle, 0)
            # Blocks are written one after the other: none is read twice.
            if start < end:
                raise _corrupt(name, f"the block at {start} overlaps the one before it")
            end = start + size
            for key, value in _entries(_block(file, start, size, name)):
                allowed -= len(key)
                if (last is not None and key <= last) or allowed < 0:
                    raise _corrupt(name, f"the keys of the block at {start} are not in order")
                last = key
                yield key, value
    except (IndexError, struct.error):
        raise _corrupt(name, "a block has an entry that ends outside of it") from None


def _handle(data: bytes, at: int) -> tuple[int, int]:
    """Return the start and the size of a block."""
    start, at = decode_varint(data, at)
    size, _ = decode_varint(data, at)
    return start, size


def _block(file: bytes, start: int, size: int, name: str) -> bytes:
    """Return a block whose check sum is right."""
    end = start + size
    if end + 5 > len(file):
        raise _corrupt(name, f"the block at {start} of {size} bytes ends outside of the file")
    (stored,) = struct.unpack_from("<I", file, end + 1)
    if stored != masked_crc32c(file[start : end + 1]):
        raise _corrupt(name, f"the checksum of the block at {start} does not match its bytes")
    if file[end] == _SNAPPY:
        raise UnimplementedError(
            None,
            None,
            f"{name}: the block at {start} is compressed with Snappy. TensorFlow writes "
            f"checkpoints with compression only when asked to: save it again without.",
        )
    if file[end] != _PLAIN:
        raise _corrupt(name, f"the block at {start} has the unknown compression {file[end]}")
    return file[start:end]


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    (restarts,) = struct.unpack_from("<I", block, len(block) - 4)
    end = len(block) - 4 * (restarts + 1)
    if end < 0:
        raise IndexError
    at, key = 0, b""
    while at < end:
        shared, at = decode_varint(block, at)
        fresh, at = decode_varint(block, at)
        size, at = decode_varint(block, at)
        if shared > len(key) or at + fresh + size > end:
            raise IndexError
        key = key[:shared] + block[at : at + fresh]
        at += fresh
        yield key, block[at : at + size]
        at += size


def _corrupt(name: str, reason: str) -> DataLossError:
    return DataLossError(None, None, f"{name} is not a whole table of keys and values: {reason}.")
