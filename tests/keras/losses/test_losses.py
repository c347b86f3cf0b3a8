"""Losses in functions, compiled, of ones own, and through their configs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tests.keras.losses.programs import MADE

losses = tf.keras.losses


def make(code: str) -> Any:
    return eval(f"losses.{code}", {"losses": losses})


@pytest.mark.parametrize("made", MADE)
def test_configs_make_equal_losses(made: str) -> None:
    loss = make(made)
    config = losses.serialize(loss)
    assert config["module"] == "keras.losses"
    other = losses.deserialize(config)
    assert type(other) is type(loss) and other.get_config() == loss.get_config()


@pytest.mark.parametrize("made", [made for made in MADE if made != "CTC()"])
def test_functions_agree(made: str) -> None:
    y_true, y_pred = (tf.constant(eval(text)) for text in MADE[made])
    expected = make(made)(y_true, y_pred)
    traced = tf.function(make(made), jit_compile=False)
    tf.debugging.assert_near(traced(y_true, y_pred), expected, rtol=1e-5)


@pytest.mark.parametrize("made", ["SparseCategoricalCrossentropy(True)", "Huber()", "Hinge()"])
def test_compiled(made: str) -> None:
    y_true, y_pred = (tf.constant(eval(text)) for text in MADE[made])
    traced = tf.function(make(made), jit_compile=True)
    tf.debugging.assert_near(traced(y_true, y_pred), make(made)(y_true, y_pred), rtol=1e-5)


def test_sizes_that_are_not_known_yet() -> None:
    spec = tf.TensorSpec([None, None])
    loss = tf.function(losses.BinaryCrossentropy(), input_signature=[spec, spec])
    assert float(loss(tf.ones([2, 3]), tf.fill([2, 3], 0.5))) == pytest.approx(np.log(2))


def test_a_loss_of_ones_own() -> None:
    class Difference(losses.Loss):  # type: ignore[name-defined,misc]
        def call(self, y_true: Any, y_pred: Any) -> Any:
            return tf.reduce_sum(tf.abs(y_true - y_pred), axis=-1)

    loss = Difference(reduction="sum")
    assert loss.name == "difference"
    assert float(loss(tf.constant([[1, 2]]), tf.constant([[2.0, 4.0]]))) == 3.0


def test_what_does_not_look_like_logits_is_said() -> None:
    shares = tf.keras.activations.softmax(tf.constant([[1.0, 2.0]]))
    with pytest.warns(UserWarning, match="from_logits=True"):
        losses.categorical_crossentropy(tf.constant([[0.0, 1.0]]), shares, from_logits=True)


def test_one_class_is_warned_of() -> None:
    with pytest.warns(SyntaxWarning, match="binary_crossentropy"):
        losses.categorical_crossentropy(tf.ones([2, 1]), tf.ones([2, 1]))


def test_full_names_are_found() -> None:
    assert losses.mean_squared_error is losses.mse
    assert not hasattr(losses, "mean_error")


def test_the_gradient_of_ctc_is_its_derivative_with_the_blank_among_labels() -> None:
    # TensorFlow's gradient leaves such labels out: its entries do not sum to zero, though adding
    # a constant to all logits of a step does not change the loss.
    logits = tf.Variable(np.sin(np.arange(20.0)).reshape(1, 5, 4), dtype=tf.float64)
    labels = tf.constant([[1, 0, 2]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(losses.ctc(labels, logits))
    gradient = tape.gradient(loss, logits).numpy()
    np.testing.assert_allclose(gradient.sum(-1), 0.0, atol=1e-6)
    step = np.zeros((1, 5, 4))
    step[0, 2, 0] = 1e-3
    values = [float(losses.ctc(labels, logits + sign * step)[0]) for sign in (1, -1)]
    assert gradient[0, 2, 0] == pytest.approx((values[0] - values[1]) / 2e-3, rel=1e-2)
