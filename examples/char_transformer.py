"""Teach a small transformer to add: it reads "37+48=" and writes the sum, digit by digit.

    python examples/char_transformer.py [--steps 1500]

A decoder with causal self-attention, written with Keras layers, and a training step of its own.
The sum is written with its last digit first, as one adds by hand.
"""

from __future__ import annotations

import argparse

import numpy as np

import tapeflow as tf

keras = tf.keras
ALPHABET = "0123456789+="
LENGTH = 9  # "dd+dd=ddd"
PROMPT = 6


class Block(keras.layers.Layer):
    """Causal self-attention and a feed-forward network, each added to its input."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention = keras.layers.MultiHeadAttention(heads, width // heads)
        self.feed_forward = keras.Sequential(
            [keras.layers.Dense(4 * width, activation="gelu"), keras.layers.Dense(width)]
        )
        self.norms = [keras.layers.LayerNormalization() for _ in range(2)]

    def call(self, x: tf.Tensor) -> tf.Tensor:
        normal = self.norms[0](x)
        x = x + self.attention(normal, normal, use_causal_mask=True)
        return x + self.feed_forward(self.norms[1](x))


def make_model(width: int = 64, heads: int = 4, blocks: int = 2) -> keras.Model:
    tokens = keras.Input((LENGTH - 1,), dtype="int32")
    positions = keras.layers.Embedding(LENGTH - 1, width)(tf.range(LENGTH - 1))
    x = keras.layers.Embedding(len(ALPHABET), width)(tokens) + positions
    for _ in range(blocks):
        x = Block(width, heads)(x)
    return keras.Model(
        tokens, keras.layers.Dense(len(ALPHABET))(keras.layers.LayerNormalization()(x))
    )


def make_batch(rng: np.random.Generator, size: int) -> np.ndarray:
    """Return tokens of additions such as "37+48=580": 85, with its last digit first."""
    a, b = rng.integers(0, 100, (2, size))
    lines = [f"{x:02}+{y:02}={str(x + y).zfill(3)[::-1]}" for x, y in zip(a, b)]
    return np.array([[ALPHABET.index(c) for c in line] for line in lines], "int32")


def accuracy(model: keras.Model, rng: np.random.Generator, count: int = 200) -> float:
    """Return the share of sums that are right when each digit follows from those before it."""
    tokens = make_batch(rng, count)
    guess = tokens[:, :-1].copy()
    guess[:, PROMPT:] = 0
    digits = []
    for position in range(PROMPT - 1, LENGTH - 1):
        digit = tf.argmax(model(guess)[:, position], axis=-1).numpy()
        digits.append(digit)
        if position + 1 < LENGTH - 1:
            guess[:, position + 1] = digit
    return float(np.mean(np.all(np.stack(digits, 1) == tokens[:, PROMPT:], axis=1)))


def train(steps: int, seed: int = 0) -> tuple[list[float], float]:
    """Return the losses of all steps and the share of right sums at the end."""
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    model, optimizer = make_model(), keras.optimizers.Adam(2e-3)

    @tf.function
    def step(tokens: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            logits = model(tokens[:, :-1], training=True)[:, PROMPT - 1 :]
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tokens[:, PROMPT:], logits)
            loss = tf.reduce_mean(losses)
        optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
        return loss

    losses = [float(step(tf.constant(make_batch(rng, 128)))) for _ in range(steps)]
    return losses, accuracy(model, rng)


def main() -> None:
    parser = argparse.ArgumentParser(description="Teach a small transformer to add.")
    parser.add_argument("--steps", type=int, default=1500)
    losses, right = train(parser.parse_args().steps)
    print(f"loss {losses[0]:.2f} -> {losses[-1]:.3f}, right sums: {right:.1%}")


if __name__ == "__main__":
    main()
