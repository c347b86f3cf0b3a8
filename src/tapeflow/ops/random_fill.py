"""Uniform and normal numbers from a Philox stream, as TensorFlow makes them on a CPU.

These distributions take the same number of blocks for every output (the truncated normal takes
them from a region of fixed size), so whole arrays are made at once. Integers and uniform numbers
equal TensorFlow's bit for bit. Normal numbers go through `log`, `sin` and `cos`: they are computed
in 64 bits where there are 64-bit floats and then rounded, so that NumPy and XLA agree and all but
about one in a hundred equal TensorFlow's; the others differ in the last place.

Every function takes a stream (see `philox`) and a number of outputs, and returns a flat array.
"""

from typing import Any

import numpy as np

from tapeflow.ops.philox import (
    Array,
    advance,
    block,
    counters,
    fill,
    interleave,
    join_words,
    key_of,
    on_host,
)

RESERVED = 256
"""Blocks that TensorFlow sets aside for one output, enough for any run of rejections."""

_TRUNCATE_AT = 2.0
_SMALL_SEARCH = 4096  # comparisons a row up to which comparing with every class beats searching
_SMALLEST = 1e-7  # uniform numbers below it are raised to it before the logarithm


# -- words to numbers ------------------------------------------------------------------------


def unit_float32(xp: Any, word: Array) -> Array:
    """A number in [0, 1) from the low 23 bits."""
    return (word & np.uint32(0x7FFFFF)).astype(xp.float32) * np.float32(2.0**-23)


def unit_float16(xp: Any, word: Array) -> Array:
    """A number in [0, 1) from the low 10 bits."""
    return ((word & np.uint32(0x3FF)).astype(xp.float32) * np.float32(2.0**-10)).astype(xp.float16)


def unit_bfloat16(xp: Any, word: Array) -> Array:
    """A number in [0, 1) from the low 7 bits, still as `float32`."""
    return (word & np.uint32(0x7F)).astype(xp.float32) * np.float32(2.0**-7)


def unit_float64(xp: Any, first: Array, second: Array) -> Array:
    """A number in [0, 1) from the low 20 bits of one word and all of the next."""
    high = (first & np.uint32(0xFFFFF)).astype(xp.float64) * np.float64(2.0**-20)
    return high + second.astype(xp.float64) * np.float64(2.0**-52)


def _from_words(unit: Any) -> Any:
    return lambda xp, even, odd: unit(xp, interleave(xp, even, odd))


def _floats64(xp: Any, even: Array, odd: Array) -> Array:
    return unit_float64(xp, even, odd).T


def _integers64(xp: Any, even: Array, odd: Array) -> Array:
    return join_words(xp, even, odd).T


_SMALL_FLOATS = {
    "float16": _from_words(unit_float16),
    "bfloat16": _from_words(unit_bfloat16),
    "float32": _from_words(unit_float32),
}


# -- uniform ---------------------------------------------------------------------------------


def uniform(xp: Any, stream: Array, size: int, dtype: Any) -> Array:
    """Floats in [0, 1)."""
    dtype = np.dtype(dtype)
    if dtype.name == "float64":
        return fill(xp, stream, size, 2, _floats64)
    return fill(xp, stream, size, 4, _SMALL_FLOATS[dtype.name]).astype(dtype)


def uniform_full_int(xp: Any, stream: Array, size: int, dtype: Any) -> Array:
    """Integers over the whole range of a 32- or 64-bit dtype."""
    dtype = np.dtype(dtype)
    if dtype.itemsize == 8:
        return fill(xp, stream, size, 2, _integers64).astype(dtype)
    return fill(xp, stream, size, 4, interleave).astype(dtype)


def uniform_int(xp: Any, stream: Array, size: int, low: Array, high: Array) -> Array:
    """Integers in [low, high), two scalars of one dtype; the caller sees to `low < high`."""
    dtype = np.dtype(low.dtype)
    unsigned = np.dtype(f"uint{8 * dtype.itemsize}")
    bits = uniform_full_int(xp, stream, size, unsigned)
    # Unsigned arithmetic wraps around, which is right for ranges wider than the signed maximum.
    start = low.reshape(1).astype(unsigned)
    span = high.reshape(1).astype(unsigned) - start
    return (start + bits % span).astype(dtype)


def categorical(xp: Any, stream: Array, logits: Array, samples: int) -> Array:
    """Classes drawn with probabilities proportional to `exp(logits)`, shape `[batch, samples]`.

    The rows take consecutive numbers of the stream. TensorFlow does so too, unless the batch is
    large enough to be divided between threads: its numbers then depend on how many there are.
    """
    batch, classes = logits.shape
    finite = xp.isfinite(logits)
    wide = xp.where(finite, logits, 0).astype(xp.float64)
    largest = xp.where(finite, wide, -xp.inf).max(axis=1, keepdims=True)
    weight = xp.where(finite, xp.exp(wide - largest), 0.0)
    cumulative = xp.cumsum(weight, axis=1)
    points = uniform(xp, stream, batch * samples, np.float64).reshape(batch, samples)
    points = points * cumulative[:, -1:]
    if on_host(xp) and samples * classes > _SMALL_SEARCH:
        rows = [np.searchsorted(c, p, side="right") for c, p in zip(cumulative, points)]
        return np.array(rows).reshape(batch, samples)
    return (cumulative[:, None, :] <= points[:, :, None]).sum(axis=2)


# -- normal ----------------------------------------------------------------------------------


def box_muller32(xp: Any, first: Array, second: Array) -> tuple[Array, Array]:
    """Two independent normal `float32` numbers from two words."""
    wide = _widest_float(xp)
    u = xp.maximum(unit_float32(xp, first), np.float32(_SMALLEST))
    log = xp.log(u.astype(wide)).astype(xp.float32)
    radius = xp.sqrt(np.float32(-2.0) * log)
    turn = unit_float32(xp, second).astype(wide) * wide(2.0 * np.pi)
    sine, cosine = _sine_cosine(xp, turn.astype(xp.float32).astype(wide), wide)
    return sine.astype(xp.float32) * radius, cosine.astype(xp.float32) * radius


def box_muller64(xp: Any, even: Array, odd: Array) -> tuple[Array, Array]:
    """Two independent normal `float64` numbers from each block."""
    radial, angular = unit_float64(xp, even, odd)
    radius = xp.sqrt(np.float64(-2.0) * xp.log(xp.maximum(radial, np.float64(_SMALLEST))))
    angle = np.float64(2.0 * np.pi) * angular
    return xp.sin(angle) * radius, xp.cos(angle) * radius


def _widest_float(xp: Any) -> Any:
    """`float64`, or `float32` where a tracing namespace has no 64-bit types switched on."""
    return np.dtype(xp.result_type(float)).type


# pi/2 as a number with few enough bits that small multiples of it are exact, and the rest.
_QUARTER_HIGH = float(np.float32(np.pi / 2))
_QUARTER_LOW = np.pi / 2 - _QUARTER_HIGH
_SINE = [(-1) ** k / float(np.prod(np.arange(1.0, 2 * k + 2))) for k in range(6)]
_COSINE = [(-1) ** k / float(np.prod(np.arange(1.0, 2 * k + 1))) for k in range(7)]


def _sine_cosine(xp: Any, angle: Array, wide: Any) -> tuple[Array, Array]:
    """Sine and cosine of angles in one turn, to about 1e-11 in 64 bits.

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


def _normals32(xp: Any, even: Array, odd: Array) -> Array:
    return interleave(xp, *_materialize(xp, box_muller32(xp, even, odd)))


def _normals64(xp: Any, even: Array, odd: Array) -> Array:
    return xp.stack(_materialize(xp, box_muller64(xp, even, odd)), axis=-1)


def _materialize(xp: Any, pair: tuple[Array, Array]) -> tuple[Array, Array]:
    """Keep XLA from computing both numbers anew for each place where one of them is copied to."""
    return pair if on_host(xp) else xp.lax.optimization_barrier(pair)


def normal(xp: Any, stream: Array, size: int, dtype: Any) -> Array:
    """Numbers with mean 0 and standard deviation 1."""
    dtype = np.dtype(dtype)
    if dtype.name == "float64":
        return fill(xp, stream, size, 2, _normals64)
    return fill(xp, stream, size, 4, _normals32).astype(dtype)


# -- truncated normal ------------------------------------------------------------------------


def truncated_normal(xp: Any, stream: Array, size: int, dtype: Any) -> Array:
    """Normal numbers, those beyond two standard deviations replaced by the next ones.

    Outputs come in groups, as many as a block has numbers; each group draws from a region of the
    stream of its own until it is full.
    """
    dtype = np.dtype(dtype)
    width, convert = (2, _normals64) if dtype.name == "float64" else (4, _normals32)
    groups = -(-size // width)
    run = _truncated_on_host if on_host(xp) else _truncated_traced
    result = run(xp, stream, groups, width, RESERVED * width // 4, convert)
    return result.reshape(-1)[:size].astype(dtype)


def _within(xp: Any, numbers: Array) -> Array:
    return xp.abs(numbers) < _TRUNCATE_AT


def _truncated_on_host(
    xp: Any, stream: Array, groups: int, width: int, region: int, convert: Any
) -> np.ndarray:
    """Most groups are full after one block; only the others are tried again with more."""
    result = fill(xp, stream, groups * width, width, convert, region).reshape(-1, width)
    missing = np.nonzero(~_within(xp, result).all(axis=1))[0].astype(np.uint32)
    blocks = 2
    while missing.size:
        starts = counters(xp, stream, np.repeat(missing, blocks), region)
        steps = np.tile(np.arange(blocks, dtype=np.uint32), missing.size)
        numbers = convert(xp, *block(xp, key_of(stream), advance(xp, starts, steps)))
        numbers = numbers.reshape(missing.size, -1)
        rank = np.cumsum(_within(xp, numbers), axis=1)
        full = rank[:, -1] >= width
        # The place where the count of good numbers first reaches 1, 2, … is a good number itself.
        places = [(rank >= wanted).argmax(axis=1) for wanted in range(1, width + 1)]
        chosen = np.take_along_axis(numbers, np.stack(places, axis=1), axis=1)
        result[missing[full]] = chosen[full]
        missing = missing[~full]
        blocks = min(4 * blocks, region)
    return result


def _truncated_traced(
    xp: Any, stream: Array, groups: int, width: int, region: int, convert: Any
) -> Array:
    """One block for every group at a time, until all groups are full (three or four times)."""
    starts = counters(xp, stream, xp.arange(groups, dtype=xp.uint32), region)
    places = xp.arange(width, dtype=xp.int32)

    def take_block(state: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        step, filled, result = state
        numbers = convert(xp, *block(xp, key_of(stream), advance(xp, starts, step)))
        numbers = xp.lax.optimization_barrier(numbers)
        for column in range(width):
            number = numbers[:, column]
            good = _within(xp, number)
            here = good[:, None] & (filled[:, None] == places)
            result = xp.where(here, number[:, None], result)
            filled = filled + good.astype(xp.int32)
        return step + np.uint32(1), filled, result

    wanted = np.dtype(np.float64 if width == 2 else np.float32)
    start = (
        xp.zeros((1,), xp.uint32),
        xp.zeros((groups,), xp.int32),
        xp.zeros((groups, width), wanted),
    )
    return xp.lax.while_loop(lambda state: (state[1] < width).any(), take_block, start)[2]
