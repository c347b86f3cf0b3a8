"""Lookup tables that are filled with the elements of datasets."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf
from tests.data.helpers import Dataset

experimental = tf.data.experimental


def _pairs() -> Any:
    keys = Dataset.range(5)
    return Dataset.zip((keys, keys.map(lambda x: tf.strings.as_string(x * 2))))


def test_table_of_pairs() -> None:
    table = tf.lookup.StaticHashTable(experimental.DatasetInitializer(_pairs()), "?")
    assert table.lookup(tf.constant([3, 7], tf.int64)).numpy().tolist() == [b"6", b"?"]
    made = experimental.table_from_dataset(_pairs(), default_value="?", key_dtype=tf.int64)
    assert made.lookup(tf.constant([3, 7], tf.int64)).numpy().tolist() == [b"6", b"?"]
    empty = tf.lookup.StaticHashTable(experimental.DatasetInitializer(_pairs().take(0)), "?")
    assert empty.size().numpy() == 0


def test_index_table() -> None:
    words = Dataset.from_tensor_slices(["a", "b", "c"])
    asked = tf.constant(["b", "z", "c"])
    table = experimental.index_table_from_dataset(words)
    assert table.lookup(asked).numpy().tolist() == [1, -1, 2]
    short = experimental.index_table_from_dataset(words, num_oov_buckets=1, vocab_size=2)
    assert short.lookup(asked).numpy().tolist() == [1, 2, 2]


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="pairs of scalars"):
        experimental.DatasetInitializer(Dataset.range(3))
    with pytest.raises(ValueError, match="default_value"):
        experimental.table_from_dataset(_pairs(), key_dtype=tf.int64)
    with pytest.raises(ValueError, match="num_oov_buckets"):
        experimental.index_table_from_dataset(Dataset.range(3), -1)
    with pytest.raises(ValueError, match="vocab_size"):
        experimental.index_table_from_dataset(Dataset.range(3), vocab_size=0)
    with pytest.raises(TypeError, match="key_dtype"):
        experimental.index_table_from_dataset(Dataset.range(3), key_dtype=tf.float32)
    with pytest.raises(NotImplementedError, match="fasthash"):
        experimental.index_table_from_dataset(Dataset.range(3), hasher_spec="strong")
    with pytest.raises(tf.errors.FailedPreconditionError, match="expected to contain 9"):
        experimental.index_table_from_dataset(Dataset.from_tensor_slices(["a"]), vocab_size=9)
