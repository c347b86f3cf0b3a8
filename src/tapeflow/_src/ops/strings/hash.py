"""Strings as numbers of buckets, by TensorFlow's three hash functions.

Buckets stand in trained models, so the functions must agree to the bit: FarmHash's fingerprint
(`Fast`), SipHash (`Strong`, with a key), and a Murmur hash (the oldest).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.backends.sip_hash import sip_hash as sip_hash_code
from tapeflow._src.core import dtypes
from tapeflow._src.core.infer import same_as
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import ELEMENTWISE, PACKS
from tapeflow._src.kernels.strings.hashing import (
    farm_fingerprints,
    murmur_hashes,
    sip_hashes,
)
from tapeflow._src.ops.strings.text import HOST, STRING

_MASK = 0xFFFFFFFFFFFFFFFF
# Below so many strings, one after the other is quicker than arrays (measured at about 40 and 60).
_FEW_STRINGS = 64


def _infer_buckets(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    if attrs["num_buckets"] < 1:
        raise InferError(
            f"Value for attr 'num_buckets' of {attrs['num_buckets']} must be at least minimum 1"
        )
    if "key" in attrs and len(attrs["key"]) != 2:
        raise InferError("Key must have 2 elements")
    return same_as(op.input_names[0], dtypes.int64)(op, specs, attrs)


def _buckets(array: np.ndarray, count: int, hashed: Callable[[bytes], int]) -> np.ndarray:
    flat = [hashed(text) % count for text in array.reshape(-1).tolist()]
    return np.array(flat, np.int64).reshape(array.shape)


@op(
    "StringToHashBucketFast",
    infer=_infer_buckets,
    dtypes=STRING,
    grad=None,
    host=HOST,
    checked=True,
    traits=(ELEMENTWISE, PACKS),
)
def string_to_hash_bucket_fast(xp, input, *, num_buckets):
    """Hash each string into a bucket with FarmHash's 64-bit fingerprint."""
    if input.size < _FEW_STRINGS:
        return _buckets(input, num_buckets, farm_fingerprint)
    hashes = farm_fingerprints(input.reshape(-1), farm_fingerprint, num_buckets)
    return hashes.view(np.int64).reshape(input.shape)


@op(
    "StringToHashBucketStrong",
    infer=_infer_buckets,
    dtypes=STRING,
    grad=None,
    host=HOST,
    checked=True,
    traits=(ELEMENTWISE, PACKS),
)
def string_to_hash_bucket_strong(xp, input, *, num_buckets, key):
    """Hash each string into a bucket with keyed SipHash, which resists forged collisions."""
    first, second = (int(part) & _MASK for part in key)

    code = sip_hash_code()

    def hashed(text: bytes) -> int:
        return code(text, len(text), first, second) if code else sip_hash(text, first, second)

    if input.size < _FEW_STRINGS:
        return _buckets(input, num_buckets, hashed)
    hashes = sip_hashes(input.reshape(-1), first, second, hashed, num_buckets)
    return hashes.view(np.int64).reshape(input.shape)


@op(
    "StringToHashBucket",
    infer=_infer_buckets,
    dtypes=STRING,
    grad=None,
    host=HOST,
    checked=True,
    traits=(ELEMENTWISE, PACKS),
)
def string_to_hash_bucket(xp, string_tensor, *, num_buckets):
    """Hash each string into a bucket with a Murmur hash."""
    if string_tensor.size < _FEW_STRINGS:
        return _buckets(string_tensor, num_buckets, murmur_hash)
    hashes = murmur_hashes(string_tensor.reshape(-1), murmur_hash, num_buckets)
    return hashes.view(np.int64).reshape(string_tensor.shape)


# The bodies read words, in the memory of objects or in the text of packed strings.
for _hash in (string_to_hash_bucket_fast, string_to_hash_bucket_strong, string_to_hash_bucket):
    _hash.kernel("packed")(_hash.body)


# -- Murmur ------------------------------------------------------------------------------------

_MURMUR = 0xC6A4A7935BD1E995
_MURMUR_SEED = 0xDECAFCAFFE


def murmur_hash(text: bytes) -> int:
    """Compute the 64-bit Murmur hash with TensorFlow's seed."""
    size = len(text)
    h = _MURMUR_SEED ^ (size * _MURMUR & _MASK)
    whole = size & ~7
    for i in range(0, whole, 8):
        k = int.from_bytes(text[i : i + 8], "little") * _MURMUR & _MASK
        k = (k ^ (k >> 47)) * _MURMUR & _MASK
        h = (h ^ k) * _MURMUR & _MASK
    if size > whole:
        h = (h ^ int.from_bytes(text[whole:], "little")) * _MURMUR & _MASK
    h = (h ^ (h >> 47)) * _MURMUR & _MASK
    return h ^ (h >> 47)


# -- SipHash -----------------------------------------------------------------------------------


def sip_hash(text: bytes, key0: int, key1: int) -> int:
    """Compute SipHash-2-4 of a string, where `backends.sip_hash` cannot run."""
    a, b = key0 ^ 0x736F6D6570736575, key1 ^ 0x646F72616E646F6D
    c, d = key0 ^ 0x6C7967656E657261, key1 ^ 0x7465646279746573
    whole = len(text) & ~7
    for i in range(0, whole, 8):
        word = int.from_bytes(text[i : i + 8], "little")
        a, b, c, d = _sip_rounds(a, b, c, d ^ word, _TWO)
        a ^= word
    last = int.from_bytes(text[whole:], "little") | (len(text) & 0xFF) << 56
    a, b, c, d = _sip_rounds(a, b, c, d ^ last, _TWO)
    a, b, c, d = _sip_rounds(a ^ last, b, c ^ 0xFF, d, _FOUR)
    return a ^ b ^ c ^ d


_TWO, _FOUR = range(2), range(4)


def _sip_rounds(
    a: int, b: int, c: int, d: int, rounds: range, mask: int = _MASK
) -> tuple[int, int, int, int]:
    # Rotations are written out: a call for each takes longer than they do. A number is doubled by
    # a multiplication, so that a rotation is a shift and a mask.
    for _ in rounds:
        a = (a + b) & mask
        b = ((b * _TWICE) >> 51) & mask ^ a
        c = (c + d) & mask
        d = ((d * _TWICE) >> 48) & mask ^ c
        a = ((a * _TWICE) >> 32 & mask) + d & mask
        d = ((d * _TWICE) >> 43) & mask ^ a
        c = (c + b) & mask
        b = ((b * _TWICE) >> 47) & mask ^ c
        c = ((c * _TWICE) >> 32) & mask
    return a, b, c, d


_TWICE = 1 << 64 | 1


def _rotate(x: int, bits: int) -> int:
    return ((x >> bits) | (x << (64 - bits))) & _MASK


# -- FarmHash ----------------------------------------------------------------------------------

_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F


def _word(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + 8], "little")


def _half(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + 4], "little")


def _shift_mix(x: int) -> int:
    return x ^ (x >> 47)


def _mix(u: int, v: int, factor: int) -> int:
    """Mix two 64-bit numbers into one."""
    a = _shift_mix((u ^ v) * factor & _MASK)
    b = _shift_mix((v ^ a) * factor & _MASK)
    return b * factor & _MASK


def farm_fingerprint(text: bytes) -> int:
    """Compute FarmHash's Fingerprint64."""
    size = len(text)
    if size <= 16:
        return _farm_to_16(text, size)
    if size <= 32:
        return _farm_to_32(text, size)
    if size <= 64:
        return _farm_to_64(text, size)
    return _farm_long(text, size)


def _farm_to_16(text: bytes, size: int) -> int:
    factor = (_K2 + size * 2) & _MASK
    if size >= 8:
        a = (_word(text, 0) + _K2) & _MASK
        b = _word(text, size - 8)
        c = (_rotate(b, 37) * factor + a) & _MASK
        d = (_rotate(a, 25) + b) * factor & _MASK
        return _mix(c, d, factor)
    if size >= 4:
        return _mix((size + (_half(text, 0) << 3)) & _MASK, _half(text, size - 4), factor)
    if size:
        y = text[0] + (text[size >> 1] << 8)
        z = size + (text[size - 1] << 2)
        return _shift_mix((y * _K2 & _MASK) ^ (z * _K0 & _MASK)) * _K2 & _MASK
    return _K2


def _farm_to_32(text: bytes, size: int) -> int:
    factor = (_K2 + size * 2) & _MASK
    a = _word(text, 0) * _K1 & _MASK
    b = _word(text, 8)
    c = _word(text, size - 8) * factor & _MASK
    d = _word(text, size - 16) * _K2 & _MASK
    first = (_rotate((a + b) & _MASK, 43) + _rotate(c, 30) + d) & _MASK
    return _mix(first, (a + _rotate((b + _K2) & _MASK, 18) + c) & _MASK, factor)


def _farm_to_64(text: bytes, size: int) -> int:
    factor = (_K2 + size * 2) & _MASK
    a = _word(text, 0) * _K2 & _MASK
    b = _word(text, 8)
    c = _word(text, size - 8) * factor & _MASK
    d = _word(text, size - 16) * _K2 & _MASK
    y = (_rotate((a + b) & _MASK, 43) + _rotate(c, 30) + d) & _MASK
    z = _mix(y, (a + _rotate((b + _K2) & _MASK, 18) + c) & _MASK, factor)
    e = _word(text, 16) * factor & _MASK
    f = _word(text, 24)
    g = (y + _word(text, size - 32)) * factor & _MASK
    h = (z + _word(text, size - 24)) * factor & _MASK
    first = (_rotate((e + f) & _MASK, 43) + _rotate(g, 30) + h) & _MASK
    return _mix(first, (e + _rotate((f + a) & _MASK, 18) + g) & _MASK, factor)


def _weak_32(text: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Advance two seeds by 32 bytes."""
    w, x, y, z = (_word(text, at + i) for i in (0, 8, 16, 24))
    a = (a + w) & _MASK
    b = _rotate((b + a + z) & _MASK, 21)
    c = a
    a = (a + x + y) & _MASK
    b = (b + _rotate(a, 44)) & _MASK
    return (a + z) & _MASK, (b + c) & _MASK


def _farm_long(text: bytes, size: int) -> int:
    seed = 81
    x, y = seed, (seed * _K1 + 113) & _MASK
    z = _shift_mix((y * _K2 + 113) & _MASK) * _K2 & _MASK
    v, w = (0, 0), (0, 0)
    x = (x * _K2 + _word(text, 0)) & _MASK
    end = (size - 1) // 64 * 64
    for at in range(0, end, 64):
        x = _rotate((x + y + v[0] + _word(text, at + 8)) & _MASK, 37) * _K1 & _MASK
        y = _rotate((y + v[1] + _word(text, at + 48)) & _MASK, 42) * _K1 & _MASK
        x ^= w[1]
        y = (y + v[0] + _word(text, at + 40)) & _MASK
        z = _rotate((z + w[0]) & _MASK, 33) * _K1 & _MASK
        v = _weak_32(text, at, v[1] * _K1 & _MASK, (x + w[0]) & _MASK)
        w = _weak_32(text, at + 32, (z + w[1]) & _MASK, (y + _word(text, at + 16)) & _MASK)
        z, x = x, z
    factor = (_K1 + ((z & 0xFF) << 1)) & _MASK
    at = size - 64
    w = ((w[0] + ((size - 1) & 63)) & _MASK, w[1])
    v = ((v[0] + w[0]) & _MASK, v[1])
    w = ((w[0] + v[0]) & _MASK, w[1])
    x = _rotate((x + y + v[0] + _word(text, at + 8)) & _MASK, 37) * factor & _MASK
    y = _rotate((y + v[1] + _word(text, at + 48)) & _MASK, 42) * factor & _MASK
    x ^= w[1] * 9 & _MASK
    y = (y + v[0] * 9 + _word(text, at + 40)) & _MASK
    z = _rotate((z + w[0]) & _MASK, 33) * factor & _MASK
    v = _weak_32(text, at, v[1] * factor & _MASK, (x + w[0]) & _MASK)
    w = _weak_32(text, at + 32, (z + w[1]) & _MASK, (y + _word(text, at + 16)) & _MASK)
    z, x = x, z
    first = (_mix(v[0], w[0], factor) + _shift_mix(y) * _K0 + z) & _MASK
    return _mix(first, (_mix(v[1], w[1], factor) + x) & _MASK, factor)
