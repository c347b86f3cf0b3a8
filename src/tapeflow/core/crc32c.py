"""CRC-32C, the check sum of TensorFlow's files, in NumPy.

Check sums are linear: that of a string is the exclusive or of what each of its bytes gives, moved
on by as many zero bytes as follow it. So a block is looked up in a table of bytes and places all at
once, and neighbouring blocks are put together until one sum is left. Of much data, many streams of
a block each are summed side by side, four bytes of all of them at a time.
"""

from __future__ import annotations

import struct
import sys
from functools import cache
from typing import Any

import numpy as np

_POLYNOMIAL = 0x82F63B78
_ONES = 0xFFFFFFFF
_MASK_DELTA = 0xA282EAD8
# Below that many bytes a loop in Python is quicker than NumPy's calls.
_SHORT = 48
_LEVELS = 9
_BLOCK = 1 << _LEVELS
_CHUNK = 1 << 20
# Where the halves of a number lie in memory.
_LOW, _HIGH = (0, 1) if sys.byteorder == "little" else (1, 0)
# Streams of one block each are worth it from so many bytes on; more than so many leave the cache.
_WIDE = 1 << 17
_WIDEST = 1 << 22


@cache
def _byte_sums() -> np.ndarray[Any, Any]:
    """The sums of single bytes."""
    sums = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        sums = np.where(sums & 1, (sums >> 1) ^ np.uint32(_POLYNOMIAL), sums >> 1)
    return sums


@cache
def _pair_sums() -> np.ndarray[Any, Any]:
    """The sums of two bytes, by the number that they are with the low byte first."""
    pairs = np.arange(65536, dtype=np.uint32)
    return _after_zero_byte(_after_zero_byte(pairs))


@cache
def _pair_list() -> list[int]:
    sums: list[int] = _pair_sums().tolist()
    return sums


def _after_zero_byte(sums: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return (sums >> np.uint32(8)) ^ _byte_sums()[sums & np.uint32(255)]


@cache
def _zeros(level: int) -> np.ndarray[Any, Any]:
    """What `2 ** level` zero bytes make of each byte of a sum."""
    if level == 0:
        starts = np.arange(256, dtype=np.uint32)
        return np.stack([_after_zero_byte(starts << np.uint32(8 * place)) for place in range(4)])
    half = _zeros(level - 1)
    return _moved(half, half)


def _moved(table: np.ndarray[Any, Any], sums: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    parts = sums.astype("<u4", copy=False)[..., None].view(np.uint8)
    return (
        table[0][parts[..., 0]]
        ^ table[1][parts[..., 1]]
        ^ table[2][parts[..., 2]]
        ^ table[3][parts[..., 3]]
    )


@cache
def _places() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The sums of a byte at every place of a block, and where those of each place begin."""
    sums = _byte_sums()[None]
    for level in range(_LEVELS):
        sums = np.concatenate([_moved(_zeros(level), sums), sums])
    return sums.reshape(-1), np.arange(0, _BLOCK * 256, 256)


def _short(data: bytes, state: int) -> int:
    pairs = _pair_list()
    for pair in struct.unpack_from(f"<{len(data) >> 1}H", data):
        state = (state >> 16) ^ pairs[(state ^ pair) & 0xFFFF]
    if len(data) & 1:
        state = (state >> 8) ^ int(_byte_sums()[(state ^ data[-1]) & 0xFF])
    return state


def _long(data: memoryview, state: int) -> int:
    sums, starts = _places()
    missing = -len(data) % _BLOCK
    if len(data) < _BLOCK:
        at = starts[missing:] + np.frombuffer(data, np.uint8)
        first = at[:4]
    else:
        # Zeros before the data change nothing.
        blocks = np.zeros(missing + len(data), np.uint8)
        blocks[missing:] = np.frombuffer(data, np.uint8)
        at = starts + blocks.reshape(-1, _BLOCK)
        first = at.reshape(-1)[missing : missing + 4]
    # The state so far goes into the first four bytes.
    first ^= np.frombuffer(struct.pack("<I", state), np.uint8)
    found = np.bitwise_xor.reduce(sums[at], axis=-1).reshape(-1)
    level = _LEVELS
    while found.size > 1:
        if found.size & 1:
            found = np.concatenate([np.zeros(1, np.uint32), found])
        found = _moved(_zeros(level), found[0::2]) ^ found[1::2]
        level += 1
    return int(found[0])


@cache
def _word_sums() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The sums of the low and of the high half of four bytes, by the numbers that these are."""
    high = _pair_sums()
    return _after_zero_byte(_after_zero_byte(high)), high


def _wide(data: memoryview, state: int) -> int:
    """As `_long`, for a power of two of bytes, at four times its speed."""
    words = np.frombuffer(data, "<u4").reshape(-1, _BLOCK // 4).T.astype(np.uint32, order="C")
    words[0, 0] ^= np.uint32(state)
    low, high = _word_sums()
    found = np.zeros(words.shape[1], np.uint32)
    for row in words:
        found ^= row
        halves = found.view(np.uint16)
        found = low.take(halves[_LOW::2]) ^ high.take(halves[_HIGH::2])
    level = _LEVELS
    while found.size > 1:
        found = _moved(_zeros(level), found[0::2]) ^ found[1::2]
        level += 1
    return int(found[0])


def crc32c(data: bytes | memoryview, start: int = 0) -> int:
    """The check sum of `data`; `start` is that of what came before it."""
    state = start ^ _ONES
    if len(data) < _SHORT:
        return _short(bytes(data), state) ^ _ONES
    view = memoryview(data).cast("B")
    while len(view) >= _WIDE:
        size = min(1 << (len(view).bit_length() - 1), _WIDEST)
        state, view = _wide(view[:size], state), view[size:]
    for at in range(0, len(view), _CHUNK):
        chunk = view[at : at + _CHUNK]
        state = _short(bytes(chunk), state) if len(chunk) < _SHORT else _long(chunk, state)
    return state ^ _ONES


def mask(checksum: int) -> int:
    """A check sum as files store it: turned and moved, since data may hold sums itself."""
    return (((checksum >> 15) | (checksum << 17)) + _MASK_DELTA) & _ONES


def masked_crc32c(data: bytes | memoryview) -> int:
    """The check sum of `data` as files store it."""
    return mask(crc32c(data))
