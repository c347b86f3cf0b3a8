"""Reinforcement learning: balance a pole on a cart with policy gradients (REINFORCE).

    python examples/cart_pole.py [--episodes 150]

The environment is a few lines of physics; the policy is a small network. Many episodes run side by
side as one batch of tensors, so a whole episode is one graph.
"""

from __future__ import annotations

import argparse

import tapeflow as tf

keras = tf.keras
SIDE_BY_SIDE, LENGTH = 32, 100


def physics(state: tf.Tensor, push_right: tf.Tensor) -> tf.Tensor:
    """Return the state 0.02 s later: position, speed, angle, angular speed."""
    _, speed, angle, spin = tf.unstack(state, axis=1)
    force = tf.where(push_right, 10.0, -10.0)
    sine, cosine = tf.sin(angle), tf.cos(angle)
    pull = (force + 0.05 * spin**2 * sine) / 1.1
    turn = (9.8 * sine - cosine * pull) / (0.5 * (4 / 3 - 0.1 * cosine**2 / 1.1))
    push = pull - 0.05 * turn * cosine / 1.1
    change = tf.stack([speed, push, spin, turn], axis=1)
    return state + 0.02 * change


def is_up(state: tf.Tensor) -> tf.Tensor:
    return tf.logical_and(tf.abs(state[:, 0]) < 2.4, tf.abs(state[:, 2]) < 0.21)


class Agent(tf.Module):
    """A policy, and the step that improves it."""

    def __init__(self) -> None:
        super().__init__()
        layers = [keras.layers.Dense(32, activation="tanh"), keras.layers.Dense(1)]
        self.policy = keras.Sequential([keras.Input((4,)), *layers])
        self.optimizer = keras.optimizers.Adam(0.01)

    @tf.function
    def improve(self) -> tf.Tensor:
        """Play episodes, make what went better than usual more likely; return mean lengths."""
        with tf.GradientTape() as tape:
            state = tf.random.uniform([SIDE_BY_SIDE, 4], -0.05, 0.05)
            alive = tf.ones([SIDE_BY_SIDE])
            logs = tf.TensorArray(tf.float32, LENGTH)
            steps = tf.TensorArray(tf.float32, LENGTH)
            for t in tf.range(LENGTH):
                logit = self.policy(state)[:, 0]
                right = tf.random.uniform([SIDE_BY_SIDE]) < tf.sigmoid(logit)
                signed = tf.where(right, logit, -logit)
                logs = logs.write(t, tf.math.log_sigmoid(signed) * alive)
                steps = steps.write(t, alive)
                state = physics(state, right)
                alive *= tf.cast(is_up(state), tf.float32)
            # What an action earns is the time that the pole stays up after it.
            returns = tf.cumsum(steps.stack(), axis=0, reverse=True)
            advantage = returns - tf.reduce_mean(returns, axis=1, keepdims=True)
            advantage /= tf.math.reduce_std(advantage) + 1e-6
            loss = -tf.reduce_mean(tf.stop_gradient(advantage) * logs.stack())
        weights = self.policy.trainable_variables
        self.optimizer.apply(tape.gradient(loss, weights), weights)
        return tf.reduce_mean(returns[0])


def train(episodes: int, seed: int = 0) -> list[float]:
    """Return the mean number of steps that the pole stayed up, for each batch of episodes."""
    keras.utils.set_random_seed(seed)
    agent = Agent()
    return [float(agent.improve()) for _ in range(episodes)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Balance a pole with policy gradients.")
    parser.add_argument("--episodes", type=int, default=150)
    lengths = train(parser.parse_args().episodes)
    print(f"steps until the pole falls: {lengths[0]:.0f} -> {lengths[-1]:.0f} (at most {LENGTH})")


if __name__ == "__main__":
    main()
