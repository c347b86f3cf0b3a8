"""FarmHash's fingerprint and SipHash of many strings at once, on arrays of 64-bit words.

The strings lie in one buffer, of which a view of overlapping words has eight bytes from every
position. Strings of one class of lengths are hashed together; `strings_hash` has the functions of
single strings, which those beyond the classes are left to.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

U64 = np.uint64
_K0 = U64(0xC3A5C85C97CB3127)
_K1 = U64(0xB492B66FBE98F273)
_K2 = U64(0x9AE16A3B2F90404F)
_Array = np.ndarray
# SipHash takes a step for each word: the longest strings that are worth vectorising.
LONGEST_SIP = 256


class _Buffer:
    """Concatenated strings, with words of eight, four and one bytes from any position."""

    def __init__(self, texts: list[bytes]) -> None:
        self.sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        self.starts = np.cumsum(self.sizes) - self.sizes
        whole = b"".join([*texts, b"\0" * 8])
        self.words = np.ndarray((len(whole) - 7,), "<u8", whole, strides=(1,))
        self.halves = np.ndarray((len(whole) - 7,), "<u4", whole, strides=(1,))
        self.bytes = np.frombuffer(whole, np.uint8)

    def word(self, at: _Array) -> _Array:
        return self.words[at].astype(U64, copy=False)

    def half(self, at: _Array) -> _Array:
        return self.halves[at].astype(U64)

    def byte(self, at: _Array) -> _Array:
        return self.bytes[at].astype(U64)


def _rotate(x: _Array, bits: int) -> _Array:
    return (x >> U64(bits)) | (x << U64(64 - bits))


def _shift_mix(x: _Array) -> _Array:
    return x ^ (x >> U64(47))


def _mix(u: _Array, v: _Array, factor: _Array) -> _Array:
    a = _shift_mix((u ^ v) * factor)
    return _shift_mix((v ^ a) * factor) * factor


# -- FarmHash ----------------------------------------------------------------------------------


def farm_fingerprints(texts: list[bytes], single: Callable[[bytes], int]) -> _Array:
    """Return the fingerprints of strings; those of more than 64 bytes by `single`."""
    buffer = _Buffer(texts)
    result = np.empty(len(texts), U64)
    classes = np.searchsorted(_LIMITS, buffer.sizes)
    for number, hashed in enumerate(_CLASSES):
        where = np.flatnonzero(classes == number)
        if where.size:
            sizes = buffer.sizes[where]
            result[where] = hashed(buffer, buffer.starts[where], sizes, sizes.astype(U64))
    for index in np.flatnonzero(classes == len(_CLASSES)):
        result[index] = single(texts[index])
    return result


def _empty(buffer: _Buffer, at: _Array, sizes: _Array, count: _Array) -> _Array:
    return np.full(at.shape, _K2)


def _to_3(buffer: _Buffer, at: _Array, sizes: _Array, count: _Array) -> _Array:
    y = buffer.byte(at) + (buffer.byte(at + (sizes >> 1)) << U64(8))
    z = count + (buffer.byte(at + sizes - 1) << U64(2))
    return _shift_mix((y * _K2) ^ (z * _K0)) * _K2


def _to_7(buffer: _Buffer, at: _Array, sizes: _Array, count: _Array) -> _Array:
    factor = _K2 + count * U64(2)
    return _mix(count + (buffer.half(at) << U64(3)), buffer.half(at + sizes - 4), factor)


def _to_16(buffer: _Buffer, at: _Array, sizes: _Array, count: _Array) -> _Array:
    factor = _K2 + count * U64(2)
    a = buffer.word(at) + _K2
    b = buffer.word(at + sizes - 8)
    return _mix(_rotate(b, 37) * factor + a, (_rotate(a, 25) + b) * factor, factor)


def _to_32(buffer: _Buffer, at: _Array, sizes: _Array, count: _Array) -> _Array:
    factor = _K2 + count * U64(2)
    a = buffer.word(at) * _K1
    b = buffer.word(at + 8)
    c = buffer.word(at + sizes - 8) * factor
    d = buffer.word(at + sizes - 16) * _K2
    return _mix(_rotate(a + b, 43) + _rotate(c, 30) + d, a + _rotate(b + _K2, 18) + c, factor)


def _to_64(buffer: _Buffer, at: _Array, sizes: _Array, count: _Array) -> _Array:
    factor = _K2 + count * U64(2)
    end = at + sizes
    a = buffer.word(at) * _K2
    b = buffer.word(at + 8)
    c = buffer.word(end - 8) * factor
    d = buffer.word(end - 16) * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d
    z = _mix(y, a + _rotate(b + _K2, 18) + c, factor)
    e = buffer.word(at + 16) * factor
    f = buffer.word(at + 24)
    g = (y + buffer.word(end - 32)) * factor
    h = (z + buffer.word(end - 24)) * factor
    return _mix(_rotate(e + f, 43) + _rotate(g, 30) + h, e + _rotate(f + a, 18) + g, factor)


_LIMITS = [0, 3, 7, 16, 32, 64]
_CLASSES = (_empty, _to_3, _to_7, _to_16, _to_32, _to_64)


# -- SipHash -----------------------------------------------------------------------------------


def sip_hashes(texts: list[bytes], key0: int, key1: int) -> _Array:
    """Return SipHash-2-4 of strings of at most `LONGEST_SIP` bytes."""
    buffer = _Buffer(texts)
    whole = buffer.sizes >> 3
    # The longest first: those with a word left are then at the front.
    order = np.argsort(-whole, kind="stable")
    counts, at, sizes = whole[order], buffer.starts[order], buffer.sizes[order]
    seeds = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)
    keys = (key0, key1, key0, key1)
    state = [np.full(len(texts), key ^ seed, U64) for key, seed in zip(keys, seeds)]
    for step in range(int(counts.max(initial=0))):
        active = int(np.searchsorted(-counts, -step))
        _absorb([part[:active] for part in state], buffer.word(at[:active] + 8 * step))
    rest = sizes & 7
    bits = (U64(1) << (rest * 8).astype(U64)) - U64(1)
    last = buffer.word(at + 8 * counts) & bits
    _absorb(state, last | (sizes & 0xFF).astype(U64) << U64(56))
    state[2] ^= U64(0xFF)
    for _ in range(4):
        _round(state)
    result = np.empty(len(texts), U64)
    result[order] = state[0] ^ state[1] ^ state[2] ^ state[3]
    return result


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
