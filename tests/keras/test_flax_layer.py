"""`FlaxLayer`, where Flax is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

linen = pytest.importorskip("flax.linen", reason="Flax is not installed")
keras = tf.keras
X = np.random.default_rng(0).standard_normal((8, 4)).astype("float32")
Y = X.sum(axis=1, keepdims=True)


class Net(linen.Module):
    """Dense layers with normalization, which has a state, and dropout, which draws numbers."""

    @linen.compact
    def __call__(self, inputs: Any, training: bool = False) -> Any:
        x = linen.Dense(8)(inputs)
        x = linen.BatchNorm(use_running_average=not training)(x)
        x = linen.relu(x)
        x = linen.Dropout(0.5, deterministic=not training)(x)
        return linen.Dense(1)(x)

    def get_config(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Net:
        return cls(**config)


def _model() -> Any:
    return keras.Sequential([keras.Input((4,)), keras.layers.FlaxLayer(Net())])


def test_outputs_are_those_of_the_module() -> None:
    model = _model()
    layer = model.layers[0]
    variables = {**layer.params, **layer.state}
    values = tf.nest.map_structure(lambda variable: variable.numpy(), variables)
    np.testing.assert_allclose(model(X), Net().apply(values, X), 1e-5, 1e-6)
    assert len(layer.trainable_weights) == 6
    # The mean and the variance; the seed of dropout is no weight.
    assert len(layer.non_trainable_weights) == 2


def test_training_changes_parameters_and_state() -> None:
    model = _model()
    before = model.get_weights()
    model.compile("adam", "mse")
    losses = model.fit(X, Y, epochs=30, batch_size=4, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    assert all((a != b).any() for a, b in zip(before, model.get_weights()))


def test_models_are_saved_and_loaded(tmp_path: Path) -> None:
    model = _model()
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras", {"Net": Net})
    np.testing.assert_array_equal(loaded(X), model(X))
    model.export(tmp_path / "served", verbose=False)
    served = tf.saved_model.load(tmp_path / "served")
    np.testing.assert_allclose(served.serve(X), model(X), rtol=1e-5)
