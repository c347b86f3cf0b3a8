"""Inputs that models refuse, or take in a way of their own: the outcomes of Keras 3.15."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras
L = keras.layers
X = np.ones((4, 3), "float32")
Y = np.ones((4, 1), "float32")


def model() -> Any:
    model = keras.Sequential([keras.Input((3,)), L.Dense(1)])
    model.compile("sgd", "mse")
    return model


CALLS = {
    "call": lambda model, x: model(x),
    "predict": lambda model, x: model.predict(x, verbose=0),
    "fit": lambda model, x: model.fit(x, Y[:2], verbose=0),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_ragged_rows_of_several_lengths_are_refused(call: Callable[[Any, Any], Any]) -> None:
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0, 4.0, 5.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"rows of 3 numbers.*ragged"):
        call(model(), ragged)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("kind", ["str", "object", "tensor"])
def test_text_is_refused_by_models_of_numbers(call: Callable[[Any, Any], Any], kind: str) -> None:
    text: Any = np.array([["a", "b", "c"], ["d", "e", "f"]], None if kind == "tensor" else kind)
    with pytest.raises(ValueError, match=r"expected float32.*string"):
        call(model(), tf.constant(text) if kind == "tensor" else text)


@pytest.mark.parametrize("arguments", [{}, {"restore_best_weights": True}])
def test_early_stopping_needs_a_metric_that_it_knows(arguments: dict[str, Any]) -> None:
    callback = keras.callbacks.EarlyStopping("zz", **arguments)
    with pytest.raises(ValueError, match="'zz'"):
        model().fit(X, Y, verbose=0, callbacks=[callback])


def test_early_stopping_with_a_mode_waits_for_its_metric() -> None:
    callback = keras.callbacks.EarlyStopping("zz", mode="min")
    with pytest.warns(UserWarning, match=r"'zz'.*'loss'"):
        history = model().fit(X, Y, verbose=0, epochs=2, callbacks=[callback])
    assert history.epoch == [0, 1]


@pytest.mark.parametrize("compiled", [False, True])
def test_embeddings_count_from_the_end(compiled: bool) -> None:
    layer = L.Embedding(4, 2)
    embedding = keras.Sequential([keras.Input((1,)), layer])
    layer.set_weights([np.arange(8.0).reshape(4, 2)])
    call: Any = tf.function(embedding, jit_compile=True) if compiled else embedding
    np.testing.assert_array_equal(call(tf.constant([[-1], [0]])), [[[6, 7]], [[0, 1]]])
    for index in (4, -5):
        with pytest.raises(tf.errors.InvalidArgumentError):
            call(tf.constant([[index], [0]]))


def test_embeddings_of_a_negative_size_are_refused() -> None:
    with pytest.raises(ValueError, match="input_dim=-1"):
        L.Embedding(-1, 2)


@pytest.mark.parametrize("layer", [L.Dropout, L.SpatialDropout1D])
def test_a_rate_of_one_drops_everything_in_training(layer: Any) -> None:
    x = np.ones((2, 3, 4), "float32")
    np.testing.assert_array_equal(layer(1.0)(x, training=True), np.zeros_like(x))
    np.testing.assert_array_equal(layer(1.0)(x, training=False), x)
