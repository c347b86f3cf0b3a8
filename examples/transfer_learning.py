"""Transfer learning: learn digits 0 to 4, then 5 to 9 from ten images each with the same features.

    python examples/transfer_learning.py [--epochs 8]

The body of a trained network is frozen under a new head, then thawed for fine-tuning at a low
learning rate.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import tapeflow as tf

keras = tf.keras
DATA = Path(__file__).parent / "data" / "digits.npz"
LOSS = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def load(seed: int) -> tuple[np.ndarray, np.ndarray]:
    with np.load(DATA) as data:
        images, labels = data["images"], data["labels"]
    order = np.random.default_rng(seed).permutation(len(labels))
    return (images[order, ..., None] / 16).astype("float32"), labels[order].astype("int32")


def make_body() -> keras.Model:
    """Return the layers that turn an image into features."""
    return keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            keras.layers.Conv2D(16, 3, padding="same", activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(32, activation="relu"),
        ],
        name="body",
    )


def with_head(body: keras.Model) -> keras.Model:
    inputs = keras.Input((8, 8, 1))
    return keras.Model(inputs, keras.layers.Dense(5)(body(inputs)))


def fit(model: keras.Model, x: np.ndarray, y: np.ndarray, epochs: int, rate: float) -> None:
    # What is trainable is decided when a model is compiled.
    model.compile(keras.optimizers.Adam(rate), LOSS, metrics=["accuracy"])
    model.fit(x, y, batch_size=16, epochs=epochs, verbose=0)


def train(epochs: int, seed: int = 0) -> dict[str, float]:
    """Return accuracies on digits 5 to 9 after each stage, and without transfer."""
    keras.utils.set_random_seed(seed)
    x, y = load(seed)
    low, high = y < 5, y >= 5
    body = make_body()
    fit(with_head(body), x[low], y[low], epochs, 2e-3)

    few = np.concatenate([np.flatnonzero(y == digit)[:10] for digit in range(5, 10)])
    rest = np.setdiff1d(np.flatnonzero(high), few)
    results = {}

    def measure(name: str, model: keras.Model) -> None:
        _, results[name] = model.evaluate(x[rest], y[rest] - 5, verbose=0)

    body.trainable = False
    model = with_head(body)
    fit(model, x[few], y[few] - 5, 5 * epochs, 5e-3)
    measure("frozen", model)
    body.trainable = True
    fit(model, x[few], y[few] - 5, 2 * epochs, 5e-4)
    measure("fine-tuned", model)
    scratch = with_head(make_body())
    fit(scratch, x[few], y[few] - 5, 7 * epochs, 2e-3)
    measure("from scratch", scratch)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description="Transfer features from digits to digits.")
    parser.add_argument("--epochs", type=int, default=8)
    for name, accuracy in train(parser.parse_args().epochs).items():
        print(f"{name:13} {accuracy:.1%}")


if __name__ == "__main__":
    main()
