"""Train a generative adversarial network on points of a ring, with two optimizers in one step.

    python examples/gan.py [--steps 2000]

Points of a plane keep it small enough to see whether it works: the generator should reach the
radius of the ring.
"""

from __future__ import annotations

import argparse

import tapeflow as tf

keras = tf.keras
RADIUS, NOISE = 2.0, 4


def ring(count: int) -> tf.Tensor:
    """Return points near a circle: what the generator should imitate."""
    angle = tf.random.uniform([count], 0.0, 6.2831853)
    radius = tf.random.normal([count], RADIUS, 0.05)
    return tf.stack([radius * tf.cos(angle), radius * tf.sin(angle)], axis=1)


def network(inputs: int, outputs: int) -> keras.Model:
    layers = [keras.layers.Dense(32, activation="leaky_relu") for _ in range(2)]
    return keras.Sequential([keras.Input((inputs,)), *layers, keras.layers.Dense(outputs)])


class GAN(tf.Module):
    """A generator and a discriminator that learn from each other."""

    def __init__(self) -> None:
        super().__init__()
        self.generator, self.discriminator = network(NOISE, 2), network(2, 1)
        self.generator_optimizer = keras.optimizers.Adam(1e-3, beta_1=0.5)
        self.discriminator_optimizer = keras.optimizers.Adam(1e-3, beta_1=0.5)
        self.loss = keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function
    def step(self, real: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Improve both by one step; the tapes record the same forward pass."""
        noise = tf.random.normal([tf.shape(real)[0], NOISE])
        with tf.GradientTape() as generator_tape, tf.GradientTape() as discriminator_tape:
            fake = self.generator(noise)
            real_score, fake_score = self.discriminator(real), self.discriminator(fake)
            generator_loss = self.loss(tf.ones_like(fake_score), fake_score)
            discriminator_loss = self.loss(tf.ones_like(real_score), real_score)
            discriminator_loss += self.loss(tf.zeros_like(fake_score), fake_score)
        weights = self.generator.trainable_variables
        self.generator_optimizer.apply(generator_tape.gradient(generator_loss, weights), weights)
        weights = self.discriminator.trainable_variables
        gradients = discriminator_tape.gradient(discriminator_loss, weights)
        self.discriminator_optimizer.apply(gradients, weights)
        return generator_loss, discriminator_loss

    def radius(self) -> float:
        """Return the mean distance of generated points from the centre."""
        points = self.generator(tf.random.normal([1000, NOISE]))
        return float(tf.reduce_mean(tf.norm(points, axis=1)))


def train(steps: int, seed: int = 0) -> tuple[float, float]:
    """Return the mean radius of generated points before and after training."""
    keras.utils.set_random_seed(seed)
    gan = GAN()
    before = gan.radius()
    for _ in range(steps):
        gan.step(ring(128))
    return before, gan.radius()


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a small GAN on points of a ring.")
    parser.add_argument("--steps", type=int, default=2000)
    before, after = train(parser.parse_args().steps)
    print(f"mean radius of generated points: {before:.2f} -> {after:.2f} (real: {RADIUS:.2f})")


if __name__ == "__main__":
    main()
