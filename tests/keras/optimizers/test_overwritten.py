"""Variables whose gradient is their new value, scales of the loss, and `decay` of Keras 2."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

optimizers = tf.keras.optimizers


def overwritten() -> tuple[tf.keras.Variable, tf.keras.Variable]:
    first, second = (tf.keras.Variable([1.0, 2.0]) for _ in range(2))
    first.overwrite_with_gradient = True
    return first, second


def test_accumulation_overwrites_with_the_largest_gradient() -> None:
    first, second = overwritten()
    optimizer = optimizers.SGD(1.0, gradient_accumulation_steps=2)
    optimizer.apply([tf.constant([5.0, 1.0])] * 2, [first, second])
    np.testing.assert_array_equal(first, [1.0, 2.0])
    optimizer.apply([tf.constant([3.0, 3.0])] * 2, [first, second])
    np.testing.assert_array_equal(first, [5.0, 3.0])
    np.testing.assert_array_equal(second, [-3.0, 0.0])
    optimizer.apply([tf.constant([0.5, 0.5])] * 2, [first, second])
    optimizer.apply([tf.constant([0.5, 0.5])] * 2, [first, second])
    np.testing.assert_array_equal(first, [0.5, 0.5])


def test_loss_scaling_leaves_new_values_as_they_are() -> None:
    first, second = overwritten()
    optimizer = optimizers.LossScaleOptimizer(optimizers.SGD(1.0), initial_scale=4.0)
    optimizer.apply([tf.constant([4.0, 8.0])] * 2, [first, second])
    np.testing.assert_array_equal(first, [4.0, 8.0])
    np.testing.assert_array_equal(second, [0.0, 0.0])
    assert float(optimizer.scale_loss(2.0)) == 8.0


def test_multi_optimizer_shares_its_loss_scale() -> None:
    inner = optimizers.SGD(1.0)
    multi = optimizers.MultiOptimizer(optimizers.OptimizerMap(inner), loss_scale_factor=5.0)
    assert inner.loss_scale_factor == 5.0
    optimizers.LossScaleOptimizer(multi)
    assert multi.loss_scale_factor is inner.loss_scale_factor is None


def test_muon_methods() -> None:
    muon = optimizers.Muon(rms_rate=0.5)
    np.testing.assert_allclose(muon.lr_adjust(tf.ones((4, 2))), np.ones((4, 2)))
    singular = np.linalg.svd(muon.zeropower_via_newtonschulz5(tf.constant([[3.0, 1], [1, 2]]), 5))
    np.testing.assert_allclose(singular[1], [1.0, 1.0], atol=0.35)


@pytest.mark.parametrize("in_function", [False, True])
def test_decay_divides_the_learning_rate(in_function: bool) -> None:
    optimizer = optimizers.legacy.SGD(0.5, decay=1.0)
    variable = tf.Variable(1.0)
    step = tf.function(optimizer.apply) if in_function else optimizer.apply
    for _ in range(3):
        step([tf.constant(1.0)], [variable])
    np.testing.assert_allclose(variable, 1 - 0.5 * (1 + 1 / 2 + 1 / 3), rtol=1e-6)
    assert float(optimizer.learning_rate) == 0.5
    assert type(optimizer).from_config(optimizer.get_config()).decay == 1.0
    assert "decay" not in optimizers.SGD().get_config()
