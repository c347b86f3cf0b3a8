"""FarmHash's fingerprint, SipHash and a Murmur hash of many strings at once, on 64-bit words.

Strings of one class of lengths are hashed together, from their words in memory (`words`), in blocks
that stay in the cache; of dictionary-encoded strings the distinct ones. `ops.strings.hash` has the
functions of single strings, which those beyond the classes are left to.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.backends.memory import aligned_empty
from tapeflow._src.backends.threads import for_each
from tapeflow._src.kernels.strings.encoding import encoding_of
from tapeflow._src.kernels.strings.words import (
    ObjectWords,
    StringWords,
    TextWords,
    WordsOf,
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
_HashBlock = Callable[[Any, _Array], None]


def buckets(hashes: _Array, count: int) -> _Array:
    """Return `hashes % count` as `int64`: NumPy divides by a scalar faster than it takes rests."""
    quotients = hashes // U64(count)
    quotients *= U64(count)
    return (hashes - quotients).view(np.int64)


def _hash_all(
    array: Any, hash_block: _HashBlock, single: _Single, longest: int, block: int = _BLOCK
) -> _Array:
    """Hash the strings of a vector, block by block; those above `longest` bytes by `single`."""
    encoding = encoding_of(array)
    if encoding is not None:
        return _hash_all(array[encoding.first], hash_block, single, longest).take(encoding.codes)
    result = np.empty(len(array), U64)
    if type(array) is not np.ndarray:
        array.words.pair()  # once for all blocks, and for later calls

    def hash_from(start: int) -> None:
        strings, hashes = array, result
        if len(array) > block:
            strings, hashes = (values[start : start + block] for values in (array, result))
        read: StringWords = read_words(strings) or _joined(strings.tolist())
        hash_block(read, hashes)
        if int(read.sizes.max()) > longest:
            for index in np.flatnonzero(read.sizes > longest):
                hashes[index] = single(strings[index])

    starts = range(0, len(array), block)
    if block != COMPILED_BLOCKS[-1] or len(starts) == 1:
        # Passes of NumPy over a block are too short for threads.
        for start in starts:
            hash_from(start)
    else:
        for_each(hash_from, starts)
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


def farm_fingerprints(array: Any, single: _Single) -> _Array:
    """Return the fingerprints of the strings of a vector; those above 64 bytes by `single`."""
    return _hashed(FARM, array, _farm_block, single, _LIMITS[-1])


FARM, SIP = "farm", "sip"
# The longest strings that compiled programs hash.
_SHORT = {FARM: 16, SIP: 15}
COMPILED_BLOCKS = (1024, 16384)
"""Strings that a compiled program hashes in one call."""
_NO_KEYS = np.zeros(4, U64)


def _no_program(kind: str) -> Any:
    return None


def _not_counted(kind: str, seconds: float) -> None:
    pass


# The compiled program of a kind of hash, if there is one, and who counts the seconds without it.
_compiled: Callable[[str], Any] = _no_program
_spent: Callable[[str, float], None] = _not_counted


def register_programs(current: Callable[[str], Any], spent: Callable[[str, float], None]) -> None:
    """Register compiled forms of `SHORT_HASHES`, for blocks of so many strings."""
    global _compiled, _spent
    _compiled, _spent = current, spent


def _hashed(
    kind: str,
    array: Any,
    hash_block: Callable[..., None],
    single: _Single,
    longest: int,
    keys: _Array = _NO_KEYS,
) -> _Array:
    """Hash the strings of a vector by a compiled program, once there is one."""
    small, large = COMPILED_BLOCKS
    if len(array) < small // 4 or encoding_of(array) is not None:
        return _hash_all(array, hash_block, single, longest)
    program = _compiled(kind)
    if program is not None:
        block = large if len(array) > 4 * small else small
        by_program = _compiled_block(kind, program, block, hash_block, keys)
        return _hash_all(array, by_program, single, longest, block)
    start = time.perf_counter()
    hashes = _hash_all(array, hash_block, single, longest)
    _spent(kind, time.perf_counter() - start)
    return hashes


def _compiled_block(
    kind: str, program: Any, block: int, hash_block: Callable[..., None], keys: _Array
) -> _HashBlock:
    """Return a function that hashes short strings of a block by a program, others by NumPy."""
    short = _SHORT[kind]

    def hash_short(strings: ObjectWords | TextWords, hashes: _Array) -> None:
        count = len(hashes)
        inputs = getattr(_scratch, str(block), None)
        if inputs is None:
            inputs = aligned_empty((3, block), U64)
            setattr(_scratch, str(block), inputs)
        inputs[:, count:] = 0
        inputs[0, :count], inputs[1, :count] = strings.pair()
        inputs[2, :count] = strings.sizes
        hashes[:] = program(inputs, keys)[:count]
        if int(strings.sizes.max()) > short:
            hash_block(strings, hashes, above=short)

    return hash_short


# Of one thread: memory that is touched for the first time costs as much as the hashes.
_scratch = threading.local()


def _short_fingerprint(xp: Any, first: Any, second: Any, size: Any, keys: Any) -> Any:
    """Compute the fingerprints of strings of at most 16 bytes from their first two words.

    Of strings with one word, any other is the second.
    """
    byte, half = U64(0xFF), U64(0xFFFFFFFF)
    factor = _K2 + size * U64(2)
    bits = size << U64(3)
    middle = first >> (size >> U64(1) << U64(3)) & byte
    last = first >> (bits - U64(8)) & byte
    y = (first & byte) + (middle << U64(8))
    tiny = _shift_mix((y * _K2) ^ ((size + (last << U64(2))) * _K0)) * _K2
    # A shift by all bits of a word is not defined everywhere.
    shift = bits - U64(64) & U64(63)
    end = xp.where(shift == 0, U64(0), second << (U64(64) - shift & U64(63))) | first >> shift
    end = xp.where(size == 16, second, end)
    a = first + _K2
    is_long = size >= 8
    u = xp.where(is_long, _rotate(end, 37) * factor + a, size + ((first & half) << U64(3)))
    short_last = first >> (bits - U64(32) & U64(63)) & half
    v = xp.where(is_long, (_rotate(a, 25) + end) * factor, short_last)
    hashed = xp.where(size >= 4, _mix(u, v, factor), tiny)
    return xp.where(size == 0, _K2, hashed)


def _farm_block(strings: StringWords, hashes: _Array, above: int = -1) -> None:
    if int(strings.sizes.min()) >= 8 and int(strings.sizes.max()) <= 16:
        hashes[:] = _to_16(strings.all(), strings.sizes.view(U64))
        return
    classes = _CLASS_OF.take(strings.sizes, mode="clip")
    for number in np.flatnonzero(np.bincount(classes)).tolist():
        if number < len(_CLASSES) and _LIMITS[number] > above:
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


def murmur_hashes(array: Any, single: _Single) -> _Array:
    """Return the Murmur hashes of the strings of a vector."""
    return _hash_all(array, _murmur_block, single, _LONGEST)


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


# -- SipHash -----------------------------------------------------------------------------------

_SIP_SEEDS = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def sip_hashes(array: Any, key0: int, key1: int, single: _Single) -> _Array:
    """Return SipHash-2-4 of the strings of a vector."""
    keys = np.array([key0, key1, key0, key1], U64) ^ np.array(_SIP_SEEDS, U64)

    def hash_block(strings: StringWords, hashes: _Array, above: int = -1) -> None:
        for count, where in _by_words(strings):
            if 8 * count + 7 <= above:
                continue
            part = strings.part(where)
            state = [np.full(len(where), key, U64) for key in keys]
            for index in range(count):
                _absorb(state, part.word(index))
            _absorb(state, _rest(part, count) | (part.sizes.view(U64) & U64(0xFF)) << U64(56))
            state[2] ^= U64(0xFF)
            for _ in range(4):
                _round(state)
            hashes[where] = state[0] ^ state[1] ^ state[2] ^ state[3]

    return _hashed(SIP, array, hash_block, single, _LONGEST, keys)


def _short_sip(xp: Any, first: Any, second: Any, size: Any, keys: Any) -> Any:
    """Compute SipHash-2-4 of strings of at most 15 bytes from their first two words."""
    two = size >= 8
    bits = (size & U64(7)) << U64(3)
    rest = xp.where(two, second, first) & ((U64(1) << bits) - U64(1)) | size << U64(56)
    state = [keys[index] | xp.zeros_like(first) for index in range(4)]
    full = _rounds((*state[:3], state[3] ^ first), 2)
    full = (full[0] ^ first, *full[1:])
    a, b, c, d = (xp.where(two, x, y) for x, y in zip(full, state))
    a, b, c, d = _rounds((a, b, c, d ^ rest), 2)
    a, b, c, d = _rounds((a ^ rest, b, c ^ U64(0xFF), d), 4)
    return a ^ b ^ c ^ d


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


SHORT_HASHES: dict[str, Callable[..., Any]] = {FARM: _short_fingerprint, SIP: _short_sip}
"""Hashes of short strings from their first two words, their sizes and four words of a key."""


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
