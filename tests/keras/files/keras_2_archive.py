"""A `.keras` file of Keras 2 whose config has what only Keras 2 writes.

`python -m tests.keras.files.keras_2_archive` writes it with real `tf_keras`, where that is
installed, and prints what the model computes.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np

PATH = Path(__file__).parents[2] / "golden" / "keras_2_archive.keras"
X = np.linspace(-1, 1, 96, dtype="float32").reshape(2, 4, 4, 3)
# What Keras 2 computes for `X`, and its loss and accuracy for labels 0 and 1.
OUTPUTS = [[-1528.0] * 3, [1528.0] * 3]
RESULTS = {"loss": 1.0986123, "accuracy": 0.5}


def made(keras: Any) -> Any:
    """A model with attention, convolutions by channel, a policy, and objects in `compile`."""
    layers = keras.layers
    x = keras.Input((4, 4, 3), name="x")
    y = layers.SeparableConv2D(
        2, 2, depthwise_initializer="ones", pointwise_initializer="ones", name="separable"
    )(x)
    y = layers.Conv2DTranspose(2, 2, kernel_initializer="ones", name="transposed")(y)
    y = layers.Reshape((16, 2), name="rows")(y)
    y = layers.MultiHeadAttention(2, 3, kernel_initializer="ones", name="attention")(y, y)
    y = layers.Dense(3, kernel_initializer="ones", dtype="mixed_bfloat16", name="mixed")(y)
    y = layers.GlobalAveragePooling1D(dtype="float32", name="pooled")(y)
    model = keras.Model(x, y)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    metrics = [keras.metrics.SparseCategoricalAccuracy(name="accuracy")]
    model.compile(keras.optimizers.RMSprop(0.01), loss, metrics)
    return model


if __name__ == "__main__":
    model = made(importlib.import_module("tf_keras"))
    model.save(PATH)
    print(model.predict(X).tolist(), model.evaluate(X, np.array([0, 1])))
