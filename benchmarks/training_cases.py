"""Cases about Keras models that people train: a step of `fit`, the first step, making a model.

Steps of `fit` are measured against Keras on TensorFlow and against Keras on JAX, whichever is
faster there.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import Step, case, normal

PEERS = {"tensorflow": "Keras/TensorFlow", "benchmarks.keras_on_jax": "Keras/JAX"}
STEPS = 8
# A model, and inputs and labels of one batch.
Made = tuple[Any, Any, Any]


def training(title: str, *, target: float) -> Callable[[Callable[[Any], Made]], Any]:
    """A case for each peer: `STEPS` steps of `fit`."""

    def register(make: Callable[[Any], Made]) -> Any:
        for peer, name in PEERS.items():

            def prepare(tf: Any) -> Step:
                model, x, y = make(tf.keras)
                batch = len(x)
                x, y = np.concatenate([x] * STEPS), np.concatenate([y] * STEPS)
                return lambda: model.fit(x, y, batch_size=batch, verbose=0).history["loss"]

            prepare.__name__ = f"{make.__name__}_{'jax' if 'jax' in peer else 'tf'}"
            shown = f"{STEPS} steps of `fit`, {title}, against {name}"
            case(shown, target=target, warm=4.0, peer=peer)(prepare)
        return make

    return register


def compiled(keras: Any, model: Any) -> Any:
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    return model


def labels(count: int) -> np.ndarray:
    return (np.arange(count) % 10).astype("int64")


@training("LSTM of 128 units over 50 steps", target=1.25)
def lstm(keras: Any) -> Made:
    layers = keras.layers
    model = keras.Sequential([keras.Input((50, 32)), layers.LSTM(128), layers.Dense(10)])
    return compiled(keras, model), normal(32, 50, 32), labels(32)


@training("transformer of two blocks", target=1.25)
def transformer(keras: Any) -> Made:
    """Width 128, 4 heads, 64 tokens, batches of 32."""
    layers = keras.layers
    inputs = keras.Input((64,), dtype="int32")
    x = layers.Embedding(1000, 128)(inputs)
    for _ in range(2):
        attended = layers.MultiHeadAttention(4, 32)(x, x)
        x = layers.LayerNormalization()(layers.Add()([x, attended]))
        hidden = layers.Dense(128)(layers.Dense(512, activation="relu")(x))
        x = layers.LayerNormalization()(layers.Add()([x, hidden]))
    outputs = layers.Dense(10)(layers.GlobalAveragePooling1D()(x))
    tokens = np.random.default_rng(0).integers(0, 1000, (32, 64)).astype("int32")
    return compiled(keras, keras.Model(inputs, outputs)), tokens, labels(32)


def cnn_model(keras: Any) -> Any:
    layers = keras.layers
    model = [keras.Input((32, 32, 3))]
    for width in (32, 64, 64):
        model += [layers.Conv2D(width, 3, padding="same", use_bias=False)]
        model += [layers.BatchNormalization(), layers.ReLU(), layers.MaxPooling2D()]
    return compiled(keras, keras.Sequential([*model, layers.Flatten(), layers.Dense(10)]))


@training("CNN of three convolutions", target=1.25)
def cnn(keras: Any) -> Made:
    return cnn_model(keras), normal(32, 32, 32, 3), labels(32)


@training("ResNet of four blocks", target=1.25)
def resnet(keras: Any) -> Made:
    layers = keras.layers

    def normed(x: Any, width: int, stride: int) -> Any:
        x = layers.Conv2D(width, 3, strides=stride, padding="same", use_bias=False)(x)
        return layers.BatchNormalization()(x)

    inputs = keras.Input((32, 32, 3))
    x = layers.ReLU()(normed(inputs, 32, 1))
    for width, stride in ((32, 1), (32, 1), (64, 2), (64, 1)):
        shortcut = x if stride == 1 else layers.Conv2D(width, 1, strides=stride)(x)
        y = normed(layers.ReLU()(normed(x, width, stride)), width, 1)
        x = layers.ReLU()(layers.Add()([shortcut, y]))
    outputs = layers.Dense(10)(layers.GlobalAveragePooling2D()(x))
    return compiled(keras, keras.Model(inputs, outputs)), normal(16, 32, 32, 3), labels(16)


@case("from a CNN's definition to the end of the first step of `fit`", target=5, calls=1)
def first_cnn_step(tf: Any) -> Step:
    x, y = normal(32, 32, 32, 3), labels(32)
    return lambda: cnn_model(tf.keras).fit(x, y, verbose=0).history["loss"]


@case("from an LSTM's definition to the end of the first step of `fit`", target=5, calls=1)
def first_lstm_step(tf: Any) -> Step:
    def once() -> object:
        model, x, y = lstm(tf.keras)
        return model.fit(x, y, verbose=0).history["loss"]

    return once


@case("making ResNet50", target=2, calls=1, warm=3.0)
def resnet50(tf: Any) -> Step:
    return lambda: tf.keras.applications.ResNet50(weights=None).count_params()


def words(count: int) -> np.ndarray:
    numbers = np.random.default_rng(0).zipf(1.5, count) % 20_000
    return np.array([f"word{number}" for number in numbers], dtype=object)


@case("`StringLookup` of 100,000 strings", target=1)
def string_lookup(tf: Any) -> Step:
    layer = tf.keras.layers.StringLookup(vocabulary=[f"word{i}" for i in range(10_000)])
    strings = tf.constant(words(100_000))
    return lambda: layer(strings)


@case("`TextVectorization` of 100,000 strings", target=1, calls=1)
def text_vectorization(tf: Any) -> Step:
    texts = words(400_000).reshape(100_000, 4)
    strings = tf.constant([" ".join(text).capitalize() + "." for text in texts])
    layer = tf.keras.layers.TextVectorization(10_000, output_sequence_length=8)
    layer.adapt(strings)
    return lambda: layer(strings)


@case("`TextVectorization.adapt` on 100,000 strings", target=1, calls=1)
def text_adapt(tf: Any) -> Step:
    texts = words(400_000).reshape(100_000, 4)
    strings = tf.constant([" ".join(text).capitalize() + "." for text in texts])

    def once() -> object:
        layer = tf.keras.layers.TextVectorization(10_000)
        layer.adapt(strings)
        return layer.vocabulary_size()

    return once


@case("`image_dataset_from_directory`, 400 images", target=1, calls=1)
def image_folder(tf: Any) -> Step:
    """Finding, decoding and resizing JPEGs of 64 by 64 in four classes."""
    folder = Path(tempfile.mkdtemp(prefix="tapeflow-bench-"))
    pixels = np.random.default_rng(0).integers(0, 255, (400, 64, 64, 3)).astype("uint8")
    for number, image in enumerate(pixels):
        target = folder / f"class{number % 4}" / f"{number}.jpg"
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(tf.io.encode_jpeg(image).numpy())
    read = tf.keras.utils.image_dataset_from_directory

    def once() -> object:
        dataset = read(folder, image_size=(48, 48), batch_size=32, verbose=False)
        return [images.shape for images, _ in dataset]

    return once
