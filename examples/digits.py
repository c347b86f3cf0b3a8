"""Train a small convolutional network on handwritten digits with Keras, save it and load it again.

    python examples/digits.py [--epochs 12] [--folder DIR]

The same network without Keras, with the training loop written out: examples/training_loop.py.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf

keras = tf.keras
DATA = Path(__file__).parent / "data" / "digits.npz"


def load_digits(seed: int = 0) -> tuple[Any, Any, Any, Any]:
    """Images (8 by 8, from 0 to 1) and labels: four fifths to train with, one fifth to test."""
    with np.load(DATA) as data:
        images, labels = data["images"], data["labels"]
    order = np.random.default_rng(seed).permutation(len(labels))
    x, y = (images[order] / 16).astype("float32")[..., np.newaxis], labels[order].astype("int64")
    cut = len(labels) * 4 // 5
    return x[:cut], y[:cut], x[cut:], y[cut:]


def make_model() -> Any:
    """Two convolutions, pooling, dropout, and a probability for each of the ten digits."""
    return keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
            keras.layers.Conv2D(64, 3, padding="same", activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.4),
            keras.layers.Dense(10, activation="softmax"),
        ],
        name="digits",
    )


def train(epochs: int = 12, seed: int = 0, verbose: int | str = "auto") -> tuple[Any, float]:
    """A trained model and its accuracy on the digits that it has not seen."""
    keras.utils.set_random_seed(seed)
    x_train, y_train, x_test, y_test = load_digits(seed)
    model = make_model()
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x_train, y_train, batch_size=32, epochs=epochs, verbose=verbose)
    return model, model.evaluate(x_test, y_test, verbose=0, return_dict=True)["accuracy"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a small network on handwritten digits.")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--folder", help="where to save the model; a new temporary folder if none")
    options = parser.parse_args()
    folder = Path(options.folder or tempfile.mkdtemp(prefix="tapeflow-demo-"))
    model, accuracy = train(options.epochs)
    print(f"\naccuracy on the test digits: {accuracy:.1%}")

    whole, weights = folder / "digits.keras", folder / "digits.weights.h5"
    model.save(whole)
    model.save_weights(weights)
    tf.saved_model.save(model, str(folder / "digits"))
    print(f"model:       keras.models.load_model({str(whole)!r})")
    print(f"weights:     model.load_weights({str(weights)!r})")
    print(f"for serving: tf.saved_model.load({str(folder / 'digits')!r})")
    print("Keras and TensorFlow read the same files.")


if __name__ == "__main__":
    main()
