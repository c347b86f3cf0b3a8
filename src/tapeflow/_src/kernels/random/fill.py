"""Uniform and normal numbers from a Philox stream, as TensorFlow draws them on a CPU.

These distributions take the same number of blocks for every output (the truncated normal takes
them from a region of fixed size), so whole arrays are made at once. Integers and uniform numbers
equal TensorFlow's bit for bit. Normal numbers go through `log`, `sin` and `cos`: they are computed
in 64 bits where there are 64-bit floats and then rounded, so that NumPy and XLA agree and all but
about one in a hundred equal TensorFlow's; the others differ in the last place.

Every function takes a stream (see `philox`) and a number of outputs, and returns a flat array.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.backends.threads import for_each
from tapeflow._src.core import random_state
from tapeflow._src.core.dtypes import bfloat16
from tapeflow._src.kernels.random import philox_host
from tapeflow._src.kernels.random.philox import (
    WORDS,
    Array,
    Conversion,
    advance,
    block,
    counters,
    fill,
    fills_by_program,
    interleave,
    join_words,
    key_of,
    on_host,
)

RESERVED = 256
"""Blocks that TensorFlow sets aside for one output, enough for any run of rejections."""

_FLOAT64 = np.dtype(np.float64)
_TRUNCATE_AT = 2.0
_SMALL_SEARCH = 4096  # comparisons a row up to which comparing with every class beats searching
_MANY_POINTS = 16384  # points a row from which on the cores divide the rows
_BUCKETS = 4  # buckets a class
_FEW_POINTS = 16  # points up to which Python searches faster than NumPy
_FEW_NUMBERS = 2048  # integers up to which fewer calls of NumPy are faster
_MANY_NUMBERS = 1 << 18  # integers from which on the cores divide them
_PASS = 1 << 15  # integers whose remainders are computed in the cache
_SMALLEST = 1e-7  # uniform numbers below it are raised to it before the logarithm


# -- words to numbers ------------------------------------------------------------------------


def unit_float32(xp: ModuleType, word: Array) -> Array:
    """Return a number in [0, 1) from the low 23 bits."""
    return (word & np.uint32(0x7FFFFF)).astype(xp.float32) * np.float32(2.0**-23)


def unit_float16(xp: ModuleType, word: Array) -> Array:
    """Return a number in [0, 1) from the low 10 bits."""
    return ((word & np.uint32(0x3FF)).astype(xp.float32) * np.float32(2.0**-10)).astype(xp.float16)


def unit_bfloat16(xp: ModuleType, word: Array) -> Array:
    """Return a number in [0, 1) from the low 7 bits, still as `float32`."""
    return (word & np.uint32(0x7F)).astype(xp.float32) * np.float32(2.0**-7)


def unit_float64(xp: ModuleType, first: Array, second: Array) -> Array:
    """Return a number in [0, 1) from the low 20 bits of one word and all of the next."""
    high = (first & np.uint32(0xFFFFF)).astype(xp.float64) * np.float64(2.0**-20)
    return high + second.astype(xp.float64) * np.float64(2.0**-52)


def _floats32_on_host(words: np.ndarray, rows: np.ndarray) -> None:
    """Compute `unit_float32` in place: bits with the exponent of [1, 2), less 1."""
    pairs = words.view(np.uint64)
    np.bitwise_and(pairs, _MANTISSAS32, pairs)
    np.bitwise_or(pairs, _ONES32, pairs)
    np.subtract(rows, _ONE32, rows)


def _floats64_on_host(words: np.ndarray, rows: np.ndarray) -> None:
    """Compute `unit_float64` of words 1 and 2, and of words 3 and 4, in place."""
    pairs = words.view(np.uint64)
    seconds = np.right_shift(pairs, np.uint64(32))
    np.left_shift(pairs, np.uint64(32), pairs)
    np.bitwise_or(pairs, seconds, pairs)
    np.bitwise_and(pairs, _MANTISSA64, pairs)
    np.bitwise_or(pairs, _ONE_BITS64, pairs)
    np.subtract(rows, 1.0, rows)


_ONE32 = np.float32(1)
_MANTISSAS32, _ONES32 = (
    np.uint64(0x7FFFFF << 32 | 0x7FFFFF),
    np.uint64(0x3F800000 << 32 | 0x3F800000),
)
_MANTISSA64, _ONE_BITS64 = np.uint64(2**52 - 1), np.uint64(0x3FF << 52)


def _small_floats(unit: Any, dtype: Any) -> Conversion:
    def traced(xp: ModuleType, even: Array, odd: Array) -> Array:
        return unit(xp, interleave(xp, even, odd))

    def host(words: np.ndarray, rows: np.ndarray) -> None:
        rows[:] = unit(np, words)

    return Conversion(4, np.dtype(dtype), traced, host)


def _floats32(xp: ModuleType, even: Array, odd: Array) -> Array:
    return unit_float32(xp, interleave(xp, even, odd))


def _floats64(xp: ModuleType, even: Array, odd: Array) -> Array:
    return unit_float64(xp, even, odd).T


def _floats32_in_lanes(xp: ModuleType, *words: Array) -> tuple[Array, ...]:
    return tuple(unit_float32(xp, word) for word in words)


def _floats64_in_lanes(xp: ModuleType, *words: Array) -> tuple[Array, ...]:
    return unit_float64(xp, *words[:2]), unit_float64(xp, *words[2:])


def _integers64(xp: ModuleType, even: Array, odd: Array) -> Array:
    return join_words(xp, even, odd).T


_UNIFORM = {
    conversion.dtype: conversion
    for conversion in (
        _small_floats(unit_float16, np.float16),
        _small_floats(unit_bfloat16, bfloat16.np),
        Conversion(4, np.dtype(np.float32), _floats32, _floats32_on_host, _floats32_in_lanes),
        Conversion(2, np.dtype(np.float64), _floats64, _floats64_on_host, _floats64_in_lanes),
    )
}
_WORDS64 = Conversion(2, np.dtype(np.uint64), _integers64, None, WORDS.lanes)


# -- uniform ---------------------------------------------------------------------------------


def uniform(xp: ModuleType, stream: Array, size: int, dtype: Any) -> Array:
    """Draw floats in [0, 1)."""
    dtype = np.dtype(dtype)
    return fill(xp, stream, size, _UNIFORM[dtype]).astype(dtype, copy=False)


def uniform_full_int(xp: ModuleType, stream: Array, size: int, dtype: Any) -> Array:
    """Draw integers from the full range of a 32- or 64-bit dtype."""
    dtype = np.dtype(dtype)
    conversion = _WORDS64 if dtype.itemsize == 8 else WORDS
    return fill(xp, stream, size, conversion).astype(dtype, copy=False)


def uniform_int(xp: ModuleType, stream: Array, size: int, low: Array, high: Array) -> Array:
    """Draw integers in [low, high), two scalars of one dtype; the caller ensures `low < high`."""
    dtype = np.dtype(low.dtype)
    unsigned = np.dtype(f"uint{8 * dtype.itemsize}")
    bits = uniform_full_int(xp, stream, size, unsigned)
    # Unsigned arithmetic wraps around, which is right for ranges wider than the signed maximum.
    start = low.reshape(1).astype(unsigned)
    span = high.reshape(1).astype(unsigned) - start
    if not on_host(xp) or size <= _FEW_NUMBERS:
        return (start + bits % span).astype(dtype)

    def bound(first: int) -> None:
        part = bits[first : first + _PASS]
        # NumPy divides by a scalar faster than it takes remainders.
        quotients = part // span[0]
        quotients *= span[0]
        part -= quotients
        part += start[0]

    starts = range(0, size, _PASS)
    if size >= _MANY_NUMBERS:
        for_each(bound, starts)
    else:
        for first in starts:
            bound(first)
    return bits.view(dtype)


def categorical(xp: ModuleType, stream: Array, logits: Array, samples: int) -> Array:
    """Draw classes with probabilities proportional to `exp(logits)`, shape `[batch, samples]`.

    The rows take consecutive numbers of the stream. TensorFlow does so too, unless the batch is
    large enough to be split between threads: its numbers then depend on how many there are.
    """
    batch, classes = logits.shape
    finite = xp.isfinite(logits)
    if on_host(xp) and finite.all():
        wide = logits.astype(np.float64)
        weight = np.exp(wide - wide.max(axis=1, keepdims=True))
    else:
        wide = xp.where(finite, logits, 0).astype(xp.float64)
        largest = xp.where(finite, wide, -xp.inf).max(axis=1, keepdims=True)
        weight = xp.where(finite, xp.exp(wide - largest), 0.0)
    cumulative = xp.cumsum(weight, axis=1)
    points = uniform(xp, stream, batch * samples, np.float64).reshape(batch, samples)
    points = points * cumulative[:, -1:]
    if on_host(xp) and batch * samples <= _FEW_POINTS:
        pairs = zip(cumulative.tolist(), points.tolist())
        drawn = [[bisect_right(row, point) for point in among] for row, among in pairs]
        return np.array(drawn, np.int64).reshape(batch, samples)
    if on_host(xp) and samples * classes > _SMALL_SEARCH:
        return _search(cumulative, points)
    return (cumulative[:, None, :] <= points[:, :, None]).sum(axis=2)


def _search(cumulative: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the positions of points in the rows of cumulative weights, on all cores."""
    samples, classes = points.shape[1], cumulative.shape[1]
    if classes <= samples < _MANY_POINTS and _is_positive(cumulative[:, -1]):
        return _search_by_buckets(cumulative, points)
    drawn = np.empty(points.shape, np.int64)

    def search(row: int) -> None:
        drawn[row] = np.searchsorted(cumulative[row], points[row], side="right")

    if points.shape[1] < _MANY_POINTS:
        for row in range(len(points)):
            search(row)
    else:
        for_each(search, range(len(points)))
    return drawn


def _is_positive(totals: np.ndarray) -> bool:
    return bool(((totals > 0) & (totals < np.inf)).all())


def _search_by_buckets(cumulative: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the positions of points that are evenly distributed, in rows of positive totals.

    A row is divided into buckets of one width. A point lies behind all weights of lower buckets,
    since rounding keeps order; those of its own bucket are few on average, whatever the weights.
    """
    rows, classes = cumulative.shape
    buckets = _BUCKETS * classes
    scales = buckets / cumulative[:, -1:]
    width = buckets + 2  # a product with a scale may be rounded up
    starts = np.arange(rows)[:, None]
    of_weights = (cumulative * scales).astype(np.int64) + starts * width
    counts = np.bincount(of_weights.reshape(-1), minlength=rows * width)
    lower = counts.cumsum() - counts
    # The last of a row: no point is behind it.
    edges = np.full((rows, classes + 1), np.inf)
    edges[:, :-1] = cumulative
    flat_edges, flat_points = edges.reshape(-1), points.reshape(-1)
    lower.reshape(rows, width)[:] += starts
    drawn = lower.take(((points * scales).astype(np.int64) + starts * width).reshape(-1))
    left = np.flatnonzero(flat_edges.take(drawn) <= flat_points)
    while left.size:
        drawn[left] += 1
        left = left[flat_edges.take(drawn.take(left)) <= flat_points.take(left)]
    positions: np.ndarray = drawn.reshape(points.shape)
    positions -= starts * (classes + 1)
    return positions


# -- normal ----------------------------------------------------------------------------------


def box_muller32(xp: ModuleType, first: Array, second: Array) -> tuple[Array, Array]:
    """Return two independent normal `float32` numbers from two words."""
    wide = _widest_float(xp)
    u = xp.maximum(unit_float32(xp, first), np.float32(_SMALLEST))
    log = xp.log(u.astype(wide)).astype(xp.float32)
    radius = xp.sqrt(np.float32(-2.0) * log)
    turn = unit_float32(xp, second).astype(wide) * wide(2.0 * np.pi)
    sine, cosine = _sine_cosine(xp, turn.astype(xp.float32).astype(wide), wide)
    return sine.astype(xp.float32) * radius, cosine.astype(xp.float32) * radius


def box_muller64(xp: ModuleType, even: Array, odd: Array) -> tuple[Array, Array]:
    """Return two independent normal `float64` numbers from each block."""
    radial, angular = unit_float64(xp, even, odd)
    radius = xp.sqrt(np.float64(-2.0) * xp.log(xp.maximum(radial, np.float64(_SMALLEST))))
    angle = np.float64(2.0 * np.pi) * angular
    return xp.sin(angle) * radius, xp.cos(angle) * radius


def _widest_float(xp: ModuleType) -> Any:
    """Return `float64`, or `float32` where a tracing namespace has no 64-bit types enabled."""
    return np.dtype(xp.result_type(float)).type


# pi/2 as a number with few enough bits that small multiples of it are exact, and the rest.
_QUARTER_HIGH = float(np.float32(np.pi / 2))
_QUARTER_LOW = np.pi / 2 - _QUARTER_HIGH
_SINE = [(-1) ** k / float(np.prod(np.arange(1.0, 2 * k + 2))) for k in range(6)]
_COSINE = [(-1) ** k / float(np.prod(np.arange(1.0, 2 * k + 1))) for k in range(7)]


def _sine_cosine(xp: ModuleType, angle: Array, wide: Any) -> tuple[Array, Array]:
    """Return sine and cosine of angles in one turn, to about 1e-11 in 64 bits.

    One reduction to an eighth of a turn serves both. Written out because it then rounds to the
    same `float32` on NumPy and XLA, and because NumPy's own 64-bit sine is six times slower.
    """
    quarter = xp.rint(angle * wide(2.0 / np.pi))
    rest = angle - quarter * wide(_QUARTER_HIGH)
    rest -= quarter * wide(_QUARTER_LOW)
    square = rest * rest
    sine, cosine = _polynomial(square, _SINE, wide), _polynomial(square, _COSINE, wide)
    sine *= rest
    swapped = (quarter == 1) | (quarter == 3)
    behind = xp.where((quarter == 2) | (quarter == 3), wide(-1.0), wide(1.0))
    new_sine, new_cosine = xp.where(swapped, cosine, sine), xp.where(swapped, -sine, cosine)
    new_sine *= behind
    new_cosine *= behind
    return new_sine, new_cosine


def _polynomial(x: Array, coefficients: list[float], wide: Any) -> Array:
    # In place on NumPy, where new arrays would cost as much as the arithmetic.
    result = x * wide(coefficients[-1])
    for coefficient in coefficients[-2:0:-1]:
        result += wide(coefficient)
        result *= x
    result += wide(coefficients[0])
    return result


def _normals32(xp: ModuleType, even: Array, odd: Array) -> Array:
    return interleave(xp, *_materialize(xp, box_muller32(xp, even, odd)))


def _normals64(xp: ModuleType, even: Array, odd: Array) -> Array:
    return xp.stack(_materialize(xp, box_muller64(xp, even, odd)), axis=-1)


def _normals32_on_host(words: np.ndarray, rows: np.ndarray) -> None:
    rows[:, 0::2], rows[:, 1::2] = box_muller32(np, words[:, 0::2], words[:, 1::2])


def _normals64_on_host(words: np.ndarray, rows: np.ndarray) -> None:
    rows[:, 0], rows[:, 1] = box_muller64(np, words[:, 0::2].T, words[:, 1::2].T)


def _normals32_in_lanes(xp: ModuleType, *words: Array) -> tuple[Array, ...]:
    return (*box_muller32(xp, *words[:2]), *box_muller32(xp, *words[2:]))


def _normals32_of_few(words: list[int]) -> list[float]:
    """Compute `box_muller32` with Python's floats, rounded wherever `float32` arithmetic rounds."""
    s0, s1, s2, s3, s4, s5 = _SINE
    c0, c1, c2, c3, c4, c5, c6 = _COSINE
    # Arrays round all numbers at once.
    logs = array("f", [_log((word & 0x7FFFFF) * 2.0**-23 or _SMALLEST32) for word in words[0::2]])
    angles = array("f", [(word & 0x7FFFFF) * _STEP for word in words[1::2]])
    waves: list[float] = []
    for angle in angles:
        quarter = round(angle * _PER_QUARTER)
        rest = angle - quarter * _QUARTER_HIGH - quarter * _QUARTER_LOW
        x = rest * rest
        # `_polynomial`, written out: calls would take as long as all the rest.
        sine = (((((x * s5 + s4) * x + s3) * x + s2) * x + s1) * x + s0) * rest
        cosine = (((((x * c6 + c5) * x + c4) * x + c3) * x + c2) * x + c1) * x + c0
        if quarter & 1:
            sine, cosine = cosine, -sine
        if quarter & 2:
            sine, cosine = -sine, -cosine
        waves += sine, cosine
    radii = array("f", [radius for log in logs for radius in (_sqrt(-2.0 * log),) * 2])
    return [wave * radius for wave, radius in zip(array("f", waves), radii)]


_log, _sqrt = math.log, math.sqrt
_STEP, _PER_QUARTER = 2.0**-23 * (2.0 * math.pi), 2.0 / math.pi
_SMALLEST32 = float(np.float32(_SMALLEST))
_NORMALS32 = Conversion(
    4,
    np.dtype(np.float32),
    _normals32,
    _normals32_on_host,
    _normals32_in_lanes,
    _normals32_of_few,
)
# Their logarithms and sines are not rounded to fewer bits: NumPy's and XLA's differ in the last.
_NORMALS64 = Conversion(2, np.dtype(np.float64), _normals64, _normals64_on_host)


def _materialize(xp: ModuleType, pair: tuple[Array, Array]) -> tuple[Array, Array]:
    """Keep XLA from recomputing both numbers wherever one of them is copied to."""
    return pair if on_host(xp) else xp.lax.optimization_barrier(pair)


def normal(xp: ModuleType, stream: Array, size: int, dtype: Any) -> Array:
    """Numbers with mean 0 and standard deviation 1."""
    dtype = np.dtype(dtype)
    conversion = _NORMALS64 if dtype == _FLOAT64 else _NORMALS32
    return fill(xp, stream, size, conversion).astype(dtype, copy=False)


# -- truncated normal ------------------------------------------------------------------------


def truncated_normal(xp: ModuleType, stream: Array, size: int, dtype: Any) -> Array:
    """Return normal numbers, those beyond two standard deviations replaced by the next ones.

    Outputs come in groups, as many as a block has numbers; each group draws from a region of the
    stream of its own until it is full.
    """
    dtype = np.dtype(dtype)
    conversion = _NORMALS64 if dtype == _FLOAT64 else _NORMALS32
    groups = -(-size // conversion.width)
    run = _truncated_on_host if on_host(xp) else _truncated_traced
    result = run(xp, stream, groups, conversion, RESERVED * conversion.width // 4)
    return result.reshape(-1)[:size].astype(dtype, copy=False)


def _is_in_bounds(xp: ModuleType, numbers: Array) -> Array:
    return xp.abs(numbers) < _TRUNCATE_AT


def _truncated_on_host(
    xp: ModuleType, stream: Array, groups: int, conversion: Conversion, region: int
) -> np.ndarray:
    """Fill most groups from one block; only the others are tried again with more."""
    width, convert = conversion.width, conversion.traced
    result = fill(xp, stream, groups * width, conversion, region).reshape(-1, width)
    # All numbers of a group at once: a comparison is a byte of 0 or 1.
    groups_within = _is_in_bounds(xp, result).view(f"u{width}")[:, 0]
    missing = np.flatnonzero(groups_within != _ALL_TRUE[width]).astype(np.uint32)
    candidates = result[missing]
    used, more = 1, 1
    while missing.size:
        by_program = fills_by_program(conversion, region, groups)
        if more == 1 and (by_program or philox_host.has_code()):
            # Of all groups: a sixth of the blocks take NumPy three times as long.
            key, counter = random_state.state_of(stream.tolist())
            behind = random_state.stream(key, counter + used)
            if by_program:
                numbers = fill(xp, behind, groups * width, conversion, region)
                numbers = numbers.reshape(-1, width).take(missing, axis=0)
            else:
                words = np.empty((groups, 4), np.uint32)
                philox_host.fill(behind, words, region, None)
                words = words.take(missing, axis=0)
                numbers = convert(xp, words[:, 0::2].T, words[:, 1::2].T)
        else:
            starts = counters(xp, stream, np.repeat(missing, more), region)
            steps = np.tile(np.arange(used, used + more, dtype=np.uint32), missing.size)
            numbers = convert(xp, *block(xp, key_of(stream), advance(xp, starts, steps)))
        candidates = np.concatenate([candidates, numbers.reshape(missing.size, -1)], axis=1)
        good = _is_in_bounds(xp, candidates)
        counts = good.sum(axis=1)
        full = counts >= width
        # The first accepted numbers of the groups that are full now.
        accepted = np.flatnonzero(good)
        rank = np.arange(len(accepted)) - np.repeat(np.cumsum(counts) - counts, counts)
        chosen = accepted[(rank < width) & np.repeat(full, counts)]
        result[missing[full]] = candidates.reshape(-1).take(chosen).reshape(-1, width)
        missing, candidates = missing[~full], candidates[~full]
        used, more = used + more, 4 * more
    return result


_ALL_TRUE = {2: 0x0101, 4: 0x01010101}


def _truncated_traced(
    xp: ModuleType, stream: Array, groups: int, conversion: Conversion, region: int
) -> Array:
    """Draw one block for every group at a time, until all groups are full (three or four times)."""
    width, convert = conversion.width, conversion.traced
    starts = counters(xp, stream, xp.arange(groups, dtype=xp.uint32), region)
    lanes = xp.arange(width, dtype=xp.int32)

    def take_block(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        step, filled, result = state
        numbers = convert(xp, *block(xp, key_of(stream), advance(xp, starts, step)))
        numbers = xp.lax.optimization_barrier(numbers)
        for column in range(width):
            number = numbers[:, column]
            good = _is_in_bounds(xp, number)
            here = good[:, None] & (filled[:, None] == lanes)
            result = xp.where(here, number[:, None], result)
            filled = filled + good.astype(xp.int32)
        return step + np.uint32(1), filled, result

    dtype = np.dtype(np.float64 if width == 2 else np.float32)
    start = (
        xp.zeros((1,), xp.uint32),
        xp.zeros((groups,), xp.int32),
        xp.zeros((groups, width), dtype),
    )
    return xp.lax.while_loop(lambda state: (state[1] < width).any(), take_block, start)[2]
