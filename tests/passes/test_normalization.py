"""Batch normalization and its rectifier become one operation: where, and that nothing changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.passes.graphs import Traced, types

NAME = "normalization"
IMAGES = ((2, 4, 4, 3), "float32")
VECTOR = ((3,), "float32")
FUSED, PLAIN = "_FusedBatchNormRelu", "FusedBatchNormV3"


def images(seed: int, special: bool = False) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=IMAGES[0]).astype(np.float32)
    if special:
        values[0, 1, 1, 1] = np.nan
    return values


def vectors(seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(0.5, 2, 3).astype(np.float32), rng.normal(size=3).astype(np.float32)]


def normalized(x: Any, scale: Any, offset: Any, **options: Any) -> Any:
    return tf.raw_ops.FusedBatchNormV3(
        x=x, scale=scale, offset=offset, mean=[], variance=[], epsilon=1e-3, **options
    )


def trained(x: Any, scale: Any, offset: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch((x, scale, offset))
        found = normalized(x, scale, offset)
        y = tf.nn.relu(found.y)
        loss = tf.reduce_sum(y * tf.reshape(tf.range(tf.size(y), dtype=tf.float32), y.shape))
    return y, found.batch_mean, found.batch_variance, *tape.gradient(loss, (x, scale, offset))


@pytest.mark.parametrize("special", [False, True])
def test_a_training_step(special: bool) -> None:
    traced = Traced(trained, IMAGES, VECTOR, VECTOR)
    for seed in range(3):
        left = types(traced.after(NAME, images(seed, special), *vectors(seed)))
        assert left.count(FUSED) == left.count(FUSED + "Grad") == 1
        assert not {PLAIN, "Relu"} & set(left)


def test_what_else_needs_the_normalized_still_has_it() -> None:
    def function(x: Any, scale: Any, offset: Any) -> Any:
        y = normalized(x, scale, offset).y
        return tf.nn.relu(y), tf.reduce_sum(y)

    left = types(Traced(function, IMAGES, VECTOR, VECTOR).after(NAME, images(0), *vectors(0)))
    assert PLAIN in left and FUSED not in left


def test_returned_normalization_is_not_fused_with_relu() -> None:
    def function(x: Any, scale: Any, offset: Any) -> Any:
        y = normalized(x, scale, offset).y
        return y, tf.nn.relu(y)

    left = types(Traced(function, IMAGES, VECTOR, VECTOR).after(NAME, images(0), *vectors(0)))
    assert PLAIN in left and FUSED not in left


def test_inference_normalization_is_not_fused() -> None:
    def function(x: Any, scale: Any, offset: Any) -> Any:
        found = tf.raw_ops.FusedBatchNormV3(
            x=x, scale=scale, offset=offset, mean=offset, variance=scale, is_training=False
        )
        return tf.nn.relu(found.y)

    left = types(Traced(function, IMAGES, VECTOR, VECTOR).after(NAME, images(0), *vectors(0)))
    assert left.count(PLAIN) == left.count("Relu") == 1


def test_another_gradient_is_not_taken_for_it() -> None:
    def function(x: Any, scale: Any, offset: Any) -> Any:
        found = normalized(x, scale, offset)
        y = tf.nn.relu(found.y)
        other = normalized(x * 2, scale, offset)
        kept = tf.raw_ops.ReluGrad(gradients=x, features=y)
        spaces = {f"reserve_space_{i}": getattr(other, f"reserve_space_{i}") for i in (1, 2, 3)}
        return y, tf.raw_ops.FusedBatchNormGradV3(y_backprop=kept, x=x, scale=scale, **spaces)

    left = types(Traced(function, IMAGES, VECTOR, VECTOR).after(NAME, images(0), *vectors(0)))
    assert "FusedBatchNormGradV3" in left and FUSED + "Grad" not in left


SUMMED = "_FusedBatchNormAddRelu"


def block(aside: Any, scale: Any, offset: Any, *, late: bool = False) -> Any:
    """The end of a residual block; `late`: the shortcut is computed after the normalization."""
    with tf.GradientTape() as tape:
        tape.watch((aside, scale, offset))
        shortcut = None if late else tf.tanh(aside)
        found = normalized(aside * 2, scale, offset)
        y = tf.nn.relu((tf.tanh(aside) if late else shortcut) + found.y)
        loss = tf.reduce_sum(y * tf.reshape(tf.range(tf.size(y), dtype=tf.float32), y.shape))
    return y, found.batch_mean, *tape.gradient(loss, (aside, scale, offset))


@pytest.mark.parametrize("special", [False, True])
def test_a_residual_block(special: bool) -> None:
    traced = Traced(block, IMAGES, VECTOR, VECTOR)
    for seed in range(3):
        left = types(traced.after(NAME, images(seed, special), *vectors(seed)))
        assert left.count(SUMMED) == left.count("ReluGrad") == 1
        assert not {PLAIN, "Relu"} & set(left)


def test_a_shortcut_computed_later_is_left_alone() -> None:
    def late(*arguments: Any) -> Any:
        return block(*arguments, late=True)

    left = types(Traced(late, IMAGES, VECTOR, VECTOR).after(NAME, images(0), *vectors(0)))
    assert PLAIN in left and SUMMED not in left


@pytest.mark.parametrize(
    "end",
    [
        lambda y, x: (tf.nn.relu(y + y), x),
        lambda y, x: (tf.nn.relu(y + x), y),
        lambda y, x: (tf.nn.relu(y + x) + tf.nn.relu(y - x), x),
        lambda y, x: (lambda z: (tf.nn.relu(z), z))(y + x),
        lambda y, x: (tf.nn.relu(y + x[:1]), x),
        lambda y, x: (tf.nn.relu(y - x), x),
        lambda y, x: (tf.tanh(y + x), x),
    ],
)
def test_other_sums_stay(end: Any) -> None:
    def function(x: Any, scale: Any, offset: Any) -> Any:
        aside = tf.tanh(x)
        return end(normalized(x, scale, offset).y, aside)

    left = types(Traced(function, IMAGES, VECTOR, VECTOR).after(NAME, images(0), *vectors(0)))
    assert PLAIN in left and SUMMED not in left


def test_no_other_rule_takes_the_sum_first() -> None:
    @tf.function
    def function(x: Any, scale: Any, offset: Any) -> Any:
        negated = -tf.tanh(x)
        return tf.nn.relu(negated + normalized(x, scale, offset).y)

    x, (scale, offset) = images(0), vectors(0)
    expected = tf.nn.relu(normalized(x, scale, offset).y - tf.tanh(x))
    for _ in range(2):
        np.testing.assert_allclose(function(x, scale, offset), expected, atol=1e-5)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_sums_of_unknown_batches(data_format: str) -> None:
    @tf.function(jit_compile=True)
    def function(x: Any, scale: Any, offset: Any, aside: Any) -> Any:
        return tf.nn.relu(normalized(x, scale, offset, data_format=data_format).y + aside)

    shape = (None, 8, 8, 8)
    vector = tf.TensorSpec([8])
    concrete = function.get_concrete_function(
        tf.TensorSpec(shape), vector, vector, tf.TensorSpec(shape)
    )
    rng = np.random.default_rng(0)
    scale, offset = (tf.constant(rng.normal(size=8).astype(np.float32)) for _ in range(2))
    for rows, others in [(40, 40), (1, 40), (40, 1)]:
        x = tf.constant(rng.normal(size=(rows, 8, 8, 8)).astype(np.float32))
        aside = tf.constant(rng.normal(size=(others, 8, 8, 8)).astype(np.float32))
        expected = tf.nn.relu(normalized(x, scale, offset, data_format=data_format).y + aside)
        np.testing.assert_allclose(concrete(x, scale, offset, aside), expected, atol=1e-4)


@pytest.mark.parametrize("trained", [trained, block])
def test_compiled_steps_compute_the_same(trained: Any) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, 32, 32, 16)).astype(np.float32)
    scale, offset = (rng.normal(size=16).astype(np.float32) for _ in range(2))
    arguments = [tf.constant(a) for a in (x, scale, offset)]
    compiled = tf.function(trained, jit_compile=True)
    for actual, expected in zip(compiled(*arguments), trained(*arguments), strict=True):
        size = max(float(np.abs(expected).max()), 1.0)
        np.testing.assert_allclose(actual / size, expected / size, atol=2e-5)
