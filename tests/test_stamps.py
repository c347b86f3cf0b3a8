"""`tf.fingerprint` and `tf.timestamp`."""

from __future__ import annotations

import time

import numpy as np
import pytest

import tapeflow as tf


def test_fingerprints_are_tensorflows() -> None:
    rows = tf.fingerprint([[1.0, 2.0], [3.0, 4.0]])
    assert (rows.dtype, rows.shape) == (tf.uint8, (2, 8))
    assert rows.numpy().tolist() == FLOATS
    assert tf.fingerprint(["tape", "flow"]).numpy().tolist() == TEXTS
    assert tf.fingerprint([["tape", "flow"]]).numpy().tolist() == PAIR


def test_fingerprint_in_a_function() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def prints(values: tf.Tensor) -> tf.Tensor:
        return tf.fingerprint(values)

    assert prints.get_concrete_function().output_shapes.as_list() == [None, 8]
    assert prints([[1.0, 2.0], [3.0, 4.0]]).numpy().tolist() == FLOATS


def test_what_has_no_fingerprint() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank at least 1"):
        tf.fingerprint(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unsupported fingerprint"):
        tf.fingerprint([1.0], method="md5")


def test_timestamp() -> None:
    before = time.time()
    now = tf.timestamp()
    assert now.dtype == tf.float64
    assert before <= now.numpy() <= time.time()


def test_timestamp_of_each_call() -> None:
    clock = tf.function(lambda: tf.timestamp())
    first = clock().numpy()
    assert first <= clock().numpy()
    assert np.isfinite(first)


FLOATS = [[223, 178, 164, 36, 10, 49, 237, 154], [174, 215, 15, 51, 84, 145, 74, 9]]
TEXTS = [[42, 149, 69, 110, 194, 202, 128, 61], [119, 236, 46, 0, 5, 56, 118, 29]]
PAIR = [[12, 204, 222, 125, 26, 222, 61, 155]]
