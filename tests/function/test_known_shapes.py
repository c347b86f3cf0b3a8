"""What is known of shapes while a function is traced: at least what TensorFlow 2.21 knows."""

from __future__ import annotations

from typing import Any

import pytest

import tapeflow as tf

ROWS = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

# Of a tensor of which nothing is known.
OF_UNKNOWN_RANK: list[tuple[Any, Any]] = [
    (tf.reduce_sum, ()),
    (tf.reduce_mean, ()),
    (lambda x: tf.reduce_any(x > 1.0), ()),
    (lambda x: tf.reduce_sum(x, keepdims=True), None),
    (lambda x: tf.reduce_sum(x, axis=0), None),
    (tf.reduce_logsumexp, ()),
    (tf.math.reduce_variance, ()),
    (tf.math.reduce_std, ()),
    (tf.math.zero_fraction, ()),
    (lambda x: tf.slice(x, [0, 1], [-1, 2]), (None, 2)),
    (lambda x: tf.slice(x, [0, 1], [tf.shape(x)[0] - 1, 2]), (None, 2)),
    (lambda x: tf.slice(x, tf.shape(x) * 0, tf.shape(x)), None),
    (lambda x: tf.map_fn(tf.reduce_sum, x), (None,)),
]
# Of rows of three.
OF_ROWS: list[tuple[Any, Any]] = [
    (lambda x: tf.repeat(x, 2, axis=0), (None, 3)),
    (lambda x: tf.repeat(x, 2, axis=1), (None, 6)),
    (lambda x: tf.repeat(x, 2), (None,)),
    (lambda x: tf.slice(x, [0, tf.shape(x)[0] - 1], [-1, 2]), (None, 2)),
    (lambda x: x[0, tf.size(x) // 6 :], (None,)),
    (lambda x: x[:, tf.size(x) // 6], (None,)),
    (lambda x: tf.ensure_shape(x, [2, 3])[:, tf.size(x) // 6], (2,)),
    (lambda x: tf.ensure_shape(x, [2, 3])[::-1, tf.size(x) // 6, None], (2, 1)),
    (lambda x: tf.ensure_shape(x, [2, 3])[tf.size(x) // 6, 1:], (2,)),
    (lambda x: tf.ensure_shape(x, [2, 3])[:-1, tf.size(x) // 6 :], (1, None)),
    (lambda x: tf.image.central_crop(x[:, None], 0.5), (None, 1, 3)),
]


@pytest.mark.parametrize(
    ("function", "dims", "spec"),
    [(f, dims, tf.TensorSpec(None)) for f, dims in OF_UNKNOWN_RANK]
    + [(f, dims, tf.TensorSpec([None, 3])) for f, dims in OF_ROWS],
)
def test_shapes(function: Any, dims: Any, spec: Any) -> None:
    traced = tf.function(function, input_signature=[spec])
    known = traced.get_concrete_function().structured_outputs.shape
    assert (None if known.rank is None else tuple(known)) == dims
    results = [tf.cast(call(ROWS), tf.float32) for call in (traced, function)]
    tf.debugging.assert_near(*results)
