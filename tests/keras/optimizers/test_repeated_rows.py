"""Rows that come twice in a sparse gradient: Keras 3 squares each, Keras 2 their sum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

# The row that is looked up twice after one step with rate 0.1, of Keras 3.15 and tf_keras 2.21.
RECORDED = {
    "Adam": (1.044721, 1.0999988),
    "RMSprop": (1.1414213, 1.3162274),
    "Adagrad": (1.0437479, 1.0903507),
    "SGD": (1.0666667, 1.0666667),
    "Adamax": (1.0333333, 1.0999999),
    "Adadelta": (1.0000633, 1.0001414),
    "Ftrl": (0.8362335, 0.66177934),
}


def _row_after_a_step(optimizer: str) -> Any:
    layers = tf.keras.layers
    embedding = layers.Embedding(4, 1, embeddings_initializer="ones")
    model = tf.keras.Sequential([tf.keras.Input((3,), dtype="int32"), embedding, layers.Flatten()])
    model.compile(getattr(tf.keras.optimizers, optimizer)(0.1), "mse")
    model.train_on_batch(np.array([[1, 1, 2]]), np.array([[0.0, 3.0, 0.0]]))
    return model.get_weights()[0][1, 0]


@pytest.mark.parametrize("optimizer", RECORDED)
def test_repeated_rows_are_as_in_the_keras_that_is_asked_for(
    optimizer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keras_3, keras_2 = RECORDED[optimizer]
    monkeypatch.delenv("TF_USE_LEGACY_KERAS", raising=False)
    assert _row_after_a_step(optimizer) == pytest.approx(keras_3, rel=1e-6)
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    assert _row_after_a_step(optimizer) == pytest.approx(keras_2, rel=1e-6)
