"""Gradients through ragged tensors: as of the same function of their rows, one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

R = tf.RaggedTensor
SPLITS = [0, 2, 2, 5]
VALUES = [1.0, 2.0, 3.0, -4.0, 0.5]


def rows_of(values: Any) -> Any:
    return R.from_row_splits(values, SPLITS)


def gradient(function: Callable[[Any], Any], values: Any) -> Any:
    tensor = tf.constant(values)
    with tf.GradientTape() as tape:
        tape.watch(tensor)
        result = function(tensor)
    return tf.convert_to_tensor(tape.gradient(result, tensor)).numpy()


@pytest.mark.parametrize(
    ("ragged", "dense"),
    [
        (lambda v: tf.reduce_sum(rows_of(v) ** 2, axis=1), lambda v: v**2),
        (
            lambda v: tf.reduce_prod(rows_of(v), axis=1),
            lambda v: tf.reduce_prod(v[:2]) + tf.reduce_prod(v[2:]),
        ),
        (
            lambda v: tf.reduce_max(rows_of(v), axis=1),
            lambda v: tf.reduce_max(v[:2]) + tf.reduce_max(v[2:]),
        ),
        (lambda v: rows_of(v).to_tensor() ** 2, lambda v: v**2),
        (lambda v: rows_of(v).to_tensor(shape=[3, 1]) ** 2, lambda v: tf.gather(v, [0, 2]) ** 2),
        (lambda v: rows_of(v).to_sparse().values ** 2, lambda v: v**2),
        (lambda v: rows_of(v)[:, 1:].flat_values ** 2, lambda v: tf.gather(v, [1, 3, 4]) ** 2),
        (
            lambda v: tf.gather(rows_of(v), [2, 2, 0]).flat_values ** 2,
            lambda v: 2 * tf.reduce_sum(v[2:] ** 2) + tf.reduce_sum(v[:2] ** 2),
        ),
        (lambda v: tf.concat([rows_of(v), rows_of(v * 2)], 1).flat_values ** 2, lambda v: 5 * v**2),
        (
            lambda v: (tf.nn.softmax(rows_of(v)) * rows_of(v)).flat_values,
            lambda v: tf.concat([tf.nn.softmax(p) * p for p in (v[:2], v[2:])], 0),
        ),
        (
            lambda v: tf.cumsum(rows_of(v), axis=1).flat_values,
            lambda v: tf.concat([tf.cumsum(v[:2]), tf.cumsum(v[2:])], 0),
        ),
        (lambda v: tf.tile(rows_of(v), [2, 3]).flat_values ** 2, lambda v: 6 * v**2),
        (lambda v: rows_of(v) ** 3, lambda v: v**3),
    ],
)
@pytest.mark.parametrize("traced", [False, True])
def test_as_of_the_rows(ragged: Any, dense: Any, traced: bool) -> None:
    function = tf.function(ragged, autograph=False) if traced else ragged
    np.testing.assert_allclose(gradient(function, VALUES), gradient(dense, VALUES), rtol=1e-5)


def test_of_what_rows_are_filled_with() -> None:
    default = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(default)
        total = tf.reduce_sum(rows_of(tf.constant(VALUES)).to_tensor(default) ** 2)
    # Four places of nine are filled.
    assert tape.gradient(total, default).numpy() == 4 * 2 * 5


def test_of_a_broadcast_tensor() -> None:
    weights = tf.constant([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch(weights)
        total = tf.reduce_sum(rows_of(tf.constant(VALUES)) * weights)
    assert tape.gradient(total, weights).numpy().tolist() == [[3.0], [0.0], [-0.5]]


def test_a_ragged_source_has_a_ragged_gradient() -> None:
    rows = rows_of(tf.constant(VALUES))
    with tf.GradientTape() as tape:
        tape.watch(rows)
        total = tf.reduce_sum(rows**2)
    found = tape.gradient(total, rows)
    assert isinstance(found, R)
    assert found.to_list() == [[2.0, 4.0], [], [6.0, -8.0, 1.0]]
