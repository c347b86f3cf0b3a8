"""Sequences of very different lengths: ragged tensors, buckets of similar length, and masks.

    python examples/bucketing.py [--epochs 6]

The task is to say whether a sequence of tokens holds more of token 1 than of token 2. Buckets keep
the padding small: the program prints how much of each kind of batch is padding.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

import tapeflow as tf

keras = tf.keras
TOKENS = 8
BOUNDARIES = [8, 16, 32]


def make_sequences(count: int, seed: int) -> tuple[tf.RaggedTensor, np.ndarray]:
    rng = np.random.default_rng(seed)
    lengths = np.clip(rng.geometric(0.08, count), 1, 60)
    rows = [rng.integers(1, TOKENS, length) for length in lengths]
    labels = np.array([(row == 1).sum() > (row == 2).sum() for row in rows], "float32")
    return tf.ragged.constant(rows, dtype=tf.int32), labels


def plain(sequences: tf.RaggedTensor, labels: np.ndarray) -> tf.data.Dataset:
    dataset = tf.data.Dataset.from_tensor_slices((sequences, labels))
    return dataset.map(lambda row, label: (tf.convert_to_tensor(row), label))


def bucketed(dataset: tf.data.Dataset) -> tf.data.Dataset:
    return dataset.shuffle(500, seed=0).bucket_by_sequence_length(
        lambda row, label: tf.shape(row)[0],
        bucket_boundaries=BOUNDARIES,
        bucket_batch_sizes=[64, 32, 16, 16],
    )


def padding(batches: Iterator[tuple[tf.Tensor, tf.Tensor]]) -> float:
    """Return the share of zeros in all batches."""
    zeros, total = 0, 0
    for rows, _ in batches:
        zeros += int(tf.math.count_nonzero(rows == 0))
        total += int(tf.size(rows))
    return zeros / total


def make_model() -> keras.Model:
    """Return a model that adds up a score a token; padding is masked."""
    tokens = keras.Input((None,), dtype="int32")
    scores = keras.layers.Embedding(TOKENS, 8)(tokens)
    mask = tf.cast(tokens > 0, tf.float32)[..., tf.newaxis]
    total = keras.layers.Dense(16, activation="relu")(tf.reduce_sum(scores * mask, axis=1))
    return keras.Model(tokens, keras.layers.Dense(1, activation="sigmoid")(total))


def train(epochs: int, seed: int = 0) -> dict[str, float]:
    """Return the shares of padding, and the accuracy on new sequences."""
    keras.utils.set_random_seed(seed)
    dataset = plain(*make_sequences(1500, seed))
    model = make_model()
    model.compile(keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
    model.fit(bucketed(dataset), epochs=epochs, shuffle=False, verbose=0)
    test = plain(*make_sequences(300, seed + 1)).padded_batch(32)
    return {
        "padding, batches in order": padding(iter(dataset.padded_batch(32))),
        "padding, buckets": padding(iter(bucketed(dataset))),
        "accuracy": model.evaluate(test, verbose=0)[1],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Train on sequences in buckets of lengths.")
    parser.add_argument("--epochs", type=int, default=6)
    for name, value in train(parser.parse_args().epochs).items():
        print(f"{name}: {value:.1%}")


if __name__ == "__main__":
    main()
