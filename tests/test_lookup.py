"""`tf.lookup`: tables filled once or changed as a program runs, eagerly and in functions."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

WHOLE, NUMBER = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER


def letters(default: int = -1) -> tf.lookup.StaticHashTable:
    pairs = tf.lookup.KeyValueTensorInitializer(["a", "b", "c"], [7, 8, 9])
    return tf.lookup.StaticHashTable(pairs, default)


def mutable(**changes) -> tf.lookup.experimental.MutableHashTable:
    arguments = {"key_dtype": tf.string, "value_dtype": tf.int64, "default_value": -1, **changes}
    return tf.lookup.experimental.MutableHashTable(**arguments)


def compact(**changes) -> tf.lookup.experimental.DenseHashTable:
    arguments = {
        "key_dtype": tf.string,
        "value_dtype": tf.int64,
        "default_value": -1,
        "empty_key": "",
        "deleted_key": "$",
        **changes,
    }
    return tf.lookup.experimental.DenseHashTable(**arguments)


def test_static_tables() -> None:
    table = letters()
    assert table.lookup(tf.constant([["a", "z"]])).numpy().tolist() == [[7, -1]]
    assert table[tf.constant("c")].numpy() == 9
    assert table.size().numpy() == 3
    keys, values = table.export()
    assert dict(zip(keys.numpy(), values.numpy(), strict=True)) == {b"a": 7, b"b": 8, b"c": 9}
    sparse = table.lookup(tf.SparseTensor([[1]], ["b"], [3]))
    assert sparse.values.numpy().tolist() == [8]
    ragged = table.lookup(tf.ragged.constant([["a"], [], ["b", "q"]]))
    assert ragged.to_list() == [[7], [], [8, -1]]
    with pytest.raises(TypeError, match="keys of dtype"):
        table.lookup(tf.constant([1]))


def test_tables_in_functions() -> None:
    table, memory = letters(), mutable()

    @tf.function
    def remember(keys: tf.Tensor, values: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        before = memory.lookup(keys)
        memory.insert(keys, values)
        return before, memory.lookup(keys)

    for _ in range(2):
        assert tf.function(table.lookup)(tf.constant(["a", "z"])).numpy().tolist() == [7, -1]
    keys = tf.constant(["x", "y"])
    before, after = remember(keys, tf.constant([1, 2], tf.int64))
    assert (before.numpy().tolist(), after.numpy().tolist()) == ([-1, -1], [1, 2])
    before, after = remember(keys, tf.constant([3, 4], tf.int64))
    assert (before.numpy().tolist(), after.numpy().tolist()) == ([1, 2], [3, 4])
    assert memory.size().numpy() == 2


def test_a_table_made_in_a_function() -> None:
    @tf.function
    def find(keys: tf.Tensor) -> tf.Tensor:
        return letters().lookup(keys)

    assert find(tf.constant(["b", "z"])).numpy().tolist() == [8, -1]

    @tf.function
    def find_in_constants(keys: tf.Tensor) -> tf.Tensor:
        fill = tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.constant([7, 8]))
        return tf.lookup.StaticHashTable(fill, -1).lookup(keys)

    assert find_in_constants(tf.constant(["b", "z"])).numpy().tolist() == [8, -1]


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("emerson 10\nlake 20\npalmer 30\n")

    def table(key_dtype, key, value_dtype, value, default, **more):
        lines = tf.lookup.TextFileInitializer(path, key_dtype, key, value_dtype, value, **more)
        return tf.lookup.StaticHashTable(lines, default)

    fields = table(tf.string, 0, tf.int64, 1, -1, delimiter=" ")
    assert fields.lookup(tf.constant(["lake", "x"])).numpy().tolist() == [20, -1]
    numbers = table(tf.string, WHOLE, tf.int64, NUMBER, -1, value_index_offset=5, vocab_size=2)
    assert numbers.lookup(tf.constant(["lake 20", "palmer 30"])).numpy().tolist() == [6, -1]
    words = table(tf.int64, NUMBER, tf.string, 0, "?", delimiter=" ")
    assert words.lookup(tf.constant([2, 3], tf.int64)).numpy().tolist() == [b"palmer", b"?"]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"vocab_size=9 .* 3"):
        table(tf.string, WHOLE, tf.int64, NUMBER, -1, vocab_size=9)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"words.txt, line 0.*at least 2 columns"
    ):
        table(tf.string, 0, tf.int64, 1, -1)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"words.txt, line 0.*int64.*emerson"):
        table(tf.int64, 0, tf.int64, 1, -1, delimiter=" ")
    with pytest.raises(tf.errors.NotFoundError):
        path = tmp_path / "nothing"
        table(tf.string, WHOLE, tf.int64, NUMBER, -1)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("a,1_0", "InvalidArgumentError"),
        ("a,99999999999999999999", "InvalidArgumentError"),
        ("a,\u0663", "InvalidArgumentError"),
        ("a,1.5", "InvalidArgumentError"),
        ("a,1\na,2", "FailedPreconditionError"),
    ],
)
def test_damaged_files_raise_errors_of_the_library(line: str, error: str, tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text(f"{line}\n", encoding="utf-8")
    lines = tf.lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1, delimiter=",")
    with pytest.raises(getattr(tf.errors, error)):
        tf.lookup.StaticHashTable(lines, -1)


def test_keys_need_not_be_text(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(b"\xff\xfe,7\n")
    lines = tf.lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1, delimiter=",")
    table = tf.lookup.StaticHashTable(lines, -1)
    assert table.lookup(tf.constant([b"\xff\xfe"])).numpy().tolist() == [7]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("", "FailedPreconditionError"),
        ("a\0b", "NotFoundError"),
        (b"\xff\xfe", "NotFoundError"),
    ],
    ids=["folder", "nul", "not text"],
)
def test_names_that_are_no_files(name: str | bytes, error: str, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/" + os.fsencode(name)
    lines = tf.lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1)
    with pytest.raises(getattr(tf.errors, error)):
        tf.lookup.StaticHashTable(lines, -1)


def test_vocabularies() -> None:
    pairs = tf.lookup.KeyValueTensorInitializer(
        ["emerson", "lake", "palmer"], tf.constant([0, 1, 2], tf.int64)
    )
    table = tf.lookup.StaticVocabularyTable(pairs, num_oov_buckets=5)
    terms = tf.constant(["emerson", "lake", "palmer", "king", "crimson"])
    # The buckets are TensorFlow's: models are trained with them.
    assert table[terms].numpy().tolist() == [0, 1, 2, 6, 7]
    assert table.size().numpy() == 8
    numbers = tf.lookup.KeyValueTensorInitializer(
        tf.constant([1, 2], tf.int64), tf.constant([0, 1], tf.int64)
    )
    table = tf.lookup.StaticVocabularyTable(numbers, num_oov_buckets=3)
    assert table[tf.constant([1, 2, 7, 8], tf.int64)].numpy().tolist() == [0, 1, 3, 3]
    none = tf.lookup.StaticVocabularyTable(None, num_oov_buckets=5)
    assert none[tf.constant(["a", "b"])].numpy().tolist() == [4, 2]


def test_vectors_as_values_and_keys() -> None:
    table = mutable(default_value=[0, 0])
    table.insert(["a"], [[1, 2]])
    assert table.lookup(tf.constant(["a", "b"])).numpy().tolist() == [[1, 2], [0, 0]]
    defaults = tf.constant([[5, 6], [7, 8]], tf.int64)
    assert table.lookup(tf.constant(["a", "b"]), defaults).numpy().tolist() == [[1, 2], [7, 8]]
    pairs = compact(key_dtype=tf.int64, empty_key=[0, 0], deleted_key=[-1, -1])
    pairs.insert(tf.constant([[1, 2]], tf.int64), [5])
    assert pairs.lookup(tf.constant([[1, 2], [2, 1]], tf.int64)).numpy().tolist() == [5, -1]


@pytest.mark.parametrize("make", [mutable, compact])
def test_keys_come_and_go(make) -> None:
    table = make()
    table.insert(tf.constant(["a", "b", "a"]), tf.constant([1, 2, 5], tf.int64))
    table.remove(tf.constant(["b", "q"]))
    assert table.lookup(tf.constant(["a", "b"])).numpy().tolist() == [5, -1]
    assert table.size().numpy() == 1


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: letters("x"), TypeError),
        (lambda: letters([1, 2]), ValueError),
        (lambda: mutable().insert(["a", "b"], [1]), tf.errors.InvalidArgumentError),
        (lambda: mutable().insert(["a"], [2.5]), TypeError),
        (lambda: compact().insert([""], [1]), tf.errors.InvalidArgumentError),
        (lambda: compact().lookup(tf.constant("$")), tf.errors.InvalidArgumentError),
        (lambda: compact(deleted_key=""), tf.errors.InvalidArgumentError),
        (lambda: tf.lookup.TextFileInitializer("", tf.string, 0, tf.int64, 1), ValueError),
        (lambda: tf.lookup.TextFileInitializer("f", tf.string, -3, tf.int64, 1), ValueError),
        (lambda: tf.lookup.TextFileInitializer("f", tf.string, 0, tf.string, NUMBER), ValueError),
        (lambda: tf.lookup.StaticVocabularyTable(None, 0), ValueError),
    ],
)
def test_wrong_calls(call, error) -> None:
    with pytest.raises(error):
        call()


def test_one_key_has_one_value() -> None:
    tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "a"], [1, 1]), 0)
    with pytest.raises(tf.errors.FailedPreconditionError, match="different value for same key"):
        tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "a"], [1, 2]), 0)


def test_whole_lines_are_values_of_integers(tmp_path: Path) -> None:
    (tmp_path / "numbers").write_text("42\n7\n")
    path = str(tmp_path / "numbers")
    lines = tf.lookup.TextFileInitializer(path, tf.int64, NUMBER, tf.int64, WHOLE)
    table = tf.lookup.StaticHashTable(lines, -1)
    keys = tf.constant([1, 0, 2], tf.int64)
    assert table.lookup(keys).numpy().tolist() == [7, 42, -1]
    with pytest.raises(ValueError, match="value_dtype"):
        tf.lookup.TextFileInitializer(path, tf.int64, NUMBER, tf.float32, WHOLE)


@pytest.mark.parametrize("dtype", ["int64", "int32", "float32", "float64", "bool", "string"])
@pytest.mark.parametrize("missing", [False, True])
def test_values_of_all_dtypes(dtype: str, missing: bool) -> None:
    values = np.array([0, 1, 3]).astype(dtype if dtype != "string" else "S")
    keys = np.array(["a", "b", "c"])
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(keys, tf.constant(values)), values[1]
    )
    queries = np.array([["c", "a"], ["b", "x" if missing else "c"]])
    result = table.lookup(tf.constant(queries)).numpy()
    expected = dict(zip(keys.tolist(), values, strict=True))
    assert result.tolist() == [[expected.get(key, values[1]) for key in row] for row in queries]
