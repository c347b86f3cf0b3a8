"""Philox4x32-10 on NumPy arrays, in place: the fast path of `philox`.

The ten rounds run in 64-bit lanes, so that one product has both its halves. Within a run whose
counters differ in the lowest word only, three of the four words stay scalars for the first round
and two for the second: a tenth of the work. Few blocks are computed with Python's integers, which
beats ninety calls of NumPy: one integer holds a word of every block, each in 64 bits of its own,
where a product of two words has room.

On x86-64 processors all of it is left to machine code (`backends.philox`).
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tapeflow._src.backends import threads
from tapeflow._src.backends.memory import address
from tapeflow._src.backends.philox import long_philox, philox

Words = npt.NDArray[np.uint32]

ROUNDS = 10
MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
WEYL = 0x9E3779B9, 0xBB67AE85
LOW32 = 0xFFFFFFFF

# Up to this many blocks, Python's integers are faster (on a busy machine 18 µs for 4 blocks, 16 for
# 32, 44 for 128 and 132 for 256, where NumPy took 80 to 143).
FEW = 128
# Blocks per pass: six lanes of scratch memory and the result fit a second-level cache.
_PASS = 16384
# Passes from which on the cores divide them.
_MANY_PASSES = 4

_MULTIPLIER0, _MULTIPLIER2 = (np.uint64(multiplier) for multiplier in MULTIPLIERS)
_MASK, _SHIFT = np.uint64(LOW32), np.uint64(32)
_MULTIPLIERS = np.array(MULTIPLIERS, np.uint64).reshape(2, 1)
_WEYL = np.arange(ROUNDS, dtype=np.uint64)[:, None, None] * np.array(WEYL, np.uint64).reshape(2, 1)

_memory = threading.local()


def fill(
    stream: Words,
    result: npt.NDArray[Any],
    stride: int,
    convert: Callable[[Words, npt.NDArray[Any]], None] | None,
) -> None:
    """Fill the rows of `result`, each from one block of a stream; the blocks are `stride` apart.

    `convert(words, rows)` computes rows from words of shape `[blocks, 4]`, which it may overwrite;
    both are the same memory if rows have 16 bytes. Without it, the rows are the words.
    """
    run = _runner(stream, stride)
    in_place = result.shape[1] * result.itemsize == 16
    blocks = len(result)

    def fill_pass(first: int) -> None:
        last = min(first + _PASS, blocks)
        rows = result[first:last]
        words = rows.view(np.uint32) if in_place else _scratch().spare[: last - first]
        run(first, words)
        if convert is not None:
            convert(words, rows)

    def fill_beside(first: int) -> None:
        # Each thread has its own handling of floating-point errors.
        with np.errstate(all="ignore"):
            fill_pass(first)

    starts = range(0, blocks, _PASS)
    if len(starts) < _MANY_PASSES:
        for first in starts:
            fill_pass(first)
    else:
        threads.for_each(fill_beside, starts)


def _runner(stream: Words, stride: int) -> Callable[[int, Words], None]:
    """Return a function that writes the blocks from the one of an index on into rows of words."""
    code = long_philox()
    if code is None:
        key, start = _key_and_counter(stream)
        return lambda first, words: _run(key, start + first * stride, stride, words)
    state = np.ascontiguousarray(stream, "<u4")

    def run(first: int, words: Words) -> None:
        code(address(words), address(state), 1, stride, len(words), first * stride)

    return run


def has_code() -> bool:
    """Whether regular blocks are computed by machine code, several times as fast as others."""
    return philox() is not None


def _key_and_counter(stream: Words) -> tuple[tuple[int, int], int]:
    state = int.from_bytes(stream.astype("<u4", copy=False).tobytes(), "little")
    return (state & LOW32, state >> 32 & LOW32), state >> 64


def _run(key: tuple[int, int], counter: int, stride: int, words: Words) -> None:
    """Write the blocks at `counter`, `counter + stride`, … into the rows of `words`."""
    blocks = len(words)
    done = 0
    while done < blocks:
        at = counter + done * stride
        # As far as the lowest word does not overflow.
        count = min(blocks - done, -(-(2**32 - (at & LOW32)) // stride))
        _run_lanes(key, at, stride, words[done : done + count].view(np.uint64))
        done += count


def few_blocks(stream: Words, blocks: int, stride: int) -> Words:
    """Return the words of the first blocks of a stream, `[blocks, 4]`; blocks `stride` apart."""
    return blocks_at(stream, blocks, 1, stride)


def few_words(stream: Words, blocks: int, stride: int) -> list[int]:
    """Return the words of the first blocks of a stream as one list."""
    words = None
    if blocks <= VERY_FEW and philox() is None:
        words = _joined_blocks(*_key_and_counter(stream), blocks, 1, stride)
    if words is None:
        return few_blocks(stream, blocks, stride).reshape(-1).tolist()
    return list(struct.unpack(f"<{4 * blocks}I", words.to_bytes(16 * blocks, "little")))


def blocks_at(stream: Words, regions: int, steps: int, stride: int, first: int = 0) -> Words:
    """Return the first blocks of regions that are `stride` blocks apart, `[regions * steps, 4]`."""
    blocks = regions * steps
    code = philox()
    if code is not None and blocks:
        result = np.empty((blocks, 4), np.uint32)
        state = np.ascontiguousarray(stream, "<u4")
        code(address(result), address(state), steps, stride, regions, first)
        return result
    key, counter = _key_and_counter(stream)
    counter = counter + first & _LOW128
    if blocks == 1:
        return np.array([encrypt(key, counter)], np.uint32)
    if blocks <= VERY_FEW:
        words = _joined_blocks(key, counter, regions, steps, stride)
        if words is not None:
            # An array of bytes, as the words may be overwritten.
            memory = bytearray(words.to_bytes(16 * blocks, "little"))
            return np.frombuffer(memory, "<u4").reshape(blocks, 4)
    lanes = _lanes_at(key, counter, regions, steps, stride)
    if lanes is None:
        # The lowest word overflows on the way.
        offsets = [i * stride + step for i in range(regions) for step in range(steps)]
        return np.array([encrypt(key, counter + offset) for offset in offsets], np.uint32)
    a, b, c, d = lanes
    pairs = np.empty((blocks, 2), np.uint64)
    pairs[:, 0] = _unpacked(a | b << 32, blocks)
    pairs[:, 1] = _unpacked(c | d << 32, blocks)
    return pairs.view(np.uint32)


def _joined_blocks(
    key: tuple[int, int], counter: int, regions: int, steps: int, stride: int
) -> int | None:
    """Return very few blocks as one integer, or None if the lowest word overflows on the way."""
    lanes = _lanes_at(key, counter, regions, steps, stride, width=2)
    if lanes is None:
        return None
    a, b, c, d = lanes
    return a | b << 32 | c << 64 | d << 96


def _lanes_at(
    key: tuple[int, int], counter: int, regions: int, steps: int, stride: int, width: int = 1
) -> tuple[int, int, int, int] | None:
    """Return a word of all blocks in each of four integers; `width`: pairs of words a lane."""
    low = counter & LOW32
    if low + (regions - 1) * stride + steps > LOW32:
        return None
    ones, offset = _offsets(regions, steps, stride, width)
    rest = (ones * (counter >> shift & LOW32) for shift in (32, 64, 96))
    keys = _keys_of_lanes(key, regions * steps, width)
    return _encrypt_lanes(keys, ones * LOW32, ones * low + offset, *rest)


_LOW128 = 2**128 - 1
# Blocks up to which lanes as wide as a block are as fast: a block is then in order as it is.
VERY_FEW = 16


@lru_cache(maxsize=FEW)
def _ones(blocks: int, width: int) -> int:
    """Return the integer whose lanes of `width` times 64 bits are 1."""
    return _packed(np.ones(blocks, np.uint64), width)


@lru_cache(maxsize=FEW)
def _offsets(regions: int, steps: int, stride: int, width: int) -> tuple[int, int]:
    """Return lanes of 1, and lanes of the offsets of the first blocks of regions."""
    starts = np.arange(regions, dtype=np.uint64) * np.uint64(stride)
    offsets = starts[:, None] + np.arange(steps, dtype=np.uint64)
    return _ones(regions * steps, width), _packed(offsets.reshape(-1), width)


# Streams of one seed have the same key, and calls of one op the same number of blocks.
@lru_cache(maxsize=FEW)
def _keys_of_lanes(key: tuple[int, int], blocks: int, width: int) -> list[tuple[int, int]]:
    """Return the keys of all rounds, in all lanes."""
    ones = _ones(blocks, width)
    return [(ones * k0, ones * k1) for k0, k1 in _round_keys(key)]


def _packed(words: npt.NDArray[Any], width: int = 1) -> int:
    lanes = np.zeros((len(words), width), "<u8")
    lanes[:, 0] = words
    return int.from_bytes(lanes.tobytes(), "little")


def _unpacked(lanes: int, blocks: int) -> npt.NDArray[Any]:
    return np.frombuffer(lanes.to_bytes(8 * blocks, "little"), "<u8")


def _encrypt_lanes(
    keys: list[tuple[int, int]], low: int, c0: int, c1: int, c2: int, c3: int
) -> tuple[int, int, int, int]:
    """Compute the blocks in the lanes of four integers; `low` masks a word of each lane."""
    for k0, k1 in keys:
        first, second = c0 * 0xD2511F53, c2 * 0xCD9E8D57
        c0, c1 = second >> 32 & low ^ c1 ^ k0, second & low
        c2, c3 = first >> 32 & low ^ c3 ^ k1, first & low
    return c0, c1, c2, c3


def encrypt(key: tuple[int, int], counter: int) -> tuple[int, int, int, int]:
    """Compute one block, with Python's integers."""
    c0, c1 = counter & LOW32, counter >> 32 & LOW32
    c2, c3 = counter >> 64 & LOW32, counter >> 96 & LOW32
    for k0, k1 in _keys_of_lanes(key, 1, 1):
        first, second = c0 * 0xD2511F53, c2 * 0xCD9E8D57
        c0, c1 = second >> 32 ^ c1 ^ k0, second & 0xFFFFFFFF
        c2, c3 = first >> 32 ^ c3 ^ k1, first & 0xFFFFFFFF
    return c0, c1, c2, c3


class _Scratch:
    """Scratch memory of one thread: lanes for the rounds, and words that are not a result."""

    def __init__(self) -> None:
        self.lanes = np.empty((6, _PASS), np.uint64)
        self.spare = np.empty((_PASS, 4), np.uint32)
        self.steps = np.arange(_PASS, dtype=np.uint64)


def _scratch() -> _Scratch:
    scratch: _Scratch | None = getattr(_memory, "scratch", None)
    if scratch is None:
        scratch = _memory.scratch = _Scratch()
    return scratch


def _run_lanes(
    key: tuple[int, int], counter: int, stride: int, pairs: npt.NDArray[np.uint64]
) -> None:
    """Like `_run`, for counters that differ in the lowest word; `pairs` are pairs of words."""
    scratch = _scratch()
    a, b, c, d, p, q = scratch.lanes[:, : len(pairs)]
    multiply, shift, xor, mask = np.multiply, np.right_shift, np.bitwise_xor, np.bitwise_and
    c0, c1 = counter & LOW32, counter >> 32 & LOW32
    c2, c3 = counter >> 64 & LOW32, counter >> 96 & LOW32
    keys = _round_keys(key)

    k0, k1 = next(keys)
    multiply(scratch.steps[: len(pairs)], np.uint64(stride), a)
    np.add(a, np.uint64(c0), a)
    product = c2 * MULTIPLIERS[1]
    c0, c1 = product >> 32 ^ c1 ^ k0, product & LOW32
    multiply(a, _MULTIPLIER0, p)
    xor(shift(p, _SHIFT, c), np.uint64(c3 ^ k1), c)
    mask(p, _MASK, d)

    k0, k1 = next(keys)
    product = c0 * MULTIPLIERS[0]
    multiply(c, _MULTIPLIER2, q)
    xor(shift(q, _SHIFT, a), np.uint64(c1 ^ k0), a)
    mask(q, _MASK, b)
    xor(d, np.uint64(product >> 32 ^ k1), c)
    d.fill(product & LOW32)

    for k0, k1 in keys:
        multiply(a, _MULTIPLIER0, p)
        multiply(c, _MULTIPLIER2, q)
        xor(xor(shift(q, _SHIFT, a), b, a), np.uint64(k0), a)
        mask(q, _MASK, b)
        xor(xor(shift(p, _SHIFT, c), d, c), np.uint64(k1), c)
        mask(p, _MASK, d)
    np.bitwise_or(a, np.left_shift(b, _SHIFT, b), pairs[:, 0])
    np.bitwise_or(c, np.left_shift(d, _SHIFT, d), pairs[:, 1])


def _round_keys(key: tuple[int, int]) -> Iterator[tuple[int, int]]:
    k0, k1 = key
    for _ in range(ROUNDS):
        yield k0, k1
        k0, k1 = k0 + WEYL[0] & LOW32, k1 + WEYL[1] & LOW32


def encrypt_all(
    key: Words, even: npt.NDArray[Any], odd: npt.NDArray[Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the blocks of any counters, whose words 0 and 2 are `even` and 1 and 3 `odd`.

    Words are `[2, blocks]`, before and after; the key is `[2, 1]`.
    """
    if even.shape[1] <= FEW:
        return _encrypt_few(key, even, odd)
    even, odd = even.astype(np.uint64), odd.astype(np.uint64)
    product, high = np.empty_like(even), np.empty_like(even)
    crossed_product, crossed_high = product[::-1], high[::-1]
    for round_key in (key + _WEYL) & _MASK:
        np.multiply(even, _MULTIPLIERS, product)
        np.right_shift(product, _SHIFT, high)
        np.bitwise_xor(odd, round_key, odd)
        np.bitwise_xor(crossed_high, odd, even)
        np.bitwise_and(crossed_product, _MASK, odd)
    return even.astype(np.uint32), odd.astype(np.uint32)


def _encrypt_few(
    key: Words, even: npt.NDArray[Any], odd: npt.NDArray[Any]
) -> tuple[np.ndarray, np.ndarray]:
    (k0,), (k1,) = key.tolist()
    blocks = even.shape[1]
    c0, c2 = even.astype(np.uint64)
    c1, c3 = odd.astype(np.uint64)
    words = [_packed(lane) for lane in (c0, c1, c2, c3)]
    keys = _keys_of_lanes((k0, k1), blocks, 1)
    a, b, c, d = _encrypt_lanes(keys, _ones(blocks, 1) * LOW32, *words)
    lanes = np.array([_unpacked(word, blocks) for word in (a, c, b, d)], np.uint32)
    return lanes[:2], lanes[2:]
