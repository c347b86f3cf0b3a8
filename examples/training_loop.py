"""Train a small network on handwritten digits with a training loop written out by hand.

Tensors, variables, `tf.GradientTape` and `tf.function` are all it uses: the model is a function,
the optimizer is Adam in a few lines, and a training step is one graph, compiled once it is hot.

    python examples/training_loop.py [--epochs 30] [--no-progress]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)

import tapeflow as tf

DATA = Path(__file__).parent / "data" / "digits.npz"
BATCH = 32


def load_digits(seed: int = 0) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]:
    """Training and test images (flat, 0 to 1) and labels: four fifths and one fifth, shuffled."""
    with np.load(DATA) as data:
        images, labels = data["images"], data["labels"]
    order = np.random.default_rng(seed).permutation(len(labels))
    x = tf.constant(images[order].reshape(-1, 64) / 16, tf.float32)
    y = tf.constant(labels[order], tf.int32)
    cut = len(labels) * 4 // 5
    return x[:cut], y[:cut], x[cut:], y[cut:]


class Network:
    """Two hidden layers with ReLU, and ten logits."""

    def __init__(self, *widths: int) -> None:
        self.layers = [
            (
                tf.Variable(tf.random.normal([m, n], stddev=(2 / m) ** 0.5)),
                tf.Variable(tf.zeros([n])),
            )
            for m, n in pairwise(widths)
        ]

    @property
    def variables(self) -> list[tf.Variable]:
        return [variable for layer in self.layers for variable in layer]

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        *hidden, (w_out, b_out) = self.layers
        for w, b in hidden:
            x = tf.nn.relu(x @ w + b)
        return x @ w_out + b_out


class Adam:
    """Kingma and Ba's optimizer: steps scaled by running moments of the gradients."""

    def __init__(self, variables: list[tf.Variable], rate: float = 3e-3) -> None:
        self.rate, self.steps = rate, tf.Variable(0.0)
        self.slots = [
            (v, tf.Variable(tf.zeros_like(v)), tf.Variable(tf.zeros_like(v))) for v in variables
        ]

    def step(self, gradients: list[tf.Tensor], beta1: float = 0.9, beta2: float = 0.999) -> None:
        self.steps.assign_add(1.0)
        rate = self.rate * tf.sqrt(1 - beta2**self.steps) / (1 - beta1**self.steps)
        for gradient, (variable, mean, square) in zip(gradients, self.slots):
            mean.assign_add((1 - beta1) * (gradient - mean))
            square.assign_add((1 - beta2) * (tf.square(gradient) - square))
            variable.assign_sub(rate * mean / (tf.sqrt(square) + 1e-7))


def batches(x: tf.Tensor, y: tf.Tensor, size: int) -> Iterator[tuple[tf.Tensor, tf.Tensor]]:
    order = tf.random.shuffle(tf.range(len(y)))
    for start in range(0, len(y), size):
        rows = order[start : start + size]
        yield tf.gather(x, rows), tf.gather(y, rows)


def accuracy(network: Network, x: tf.Tensor, y: tf.Tensor) -> float:
    hits = tf.argmax(network(x), axis=1, output_type=tf.int32) == y
    return float(tf.reduce_mean(tf.cast(hits, tf.float32)))


def train(epochs: int, progress: bool = True, seed: int = 0) -> float:
    """Train a new network and return its accuracy on the digits it has not seen."""
    tf.random.set_seed(seed)
    x_train, y_train, x_test, y_test = load_digits(seed)
    network = Network(64, 128, 64, 10)
    optimizer = Adam(network.variables)

    # One trace for batches of any length: the last one of an epoch is shorter.
    @tf.function(
        input_signature=[tf.TensorSpec([None, 64], tf.float32), tf.TensorSpec([None], tf.int32)]
    )
    def step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, network(x))
            loss = tf.reduce_mean(losses)
        optimizer.step(tape.gradient(loss, network.variables))
        return loss

    columns = (
        TextColumn("epoch {task.fields[epoch]:3d}"),
        BarColumn(),
        TaskProgressColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("loss {task.fields[loss]:.4f}"),
    )
    total = epochs * -(-len(y_train) // BATCH)
    with Progress(*columns, disable=not progress) as bar:
        task = bar.add_task("train", total=total, epoch=0, loss=float("nan"))
        for epoch in range(1, epochs + 1):
            for x, y in batches(x_train, y_train, BATCH):
                loss = step(x, y)
                bar.update(task, advance=1, epoch=epoch, loss=float(loss))
    return accuracy(network, x_test, y_test)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a small network on handwritten digits.")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--no-progress", action="store_true", help="do not draw the progress bar")
    options = parser.parse_args()
    result = train(options.epochs, progress=not options.no_progress)
    Console(highlight=False).print(f"accuracy on the test digits: [bold]{result:.1%}[/]")


if __name__ == "__main__":
    main()
