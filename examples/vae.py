"""Train a variational autoencoder on handwritten digits, with `train_step` of a Keras model.

    python examples/vae.py [--epochs 20]

Prints digits that the decoder makes from random numbers, as characters.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import tapeflow as tf

keras = tf.keras
DATA = Path(__file__).parent / "data" / "digits.npz"


class VAE(keras.Model):
    """Encode an image as a normal distribution of a few numbers, and decode samples of it."""

    def __init__(self, size: int = 4) -> None:
        super().__init__()
        self.size = size
        self.encoder = keras.Sequential(
            [keras.layers.Dense(64, activation="relu"), keras.layers.Dense(2 * size)]
        )
        self.decoder = keras.Sequential(
            [keras.layers.Dense(64, activation="relu"), keras.layers.Dense(64)]
        )
        self.trackers = {name: keras.metrics.Mean(name) for name in ("loss", "image", "kl")}

    @property
    def metrics(self) -> list[keras.metrics.Metric]:
        return list(self.trackers.values())

    def call(self, images: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        mean, log_variance = tf.split(self.encoder(images), 2, axis=1)
        noise = tf.random.normal(tf.shape(mean))
        return self.decoder(mean + noise * tf.exp(log_variance / 2)), mean, log_variance

    def train_step(self, images: tf.Tensor) -> dict[str, tf.Tensor]:
        with tf.GradientTape() as tape:
            logits, mean, log_variance = self(images, training=True)
            error = tf.nn.sigmoid_cross_entropy_with_logits(images, logits)
            image = tf.reduce_mean(tf.reduce_sum(error, axis=1))
            kl = 0.5 * tf.reduce_sum(mean**2 + tf.exp(log_variance) - log_variance - 1, axis=1)
            kl = tf.reduce_mean(kl)
            loss = image + kl
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply(gradients, self.trainable_variables)
        for name, value in (("loss", loss), ("image", image), ("kl", kl)):
            self.trackers[name].update_state(value)
        return {name: tracker.result() for name, tracker in self.trackers.items()}

    def sample(self, count: int) -> tf.Tensor:
        return tf.sigmoid(self.decoder(tf.random.normal([count, self.size])))


def train(epochs: int, seed: int = 0) -> tuple[VAE, list[float]]:
    """Return a trained model and the loss of every epoch."""
    keras.utils.set_random_seed(seed)
    with np.load(DATA) as data:
        images = (data["images"].reshape(-1, 64) / 16).astype("float32")
    model = VAE()
    model.compile(keras.optimizers.Adam(3e-3))
    dataset = tf.data.Dataset.from_tensor_slices(images).shuffle(2000).batch(64)
    return model, model.fit(dataset, epochs=epochs, shuffle=False, verbose=0).history["loss"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a variational autoencoder on digits.")
    parser.add_argument("--epochs", type=int, default=20)
    model, losses = train(parser.parse_args().epochs)
    print(f"loss {losses[0]:.1f} -> {losses[-1]:.1f}\n")
    for rows in zip(*model.sample(6).numpy().reshape(6, 8, 8)):
        print("   ".join("".join(" .:*#"[int(v * 4.99)] * 2 for v in row) for row in rows))


if __name__ == "__main__":
    main()
