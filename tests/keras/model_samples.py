"""Models that Keras and we make alike.

`python tests/keras/model_samples.py FOLDER` records what Keras gives, where it is installed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np


def toy(keras: Any) -> Any:
    """Two inputs, a shared layer, operators, two outputs."""
    layers = keras.layers
    a, b = keras.Input((4,), name="a"), keras.Input((3,), name="b")
    shared = layers.Dense(5, activation="relu", name="shared")
    joined = layers.Concatenate()([shared(a), shared(layers.Dense(4)(b))])
    joined = joined * 2.0 + 1
    first = layers.Dense(1, name="priority")(joined)
    second = layers.BatchNormalization(name="department")(joined)
    return keras.Model([a, b], [first, second], name="toy")


def line(keras: Any) -> Any:
    """Layers one after the other, one of them a model."""
    layers = keras.layers
    inner = keras.Sequential([layers.Dense(2, activation="tanh"), layers.Dense(2)])
    return keras.Sequential(
        [keras.Input((4,)), layers.Dense(3), layers.Dropout(0.2), inner, layers.Dense(1)]
    )


def block(keras: Any) -> Any:
    """A class with layers in attributes, a list and a dict, and a weight of its own."""

    class Block(keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first = keras.layers.Dense(2)
            self.several = [keras.layers.Dense(2), keras.layers.Dense(2)]
            self.named = {"last": keras.layers.Dense(3)}
            self.scale = self.add_weight(shape=(3,), name="scale", initializer="ones")

        def call(self, x: Any) -> Any:
            x = self.first(x)
            for layer in self.several:
                x = layer(x)
            return self.named["last"](x) * self.scale

    model = Block()
    model(np.ones((1, 4), "float32"))
    return model


MODELS = {"toy": toy, "line": line, "block": block}


def made(keras: Any, name: str) -> Any:
    """A model with weights that are always the same."""
    keras.backend.clear_session(free_memory=False)
    model = MODELS[name](keras)
    random = np.random.default_rng(7)
    model.set_weights([random.uniform(0.2, 1.0, w.shape) for w in model.weights])
    return model


def inputs_of(name: str) -> Any:
    random = np.random.default_rng(8)
    widths = (4, 3) if name == "toy" else (4,)
    found = [random.standard_normal((2, width)).astype("float32") for width in widths]
    return found if len(found) > 1 else found[0]


def facts(model: Any, name: str) -> dict[str, Any]:
    """What can be told of a model."""
    outputs = model(inputs_of(name))
    text: list[str] = []
    model.summary(print_fn=lambda line, **_: text.append(line))
    found = {
        "outputs": [
            np.asarray(y).tolist() for y in (outputs if isinstance(outputs, list) else [outputs])
        ],
        "summary": "\n".join(text).rstrip(),
        "layers": [layer.name for layer in model.layers],
        "paths": [weight.path for weight in model.weights],
        "params": model.count_params(),
    }
    if name != "block":
        found["config"] = json.loads(json.dumps(model.get_config()))
        found["shapes"] = json.loads(json.dumps([model.input_shape, model.output_shape]))
    return found


def main() -> None:
    import keras
    import tensorflow as tf

    folder = Path(sys.argv[1])
    recorded = {}
    for name in MODELS:
        model = made(keras, name)
        recorded[name] = facts(model, name)
        model.save_weights(folder / f"keras_{name}.weights.h5")
        if name != "block":
            model.save(folder / f"keras_{name}.keras")
    tf.train.Checkpoint(made(keras, "toy")).write(str(folder / "keras_toy_checkpoint"))
    text = json.dumps(recorded, indent=0, sort_keys=True)
    (folder / "keras_models.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
