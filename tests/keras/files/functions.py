"""A model of Keras 2 with functions of `tf` in it, and configs that Keras 2 alone writes.

`python -m tests.keras.files.functions` records them where `tf_keras` is installed.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

import numpy as np

from tests.keras.files.samples import GOLDEN

FILE = GOLDEN / "keras2_functions.h5"
VALUES = GOLDEN / "keras2_functions.npz"
CONFIGS = GOLDEN / "keras2_configs.json"
X = np.random.default_rng(0).normal(size=(2, 4, 6)).astype("float32")
LAYERS: dict[str, tuple[Any, ...]] = {
    "SeparableConv1D": (2, 3),
    "SeparableConv2D": (2, 3),
    "MultiHeadAttention": (2, 3),
    "DepthwiseConv2D": (3,),
    "RandomFlip": (),
    "RandomRotation": (0.1,),
    "RandomZoom": (0.1,),
    "RandomContrast": (0.1,),
    "RandomCrop": (4, 4),
    "RandomTranslation": (0.1, 0.1),
    "RandomBrightness": (0.1,),
    "LocallyConnected1D": (2, 3),
    "GRU": (2,),
    "BatchNormalization": (),
}


def functions(tf: Any, keras: Any) -> Any:
    """Operators, slices, functions of lists, and a layer with a tensor as a keyword argument."""
    x, y = keras.Input((4, 6), name="x"), keras.Input((4, 6), name="y")
    summed = tf.nn.relu(x) * 2.0 + y
    part = tf.concat([summed, x], axis=-1)[:, 1:3, ::2]
    flat = tf.reshape(tf.math.exp(-tf.reduce_mean(part, axis=1, keepdims=True)), [-1, 6])
    chosen = 1.0 - tf.where(flat > 0.5, flat, tf.zeros_like(flat))
    stacked = tf.stack([tf.squeeze(tf.expand_dims(chosen, 1), 1), flat], axis=1)
    product = tf.transpose(stacked, [0, 2, 1]) @ tf.ones((2, 3))
    attended = keras.layers.MultiHeadAttention(2, 3, name="mha")(x, y)
    first, second = tf.split(attended, 2, axis=1)
    clipped = tf.clip_by_value(first + second, -1.0, 1.0)
    last = tf.cast(x[..., -1], "int32")
    return keras.Model([x, y], [product, clipped, last])


def main() -> None:
    tf: Any = importlib.import_module("tensorflow")
    keras: Any = importlib.import_module("tf_keras")
    keras.utils.set_random_seed(0)
    model = functions(tf, keras)
    model.save(FILE)
    outputs = model.predict([X, X[::-1]], verbose=0)
    np.savez_compressed(VALUES, *outputs)
    configs = {name: getattr(keras.layers, name)(*args) for name, args in LAYERS.items()}
    tensor = keras.Input((3, 4))
    configs["MultiHeadAttention"](tensor, tensor)
    written = {name: layer.get_config() for name, layer in configs.items()}
    CONFIGS.write_text(json.dumps(written, default=list) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
