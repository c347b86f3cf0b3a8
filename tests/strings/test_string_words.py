"""Strings looked up and grouped as arrays of words agree with dictionaries, to the byte."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.kernels.strings import encoding as string_encoding
from tapeflow._src.kernels.strings import lookup_index
from tapeflow._src.kernels.strings import words as string_words
from tapeflow._src.ops.math import counting
from tapeflow._src.ops.state import lookup

RANDOM = np.random.default_rng(11)
# Of all sizes around the ends of words; bytes of 0 and 1 are what pads and ends words.
SIZES = (0, 1, 2, 6, 7, 8, 9, 15, 16, 17, 23, 24, 31, 32, 33, 40)


def strings(count: int) -> list[bytes]:
    sizes = RANDOM.choice(SIZES, count)
    return [RANDOM.integers(0, 3, size, np.uint8).tobytes() for size in sizes]


def vector(items: list[bytes]) -> np.ndarray:
    return lookup_index.filled(items, object)


EDGES = [b"", b"\0", b"\1", b"\0" * 7, b"\0" * 8, b"a" * 7, b"a" * 7 + b"\1", b"a" * 8, b"a" * 31]


@pytest.mark.parametrize("dtype", [np.int64, np.float32, object])
def test_an_index_of_strings_finds_what_a_dictionary_does(dtype: Any) -> None:
    keys = list(dict.fromkeys([*EDGES, *strings(3000)]))
    values = [b"%d" % i for i in range(len(keys))] if dtype is object else range(len(keys))
    entries = dict(zip(keys[::2], values, strict=False))
    default = b"none" if dtype is object else -1
    asked = [*keys, *strings(2000)]
    received = lookup_index.StringIndex(entries, dtype).find(vector(asked), default)
    assert received is not None
    assert received.tolist() == [entries.get(key, default) for key in asked]


def test_an_index_of_integers_finds_what_a_dictionary_does() -> None:
    keys = np.unique(np.r_[0:50, RANDOM.integers(-(2**63), 2**63 - 1, 3000)])
    entries = {key: place for place, key in enumerate(keys.tolist()[::2])}
    asked = np.concatenate([keys, RANDOM.integers(-100, 200, 3000)])
    received = lookup_index.IntegerIndex(entries, np.int64).find(asked, -1)
    assert received is not None
    assert received.tolist() == [entries.get(key, -1) for key in asked.tolist()]


def test_keys_with_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(string_words, "_FACTOR", string_words.WORD(1))
    keys = [b"%05d" % number for number in range(300)]
    entries = {key: place for place, key in enumerate(keys[::2])}
    received = lookup_index.StringIndex(entries, np.int64).find(vector(keys), -1)
    assert received is not None
    assert received.tolist() == [entries.get(key, -1) for key in keys]
    first, which = string_encoding.group_strings(vector(keys * 2)) or ((), ())
    assert list(first) == list(range(300)) and list(which) == list(range(300)) * 2


def test_unique_strings_are_those_of_a_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MANY_STRINGS", 1000)
    for items in (strings(4000), [*EDGES, *[text[:20] for text in strings(4000)]]):
        unique, which, counts = tf.unique_with_counts(tf.constant(items))
        expected = list(dict.fromkeys(items))
        assert unique.numpy().tolist() == expected
        assert [expected[place] for place in which.numpy()] == items
        assert counts.numpy().tolist() == [items.count(text) for text in expected]


@pytest.mark.parametrize("readable", [True, False])
@pytest.mark.parametrize("invert", [False, True])
def test_tables_answer_many_keys_as_few(
    monkeypatch: pytest.MonkeyPatch, readable: bool, invert: bool
) -> None:
    monkeypatch.setattr(lookup, "_INDEX_KEYS", 1000)
    if not readable:
        monkeypatch.setattr(string_words, "_all_memory", lambda: None)
    terms = list(dict.fromkeys([*EDGES, *strings(500)]))
    texts, numbers = tf.constant(terms[::2]), tf.range(len(terms[::2]), dtype=tf.int64) * 5
    pair = (numbers, texts) if invert else (texts, numbers)
    default = "none" if invert else -1
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(*pair), default)
    many = tf.range(3000, dtype=tf.int64) if invert else tf.constant(terms * 5)
    together = table.lookup(tf.reshape(many[:2000], [2, 1000]))
    assert together.shape == (2, 1000)
    alone = [table.lookup(key).numpy() for key in many[:2000]]
    assert together.numpy().reshape(-1).tolist() == alone


def test_a_table_that_is_filled_anew_forgets_its_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "_INDEX_KEYS", 1000)
    keys = tf.constant([str(number) for number in range(2000)])
    initializer = tf.lookup.KeyValueTensorInitializer(keys, tf.range(2000))
    table = tf.lookup.StaticHashTable(initializer, -1)
    assert table.lookup(keys).numpy().tolist() == list(range(2000))
    import_ = tf.raw_ops.LookupTableImportV2
    import_(table_handle=table.resource_handle, keys=keys[:5], values=tf.range(5) + 7)
    assert table.lookup(keys).numpy().tolist() == [7, 8, 9, 10, 11, *[-1] * 1995]


def texts_of(words: list[bytes], random: np.random.Generator) -> list[bytes]:
    spaces = [b" ", b"\n", b"\t \x0b", b"\x0c\r", b"  "]
    ends = [b"", b" ", b"\n\n"]

    def text() -> bytes:
        chosen = [words[i] for i in random.integers(0, len(words), random.integers(0, 7))]
        pieces = [piece for word in chosen for piece in (word, spaces[random.integers(5)])]
        return ends[random.integers(3)] + b"".join(pieces)

    return [text() for _ in range(9000)]


FEW_WORDS = [b"a", b"\0", b"\1b", b"word", b"seven77", b"eight888", b"x" * 15, b"y" * 16, b"z" * 31]


@pytest.mark.parametrize(
    "words",
    [FEW_WORDS, [*FEW_WORDS, b"w" * 32, b"v" * 70], [b"%d" % i for i in range(30_000)]],
    ids=["short", "long", "different"],
)
def test_words_of_many_texts_are_those_of_each(words: list[bytes]) -> None:
    texts = texts_of(words, np.random.default_rng(3))
    rows = tf.strings.split(texts)
    expected = [text.split() for text in texts]
    assert rows.to_list() == expected
    flat = [word for row in expected for word in row]
    unique, which, counts = tf.unique_with_counts(rows.flat_values)
    different = list(dict.fromkeys(flat))
    assert unique.numpy().tolist() == different
    assert [different[place] for place in which.numpy()] == flat
    assert int(tf.reduce_sum(counts)) == len(flat)
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(different[::2], range(len(different[::2]))), -1
    )
    places = {word: place for place, word in enumerate(different[::2])}
    for _ in range(2):  # by the dictionary, then by the index
        received = table.lookup(rows.flat_values).numpy().tolist()
        assert received == [places.get(word, -1) for word in flat]


def test_an_encoding_belongs_to_all_of_its_strings_in_their_order() -> None:
    texts = vector([b"b a b c"] * string_encoding.MANY_STRINGS)
    words = string_encoding.split_texts(texts)[1]
    known = string_encoding.encoding_of(words)
    assert known is not None
    assert known.first.tolist() == [0, 1, 3] and known.codes[:5].tolist() == [0, 1, 0, 2, 0]
    assert string_encoding.encoding_of(words.reshape(4, -1)) is known
    for other in (words[::-1], words[1:], words.reshape(4, -1).T, words.copy()):
        assert string_encoding.encoding_of(other) is None
    with pytest.raises(ValueError, match="read-only"):
        words[0] = b"c"


@pytest.mark.parametrize("repeated", [True, False])
def test_many_texts_become_the_bytes_of_each(repeated: bool) -> None:
    texts = [f"wört {i % 300 if repeated else i}" for i in range(string_encoding.MANY_STRINGS)]
    expected = [text.encode() for text in texts]
    for given in (texts, np.array(texts, object), np.array(texts).reshape(2, -1)):
        tensor = tf.constant(given)
        assert tf.reshape(tensor, [-1]).numpy().tolist() == expected
        assert (string_encoding.encoding_of(tensor._array) is not None) == repeated
        unique, which = tf.unique(tf.reshape(tensor, [-1]))
        assert unique.numpy().tolist() == list(dict.fromkeys(expected))
        assert tf.gather(unique, which).numpy().tolist() == expected


def test_repeated_texts_can_be_changed_in_copies_and_variables() -> None:
    texts = ["a", "b"] * string_encoding.MANY_STRINGS
    variable = tf.Variable(texts)
    variable.scatter_nd_update([[1]], ["c"])
    assert variable[:3].numpy().tolist() == [b"a", b"c", b"a"]
    copy = tf.constant(texts).numpy()
    copy[0] = b"d"
    assert copy[:2].tolist() == [b"d", b"b"]
