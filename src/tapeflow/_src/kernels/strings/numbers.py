"""Plain decimal numbers in packed strings: reading and writing many of them together.

Eight digits are read as one word: neighbours are combined to numbers below 100, these to numbers
below 10,000, and so on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.kernels.strings.packed import PackedStrings, packed_rows
from tapeflow._src.kernels.strings.programs import (
    program_of,
    report_seconds,
    run_program,
    short_function,
)

Array = np.ndarray[Any, Any]
_WORD = np.uint64
_DIGITS = _WORD(0x3030303030303030)
_LOW = _WORD(0x0101010101010101)
_HIGH = _WORD(0x8080808080808080)
_DOTS = _WORD(0x2E2E2E2E2E2E2E2E)
_EIGHT = _WORD(8)
# The longest strings that are read: two words of digits.
_LONGEST = 16
_POWERS = np.array([10.0**exponent for exponent in range(_LONGEST + 1)])
# Strings that are parsed together: their arrays stay in the cache.
_BLOCK = 16384
# Numbers below are floats without rounding.
_EXACT = 2**53

# -- reading short ones by a program -----------------------------------------------------------

FLOAT, INTEGER = "float", "integer"
# The longest strings of which a program reads all bytes.
_SHORT = 15
# The result for a string that is no plain number: a NaN, and an integer of more digits.
_NO_NUMBER = _WORD(0xFFF0FFFFFFFFFFFF)
_NO_CONSTANTS = (0, 0, 0, 0, 0, 0)
# What a number takes without a program, measured.
_SECONDS_EACH = 2e-7


def parsed_by_program(strings: PackedStrings, fractions: bool) -> Array | None:
    """Like `parsed`, for short strings, once there is a compiled program; else None."""
    if strings.longest > _SHORT:
        return None
    kind = FLOAT if fractions else INTEGER
    program = program_of(kind)
    if program is None:
        report_seconds(kind, strings.size * _SECONDS_EACH)
        return None
    results = run_program(program, strings, _NO_CONSTANTS)
    if results is None or bool((results == _NO_NUMBER).any()):
        return None
    return results.view(np.float64 if fractions else np.int64)


def _read_digits(xp: Any, words: tuple[Any, Any], size: Any) -> tuple[Any, Any, Any, Any]:
    """Read strings of a sign and digits, among which there may be a dot.

    Returns:
        Whether there is a minus, the digits as a number, how many bytes the dot and the digits
        behind it are, and whether that is all.
    """
    size = xp.minimum(size, _WORD(_SHORT))
    beyond = xp.where(size > _EIGHT, size - _EIGHT, _WORD(0))
    low, high = words[0] & _low_bytes(xp, size), words[1] & _low_bytes(xp, beyond)
    letter = low & _WORD(0xFF)
    negative = letter == ord("-")
    signed = negative | (letter == ord("+"))
    low, high = (xp.where(signed, x, y) for x, y in zip(_next_bytes(low, high), (low, high)))
    # The bytes behind the dot move to where it is.
    dots = _zero_bytes(low ^ _DOTS), _zero_bytes(high ^ _DOTS)
    before = _below(dots[0]), xp.where(dots[0] == 0, _below(dots[1]), _WORD(0))
    has_dot = (dots[0] | dots[1]) != 0
    low, high = (
        stays & mask | moved & ~mask
        for stays, moved, mask in zip((low, high), _next_bytes(low, high), before)
    )
    size = size - xp.where(signed, _WORD(1), _WORD(0))
    digits = size - xp.where(has_dot, _WORD(1), _WORD(0))
    bits = xp.bitwise_count(before[0]).astype(_WORD) + xp.bitwise_count(before[1]).astype(_WORD)
    tail = xp.where(has_dot, size - (bits >> _WORD(3)), _WORD(0))
    valid = (digits - _WORD(1)) < _SHORT  # at least one
    # Zeros before the digits, to 16 in all.
    shift = (_WORD(_LONGEST) - digits & _WORD(15)) << _WORD(3)
    part = shift & _WORD(63)
    low, high = (
        low ^ (_DIGITS & _low_bytes(xp, digits)),
        high ^ (_DIGITS & _low_bytes(xp, xp.where(digits > _EIGHT, digits - _EIGHT, _WORD(0)))),
    )
    carried = xp.where(part == 0, _WORD(0), low >> (_WORD(64) - part & _WORD(63)))
    is_short = shift >= _WORD(64)
    high = xp.where(is_short, low << part, high << part | carried)
    low = xp.where(is_short, _WORD(0), low << part)
    valid = valid & ((_no_digits(low) | _no_digits(high)) == 0)
    return negative, _number(low) * _WORD(10**8) + _number(high), tail, valid


def _low_bytes(xp: Any, count: Any) -> Any:
    """Return words whose first bytes, `count` of them, are all ones."""
    some = (_WORD(1) << (count << _WORD(3) & _WORD(63))) - _WORD(1)
    return xp.where(count >= _EIGHT, ~_WORD(0), some)


def _next_bytes(low: Any, high: Any) -> tuple[Any, Any]:
    """Return pairs of words from their second byte on."""
    return low >> _EIGHT | high << _WORD(56), high >> _EIGHT


def _below(marks: Any) -> Any:
    """Return all bits of the bytes before the first one whose upper bit is set."""
    first = marks & (~marks + _WORD(1))
    # Of no mark, all bits.
    return (first >> _WORD(7)) - _WORD(1)


@short_function(INTEGER)
def _short_integer(xp: Any, first: Any, second: Any, size: Any, constants: Any) -> Any:
    """Return the integers that strings of at most 15 bytes show, as words."""
    negative, number, behind, valid = _read_digits(xp, (first, second), size)
    signed = xp.where(negative, ~number + _WORD(1), number)
    return xp.where(valid & (behind == 0), signed, _NO_NUMBER)


@short_function(FLOAT)
def _short_float(xp: Any, first: Any, second: Any, size: Any, constants: Any) -> Any:
    """Return the bits of the `float64` nearest to what strings of at most 15 bytes show."""
    negative, number, behind, valid = _read_digits(xp, (first, second), size)
    exponent = xp.where(behind > 0, behind - _WORD(1), behind)
    # Both are whole numbers without rounding, so that the quotient is rounded once.
    value = number.astype(np.float64) / _power_of_ten(xp, exponent)
    bits = value.view(np.uint64) | xp.where(negative, _WORD(1 << 63), _WORD(0))
    return xp.where(valid, bits, _NO_NUMBER)


def _power_of_ten(xp: Any, exponent: Any) -> Any:
    """Return powers below 10**16, of which each product is a whole number without rounding."""
    power: Any = 1.0
    for bit in range(4):
        is_set = (exponent >> _WORD(bit) & _WORD(1)) != 0
        power = power * xp.where(is_set, 10.0 ** (1 << bit), 1.0)
    return power


# -- reading by NumPy --------------------------------------------------------------------------


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
    zeros = _zero_bytes(words ^ _DOTS)
    return (np.bitwise_count((zeros & (~zeros + _WORD(1))) - _WORD(1)) >> 3).astype(np.int64)


def _zero_bytes(words: Any) -> Any:
    """Mark the lowest byte that is zero by its upper bit, and no lower one."""
    return (words - _LOW) & ~words & _HIGH


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
    if bool(_no_digits(digits).any()):
        return None
    return _number(digits).view(np.int64)


def _no_digits(digits: Any) -> Any:
    """Mark the bytes of words that are no digits: adding 118 sets the upper bit of those above 9.

    A carry out of such a byte may mark the next one too.
    """
    return (digits | (digits + _WORD(0x7676767676767676))) & _HIGH


def _number(digits: Any) -> Any:
    """Return the numbers of eight digits, each a byte, the first of which is the lowest."""
    digits = (digits * _WORD(2561)) >> _EIGHT & _WORD(0x00FF00FF00FF00FF)
    digits = (digits * _WORD(6553601)) >> _WORD(16) & _WORD(0x0000FFFF0000FFFF)
    return (digits * _WORD(42949672960001)) >> _WORD(32)


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
