"""Small models in files of Keras whose contents are unusual: lambdas, bfloat16, subclasses.

`python -m tests.keras.files.exchange` writes them with real Keras, where it is installed.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np

GOLDEN = Path(__file__).parents[2] / "golden"
X = np.linspace(-1, 1, 8, dtype="float32").reshape(2, 4)


def subclass(keras: Any) -> Any:
    """A subclass of Model, to register."""

    class Named(keras.Model):  # type: ignore[misc, name-defined]
        pass

    return keras.saving.register_keras_serializable("exchange")(Named)


def models(keras: Any) -> dict[str, Any]:
    """The models by name; what they compute, `expected` says."""
    layers = keras.layers
    x = keras.Input((4,), name="x")
    hidden = layers.Dense(3, kernel_initializer="ones", name="h")(x)
    return {
        "lambda": keras.Sequential([keras.Input((4,)), layers.Lambda(lambda t: t * 3 + 1)]),
        "bfloat16": keras.Sequential(
            [keras.Input((4,)), layers.Dense(2, kernel_initializer="ones", dtype="bfloat16")]
        ),
        "subclass": subclass(keras)(x, layers.Dense(1, kernel_initializer="ones")(hidden)),
    }


def expected() -> dict[str, np.ndarray]:
    total = X.sum(1, keepdims=True)
    return {"lambda": X * 3 + 1, "bfloat16": np.repeat(total, 2, 1), "subclass": 3 * total}


if __name__ == "__main__":
    for name, model in models(importlib.import_module("keras")).items():
        model.save(GOLDEN / f"keras_exchange_{name}.keras")
