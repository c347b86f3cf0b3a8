"""Shapes and dtypes of ops on KerasTensors are those of the values that the ops compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.keras.operation import infer, infer_stateless

keras = tf.keras
ops = keras.ops

CASES: dict[str, Callable[[Any], Any]] = {
    "relu": ops.relu,
    "mean": lambda x: ops.mean(x, axis=-1, keepdims=True),
    "reshape": lambda x: ops.reshape(x, (-1, 6)),
    "matmul": lambda x: ops.matmul(x, ops.transpose(x, (0, 2, 1))),
    "top_k": lambda x: ops.top_k(x, 2),
    "split": lambda x: ops.split(x, 3, axis=1),
    "cast": lambda x: ops.cast(x, "float16"),
    "affine": lambda x: ops.image.affine_transform(x[..., None], np.eye(3).ravel()[:8]),
    "map": lambda x: ops.map(lambda row: row * 2, x),
    "shape": lambda x: ops.ones_like(x, dtype="int32"),
}


@pytest.mark.parametrize("name", CASES)
def test_ops_on_keras_tensors_have_the_shapes_of_their_values(name: str) -> None:
    inputs = keras.Input((3, 4), batch_size=2)
    outputs = CASES[name](inputs)
    values = CASES[name](tf.ones((2, 3, 4)))
    for output, value in zip(tf.nest.flatten(outputs), tf.nest.flatten(values), strict=True):
        assert output.shape == tuple(value.shape)
        assert output.dtype == value.dtype.name


@pytest.mark.parametrize("shape", [(None, 3, 4), (2, None, None)])
def test_both_ways_of_inference_agree(shape: tuple[int | None, ...]) -> None:
    inputs = keras.KerasTensor(shape, "float32")
    for function in (CASES["relu"], CASES["mean"], CASES["top_k"], lambda x: (x, None, 3)):
        by_function = tf.nest.flatten(infer(function, inputs))
        directly = tf.nest.flatten(infer_stateless(function, inputs))
        assert list(map(described, directly)) == list(map(described, by_function))


def described(output: Any) -> Any:
    return (output.shape, output.dtype) if isinstance(output, keras.KerasTensor) else output


def test_failures_leave_the_mode_as_it_was() -> None:
    with pytest.raises(ValueError, match=r"keras\.ops\.matmul"):
        ops.matmul(keras.Input((3, 4)), keras.Input((3, 4)))
    assert tf.executing_eagerly()
    np.testing.assert_array_equal(ops.relu(tf.constant([-1.0, 2.0])), [0, 2])


def test_tapes_see_nothing_of_inference() -> None:
    variable = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = variable * variable
        ops.exp(keras.Input((3,)))
    assert tape.gradient(loss, variable).numpy() == 4


def test_errors_of_ops_on_keras_tensors_name_the_op() -> None:
    """An op is no layer of the user: the error does not ask for `compute_output_shape`."""
    with pytest.raises(ValueError, match=r"`keras.ops.softmax`.*axis 10") as error:
        tf.keras.ops.softmax(tf.keras.KerasTensor((2, 3)), axis=10)
    assert "compute_output_shape" not in str(error.value)
