"""FarmHash's fingerprint, SipHash and a Murmur hash of many strings at once, on 64-bit words.

Strings of one class of lengths are hashed together, from their words in memory (`words`), in blocks
that stay in the cache; of dictionary-encoded strings the distinct ones. `ops.strings.hash` has the
functions of single strings, which those beyond the classes are left to.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.kernels.strings.encoding import encoding_of
from tapeflow._src.kernels.strings.programs import (
    FEWEST,
    program_of,
    report_seconds,
    run_program,
    short_function,
)
from tapeflow._src.kernels.strings.words import (
    StringWords,
    TextWords,
    WordsOf,
    byte_sizes,
    read_words,
)

U64 = np.uint64
_K0 = U64(0xC3A5C85C97CB3127)
_K1 = U64(0xB492B66FBE98F273)
_K2 = U64(0x9AE16A3B2F90404F)
_Array = np.ndarray
# Strings of a block: its arrays of words stay in the cache.
_BLOCK = 8192
# Sip and Murmur take a step for each word: the longest strings that are worth vectorising.
_LONGEST = 256
_Single = Callable[[bytes], int]
_HashBlock = Callable[[StringWords, _Array], None]


def _remainders(hashes: _Array, count: int) -> _Array:
    """Return `hashes % count`: NumPy divides by a scalar faster than it takes remainders."""
    quotients = hashes // U64(count)
    quotients *= U64(count)
    return np.subtract(hashes, quotients, out=quotients)


def _remainder(xp: Any, hashes: Any, count: Any, inverse: Any) -> Any:
    """Return `hashes % count`, or the hashes themselves if both constants are zero.

    The `inverse` is that of `count` as a fraction of 64 bits, rounded down: its error times a hash
    is less than one, so that the quotient is at most one below the right one. The upper word of a
    product is the sum of those of its halves.
    """
    low, half = U64(0xFFFFFFFF), U64(32)
    a, b, c, d = hashes & low, hashes >> half, inverse & low, inverse >> half
    middle = a * d + (a * c >> half)
    upper = b * d + (middle >> half) + ((b * c + (middle & low)) >> half)
    rest = hashes - upper * count
    return xp.where(rest >= count, rest - count, rest)


def _constants(keys: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Return the constants of a program: four words of a key, and those of a divisor."""
    return (*keys, count, (2**64 - 1) // count if count else 0)


def _hash_all(array: Any, hash_block: _HashBlock, single: _Single, longest: int) -> _Array:
    """Hash the strings of a vector, block by block; those above `longest` bytes by `single`."""
    result = np.empty(len(array), U64)
    if type(array) is not np.ndarray:
        array.words.pair()  # once for all blocks, and for later calls
    for start in range(0, len(array), _BLOCK):
        strings, hashes = array, result
        if len(array) > _BLOCK:
            strings, hashes = (values[start : start + _BLOCK] for values in (array, result))
        read: StringWords = read_words(strings) or _joined(strings.tolist())
        hash_block(read, hashes)
        if int(read.sizes.max()) > longest:
            for index in np.flatnonzero(read.sizes > longest):
                hashes[index] = single(strings[index])
    return result


def _joined(texts: list[bytes]) -> TextWords:
    """Copy strings into one buffer, where memory cannot be read."""
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    return TextWords.of(b"".join(texts), np.cumsum(sizes) - sizes, sizes)


def _rotate(x: _Array, bits: int) -> _Array:
    return (x >> U64(bits)) | (x << U64(64 - bits))


def _shift_mix(x: _Array) -> _Array:
    return x ^ (x >> U64(47))


def _mix(u: _Array, v: _Array, factor: _Array) -> _Array:
    a = _shift_mix((u ^ v) * factor)
    return _shift_mix((v ^ a) * factor) * factor


# -- FarmHash ----------------------------------------------------------------------------------


def farm_fingerprints(array: Any, single: _Single, buckets: int = 0) -> _Array:
    """Return the fingerprints of the strings of a vector, or their remainders by `buckets`.

    Strings above 64 bytes are hashed by `single`.
    """
    return _hashed(FARM, array, _farm_block, single, _LIMITS[-1], buckets)


FARM, SIP, MURMUR = "farm", "sip", "murmur"
# The longest strings that compiled programs hash.
_SHORT = {FARM: 16, SIP: 15, MURMUR: 15}
_NO_KEYS = (0, 0, 0, 0)


def _hashed(
    kind: str,
    array: Any,
    hash_block: _HashBlock,
    single: _Single,
    longest: int,
    buckets: int,
    keys: tuple[int, ...] = _NO_KEYS,
) -> _Array:
    """Hash the strings of a vector; short ones by a compiled program, once there is one."""
    encoding = encoding_of(array)
    if encoding is not None:
        distinct = array[encoding.first]
        hashes = _hashed(kind, distinct, hash_block, single, longest, buckets, keys)
        return hashes.take(encoding.codes)

    def by_numpy(strings: Any) -> _Array:
        hashes = _hash_all(strings, hash_block, single, longest)
        return _remainders(hashes, buckets) if buckets else hashes

    if len(array) < FEWEST:
        return by_numpy(array)
    program = program_of(kind)
    if program is None:
        start = time.perf_counter()
        hashes = by_numpy(array)
        report_seconds(kind, time.perf_counter() - start)
        return hashes
    results = run_program(program, array, _constants(keys, buckets))
    if results is None:
        return by_numpy(array)
    packed = type(array) is not np.ndarray
    if packed and array.longest <= _SHORT[kind]:
        return results
    sizes = array.sizes if packed else byte_sizes(array)
    where = np.flatnonzero(sizes > _SHORT[kind])
    if where.size:
        results = results.copy()
        results[where] = by_numpy(array[where])
    return results


@short_function(FARM)
def _short_fingerprint(xp: Any, first: Any, second: Any, size: Any, constants: Any) -> Any:
    """Compute the fingerprints of strings of at most 16 bytes from their first two words.

    Of strings with one word, any other is the second.
    """
    byte, half = U64(0xFF), U64(0xFFFFFFFF)
    bits = size << U64(3)
    factor = _K2 + (size << U64(1))
    is_tiny, is_long = size < 4, size >= 8
    middle = first >> (bits >> U64(1) & U64(56)) & byte
    last = first >> (bits - U64(8) & U64(63)) & byte
    # A shift by all bits of a word is not defined everywhere.
    shift = bits & U64(63)
    end = xp.where(shift == 0, U64(0), second << (U64(64) - shift & U64(63))) | first >> shift
    end = xp.where(size == 16, second, end)
    a = first + _K2
    # Products of 64 bits are what takes time: tiny and long strings share them.
    u = xp.where(is_tiny, (first & byte) + (middle << U64(8)), _rotate(end, 37))
    v = xp.where(is_tiny, size + (last << U64(2)), _rotate(a, 25) + end)
    u = u * xp.where(is_tiny, _K2, factor)
    v = v * xp.where(is_tiny, _K0, factor)
    short_last = first >> (bits - U64(32) & U64(63)) & half
    is_short = ~(is_tiny | is_long)
    u = xp.where(is_short, size + ((first & half) << U64(3)), xp.where(is_long, u + a, u))
    v = xp.where(is_short, short_last, v)
    mixed = (v ^ _shift_mix((u ^ v) * factor)) * factor
    hashed = _shift_mix(xp.where(is_tiny, u ^ v, mixed)) * xp.where(is_tiny, _K2, factor)
    return _remainder(xp, xp.where(size == 0, _K2, hashed), *constants[4:])


def _farm_block(strings: StringWords, hashes: _Array) -> None:
    if int(strings.sizes.min()) >= 8 and int(strings.sizes.max()) <= 16:
        hashes[:] = _to_16(strings.all(), strings.sizes.view(U64))
        return
    classes = _CLASS_OF.take(strings.sizes, mode="clip")
    for number in np.flatnonzero(np.bincount(classes)).tolist():
        if number < len(_CLASSES):
            where = np.flatnonzero(classes == number)
            part = strings.part(where)
            hashes[where] = _CLASSES[number](part, part.sizes.view(U64))


def _empty(strings: WordsOf, size: _Array) -> _Array:
    return np.full(size.shape, _K2)


def _to_3(strings: WordsOf, size: _Array) -> _Array:
    word, byte = strings.word(0), U64(0xFF)
    middle = word >> (size >> U64(1) << U64(3)) & byte
    last = word >> (size - U64(1) << U64(3)) & byte
    y = (word & byte) + (middle << U64(8))
    z = size + (last << U64(2))
    return _shift_mix((y * _K2) ^ (z * _K0)) * _K2


def _to_7(strings: WordsOf, size: _Array) -> _Array:
    factor = _K2 + size * U64(2)
    word, half = strings.word(0), U64(0xFFFFFFFF)
    last = word >> (size - U64(4) << U64(3)) & half
    return _mix(size + ((word & half) << U64(3)), last, factor)


def _to_16(strings: WordsOf, size: _Array) -> _Array:
    factor = _K2 + size * U64(2)
    a = strings.word(0) + _K2
    b = strings.last(8)
    return _mix(_rotate(b, 37) * factor + a, (_rotate(a, 25) + b) * factor, factor)


def _to_32(strings: WordsOf, size: _Array) -> _Array:
    factor = _K2 + size * U64(2)
    a = strings.word(0) * _K1
    b = strings.word(1)
    c = strings.last(8) * factor
    d = strings.last(16) * _K2
    return _mix(_rotate(a + b, 43) + _rotate(c, 30) + d, a + _rotate(b + _K2, 18) + c, factor)


def _to_64(strings: WordsOf, size: _Array) -> _Array:
    factor = _K2 + size * U64(2)
    a = strings.word(0) * _K2
    b = strings.word(1)
    c = strings.last(8) * factor
    d = strings.last(16) * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d
    z = _mix(y, a + _rotate(b + _K2, 18) + c, factor)
    e = strings.word(2) * factor
    f = strings.word(3)
    g = (y + strings.last(32)) * factor
    h = (z + strings.last(24)) * factor
    return _mix(_rotate(e + f, 43) + _rotate(g, 30) + h, e + _rotate(f + a, 18) + g, factor)


_LIMITS = [0, 3, 7, 16, 32, 64]
_CLASSES = (_empty, _to_3, _to_7, _to_16, _to_32, _to_64)
# The class of each size; of all longer strings the last one.
_CLASS_OF = np.searchsorted(_LIMITS, np.arange(_LIMITS[-1] + 2))


# -- by words ----------------------------------------------------------------------------------


def _by_words(strings: StringWords) -> list[tuple[int, _Array]]:
    """Return positions by the number of whole words, of strings that are not too long."""
    whole = strings.sizes >> 3
    most = min(int(whole.max()), _LONGEST >> 3)
    if most == 0:
        return [(0, np.arange(len(whole)))]
    counts = ((count, np.flatnonzero(whole == count)) for count in range(most + 1))
    return [(count, where) for count, where in counts if where.size]


def _rest(strings: WordsOf, count: int) -> _Array:
    """Return the bytes behind `count` whole words, as a number."""
    bits = (strings.sizes.view(U64) & U64(7)) << U64(3)
    return strings.word(count) & ((U64(1) << bits) - U64(1))


# -- Murmur ------------------------------------------------------------------------------------

_MURMUR = U64(0xC6A4A7935BD1E995)
_MURMUR_SEED = U64(0xDECAFCAFFE)


def murmur_hashes(array: Any, single: _Single, buckets: int = 0) -> _Array:
    """Return the Murmur hashes of the strings of a vector, or their remainders by `buckets`."""
    return _hashed(MURMUR, array, _murmur_block, single, _LONGEST, buckets)


def _murmur_block(strings: StringWords, hashes: _Array) -> None:
    for count, where in _by_words(strings):
        part = strings.part(where)
        h = _MURMUR_SEED ^ (part.sizes.view(U64) * _MURMUR)
        for index in range(count):
            k = _shift_mix(part.word(index) * _MURMUR) * _MURMUR
            h = (h ^ k) * _MURMUR
        rest = (h ^ _rest(part, count)) * _MURMUR
        h = np.where(part.sizes & 7, rest, h)
        h = _shift_mix(h) * _MURMUR
        hashes[where] = _shift_mix(h)


@short_function(MURMUR)
def _short_murmur(xp: Any, first: Any, second: Any, size: Any, constants: Any) -> Any:
    """Compute the Murmur hashes of strings of at most 15 bytes from their first two words."""
    h = _MURMUR_SEED ^ (size * _MURMUR)
    two = size >= 8
    h = xp.where(two, (h ^ (_shift_mix(first * _MURMUR) * _MURMUR)) * _MURMUR, h)
    bits = (size & U64(7)) << U64(3)
    rest = xp.where(two, second, first) & ((U64(1) << bits) - U64(1))
    h = xp.where(bits == 0, h, (h ^ rest) * _MURMUR)
    return _remainder(xp, _shift_mix(_shift_mix(h) * _MURMUR), *constants[4:])


# -- SipHash -----------------------------------------------------------------------------------

_SIP_SEEDS = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def sip_hashes(array: Any, key0: int, key1: int, single: _Single, buckets: int = 0) -> _Array:
    """Return SipHash-2-4 of the strings of a vector, or the remainders by `buckets`."""
    keys = tuple(key ^ seed for key, seed in zip((key0, key1, key0, key1), _SIP_SEEDS))

    def hash_block(strings: StringWords, hashes: _Array) -> None:
        for count, where in _by_words(strings):
            part = strings.part(where)
            state = [np.full(len(where), key, U64) for key in keys]
            for index in range(count):
                _absorb(state, part.word(index))
            _absorb(state, _rest(part, count) | (part.sizes.view(U64) & U64(0xFF)) << U64(56))
            state[2] ^= U64(0xFF)
            for _ in range(4):
                _round(state)
            hashes[where] = state[0] ^ state[1] ^ state[2] ^ state[3]

    return _hashed(SIP, array, hash_block, single, _LONGEST, buckets, keys)


@short_function(SIP)
def _short_sip(xp: Any, first: Any, second: Any, size: Any, constants: Any) -> Any:
    """Compute SipHash-2-4 of strings of at most 15 bytes from their first two words."""
    two = size >= 8
    bits = (size & U64(7)) << U64(3)
    rest = xp.where(two, second, first) & ((U64(1) << bits) - U64(1)) | size << U64(56)
    state = [constants[index] | xp.zeros_like(first) for index in range(4)]
    full = _rounds((*state[:3], state[3] ^ first), 2)
    full = (full[0] ^ first, *full[1:])
    a, b, c, d = (xp.where(two, x, y) for x, y in zip(full, state))
    a, b, c, d = _rounds((a, b, c, d ^ rest), 2)
    a, b, c, d = _rounds((a ^ rest, b, c ^ U64(0xFF), d), 4)
    return _remainder(xp, a ^ b ^ c ^ d, *constants[4:])


def _rounds(state: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    a, b, c, d = state
    for _ in range(count):
        a = a + b
        b = _rotate(b, 64 - 13) ^ a
        a = _rotate(a, 32)
        c = c + d
        d = _rotate(d, 64 - 16) ^ c
        a = a + d
        d = _rotate(d, 64 - 21) ^ a
        c = c + b
        b = _rotate(b, 64 - 17) ^ c
        c = _rotate(c, 32)
    return a, b, c, d


def _absorb(state: list[_Array], word: _Array) -> None:
    state[3] ^= word
    _round(state)
    _round(state)
    state[0] ^= word


def _round(state: list[_Array]) -> None:
    a, b, c, d = state
    a += b
    b[:] = _rotate(b, 64 - 13) ^ a
    a[:] = _rotate(a, 32)
    c += d
    d[:] = _rotate(d, 64 - 16) ^ c
    a += d
    d[:] = _rotate(d, 64 - 21) ^ a
    c += b
    b[:] = _rotate(b, 64 - 17) ^ c
    c[:] = _rotate(c, 32)
