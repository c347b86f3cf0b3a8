"""Philox4x32-10: where every random number of the library comes from.

This file knows the block function, the layout of a stream and how to walk along it; it knows no
distribution and keeps no state. A *stream* is six 32-bit words in one `uint32` array: two words
of key, then the four words of a 128-bit block counter, least significant first. One block is four
words. Blocks (and counters) are held as two arrays of shape `[2, blocks]`: words 0 and 2 in the
first, words 1 and 3 in the second; a round then treats both halves alike.

Everything is written against `xp` (the namespaces of `backends`) and runs inside `jax.jit`; the
words are those TensorFlow draws on a CPU, bit for bit. ThreeFry is absent on purpose: on a CPU
TensorFlow selects Philox and refuses ThreeFry.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

Array = Any
"""A NumPy array, or whatever array the namespace `xp` works on."""

Blocks = tuple[Array, Array]
"""Words 0 and 2, and words 1 and 3, of many blocks: two `uint32` arrays of shape `[2, blocks]`."""

_ROUNDS = 10
_MULTIPLIERS = np.array([[0xD2511F53], [0xCD9E8D57]], np.uint32)
_WEYL = np.array([[0x9E3779B9], [0xBB67AE85]], np.uint32)
_LOW32 = 0xFFFFFFFF

# The key under which a user's stateless seed is encrypted once, so that weak seeds do no harm.
_SCRAMBLE_KEY = np.array([[0x3EC8F720], [0x02461E29]], np.uint32)

# Blocks per pass on NumPy: the rounds' working set (64 bytes a block) fits a second-level cache.
_CHUNK = 16384

_HOST_MULTIPLIERS = _MULTIPLIERS.astype(np.uint64)
_HOST_WEYL = np.arange(_ROUNDS, dtype=np.uint64)[:, None, None] * _WEYL.astype(np.uint64)
_HOST_LOW32 = np.uint64(_LOW32)
_HOST_SHIFT32 = np.uint64(32)


@lru_cache(maxsize=8)
def on_host(xp: Any) -> bool:
    """Whether `xp` computes on NumPy arrays right away (as opposed to tracing)."""
    return isinstance(xp.zeros(1), np.ndarray)


def block(xp: Any, key: Array, counter: Blocks) -> Blocks:
    """The blocks with these counters, under a key of two words, shape `[2, 1]`."""
    if on_host(xp):
        return _block_host(key, counter)
    return _block_traced(xp, key, counter)


def _block_host(key: Array, counter: Blocks) -> Blocks:
    return _rounds_on_host(key, counter[0].astype(np.uint64), counter[1].astype(np.uint64))


def _rounds_on_host(key: Array, even: np.ndarray, odd: np.ndarray) -> Blocks:
    """The ten rounds, in 64-bit lanes, so that one product has both halves; uses up its inputs."""
    if even.shape[1] == 1:
        return _rounds_in_python(key, even, odd)
    product, high = np.empty_like(even), np.empty_like(even)
    crossed_product, crossed_high = product[::-1], high[::-1]
    for round_key in (key + _HOST_WEYL) & _HOST_LOW32:
        np.multiply(even, _HOST_MULTIPLIERS, out=product)
        np.right_shift(product, _HOST_SHIFT32, out=high)
        np.bitwise_xor(odd, round_key, out=odd)
        np.bitwise_xor(crossed_high, odd, out=even)
        np.bitwise_and(crossed_product, _HOST_LOW32, out=odd)
    return even.astype(np.uint32), odd.astype(np.uint32)


def _rounds_in_python(key: Array, even: np.ndarray, odd: np.ndarray) -> Blocks:
    """The same for a single block, where fifty calls of NumPy cost four times the arithmetic."""
    (k0,), (k1,) = key.tolist()
    ((c0,), (c2,)), ((c1,), (c3,)) = even.tolist(), odd.tolist()
    (multiplier0,), (multiplier2,) = _MULTIPLIERS.tolist()
    (weyl0,), (weyl1,) = _WEYL.tolist()
    for _ in range(_ROUNDS):
        first, second = c0 * multiplier0, c2 * multiplier2
        c0, c1 = second >> 32 ^ c1 ^ k0, second & _LOW32
        c2, c3 = first >> 32 ^ c3 ^ k1, first & _LOW32
        k0, k1 = k0 + weyl0 & _LOW32, k1 + weyl1 & _LOW32
    return np.array([[c0], [c2]], np.uint32), np.array([[c1], [c3]], np.uint32)


def _run_on_host(stream: np.ndarray, start: int, stop: int, stride: int) -> Blocks:
    """`blocks_at(stream, start … stop, stride)`, with fewer steps: eager calls are mostly small."""
    steps = np.arange(start * stride, stop * stride, stride, dtype=np.uint64)
    low, high = (int(stream[i]) | int(stream[i + 1]) << 32 for i in (2, 4))
    place = steps + np.uint64(low)
    even, odd = np.empty((2, steps.size), np.uint64), np.empty((2, steps.size), np.uint64)
    np.bitwise_and(place, _HOST_LOW32, out=even[0])
    np.right_shift(place, _HOST_SHIFT32, out=odd[0])
    above = (place < steps) + np.uint64(high) if low + stop * stride > 2**64 else np.uint64(high)
    even[1] = above & _HOST_LOW32
    odd[1] = above >> _HOST_SHIFT32
    return _rounds_on_host(key_of(stream), even, odd)


def _block_traced(xp: Any, key: Array, counter: Blocks) -> Blocks:
    # A loop, not ten rounds in a row: XLA would recompute the whole chain for each word it feeds,
    # which is some fifty times slower.
    def one_round(_: Any, state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        even, odd, key = state
        high, low = mulhilo(_MULTIPLIERS, even)
        return xp.flip(high, 0) ^ odd ^ key, xp.flip(low, 0), key + _WEYL

    even, odd, _ = xp.lax.fori_loop(0, _ROUNDS, one_round, (*counter, key))
    return even, odd


def mulhilo(factor: Any, x: Array) -> tuple[Array, Array]:
    """High and low word of `factor * x`, through 16-bit halves: needs no 64-bit integers."""
    half, sixteen = np.uint32(0xFFFF), np.uint32(16)
    low_factor, high_factor = factor & half, factor >> sixteen
    low_x, high_x = x & half, x >> sixteen
    middle = high_factor * low_x + (low_factor * low_x >> sixteen)
    carry = low_factor * high_x + (middle & half)
    high = high_factor * high_x + (middle >> sixteen) + (carry >> sixteen)
    return high, x * factor


def key_of(stream: Array) -> Array:
    """The key of a stream, as `block` takes it."""
    return stream[:2].reshape(2, 1)


def counters(xp: Any, stream: Array, index: Array, stride: int = 1) -> Blocks:
    """Counters that lie `index * stride` blocks after the stream's own (`index`: uint32, 1-D)."""
    high, low = mulhilo(np.uint32(stride), index)
    return advance(xp, (stream[2::2].reshape(2, 1), stream[3::2].reshape(2, 1)), low, high)


def advance(xp: Any, counter: Blocks, low: Array, high: Array | None = None) -> Blocks:
    """Each counter plus the number of blocks given by the words `low` and `high`."""
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


def blocks_at(xp: Any, stream: Array, index: Array, stride: int = 1) -> Blocks:
    """The blocks that lie `index * stride` blocks after the stream's start."""
    return block(xp, key_of(stream), counters(xp, stream, index, stride))


def interleave(xp: Any, even: Array, odd: Array) -> Array:
    """Rows of four: from the arrays of a `Blocks`, or what was made of them, to `[blocks, 4]`."""
    return xp.stack([even, odd], axis=1).transpose(2, 0, 1).reshape(-1, 4)


def fill(
    xp: Any, stream: Array, size: int, width: int, convert: Callable[..., Array], stride: int = 1
) -> Array:
    """`size` values, `width` from each block (`stride` apart), made by `convert(xp, even, odd)`.

    `convert` returns an array of shape `[blocks, width]`. NumPy works through the blocks in
    pieces that fit the cache; a tracing namespace takes all of them at once.
    """
    blocks = -(-size // width)
    if not on_host(xp):
        index = xp.arange(blocks, dtype=xp.uint32)
        return convert(xp, *blocks_at(xp, stream, index, stride)).reshape(-1)[:size]
    first: Array = convert(xp, *_run_on_host(stream, 0, min(_CHUNK, blocks), stride))
    if blocks <= _CHUNK:
        return first.reshape(-1)[:size]
    # All of it is asked for before more of it is computed: there may be no room for it.
    whole = np.empty((blocks, *first.shape[1:]), first.dtype)
    whole[:_CHUNK] = first
    for start in range(_CHUNK, blocks, _CHUNK):
        stop = min(start + _CHUNK, blocks)
        whole[start:stop] = convert(xp, *_run_on_host(stream, start, stop, stride))
    return whole.reshape(-1)[:size]


def split_words(xp: Any, values: Array) -> tuple[Array, Array]:
    """Low and high 32-bit words of integers; 32-bit signed ones are sign-extended first."""
    if np.dtype(values.dtype).itemsize == 8:
        wide = values.astype(xp.uint64)
        low = (wide & np.uint64(_LOW32)).astype(xp.uint32)
        return low, (wide >> np.uint64(32)).astype(xp.uint32)
    low = values.astype(xp.uint32)
    if np.dtype(values.dtype).kind == "u":
        return low, xp.zeros_like(low)
    return low, xp.where(values < 0, np.uint32(_LOW32), np.uint32(0))


def join_words(xp: Any, low: Array, high: Array) -> Array:
    """The 64-bit unsigned integers with these words."""
    return low.astype(xp.uint64) | (high.astype(xp.uint64) << np.uint64(32))


def seeded_stream(xp: Any, seed: Array) -> Array:
    """The stream of a stateless op with the seed pair `seed` (two integers of 32 or 64 bits)."""
    low, high = split_words(xp, seed)
    even, odd = block(xp, xp.asarray(_SCRAMBLE_KEY), (low.reshape(2, 1), high.reshape(2, 1)))
    zero = xp.zeros((2,), dtype=xp.uint32)
    return xp.concatenate([even[0], odd[0], zero, even[1], odd[1]])


def stream_from_key_counter(xp: Any, key: Array, counter: Array) -> Array:
    """The stream with an explicit `uint64` key of one and counter of two elements."""
    low, high = split_words(xp, xp.concatenate([key[:1], counter[:2]]))
    return xp.stack([low, high], axis=1).reshape(6)


def key_counter_from_stream(xp: Any, stream: Array) -> tuple[Array, Array]:
    """The inverse of `stream_from_key_counter`: `uint64[1]` and `uint64[2]`."""
    pairs = join_words(xp, stream[0::2], stream[1::2])
    return pairs[:1], pairs[1:]
