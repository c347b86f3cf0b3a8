"""Models as estimators of scikit-learn; what needs it is skipped where it is not installed."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.keras.wrappers.targets import Classes, Columns

W = tf.keras.wrappers
INSTALLED = importlib.util.find_spec("sklearn") is not None
needs_sklearn = pytest.mark.skipif(not INSTALLED, reason="scikit-learn is not installed")
X = np.random.default_rng(0).standard_normal((40, 3))


def new_model(X: Any, y: Any, loss: str, units: int = 8) -> Any:
    inputs = tf.keras.Input((X.shape[1],))
    hidden = tf.keras.layers.Dense(units, "tanh")(inputs)
    activation = "softmax" if loss == "categorical_crossentropy" else None
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(y.shape[1], activation)(hidden))
    model.compile(tf.keras.optimizers.Adam(0.05), loss)
    return model


@pytest.mark.parametrize("labels", [["b", "a", "c", "a"], [3, 1, 3, 2]])
def test_classes_are_decoded_from_what_they_are_encoded_to(labels: list[Any]) -> None:
    y = np.array(labels)
    classes = Classes(y)
    encoded = classes.encode(y)
    assert encoded.shape == (4, 3)
    np.testing.assert_array_equal(encoded.sum(axis=1), np.ones(4))
    np.testing.assert_array_equal(classes.decode(encoded * 0.7 + 0.1), y)


@pytest.mark.parametrize("shape", [(5,), (5, 1), (5, 2)])
def test_numbers_keep_their_shape(shape: tuple[int, ...]) -> None:
    y = np.arange(np.prod(shape)).reshape(shape)
    encoded = Columns(y).encode(y)
    assert encoded.ndim == 2
    np.testing.assert_array_equal(Columns(y).decode(encoded), y)


@pytest.mark.skipif(INSTALLED, reason="scikit-learn is installed")
@pytest.mark.parametrize("name", ["SKLearnClassifier", "SKLearnRegressor", "SKLearnTransformer"])
def test_without_scikit_learn_the_error_says_what_to_install(name: str) -> None:
    with pytest.raises(ImportError, match="pip install scikit-learn"):
        getattr(W, name)(new_model)


@needs_sklearn
def test_a_classifier_learns_classes() -> None:
    y = np.where(X[:, 0] > 0, "up", "down")
    classifier = W.SKLearnClassifier(
        new_model, model_kwargs={"loss": "categorical_crossentropy"}, fit_kwargs={"epochs": 30}
    )
    classifier.fit(X, y, verbose=0)
    assert classifier.score(X, y) > 0.8
    assert classifier.epoch_ == 30
    assert classifier.decision_function(X).shape == (40, 2)


@needs_sklearn
def test_a_compiled_model_is_cloned_and_stays_as_it_is() -> None:
    y = X @ np.array([1.0, -2.0, 0.5])
    model = new_model(X, y[:, None], "mse")
    before = model.get_weights()
    regressor = W.SKLearnRegressor(model, fit_kwargs={"epochs": 60}).fit(X, y, verbose=0)
    assert regressor.score(X, y) > 0.5
    assert regressor.predict(X).shape == y.shape
    for old, new in zip(before, model.get_weights()):
        np.testing.assert_array_equal(old, new)


@needs_sklearn
def test_a_transformer_returns_the_outputs() -> None:
    transformer = W.SKLearnTransformer(new_model, model_kwargs={"loss": "mse"})
    assert transformer.fit(X, X, verbose=0).transform(X).shape == (40, 3)
