"""Packed strings: every op returns for them what it returns for arrays of objects."""

from __future__ import annotations

import copy
import pickle
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.eager import mode, packed_tensor
from tapeflow._src.eager.packed_tensor import PackedTensor
from tapeflow._src.kernels.codecs.re2 import compiled
from tapeflow._src.kernels.strings import base64
from tapeflow._src.kernels.strings.automaton import automaton
from tapeflow._src.kernels.strings.numbers import parsed
from tapeflow._src.kernels.strings.packed import MANY, PackedStrings, concatenated, pack

COUNT = 2 * MANY


def random_strings(count: int = COUNT, longest: int = 20, high: int = 256) -> list[bytes]:
    """Return strings of any bytes: empty ones, NULs, invalid UTF-8, white space at the ends."""
    random = np.random.default_rng(count)
    sizes = random.integers(0, longest, count)
    strings = [bytes(random.integers(0, high, size).astype(np.uint8)) for size in sizes]
    strings[:5] = [b"", b" \t ", b"\0\0", b"  two words ", b"long " * 40]
    strings[5:9] = [b"exactly8", b"exactly 16 bytes", "naïve £5 🎉".encode(), b"\xff\xfe"]
    return strings


def values_of(result: Any) -> Any:
    """Return the values of tensors, ragged tensors and structures of them."""
    if isinstance(result, (list, tuple)):
        return [values_of(each) for each in result]
    if isinstance(result, tf.RaggedTensor):
        return result.to_list()
    return result.dtype.name, np.asarray(result).tolist()


CALLS: dict[str, Callable[[Any], Any]] = {
    "length": tf.strings.length,
    "length of characters": lambda s: tf.strings.length(s, "UTF8_CHAR"),
    "lower": tf.strings.lower,
    "lower as UTF-8": lambda s: tf.strings.lower(s, "utf-8"),
    "upper": tf.strings.upper,
    "upper of parts": lambda s: tf.strings.upper(tf.strings.strip(s)[::-3]),
    "strip": tf.strings.strip,
    "substr": lambda s: tf.strings.substr(s, 0, 3),
    "substr of each": lambda s: tf.strings.substr(s, -tf.strings.length(s) // 2, [4] * s.shape[0]),
    "substr to the end": lambda s: tf.strings.substr(s, 0, -1),
    "join": lambda s: tf.strings.join([s, "<>", tf.strings.lower(s), s], "--"),
    "join without separator": lambda s: tf.strings.join([s, s]),
    "reduce_join": tf.strings.reduce_join,
    "reduce_join with separator": lambda s: tf.strings.reduce_join(s, separator=","),
    "reduce_join with keepdims": lambda s: tf.strings.reduce_join(s, 0, True, separator=", "),
    "hash fast": lambda s: tf.strings.to_hash_bucket_fast(s, 1000),
    "hash strong": lambda s: tf.strings.to_hash_bucket_strong(s, 1000, [7, 8]),
    "hash": lambda s: tf.strings.to_hash_bucket(s, 1000),
    "equal": lambda s: tf.equal(s, tf.strings.strip(s)),
    "equal to one": lambda s: [s == b"exactly 16 bytes", s == "", s == s[4], s[9] != s],
    "equal by rows": lambda s: s[:4, None] == s,
    "unique": lambda s: tf.unique(tf.concat([s, s[::2]], 0)),
    "unique of short ones": lambda s: tf.unique(tf.strings.substr(s[4:], 0, 1)),
    "gather": lambda s: tf.gather(s, np.arange(COUNT)[::-1] // 2),
    "gather of few": lambda s: tf.gather(s, [3, 1]),
    "concat": lambda s: tf.concat([s, ["one"], tf.strings.upper(s)], 0),
    "stack": lambda s: tf.stack([s, s[::-1]], 1),
    "unstack": lambda s: tf.unstack(tf.reshape(s, [2, -1])),
    "split in parts": lambda s: tf.split(s, 2),
    "transpose": lambda s: tf.transpose(tf.reshape(s, [2, 1, -1])),
    "where": lambda s: tf.where(tf.strings.length(s) > 3, s, "short"),
    "boolean_mask": lambda s: tf.boolean_mask(s, tf.strings.length(s) > 3),
    "expand and squeeze": lambda s: tf.squeeze(tf.expand_dims(s, 0), 0),
    "identity": lambda s: [tf.identity(s), tf.shape(s), tf.size(s), tf.rank(s)],
    "sort": lambda s: tf.gather(s, tf.argsort(tf.strings.length(s), stable=True)),
    "table": lambda s: lookup_table(s).lookup(s),
    "base64": lambda s: [tf.io.encode_base64(s), tf.io.encode_base64(s, pad=True)],
    "decoded base64": lambda s: tf.io.decode_base64(tf.io.encode_base64(s, pad=True)),
    "split": tf.strings.split,
    "split at a byte": lambda s: tf.strings.split(s, "a"),
    "split at a word": lambda s: tf.strings.split(s, "wo"),
    "split at most once": lambda s: tf.strings.split(s, maxsplit=1),
    "split rows": lambda s: tf.strings.split(tf.reshape(s, [2, -1])),
    "words": lambda s: tf.strings.lower(tf.strings.split(s).values),
    "ngrams": lambda s: tf.strings.ngrams(tf.strings.split(s), 2),
    "single ngrams": lambda s: tf.strings.ngrams(s, 1),
    "padded ngrams": lambda s: tf.strings.ngrams(tf.strings.split(s), 3, pad_values="."),
    "full match": lambda s: tf.strings.regex_full_match(s, r"[a-z\d ]*|\S{3,9}"),
    "replace characters": lambda s: tf.strings.regex_replace(s, "[aeiou]", "_"),
    "delete characters": lambda s: tf.strings.regex_replace(s, "[aeiou ]", ""),
    "replace words": lambda s: tf.strings.regex_replace(s, "long|two", "three"),
    "replace groups": lambda s: tf.strings.regex_replace(s, "(l)(o)", r"\2\1"),
    "replace the first": lambda s: tf.strings.regex_replace(s, "o", "0", replace_global=False),
    "replace at the end": lambda s: tf.strings.regex_replace(s, r"\s$", "|"),
    "numbers": lambda s: tf.strings.as_string(tf.strings.length(s) * 1000 - 5000),
    "numbers and back": lambda s: tf.strings.to_number(
        tf.strings.join([tf.strings.as_string(tf.strings.length(s) - 5), ".", "25"]), tf.float64
    ),
    "integers": lambda s: tf.strings.to_number(
        tf.strings.as_string(tf.strings.to_hash_bucket_fast(s, 10**15) - 2**40), tf.int64
    ),
    "graph": lambda s: tf.function(lambda x: tf.strings.upper(x))(tf.strings.lower(s)),
}


def lookup_table(strings: Any) -> Any:
    keys = tf.unique(strings[::3])[0]
    values = tf.range(len(keys), dtype=tf.int64)
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)


@pytest.mark.parametrize("high", [128, 256], ids=["ascii", "bytes"])
@pytest.mark.parametrize("name", CALLS)
def test_packed_strings_yield_what_objects_yield(
    name: str, high: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    strings = random_strings(high=high)
    packed = tf.constant(strings)
    tf.strings.lower(packed)
    assert type(packed) is PackedTensor
    received = values_of(CALLS[name](packed))
    for module in (mode, packed_tensor):
        monkeypatch.setattr(module, "MANY", 2**62)
    assert received == values_of(CALLS[name](tf.constant(strings)))


@pytest.mark.parametrize("longest", [1, 3, 15, 16, 17, 40])
def test_packed_base64_is_that_of_single_strings(longest: int) -> None:
    texts = random_strings(longest=longest + 1)[9:]
    strings = pack(np.array(texts, object))
    for pad in (False, True):
        codes = base64.encoded(strings, pad).objects().tolist()
        expected = [urlsafe_b64encode(text) for text in texts]
        assert codes == (expected if pad else [code.rstrip(b"=") for code in expected])
        decoded = base64.decoded(base64.encoded(strings, pad))
        assert decoded is not None
        assert decoded.objects().tolist() == texts


@pytest.mark.parametrize(
    "code",
    [b"A", b"AAAAA", b"A=", b"AA=", b"A===", b"==", b"=AAA", b"A=AA", b"+AAA", b"/AAA", b"A\0AA"]
    + [b"\xffAAA", b"AAA ", b"A\nAA", b"AA==AA==", b"AAAA" * 4 + b"AA-*", b"AAAA" * 5 + b"=AAA"],
)
def test_packed_base64_refuses_other_strings(code: bytes) -> None:
    strings = pack(np.array([b"QUJD", b"QQ==", b"QQ", b""] * 100 + [code, b"QUI"], object))
    assert base64.decoded(strings[:400]) is not None
    assert base64.decoded(strings) is None


@pytest.mark.parametrize("longest", [0, 1, 7, 16, 17, 40])
@pytest.mark.parametrize("separator", [b"", b"-", b"<\0>"])
def test_concatenation_of_packed_strings(longest: int, separator: bytes) -> None:
    first, second = (random_strings(300 + i, longest + 1)[9:300] for i in range(2))
    for columns in ([first, second], [first, [b"one"], second], [[b"one"], first], [[b""], first]):
        arrays = (np.array(column if len(column) > 1 else column[0], object) for column in columns)
        packed = [pack(array) for array in arrays]
        rows = (column * 291 if len(column) == 1 else column for column in columns)
        joined = concatenated(packed, separator)
        assert joined.objects().tolist() == [separator.join(row) for row in zip(*rows)]
        assert len(joined.text) >= int((joined.starts + joined.sizes).max()) + 16


@pytest.mark.parametrize("longest", [1, 8, 9, 40])
@pytest.mark.parametrize("high", [2, 128, 256])
def test_unpacking_undoes_packing(longest: int, high: int) -> None:
    array = np.array(random_strings(longest=longest, high=high), object).reshape(2, -1)
    packed = pack(array)
    assert packed.objects().tolist() == array.tolist()
    assert packed.copied().objects().tolist() == array.tolist()
    order = np.random.default_rng(0).permutation(array.size)[: array.size - 7]
    assert packed.take(order).objects().tolist() == array.reshape(-1)[order].tolist()
    assert packed.take(order).dense().text.startswith(b"".join(array.reshape(-1)[order]))


def test_strings_that_use_every_byte_are_unpacked() -> None:
    every = [bytes([code]) for code in range(256)] * 2
    lowered = tf.strings.lower(tf.constant(every))
    assert lowered.numpy().tolist() == [each.lower() for each in every]


def test_packed_tensors_are_ordinary_tensors() -> None:
    strings = random_strings()
    tensor = tf.strings.strip(tf.constant(strings))
    expected = [string.strip() for string in strings]
    assert type(tensor).__name__ == "EagerTensor" and tensor.dtype is tf.string
    assert tensor.shape == (COUNT,) and len(tensor) == COUNT and tensor.ndim == 1
    for same in (copy.copy(tensor), copy.deepcopy(tensor), pickle.loads(pickle.dumps(tensor))):
        assert same.numpy().tolist() == expected
    assert [each.numpy() for each in tensor[:3]] == expected[:3]
    assert not np.asarray(tensor).flags.writeable
    assert tf.strings.strip(tensor).numpy().tolist() == expected
    variable = tf.Variable(tensor)
    assert variable.numpy().tolist() == expected
    with tf.device("CPU:0"):
        assert "CPU:0" in tf.strings.lower(tensor).device


def test_few_strings_of_many_do_not_hold_their_text() -> None:
    tensor = tf.strings.lower(tf.constant(random_strings(16 * MANY)))
    part = tensor[: MANY + 10]
    assert type(part) is PackedTensor
    assert len(part._packed.text) < len(tensor._packed.text) // 8


def test_an_error_names_the_string_that_is_too_short() -> None:
    tensor = tf.strings.lower(tf.constant([b"abc"] * COUNT + [b"a"]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="pos 2 out of range"):
        tf.strings.substr(tensor, 2, 1)


def test_memory_counts_packed_strings() -> None:
    tensor = tf.strings.lower(tf.constant(random_strings()))
    described = [entry.bytes for entry in tf.explain.memory().of("tensor")]
    assert isinstance(tensor._packed, PackedStrings) and tensor._packed.nbytes in described


PATTERNS = [
    r"[a-c]+", r"(ab|c)*", r"a{2,3}b?", r"(?:a|b){2}c{0,1}", r"a.c", r"[^ab]*", r"\w+\s?\d*", "",
    r"a||b", r"(a+?b)+", r"[]a-]*", r"[\]a]+", r"x*", r"(a{0}b)*", r"\D\S\W?", r"((a|b)(b|c))+",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_automata_match_what_re2_matches(pattern: str) -> None:
    random = np.random.default_rng(len(pattern))
    letters = np.frombuffer(b"aaabbbccc-] 1\n", np.uint8)
    strings = [bytes(random.choice(letters, size)) for size in random.integers(0, 7, 400)]
    machine = automaton(pattern.encode())
    assert machine is not None
    expected = compiled(pattern.encode()).full_matches(strings)
    assert machine.full_matches(pack(np.array(strings, object))).tolist() == expected


@pytest.mark.parametrize(
    "pattern", ["^a", "a$", r"\bab", "(?i)a", r"\pL", "é", "[[:alpha:]]", "a{99}"]
)
def test_patterns_without_automaton(pattern: str) -> None:
    assert automaton(pattern.encode()) is None


NUMBERS = ["0", "-7", "+12", "12345678", "123456789", "1234567890123456", "-99999999"]
FRACTIONS = ["1.5", "-0.125", "+.5", "12.", "00000012.5", "123456789.125", "-12345678.875", "0.1"]


def test_plain_numbers_are_parsed_together() -> None:
    packed = pack(np.array(NUMBERS * 9, object).astype(bytes).astype(object))
    assert parsed(packed, False).tolist() == list(map(int, NUMBERS * 9))
    mixed = FRACTIONS + NUMBERS[:5]
    packed = pack(np.array(mixed * 9, object).astype(bytes).astype(object))
    assert parsed(packed, True).tolist() == list(map(float, mixed * 9))


@pytest.mark.parametrize(
    "text", ["", "-", ".", "1a", "1..2", "1.2.3", "/", ":", " 1", "1e5", "nan"]
)
def test_other_numbers_are_left_to_the_parser_of_one(text: str) -> None:
    assert parsed(pack(np.array([text.encode(), b"1"], object)), True) is None
