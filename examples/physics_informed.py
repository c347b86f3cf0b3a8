"""Solve a differential equation with a network: u'' = -u, u(0) = 0, u'(0) = 1, so u = sin.

    python examples/physics_informed.py [--steps 1500]

Nested tapes differentiate the network twice with respect to its input; a third tape differentiates
the residual with respect to the weights. All of it is one compiled function.
"""

from __future__ import annotations

import argparse

import tapeflow as tf

keras = tf.keras


def derivatives(network: keras.Model, t: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Return u, u' and u'' at the times `t`."""
    with tf.GradientTape() as outer:
        outer.watch(t)
        with tf.GradientTape() as inner:
            inner.watch(t)
            u = network(t)
        first = inner.gradient(u, t)
    return u, first, outer.gradient(first, t)


def train(steps: int, seed: int = 0) -> tuple[list[float], float]:
    """Return the losses, and the largest distance from the sine over one half period."""
    keras.utils.set_random_seed(seed)
    layers = [keras.layers.Dense(24, activation="tanh") for _ in range(2)]
    network = keras.Sequential([keras.Input((1,)), *layers, keras.layers.Dense(1)])
    optimizer = keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(0.01, steps))
    times = tf.reshape(tf.linspace(0.0, 3.14159, 64), [-1, 1])

    @tf.function
    def step() -> tf.Tensor:
        with tf.GradientTape() as tape:
            u, first, second = derivatives(network, times)
            residual = tf.reduce_mean(tf.square(second + u))
            start = tf.square(u[0, 0]) + tf.square(first[0, 0] - 1.0)
            loss = residual + start
        weights = network.trainable_variables
        optimizer.apply(tape.gradient(loss, weights), weights)
        return loss

    losses = [float(step()) for _ in range(steps)]
    error = tf.reduce_max(tf.abs(network(times) - tf.sin(times)))
    return losses, float(error)


def main() -> None:
    parser = argparse.ArgumentParser(description="Solve a differential equation.")
    parser.add_argument("--steps", type=int, default=1500)
    losses, error = train(parser.parse_args().steps)
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.2e}, largest error {error:.4f}")


if __name__ == "__main__":
    main()
