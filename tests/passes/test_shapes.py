"""Shape folding: shapes that are known, operations that change nothing, broadcasts not needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.passes import pipeline
from tests.passes.graphs import Traced, types

NAME = "shape folding"
VALUES = np.arange(12.0, dtype=np.float32).reshape(4, 3)
KNOWN = ((4, 3), "float32")
PARTLY = ((None, 3), "float32")


def left(function: Any, spec: Any) -> list[str]:
    return types(Traced(function, spec).after(NAME, VALUES))


@pytest.mark.parametrize(
    ("function", "spec", "ops"),
    [
        (lambda x: tf.shape(x), KNOWN, []),
        (lambda x: tf.size(x), KNOWN, []),
        (lambda x: tf.rank(x), PARTLY, []),
        (lambda x: tf.shape_n([x, x]), KNOWN, []),
        (lambda x: tf.zeros_like(x), KNOWN, []),
        (lambda x: tf.raw_ops.OnesLike(x=x), KNOWN, []),
        (lambda x: tf.shape(x), PARTLY, ["Shape"]),
        (lambda x: tf.shape(x)[1], PARTLY, []),
        (lambda x: tf.shape(x)[1:], PARTLY, []),
        (lambda x: tf.shape(x)[-1:0:-1], PARTLY, []),
        (lambda x: tf.shape(x)[0], PARTLY, ["Shape", "StridedSlice"]),
        (lambda x: tf.zeros_like(x), PARTLY, ["ZerosLike"]),
        (lambda x: tf.shape(tf.exp(tf.nn.relu(x))), PARTLY, ["Shape"]),
        (lambda x: tf.size(tf.cast(x, tf.float64)), PARTLY, ["Size"]),
    ],
)
def test_static_shapes_are_folded(function: Any, spec: Any, ops: list[str]) -> None:
    assert left(function, spec) == ops


def test_large_zeros_are_created_at_run_time() -> None:
    values = np.zeros((200, 200), np.float32)
    traced = Traced(lambda x: tf.zeros_like(x), ((200, 200), "float32"))
    assert types(traced.after(NAME, values)) == ["Fill"]


@pytest.mark.parametrize(
    ("function", "spec", "ops"),
    [
        (lambda x: tf.reshape(x, [4, 3]), KNOWN, []),
        (lambda x: tf.reshape(x, [-1, 3]), PARTLY, []),
        (lambda x: tf.reshape(x, tf.shape(x)), PARTLY, []),
        (lambda x: tf.reshape(x, [4, 3]), PARTLY, ["Reshape"]),
        (lambda x: tf.reshape(x, [3, 4]), KNOWN, ["Reshape"]),
        (lambda x: tf.broadcast_to(x, [4, 3]), KNOWN, []),
        (lambda x: tf.broadcast_to(x, [2, 4, 3]), KNOWN, ["BroadcastTo"]),
        (lambda x: tf.transpose(x, [0, 1]), PARTLY, []),
        (lambda x: tf.transpose(x, [0, -1]), PARTLY, []),
        (lambda x: tf.transpose(x), KNOWN, ["Transpose"]),
        (lambda x: tf.squeeze(x), KNOWN, []),
        (lambda x: x[:, :], KNOWN, []),
        (lambda x: x[::-1], KNOWN, ["StridedSlice"]),
        (lambda x: x[0:4, 0:3], KNOWN, []),
        (lambda x: tf.slice(x, [0, 0], [4, 3]), KNOWN, []),
        (lambda x: tf.tile(x, [1, 1]), PARTLY, []),
        (lambda x: tf.tile(x, [1, 2]), PARTLY, ["Tile"]),
        (lambda x: tf.pad(x, [[0, 0], [0, 0]]), PARTLY, []),
        (lambda x: tf.raw_ops.ConcatV2(values=[x], axis=0), PARTLY, []),
        (lambda x: tf.ensure_shape(x, [None, 3]), PARTLY, []),
        (lambda x: tf.ensure_shape(x, [4, 3]), PARTLY, ["EnsureShape"]),
    ],
)
def test_what_changes_nothing(function: Any, spec: Any, ops: list[str]) -> None:
    assert left(function, spec) == ops


@pytest.mark.parametrize(
    ("function", "ops"),
    [
        (lambda x: x * tf.broadcast_to(x[0], [4, 3]), ["StridedSlice", "Mul"]),
        (lambda x: tf.fill([4, 3], x[0, 0]) + x, ["StridedSlice", "AddV2"]),
        (lambda x: tf.where(x > 1.0, x, tf.broadcast_to(0.5, [4, 3])), ["Greater", "SelectV2"]),
        # one of the two has to be broadcast
        (
            lambda x: tf.broadcast_to(x[0], [4, 3]) < tf.broadcast_to(x[1], [4, 3]),
            ["StridedSlice", "StridedSlice", "BroadcastTo", "Less"],
        ),
        (
            lambda x: tf.linalg.matmul(x, tf.broadcast_to(x[0], [4, 3]), transpose_b=True),
            ["StridedSlice", "BroadcastTo", "MatMul"],
        ),
    ],
)
def test_broadcasts_before_an_op_that_broadcasts(function: Any, ops: list[str]) -> None:
    assert left(function, KNOWN) == ops


def test_axes_of_gradients_of_a_bias() -> None:
    def function(x: Any) -> Any:
        bias = tf.ones([3])
        with tf.GradientTape() as tape:
            tape.watch(bias)
            y = tf.tanh(x + bias)
        return tape.gradient(y, bias)

    traced = Traced(function, PARTLY)
    assert "BroadcastGradientArgs" in types(traced.body)
    body = traced.optimized(VALUES)
    assert "BroadcastGradientArgs" not in types(body)
    assert types(body)[-1] == "Sum"


def test_a_shape_error_of_a_pass_is_raised_at_run_time() -> None:
    """A rank is found out by the passes, and with it that an op refuses it."""

    def function(x: Any, n: Any) -> Any:
        sizes = tf.concat([[2], (tf.shape(x) * 1)[1:], n[:0]], 0)
        return tf.linalg.matmul(tf.reshape(x, sizes), tf.ones([5, 2]))

    traced = Traced(function, ((None, 3), "float32"), ((2,), "int32"))
    body = pipeline.optimize(traced.body)
    with pytest.raises(tf.errors.InvalidArgumentError, match="columns of a"):
        traced.run(body, np.zeros((2, 3), np.float32), np.zeros(2, np.int32))


def test_a_shape_of_the_same_rank_may_be_another() -> None:
    traced = Traced(lambda x, n: tf.reshape(x, n), KNOWN, ((2,), "int32"))
    body = traced.optimized(VALUES, np.array([6, 2], np.int32))
    assert types(body) == ["Reshape"]
