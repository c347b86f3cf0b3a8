"""Ops on many strings at once agree with the same ops on one string at a time."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.executors.xla_strings import StringProgram
from tapeflow._src.kernels.strings import hashing, numbers, programs
from tapeflow._src.kernels.strings.numbers import parsed_by_program
from tapeflow._src.kernels.strings.packed import pack
from tapeflow._src.kernels.strings.words import BLOCKS
from tapeflow._src.ops.strings.hash import farm_fingerprint, murmur_hash, sip_hash

_RANDOM = np.random.default_rng(5)
_PROGRAMS = cache(StringProgram)


def texts_of(alphabet: list[bytes], count: int, longest: int) -> list[bytes]:
    sizes = _RANDOM.integers(0, longest, count)
    return [b"".join(_RANDOM.choice(alphabet, size).tolist()) for size in sizes]


# White space of ASCII and what only looks like it, punctuation, characters of two and more bytes,
# and bytes that are no UTF-8.
PIECES = [*(bytes([code]) for code in b"ab Z\n\t\r\x0b\x0c,.!\x1c"), b"\xc3\xa9", "字".encode()]
VALID = texts_of(PIECES, 120, 12)
BROKEN = texts_of([*PIECES, b"\xff", b"\x85", b"\xe5\xad"], 120, 12)


@pytest.mark.parametrize("texts", [VALID, BROKEN], ids=["valid", "broken"])
@pytest.mark.parametrize(
    "function",
    [
        lambda t: tf.strings.split(t),
        lambda t: tf.strings.split(t, ","),
        lambda t: tf.strings.split(t, sep=" ", maxsplit=1),
        lambda t: tf.strings.split(t, "ab"),
        lambda t: tf.strings.lower(t),
        lambda t: tf.strings.length(t),
        lambda t: tf.strings.regex_replace(t, "[,.!]", ""),
        lambda t: tf.strings.regex_replace(t, r"[,.!\s]", "_"),
        lambda t: tf.strings.regex_replace(t, "a|b", ""),
        lambda t: tf.strings.regex_replace(t, "[^ab]", ""),
        lambda t: tf.strings.regex_replace(t, "a+", "x"),
        lambda t: tf.strings.regex_replace(t, "ab", ""),
        lambda t: tf.strings.regex_replace(t, "[ab]", "", replace_global=False),
        lambda t: tf.strings.unicode_split(t, "UTF-8"),
        lambda t: tf.strings.unicode_decode(t, "UTF-8"),
        lambda t: tf.strings.to_hash_bucket_fast(t, 1000),
        lambda t: tf.strings.to_hash_bucket_strong(t, 1000, [3, 7]),
        lambda t: tf.strings.to_hash_bucket(t, 1000),
        lambda t: tf.strings.length(t, unit="UTF8_CHAR"),
        lambda t: tf.strings.upper(t),
        lambda t: tf.strings.lower(t, encoding="utf-8"),
        lambda t: tf.strings.strip(t),
        lambda t: tf.strings.substr(t, 0, 3),
        lambda t: tf.strings.substr(t, 0, -1),
        lambda t: tf.strings.substr(t, 0, 2, unit="UTF8_CHAR"),
        lambda t: tf.strings.join([t, t], "-"),
        lambda t: tf.strings.bytes_split(t),
        lambda t: tf.strings.unicode_transcode(t, "UTF-8", "UTF-16-BE"),
        lambda t: tf.strings.unicode_transcode(t, "UTF-8", "UTF-8", errors="ignore"),
        lambda t: tf.strings.unicode_decode_with_offsets(t, "UTF-8")[1],
        lambda t: tf.strings.regex_full_match(t, "a.*b|[^a]*"),
        lambda t: tf.strings.regex_replace(t, "(a)(b?)", r"\2-\1"),
        lambda t: tf.io.encode_base64(t),
        lambda t: tf.strings.ngrams(tf.strings.split(t), (1, 2, 3)),
    ],
)
def test_many_strings_as_one_at_a_time(function: Any, texts: list[bytes]) -> None:
    together = function(tf.constant(texts))
    for row, text in zip(together, texts, strict=True):
        alone = function(tf.constant([text]))[0]
        assert np.asarray(row).tolist() == np.asarray(alone).tolist(), text


@pytest.mark.parametrize("in_memory", [True, False])
def test_hashes_of_arrays_are_those_of_single_strings(
    monkeypatch: pytest.MonkeyPatch, in_memory: bool
) -> None:
    if not in_memory:
        monkeypatch.setattr(hashing, "read_words", lambda array: None)
    texts = np.empty(76, object)
    texts[:] = [_RANDOM.bytes(size) for size in [*range(70), 100, 129, 200, 255, 256, 300]]
    keys = 3, 2**63 + 5
    for hashed, single in (
        (hashing.farm_fingerprints, farm_fingerprint),
        (hashing.murmur_hashes, murmur_hash),
        (lambda array, one: hashing.sip_hashes(array, *keys, one), lambda x: sip_hash(x, *keys)),
    ):
        assert hashed(texts, single).tolist() == [single(text) for text in texts]


def test_compiled_hashes_are_those_of_single_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = np.empty(BLOCKS[-1] + 100, object)
    texts[:] = [_RANDOM.bytes(index % 20) for index in range(len(texts))]
    texts[-3:] = [_RANDOM.bytes(40), _RANDOM.bytes(65), b""]
    keys = 3, 2**63 + 5
    monkeypatch.setattr(programs, "_current", _PROGRAMS)
    for hashed, single in (
        (hashing.farm_fingerprints, farm_fingerprint),
        (hashing.murmur_hashes, murmur_hash),
        (
            lambda array, one, *buckets: hashing.sip_hashes(array, *keys, one, *buckets),
            lambda text: sip_hash(text, *keys),
        ),
    ):
        expected = [single(text) for text in texts[-500:]]
        # Strings in arrays and packed, few and many.
        for strings in (texts, pack(texts), texts[-1000:], pack(texts[-1000:])):
            assert hashed(strings, single)[-500:].tolist() == expected
            for count in (1, 7, 1000, 2**32 + 1, 2**62 + 3, 2**63 - 1):
                remainders = hashed(strings, single, count)[-500:].tolist()
                assert remainders == [number % count for number in expected]


def test_remainders_of_programs_are_exact_at_the_limits() -> None:
    counts = [1, 2, 3, 1000, 2**32 - 1, 2**32, 2**32 + 1, 2**62, 2**63 - 1]
    for count in counts:
        near = [
            count * factor + offset for factor in (0, 1, 2**64 // count) for offset in (-1, 0, 1)
        ]
        hashes = [number for number in (*near, 2**64 - 1, 2**63) if 0 <= number < 2**64]
        remainder, inverse = (np.uint64(value) for value in hashing._constants((), count))
        words = hashing._remainder(np, np.array(hashes, np.uint64), remainder, inverse)
        assert words.tolist() == [number % count for number in hashes]


def test_compiled_numbers_are_those_of_single_strings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_current", _PROGRAMS)
    whole = [b"0", b"-0", b"+7", b"007", b"-12345678901234", b"123456789012345", b"42"] * 100
    floats = [b".5", b"5.", b"-.25", b"0.1", b"-1234567.125", b"0.0000000000001", b"99999999999.99"]
    floats = floats * 100 + whole
    integers = tf.strings.to_number(tf.constant(whole), tf.int64).numpy()
    assert integers.tolist() == [int(text) for text in whole]
    numbers = tf.strings.to_number(tf.constant(floats), tf.float64).numpy()
    assert numbers.tobytes() == np.array([float(text) for text in floats]).tobytes()


@pytest.mark.parametrize(
    "text",
    [b"", b"-", b".", b"1.2.3", b"1-2", b"--1", b" ", b"\0", b"1\0", b"x", b"-.", b"1:", b"1/"],
)
def test_compiled_numbers_refuse_other_strings(
    monkeypatch: pytest.MonkeyPatch, text: bytes
) -> None:
    monkeypatch.setattr(programs, "_current", _PROGRAMS)
    strings = pack(np.array([b"1"] * 300 + [text], object))
    for fractions in (False, True):
        assert parsed_by_program(strings[:300], fractions) is not None
        assert parsed_by_program(strings, fractions) is None


def test_the_program_of_numbers_agrees_with_python_on_random_strings() -> None:
    letters = np.frombuffer(b"0123456789012345678901234567890123456789..+-x \0\xff/:", np.uint8)
    sizes = _RANDOM.integers(0, 16, 20_000)
    texts = [_RANDOM.choice(letters, size).tobytes() for size in sizes]
    texts += [_RANDOM.bytes(size) for size in sizes[:2000]]
    strings = pack(np.array(texts, object))
    no_number = numbers._NO_NUMBER
    for kind, dtype, read, plain in (
        (numbers.FLOAT, np.float64, float, rb"[+-]?(\d+\.?\d*|\.\d+)"),
        (numbers.INTEGER, np.int64, int, rb"[+-]?\d+"),
    ):
        results = programs.run_program(_PROGRAMS(kind), strings, (0,) * 6)
        for text, word in zip(texts, results):
            expected = dtype(read(text)) if re.fullmatch(plain, text) else no_number.view(dtype)
            assert word.tobytes() == expected.tobytes(), text


@pytest.mark.parametrize("dtype", ["int64", "int32", "float32", "string", "bool"])
def test_tables_return_what_was_put_in(dtype: str) -> None:
    keys = tf.constant([f"k{i}" for i in range(40)])
    values = tf.as_string(tf.range(40)) if dtype == "string" else tf.cast(tf.range(40) % 7, dtype)
    default = tf.zeros([], dtype) if dtype != "string" else tf.constant("none")
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), default)
    found = table.lookup(tf.concat([keys[::-1], ["absent"]], 0))
    assert found.dtype == values.dtype
    assert found.numpy().tolist() == [*values.numpy().tolist()[::-1], default.numpy()]


def test_lists_of_strings_of_all_shapes_convert() -> None:
    assert tf.constant(["é", b"\xff"]).numpy().tolist() == ["é".encode(), b"\xff"]
    assert tf.constant([["a"], ["b"]]).shape == (2, 1)
    assert tf.constant(np.array([["a", "bc"]])).numpy().tolist() == [[b"a", b"bc"]]
    with pytest.raises(ValueError, match="rectangular"):
        tf.constant([["a"], ["b", "c"]])
    with pytest.raises((TypeError, ValueError)):
        tf.constant(["a", 1])
