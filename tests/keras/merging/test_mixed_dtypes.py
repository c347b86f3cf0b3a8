"""Concatenate promotes dtypes, as one-hot columns (int64) beside numbers (float32) need it."""

from __future__ import annotations

import pytest

import tapeflow as tf

keras = tf.keras


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("int64", "float32", tf.float32),
        ("int32", "int64", tf.int64),
        ("bool", "float32", tf.float32),
        ("float16", "float32", tf.float32),
    ],
)
def test_concatenate_promotes(first: str, second: str, expected: tf.DType) -> None:
    values = [tf.cast([[1]], first), tf.cast([[0]], second)]
    result = keras.layers.Concatenate()(values)
    assert result.dtype == expected
    assert result.numpy().tolist() == [[1, 0]]


def test_one_hot_texts_beside_numbers() -> None:
    text, number = keras.Input((1,), dtype="string"), keras.Input((1,))
    lookup = keras.layers.StringLookup(vocabulary=["a", "b"], output_mode="one_hot")
    model = keras.Model([text, number], keras.layers.Concatenate()([lookup(text), number]))
    result = model([tf.constant([["b"]]), tf.constant([[0.5]])])
    assert result.numpy().tolist() == [[0.0, 0.0, 1.0, 0.5]]
