"""What is measured, written once against the TensorFlow API.

A case takes the module under test and returns the function to time, which runs eagerly. Building
tensors is set-up unless it is what the case is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

Step = Callable[[], object]


@dataclass(frozen=True)
class Case:
    """One thing to time. `target`: how many times faster than TensorFlow it has to be."""

    title: str
    target: float
    prepare: Callable[[Any], Step]
    calls: int | None = None  # calls in one repeat; None: as many as fill the time of a repeat
    warm: float = 0.0  # seconds of calls before any counts
    peer: str = "tensorflow"
    repeat: float = 0.15  # seconds of a repeat
    chunks: int = 1  # into which a repeat is divided, of which the fastest counts
    peer_warms: bool = True  # whether the peer, too, compiles while it runs


CASES: dict[str, Case] = {}


def case(
    title: str,
    *,
    target: float,
    calls: int | None = None,
    warm: float = 0.0,
    peer: str = "tensorflow",
) -> Callable[[Callable[[Any], Step]], Callable[[Any], Step]]:
    def register(prepare: Callable[[Any], Step]) -> Callable[[Any], Step]:
        CASES[prepare.__name__] = Case(title, target, prepare, calls, warm, peer)
        return prepare

    return register


def normal(*shape: int, scale: float = 1.0) -> np.ndarray:
    return (np.random.default_rng(0).standard_normal(shape) * scale).astype(np.float32)


@case("a + b, 10 floats", target=6)
def add(tf: Any) -> Step:
    a, b = tf.constant(normal(10)), tf.constant(normal(10))
    return lambda: a + b


def new_shapes() -> Iterator[tuple[int, int]]:
    """Shapes of at most 400 elements, each once: about 2,400 of them."""
    return ((rows, columns) for rows in range(1, 401) for columns in range(1, 400 // rows + 1))


# These make 30 ops with the nine others in the step.
UNARY = [
    "abs",
    "exp",
    "negative",
    "sigmoid",
    "sin",
    "cos",
    "tanh",
    "square",
    "round",
    "sign",
    "floor",
    "ceil",
    "softplus",
    "erf",
    "atan",
    "sinh",
    "expm1",
    "rint",
    "asinh",
    "ones_like",
    "zeros_like",
]


@case("30 ops on a new shape", target=5, calls=150)
def unseen_shapes(tf: Any) -> Step:
    unary = [getattr(tf.math, name, None) or getattr(tf, name) for name in UNARY]
    shapes = new_shapes()

    def step() -> object:
        x = tf.fill(next(shapes), 0.5)
        y = x
        for function in unary:
            y = function(x)
        y = tf.maximum(x * y + x, x - y) / (x + 2.0)
        return tf.reduce_sum(tf.transpose(y), axis=0)

    return step


@case("tape and gradient, one op", target=10)
def tape(tf: Any) -> Step:
    x = tf.constant(3.0)

    def step() -> object:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    return step


@case("jacobian of a layer of 64 units by its input", target=10)
def jacobian(tf: Any) -> Step:
    x, w = tf.constant(normal(1, 64)), tf.constant(normal(64, 64, scale=0.1))

    def step() -> object:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.relu(tf.matmul(x, w))
        return tape.jacobian(y, x)

    return step


@case("MLP training step", target=3)
def mlp(tf: Any) -> Step:
    """784-256-256-10, batch 64: forward, gradients, and a step of gradient descent."""
    widths = (784, 256, 256, 10)
    weights = [tf.Variable(normal(m, n, scale=m**-0.5)) for m, n in pairwise(widths)]
    biases = [tf.Variable(tf.zeros([n])) for n in widths[1:]]
    x = tf.constant(normal(64, widths[0]))
    labels = tf.constant(np.arange(64) % widths[-1], tf.int32)
    variables = weights + biases

    def step() -> object:
        with tf.GradientTape() as tape:
            h = x
            for w, b in zip(weights[:-1], biases[:-1]):
                h = tf.nn.relu(h @ w + b)
            logits = h @ weights[-1] + biases[-1]
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            loss = tf.reduce_mean(losses)
        for variable, gradient in zip(variables, tape.gradient(loss, variables)):
            variable.assign_sub(0.01 * gradient)
        return loss

    return step


@case("convolution, both gradients", target=1)
def convolution(tf: Any) -> Step:
    """3×3, [32, 32, 32, 64] to 64 channels: forward, and the gradients of images and filters."""
    images = tf.constant(normal(32, 32, 32, 64))
    filters = tf.constant(normal(3, 3, 64, 64, scale=0.05))

    def step() -> object:
        with tf.GradientTape() as tape:
            tape.watch([images, filters])
            result = tf.nn.conv2d(images, filters, strides=1, padding="SAME")
        return tape.gradient(result, [images, filters])

    return step
