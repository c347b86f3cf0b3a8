"""Maxima are rectified, not what they are taken of: where that holds, and that no bit changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.passes.graphs import Traced, types

NAME = "pooling"
IMAGES = ((2, 6, 6, 3), "float32")
FORWARD = ["MaxPool", "Relu"]


def images(seed: int, *, special: bool = False) -> np.ndarray:
    """Images in which many elements of a window are equal, most of them not above zero."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-3, 2, (2, 6, 6, 3)).astype(np.float32)
    if special:
        places = rng.random(values.shape) < 0.2
        values[places] = rng.choice([np.inf, -np.inf, -0.0, np.nan], places.sum())
    return values


def trained(k: int, stride: int, padding: str) -> Any:
    def function(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.max_pool2d(tf.nn.relu(x), k, stride, padding)
            loss = tf.reduce_sum(y * tf.reshape(tf.range(1.0, tf.size(y) + 1), tf.shape(y)))
        return y, tape.gradient(loss, x)

    return function


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize(
    "window", [(2, 2, "SAME"), (3, 2, "SAME"), (3, 1, "VALID"), (5, 3, "SAME")]
)
def test_the_gradient_goes_to_the_same_elements(window: Any, special: bool) -> None:
    traced = Traced(trained(*window), IMAGES)
    for seed in range(5):
        left = types(traced.after(NAME, images(seed, special=special)))
        assert left.index("MaxPool") < left.index("Relu")
        assert left.index("ReluGrad") < left.index("MaxPoolGrad")
        assert left.count("Relu") == left.count("ReluGrad") == 1


def test_volumes() -> None:
    spec = ((1, 4, 4, 4, 2), "float32")
    values = np.random.default_rng(0).integers(-3, 2, spec[0]).astype(np.float32)

    def function(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.max_pool3d(tf.nn.relu(x), 2, 2, "SAME")
        return y, tape.gradient(y, x)

    left = types(Traced(function, spec).after(NAME, values))
    assert left.index("MaxPool3D") < left.index("Relu")
    assert left.index("ReluGrad") < left.index("MaxPool3DGrad")


def test_what_else_needs_the_rectified_still_has_it() -> None:
    def function(x: Any) -> Any:
        rectified = tf.nn.relu(x)
        return tf.nn.max_pool2d(rectified, 2, 2, "SAME"), tf.reduce_sum(rectified)

    left = types(Traced(function, IMAGES).after(NAME, images(0)))
    assert left.count("Relu") == 2


def test_windows_that_see_only_padding_stay() -> None:
    def function(x: Any) -> Any:
        return tf.nn.max_pool2d(tf.nn.relu(x), 2, 2, [[0, 0], [2, 0], [2, 0], [0, 0]])

    left = types(Traced(function, IMAGES).after(NAME, images(0)))
    assert left == ["Relu", "MaxPool"]


def test_another_maximum_is_not_taken_for_it() -> None:
    def function(x: Any) -> Any:
        rectified = tf.nn.relu(x)
        window = {"ksize": [1, 2, 2, 1], "padding": "SAME", "data_format": "NHWC"}
        y = tf.raw_ops.MaxPool(input=rectified, strides=[1, 2, 2, 1], **window)
        other = tf.raw_ops.MaxPool(input=rectified, strides=[1, 3, 3, 1], **window)
        grad = tf.ones_like(other)
        routed = tf.raw_ops.MaxPoolGrad(
            orig_input=rectified, orig_output=other, grad=grad, strides=[1, 3, 3, 1], **window
        )
        return y, tf.raw_ops.ReluGrad(gradients=routed, features=tf.nn.relu(x + 1.0))

    left = types(Traced(function, IMAGES).after(NAME, images(0)))
    assert left.index("MaxPoolGrad") < left.index("ReluGrad")
