"""Models that are exchanged in files with Keras 2 and Keras 3.

`python -m tests.keras.files.samples keras2|keras3` records what real Keras writes and predicts,
where it is installed (`tf_keras` and `keras`).
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np

GOLDEN = Path(__file__).parents[2] / "golden"
random = np.random.default_rng(0)
IMAGES = random.normal(size=(4, 8, 8, 2)).astype("float32")
WORDS = random.integers(0, 7, (4, 5))
LABELS = np.eye(2)[random.integers(0, 2, 4)].astype("float32")
TARGETS = random.normal(size=(4, 1)).astype("float32")


def branches(keras: Any) -> Any:
    """Convolutions, a layer called twice, a model inside, two outputs; trained with Adam."""
    layers = keras.layers
    x = keras.Input((8, 8, 2), name="x")
    y = layers.Conv2D(3, 3, padding="same", activation="relu", name="c")(x)
    y = layers.BatchNormalization(name="bn")(y)
    z = layers.DepthwiseConv2D(3, padding="same", name="dw")(y)
    y = layers.GlobalAveragePooling2D(name="gap")(layers.Add(name="add")([y, z]))
    shared = layers.Dense(3, name="shared", kernel_regularizer="l2")
    inner = keras.Sequential(
        [
            keras.Input((3,)),
            layers.Dense(4, activation="tanh", name="i1"),
            layers.Dropout(0.1),
            layers.BatchNormalization(name="ibn"),
        ],
        name="inner",
    )
    y = inner(shared(shared(y)))
    outputs = [layers.Dense(2, activation="softmax", name="o")(y), layers.Dense(1, name="p")(y)]
    model = keras.Model(x, outputs, name="branches")
    model.compile(
        keras.optimizers.Adam(0.01),
        {"o": "categorical_crossentropy", "p": keras.losses.Huber(0.5)},
        metrics={"o": ["accuracy"], "p": [keras.metrics.MeanAbsoluteError()]},
    )
    model.fit(IMAGES, [LABELS, TARGETS], epochs=2, verbose=0, shuffle=False)
    return model


def line(keras: Any) -> Any:
    """An embedding and an LSTM; trained with RMSprop."""
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((5,)),
            layers.Embedding(7, 3, name="e"),
            layers.LSTM(4, name="l"),
            layers.Dense(2, name="d"),
        ],
        name="line",
    )
    model.compile("rmsprop", "mse", metrics=["mae"])
    model.fit(WORDS, LABELS, epochs=1, verbose=0)
    return model


MODELS = {"branches": branches, "line": line}
INPUTS: dict[str, Any] = {"branches": IMAGES, "line": WORDS}


def outputs(model: Any, name: str) -> list[np.ndarray]:
    """What a model predicts."""
    found = model.predict(INPUTS[name], verbose=0)
    return [np.asarray(each) for each in (found if isinstance(found, list) else [found])]


def main() -> None:
    which = sys.argv[1]
    keras = importlib.import_module({"keras2": "tf_keras", "keras3": "keras"}[which])
    for name, make in MODELS.items():
        keras.utils.set_random_seed(3)
        model = make(keras)
        model.save(GOLDEN / f"{which}_{name}.h5")
        values = {str(n): each for n, each in enumerate(outputs(model, name))}
        slots = model.optimizer.variables
        slots = slots() if callable(slots) else slots
        values["slots"] = np.array([float(np.sum(np.abs(each.numpy()))) for each in slots])
        np.savez_compressed(GOLDEN / f"{which}_{name}_h5.npz", **values)


if __name__ == "__main__":
    main()
