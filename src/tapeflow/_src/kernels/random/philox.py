"""Philox4x32-10: the source of every random number of the library.

This file knows the block function, the layout of a stream and how to walk along it; it knows no
distribution and keeps no state. A *stream* is six 32-bit words in one `uint32` array: two words
of key, then the four words of a 128-bit block counter, least significant first. One block is four
words. Blocks (and counters) are held as two arrays of shape `[2, blocks]`: words 0 and 2 in the
first, words 1 and 3 in the second; a round then treats both halves alike.

Everything is written against `xp` (the namespaces of `backends`) and runs inside `jax.jit`; the
words are those TensorFlow draws on a CPU, bit for bit. ThreeFry is absent on purpose: on a CPU
TensorFlow selects Philox and refuses ThreeFry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.backends.memory import aligned_empty
from tapeflow._src.core import on_demand, random_state
from tapeflow._src.kernels.random import philox_host
from tapeflow._src.kernels.random.philox_host import LOW32, MULTIPLIERS, ROUNDS, WEYL

Array = Any
"""A NumPy array, or whatever array the namespace `xp` works on."""

Blocks = tuple[Array, Array]
"""Words 0 and 2, and words 1 and 3, of many blocks: two `uint32` arrays of shape `[2, blocks]`."""

_MULTIPLIERS = np.array(MULTIPLIERS, np.uint32).reshape(2, 1)
_WEYL = np.array(WEYL, np.uint32).reshape(2, 1)

# The key under which a user's stateless seed is encrypted once, so that weak seeds do no harm.
_SCRAMBLE = 0x3EC8F720, 0x02461E29
_SCRAMBLE_KEY = np.array(_SCRAMBLE, np.uint32).reshape(2, 1)
_LOW64 = 2**64 - 1


@lru_cache(maxsize=8)
def on_host(xp: ModuleType) -> bool:
    """Whether `xp` computes on NumPy arrays directly (as opposed to tracing)."""
    return isinstance(xp.zeros(1), np.ndarray)


def block(xp: ModuleType, key: Array, counter: Blocks) -> Blocks:
    """Return the blocks with these counters, under a key of two words, shape `[2, 1]`."""
    if on_host(xp):
        return philox_host.encrypt_all(key, *counter)
    encrypt: Callable[[Array, Blocks], Blocks] | None = getattr(xp, "encrypt_blocks", None)
    return _block_traced(xp, key, counter) if encrypt is None else encrypt(key, counter)


def _block_traced(xp: ModuleType, key: Array, counter: Blocks) -> Blocks:
    # A loop, not ten rounds in a row: XLA would recompute the whole chain for each word it feeds,
    # which is some fifty times slower.
    def one_round(_: Any, state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        even, odd, key = state
        high, low = mulhilo(_MULTIPLIERS, even)
        return xp.flip(high, 0) ^ odd ^ key, xp.flip(low, 0), key + _WEYL

    even, odd, _ = xp.lax.fori_loop(0, ROUNDS, one_round, (*counter, key))
    return even, odd


def mulhilo(factor: Any, x: Array) -> tuple[Array, Array]:
    """Return the high and low word of `factor * x`, without 64-bit integers."""
    half, sixteen = np.uint32(0xFFFF), np.uint32(16)
    low_factor, high_factor = factor & half, factor >> sixteen
    low_x, high_x = x & half, x >> sixteen
    middle = high_factor * low_x + (low_factor * low_x >> sixteen)
    carry = low_factor * high_x + (middle & half)
    high = high_factor * high_x + (middle >> sixteen) + (carry >> sixteen)
    return high, x * factor


def key_of(stream: Array) -> Array:
    """Return the key of a stream, as `block` takes it."""
    return stream[:2].reshape(2, 1)


def counters(xp: ModuleType, stream: Array, index: Array, stride: int = 1) -> Blocks:
    """Return counters `index * stride` blocks after the stream's own (`index`: uint32, 1-D)."""
    high, low = mulhilo(np.uint32(stride), index)
    return advance(xp, (stream[2::2].reshape(2, 1), stream[3::2].reshape(2, 1)), low, high)


def advance(xp: ModuleType, counter: Blocks, low: Array, high: Array | None = None) -> Blocks:
    """Return each counter plus the number of blocks in the words `low` and `high`."""
    c0, c2 = counter[0][0:1], counter[0][1:2]
    c1, c3 = counter[1][0:1], counter[1][1:2]
    c0 = c0 + low.reshape(1, -1)
    carry = _word(c0 < low)
    if high is not None:
        c1 = c1 + high
        above = _word(c1 < high)
    else:
        above = np.uint32(0)
    c1 = c1 + carry
    above = above | _word(c1 < carry)
    c2 = c2 + above
    c3 = c3 + _word(c2 < above)
    return xp.concatenate([c0, c2]), xp.concatenate([c1, c3])


def _word(flag: Array) -> Array:
    return flag.astype(np.uint32)


def blocks_at(xp: ModuleType, stream: Array, index: Array, stride: int = 1) -> Blocks:
    """Return the blocks that lie `index * stride` blocks after the stream's start."""
    return block(xp, key_of(stream), counters(xp, stream, index, stride))


def interleave(xp: ModuleType, even: Array, odd: Array) -> Array:
    """Return rows of four, `[blocks, 4]`, from the arrays of a `Blocks` or derived ones."""
    return xp.stack([even, odd], axis=1).transpose(2, 0, 1).reshape(-1, 4)


@dataclass(frozen=True)
class Conversion:
    """How the four words of a block become `width` numbers.

    traced: `traced(xp, even, odd)` computes an array of shape `[blocks, width]` from `Blocks`.
    host: the same on NumPy, in place: `host(words, rows)` (see `philox_host.fill`).
    lanes: the same as one array for each number: `lanes(xp, w0, w1, w2, w3)`, where a block's
        numbers have 16 bytes. Large draws of such conversions are compiled.
    few: the same with Python's numbers, from a list of words, one for each number.
    """

    width: int
    dtype: np.dtype[Any]
    traced: Callable[..., Array]
    host: Callable[[np.ndarray, np.ndarray], None] | None = None
    lanes: Callable[..., tuple[Array, ...]] | None = None
    few: Callable[[list[int]], list[float]] | None = None


WORDS = Conversion(4, np.dtype(np.uint32), interleave, None, lambda xp, *words: words)
"""The words as they are."""

LargeFill = Callable[[Conversion, np.ndarray, np.ndarray, int], None]
# Blocks up to which `few` is faster than the thirty calls of NumPy that it replaces.
_VERY_FEW = 4


def register_large_fill(fill: LargeFill, is_compiled: Callable[[Conversion, int], bool]) -> None:
    """Register `fill(conversion, stream, result, stride)` for large results on NumPy.

    is_compiled: whether there is a program for a conversion of blocks so far apart.
    """
    global _large_fill, _is_compiled
    _large_fill, _is_compiled = fill, is_compiled


def fill_on_host(
    conversion: Conversion, stream: np.ndarray, result: np.ndarray, stride: int
) -> None:
    """Fill `result`, of shape `[blocks, width]`, with NumPy."""
    philox_host.fill(stream, result, stride, conversion.host)


def _never_compiled(conversion: Conversion, stride: int) -> bool:
    return False


_large_fill: LargeFill = fill_on_host
_is_compiled: Callable[[Conversion, int], bool] = _never_compiled


def fills_by_program(conversion: Conversion, stride: int, blocks: int) -> bool:
    """Whether `fill` would call a compiled program for so many blocks."""
    return blocks > philox_host.FEW and _is_compiled(conversion, stride)


def fill(
    xp: ModuleType, stream: Array, size: int, conversion: Conversion, stride: int = 1
) -> Array:
    """Return the first `size` numbers that `conversion` computes of blocks `stride` apart."""
    blocks = -(-size // conversion.width)
    if not on_host(xp):
        index = xp.arange(blocks, dtype=xp.uint32)
        return conversion.traced(xp, *blocks_at(xp, stream, index, stride)).reshape(-1)[:size]
    if blocks <= philox_host.FEW:
        return _small_fill(conversion, stream, size, stride)[:size]
    result = aligned_empty((blocks, conversion.width), conversion.dtype)
    on_demand.load("large draws")
    _large_fill(conversion, stream, result, stride)
    return result.reshape(-1)[:size]


def _small_fill(conversion: Conversion, stream: np.ndarray, size: int, stride: int) -> np.ndarray:
    """Return `size` numbers or more, with few calls of NumPy: eager draws are mostly small."""
    blocks = -(-size // conversion.width)
    if conversion.few is not None and blocks <= _VERY_FEW:
        few = philox_host.few_words(stream, blocks, stride)[: size + size % 2]
        return np.array(conversion.few(few), conversion.dtype)
    words = philox_host.few_blocks(stream, blocks, stride)
    if conversion.host is None:
        return words.view(conversion.dtype).reshape(-1)
    in_place = conversion.width * conversion.dtype.itemsize == 16
    rows = words.view(conversion.dtype) if in_place else np.empty((blocks, 4), conversion.dtype)
    conversion.host(words, rows)
    return rows.reshape(-1)


def split_words(xp: ModuleType, values: Array) -> tuple[Array, Array]:
    """Return low and high 32-bit words of integers; 32-bit signed ones are sign-extended first."""
    if np.dtype(values.dtype).itemsize == 8:
        wide = values.astype(xp.uint64)
        low = (wide & np.uint64(LOW32)).astype(xp.uint32)
        return low, (wide >> np.uint64(32)).astype(xp.uint32)
    low = values.astype(xp.uint32)
    if np.dtype(values.dtype).kind == "u":
        return low, xp.zeros_like(low)
    return low, xp.where(values < 0, np.uint32(LOW32), np.uint32(0))


def join_words(xp: ModuleType, low: Array, high: Array) -> Array:
    """Return the 64-bit unsigned integers with these words."""
    return low.astype(xp.uint64) | (high.astype(xp.uint64) << np.uint64(32))


def seeded_stream(xp: ModuleType, seed: Array) -> Array:
    """Return the stream of a stateless op with the seed pair `seed` (32 or 64 bits each)."""
    if on_host(xp):
        first, second = (number & _LOW64 for number in seed.tolist())
        w0, w1, w2, w3 = philox_host.encrypt(_SCRAMBLE, first | second << 64)
        return random_state.stream(w0 | w1 << 32, w2 << 64 | w3 << 96)
    low, high = split_words(xp, seed)
    even, odd = block(xp, xp.asarray(_SCRAMBLE_KEY), (low.reshape(2, 1), high.reshape(2, 1)))
    zero = xp.zeros((2,), dtype=xp.uint32)
    return xp.concatenate([even[0], odd[0], zero, even[1], odd[1]])


def stream_from_key_counter(xp: ModuleType, key: Array, counter: Array) -> Array:
    """Return the stream with an explicit `uint64` key of one and counter of two elements."""
    if on_host(xp):
        return np.concatenate([key[:1], counter[:2]]).view(np.uint32)
    low, high = split_words(xp, xp.concatenate([key[:1], counter[:2]]))
    return xp.stack([low, high], axis=1).reshape(6)


def key_counter_from_stream(xp: ModuleType, stream: Array) -> tuple[Array, Array]:
    """Return `uint64[1]` and `uint64[2]`: the inverse of `stream_from_key_counter`."""
    if on_host(xp):
        pairs = stream.view(np.uint64)
    else:
        pairs = join_words(xp, stream[0::2], stream[1::2])
    return pairs[:1], pairs[1:]
