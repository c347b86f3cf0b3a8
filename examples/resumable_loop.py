"""A training loop of one's own with metrics, validation, early stopping and exact resuming.

    python examples/resumable_loop.py [--epochs 10] [--folder DIR]

Model, optimizer, epoch and the best result so far are saved together after each epoch: start the
program again with the same folder, and it goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

import tapeflow as tf

keras = tf.keras
DATA = Path(__file__).parent / "data" / "digits.npz"
PATIENCE = 3


def datasets() -> tuple[tf.data.Dataset, tf.data.Dataset]:
    with np.load(DATA) as data:
        images, labels = data["images"], data["labels"]
    x, y = (images.reshape(-1, 64) / 16).astype("float32"), labels.astype("int32")
    whole = tf.data.Dataset.from_tensor_slices((x, y))
    training = whole.skip(360).shuffle(2000, seed=0).batch(32).prefetch(1)
    return training, whole.take(360).batch(120)


class Trainer(tf.Module):
    """The state of a training, all of which is saved, and its two steps."""

    def __init__(self) -> None:
        super().__init__()
        layers = [keras.layers.Dense(64, activation="relu"), keras.layers.Dense(10)]
        self.model = keras.Sequential([keras.Input((64,)), *layers])
        self.optimizer = keras.optimizers.Adam(2e-3)
        self.optimizer.build(self.model.trainable_variables)
        self.epoch = tf.Variable(0)
        self.best = tf.Variable(np.inf)
        self.loss = keras.metrics.Mean()
        self.accuracy = keras.metrics.SparseCategoricalAccuracy()

    @tf.function
    def train_step(self, x: tf.Tensor, y: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            logits = self.model(x, training=True)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
            loss = tf.reduce_mean(losses)
        weights = self.model.trainable_variables
        self.optimizer.apply(tape.gradient(loss, weights), weights)

    @tf.function
    def test_step(self, x: tf.Tensor, y: tf.Tensor) -> None:
        logits = self.model(x)
        self.loss.update_state(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        self.accuracy.update_state(y, logits)

    def run(self, epochs: int, folder: Path) -> list[tuple[int, float, float]]:
        """Train up to `epochs` in all; return epoch, loss and accuracy of those that were run."""
        training, validation = datasets()
        checkpoint = tf.train.Checkpoint(trainer=self)
        manager = tf.train.CheckpointManager(checkpoint, str(folder), max_to_keep=2)
        manager.restore_or_initialize()
        history, waited = [], 0
        while int(self.epoch) < epochs and waited < PATIENCE:
            for x, y in training:
                self.train_step(x, y)
            self.loss.reset_state()
            self.accuracy.reset_state()
            for x, y in validation:
                self.test_step(x, y)
            loss = float(self.loss.result())
            waited = 0 if loss < float(self.best) else waited + 1
            self.best.assign(min(loss, float(self.best)))
            self.epoch.assign_add(1)
            manager.save()
            history.append((int(self.epoch), loss, float(self.accuracy.result())))
        return history


def main() -> None:
    parser = argparse.ArgumentParser(description="Train with a loop that can be resumed.")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--folder", help="where checkpoints are; a new temporary folder if none")
    options = parser.parse_args()
    folder = Path(options.folder or tempfile.mkdtemp(prefix="tapeflow-loop-"))
    keras.utils.set_random_seed(0)
    for epoch, loss, accuracy in Trainer().run(options.epochs, folder):
        print(f"epoch {epoch:2}: loss {loss:.4f}, accuracy {accuracy:.1%}")
    print(f"to go on: python examples/resumable_loop.py --epochs 20 --folder {folder}")


if __name__ == "__main__":
    main()
