"""Plain decimal numbers in packed strings: reading and writing many of them together.

Eight digits are read as one word: neighbours are combined to numbers below 100, these to numbers
below 10,000, and so on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.kernels.strings.packed import PackedStrings, packed_rows

Array = np.ndarray[Any, Any]
_WORD = np.uint64
_DIGITS = _WORD(0x3030303030303030)
_LOW = _WORD(0x0101010101010101)
_HIGH = _WORD(0x8080808080808080)
_EIGHT = _WORD(8)
# The longest strings that are read: two words of digits.
_LONGEST = 16
_POWERS = np.array([10.0**exponent for exponent in range(_LONGEST + 1)])
# Strings that are parsed together: their arrays stay in the cache.
_BLOCK = 16384
# Numbers below are floats without rounding.
_EXACT = 2**53


def parsed(strings: PackedStrings, fractions: bool) -> Array | None:
    """Parse decimal numbers; None if one of them has another form, or too many digits.

    Returns:
        `int64`, or, where there may be `fractions`, the `float64` nearest to each number.
    """
    flat = strings.reshape(-1)
    numbers = np.empty(flat.size, np.float64 if fractions else np.int64)
    for start in range(0, flat.size, _BLOCK):
        block = _parsed(flat[start : start + _BLOCK], fractions)
        if block is None:
            return None
        numbers[start : start + _BLOCK] = block
    return numbers


def _parsed(strings: PackedStrings, fractions: bool) -> Array | None:
    starts, sizes = strings.starts, strings.sizes
    first = strings.data.take(starts, mode="clip")
    negative = first == ord("-")
    signed = negative | (first == ord("+"))
    if bool(signed.any()):
        starts, sizes = starts + signed, sizes - signed
    if int(sizes.min()) < 1 or int(sizes.max()) > _LONGEST:
        return None
    words = strings.words_at(starts)
    before = np.minimum(sizes, _first_dot(words))
    if int(sizes.max()) > 8:
        late = np.flatnonzero((before == 8) & (sizes > 8))
        dots = _first_dot(strings.words_at(starts[late] + 8))
        before[late] = np.minimum(sizes[late], dots + 8)
    behind = sizes - before - 1
    has_dots = bool((behind >= 0).any())
    if (has_dots and not fractions) or int(behind.max()) > 8:
        return None
    numbers = _digits(strings, starts, before, words)
    if numbers is None:
        return None
    if not fractions:
        return np.where(negative, -numbers, numbers)
    if has_dots:
        behind = np.maximum(behind, 0)
        if bool((before + behind < 1).any()):
            return None  # a dot without digits
        parts = _eight(strings.words_at(starts + before + 1), behind)
        if parts is None:
            return None
        scales = _POWERS.take(behind)
        # Both are whole numbers without rounding, so that the quotient is rounded once.
        whole = numbers * scales.astype(np.int64) + parts
        if int(whole.max()) >= _EXACT or int(numbers.max()) >= _EXACT:
            return None
        values = whole / scales
    elif int(numbers.max()) >= _EXACT:
        return None
    else:
        values = numbers.astype(np.float64)
    return np.where(negative, -values, values)


def _first_dot(words: Array) -> Array:
    """Return the index of the first dot among the eight bytes of words, or 8."""
    other = words ^ _WORD(0x2E2E2E2E2E2E2E2E)
    # The lowest byte that is zero has its upper bit set, and no lower one has.
    zeros = (other - _LOW) & ~other & _HIGH
    return (np.bitwise_count((zeros & (~zeros + _WORD(1))) - _WORD(1)) >> 3).astype(np.int64)


def _digits(strings: PackedStrings, starts: Array, counts: Array, words: Array) -> Array | None:
    """Return the numbers of up to 16 digits each; None if there are other characters."""
    if int(counts.max()) <= 8:
        return _eight(words, counts)
    # The last eight digits, and those before them.
    heads = np.maximum(counts - 8, 0)
    tail = _eight(strings.words_at(starts + heads), np.minimum(counts, 8))
    head = _eight(words, heads)
    return None if tail is None or head is None else head * 10**8 + tail


def _eight(words: Array, counts: Array) -> Array | None:
    """Return the numbers of the first `counts` digits of words; None if some are no digits."""
    # Zeros before the digits: the first digit is in the lowest byte. A shift by all bits is zero.
    shifts = (_EIGHT - counts.view(_WORD)) << _WORD(3)
    digits = (words ^ _DIGITS) << shifts
    # No digit is above 9: adding 118 sets its upper bit.
    if bool(((digits | (digits + _WORD(0x7676767676767676))) & _HIGH).any()):
        return None
    digits = (digits * _WORD(2561)) >> _EIGHT & _WORD(0x00FF00FF00FF00FF)
    digits = (digits * _WORD(6553601)) >> _WORD(16) & _WORD(0x0000FFFF0000FFFF)
    return ((digits * _WORD(42949672960001)) >> _WORD(32)).view(np.int64)


def written(numbers: Array) -> PackedStrings:
    """Return integers as decimal numbers."""
    flat = numbers.reshape(-1)
    negative = flat < 0
    values = flat.astype(_WORD)
    if bool(negative.any()):
        values = np.where(negative, ~values + _WORD(1), values)
    limit = int(values.max())
    if limit < 2**32:
        values = values.astype(np.uint32)
    width = len(str(limit)) + 1
    # Digits in the columns of a matrix, the last one to the right.
    rows = np.empty((len(flat), width), np.uint8)
    sizes = np.ones(len(flat), np.int64)
    kind = values.dtype.type
    for column in range(width - 1, 0, -1):
        rest = values // kind(10)
        rows[:, column] = values - rest * kind(10)
        values = rest
        if column > 1:
            sizes += values > 0
    rows += np.uint8(ord("0"))
    if bool(negative.any()):
        where = np.flatnonzero(negative)
        rows[where, width - sizes[where] - 1] = ord("-")
        sizes += negative
    return packed_rows(rows, sizes, numbers.shape)
