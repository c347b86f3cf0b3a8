"""SavedModel folders and checkpoints that Keras 2 has written.

`python -m tests.keras.files.folders` records them where `tf_keras` is installed.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from tests.keras.files.samples import GOLDEN, branches, outputs

FOLDERS = GOLDEN / "keras2_folders"
VALUES = GOLDEN / "keras2_folders.npz"
X = np.linspace(-1, 1, 12, dtype="float32").reshape(3, 4)
Y = np.linspace(0, 1, 9, dtype="float32").reshape(3, 3)


def own_classes(keras: Any) -> tuple[Any, Any]:
    """A layer and a model of the program's own."""

    class Scale(keras.layers.Layer):  # type: ignore[misc, name-defined]
        def __init__(self, factor: float = 2.0, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.factor = factor

        def build(self, shape: Any) -> None:
            self.scale = self.add_weight(name="s", shape=(shape[-1],), initializer="ones")
            super().build(shape)

        def call(self, x: Any, training: bool = False) -> Any:
            self.add_loss(0.01 * keras.backend.mean(x))
            return x * self.scale * self.factor + (1.0 if training else 0.0)

        def get_config(self) -> dict[str, Any]:
            return {**super().get_config(), "factor": self.factor}

    class Blocks(keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self, units: int = 3, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.units = units
            self.dense = keras.layers.Dense(units)
            self.blocks = [Scale(3.0), Scale(0.5)]

        def call(self, x: Any, training: bool = False) -> Any:
            x = self.dense(x)
            for block in self.blocks:
                x = block(x, training=training)
            return x

        def get_config(self) -> dict[str, Any]:
            return {"units": self.units}

    return Scale, Blocks


def line(keras: Any) -> Any:
    """A model whose weights are kept in a checkpoint."""
    layers = keras.layers
    return keras.Sequential(
        [keras.Input((4,)), layers.Dense(5, name="a"), layers.BatchNormalization(name="b")]
    )


TEXTS = np.array(["the cat sat", "a dog ran", "the dog", "on it"])


def texts(keras: Any) -> Any:
    """Three kinds of vocabularies that are adapted to data."""
    layers = keras.layers
    vectorize = layers.TextVectorization(max_tokens=9, output_sequence_length=3, name="v")
    weigh = layers.TextVectorization(output_mode="tf_idf", name="w")
    lookup = layers.IntegerLookup(mask_token=0, name="i")
    for layer in (vectorize, weigh):
        layer.adapt(TEXTS)
    lookup.adapt(np.array([5, 5, 3, 7]))
    words = keras.Input((1,), dtype="string", name="words")
    numbers = keras.Input((2,), dtype="int64", name="numbers")
    return keras.Model([words, numbers], [vectorize(words), weigh(words), lookup(numbers)])


def texts_inputs(tf: Any) -> Any:
    words = [["the dog sat"], ["zebra on"], ["ran it a the"]]
    return [tf.constant(words), tf.constant([[5, 9], [0, 3], [7, 7]], tf.int64)]


def recorded_texts(keras: Any, tf: Any) -> dict[str, Any]:
    """Save the model with vocabularies, and return its outputs."""
    model = texts(keras)
    model.save(FOLDERS / "texts", save_format="tf", save_traces=False)
    return {f"texts{n}": each.numpy() for n, each in enumerate(model(texts_inputs(tf)))}


def trained(model: Any, optimizer: Any, y: Any = None) -> Any:
    """A model after two steps."""
    model.compile(optimizer, "mse")
    for _ in range(2):
        model.train_on_batch(X, y)
    return model


def main() -> None:
    keras: Any = importlib.import_module("tf_keras")
    keras.utils.set_random_seed(3)
    model = branches(keras)
    model.save(FOLDERS / "branches", save_format="tf", save_traces=False)
    values: dict[str, Any] = {
        f"branches{n}": each for n, each in enumerate(outputs(model, "branches"))
    }
    values["slots"] = np.array([np.abs(v.numpy()).sum() for v in model.optimizer.variables])
    own = trained(own_classes(keras)[1](name="own"), "adam", Y)
    own.save(FOLDERS / "own", save_format="tf")
    values["own"] = own.predict(X, verbose=0)
    values["own_loss"] = np.array(own.test_on_batch(X, Y))
    weights = trained(line(keras), keras.optimizers.legacy.Adam(0.01), np.ones((3, 5)))
    weights.save_weights(FOLDERS / "weights" / "line")
    values["line"] = weights.predict(X, verbose=0)
    values["momentum"] = weights.optimizer.get_slot(weights.layers[0].kernel, "m").numpy()
    values |= recorded_texts(keras, importlib.import_module("tensorflow"))
    np.savez_compressed(VALUES, **values)


if __name__ == "__main__":
    main()
