"""Cases about `tf.function`: calls, tracing, and training steps once they are hot.

As in `cases`, each is written once against the TensorFlow API, except for the step in plain jax
that the compiled MLP is held against.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.cases import Step, case, normal

# Long enough for a compiler in the background to be done.
WARM = 6.0
WIDTHS = (784, 256, 256, 10)
RATE = 0.01


@case("call of a trivial function", target=15, warm=1.0)
def trivial_call(tf: Any) -> Step:
    x = tf.constant(normal(10))
    function = tf.function(lambda a: a + 1.0)
    return lambda: function(x)


@case("tracing 100 ops", target=2, calls=3)
def tracing(tf: Any) -> Step:
    spec = tf.TensorSpec([10], tf.float32)

    def hundred(x: Any) -> Any:
        for _ in range(50):
            x = tf.sin(x) + 1.0
        return x

    return lambda: len(tf.function(hundred).get_concrete_function(spec).outputs)


def train_step(tf: Any, forward: Any, variables: list[Any], **options: Any) -> Any:
    """A function that takes one step of gradient descent on the cross entropy."""

    @tf.function(**options)
    def step(x: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=labels, logits=forward(x)
            )
            loss = tf.reduce_mean(losses)
        for variable, gradient in zip(variables, tape.gradient(loss, variables)):
            variable.assign_sub(RATE * gradient)
        return loss

    return step


def mlp_parts(tf: Any) -> tuple[Any, list[Any]]:
    weights = [tf.Variable(normal(m, n, scale=m**-0.5)) for m, n in pairwise(WIDTHS)]
    biases = [tf.Variable(tf.zeros([n])) for n in WIDTHS[1:]]

    def forward(x: Any) -> Any:
        for w, b in zip(weights[:-1], biases[:-1]):
            x = tf.nn.relu(x @ w + b)
        return x @ weights[-1] + biases[-1]

    return forward, weights + biases


def mlp_batch() -> tuple[np.ndarray, np.ndarray]:
    return normal(64, WIDTHS[0]), (np.arange(64) % WIDTHS[-1]).astype(np.int32)


def _mlp(tf: Any, **options: Any) -> Step:
    forward, variables = mlp_parts(tf)
    step = train_step(tf, forward, variables, **options)
    x, labels = map(tf.constant, mlp_batch())
    return lambda: step(x, labels)


@case("MLP training step, function", target=1 / 0.7, warm=WARM)
def mlp_function(tf: Any) -> Step:
    return _mlp(tf)


@case("MLP training step, against jit_compile", target=1 / 0.7, warm=WARM)
def mlp_jit(tf: Any) -> Step:
    """Ours as it comes, against TensorFlow told to compile."""
    return _mlp(tf, **({"jit_compile": True} if tf.__name__ == "tensorflow" else {}))


@case("MLP training step, against hand-written jax.jit", target=1 / 1.15, warm=WARM, peer="jax")
def mlp_jax(module: Any) -> Step:
    return jax_mlp(module) if module.__name__ == "jax" else _mlp(module)


def jax_mlp(jax: Any) -> Step:
    """The same step as a pure function of its parameters, which it is given to write over."""
    numpy = jax.numpy
    weights = [numpy.asarray(normal(m, n, scale=m**-0.5)) for m, n in pairwise(WIDTHS)]
    biases = [numpy.zeros([n]) for n in WIDTHS[1:]]
    x, labels = map(numpy.asarray, mlp_batch())

    def loss_of(parameters: Any, x: Any, labels: Any) -> Any:
        weights, biases = parameters
        for w, b in zip(weights[:-1], biases[:-1]):
            x = jax.nn.relu(x @ w + b)
        logits = x @ weights[-1] + biases[-1]
        chosen = jax.nn.log_softmax(logits)[numpy.arange(len(labels)), labels]
        return -chosen.mean()

    def step(parameters: Any, x: Any, labels: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(parameters, x, labels)
        return loss, jax.tree.map(lambda p, g: p - RATE * g, parameters, gradients)

    compiled = jax.jit(step, donate_argnums=0)
    held = [(weights, biases)]

    def run() -> object:
        loss, held[0] = compiled(held[0], x, labels)
        return loss.block_until_ready()

    return run


@case("small CNN training step", target=1 / 0.9, warm=WARM)
def cnn(tf: Any) -> Step:
    """Two convolutions with pooling and a dense layer, on 32 images of 28×28."""
    first = tf.Variable(normal(3, 3, 1, 32, scale=0.3))
    second = tf.Variable(normal(3, 3, 32, 64, scale=0.06))
    dense = tf.Variable(normal(7 * 7 * 64, 10, scale=0.02))

    def forward(x: Any) -> Any:
        x = tf.nn.relu(tf.nn.conv2d(x, first, 1, "SAME"))
        x = tf.nn.max_pool2d(x, 2, 2, "SAME")
        x = tf.nn.relu(tf.nn.conv2d(x, second, 1, "SAME"))
        x = tf.nn.max_pool2d(x, 2, 2, "SAME")
        return tf.reshape(x, [-1, 7 * 7 * 64]) @ dense

    step = train_step(tf, forward, [first, second, dense])
    x = tf.constant(normal(32, 28, 28, 1))
    labels = tf.constant((np.arange(32) % 10).astype(np.int32))
    return lambda: step(x, labels)


@case("ResNet block training step", target=1 / 0.9, warm=WARM)
def resnet_block(tf: Any) -> Step:
    """Two convolutions of 64 channels with batch norm and a shortcut, on 16 images of 32×32."""
    filters = [tf.Variable(normal(3, 3, 64, 64, scale=0.04)) for _ in range(2)]
    scales = [tf.Variable(tf.ones([64])) for _ in range(2)]
    offsets = [tf.Variable(tf.zeros([64])) for _ in range(2)]
    dense = tf.Variable(normal(64, 10, scale=0.1))

    def normed(x: Any, i: int) -> Any:
        return tf.raw_ops.FusedBatchNormV3(
            x=x,
            scale=scales[i],
            offset=offsets[i],
            mean=tf.constant([]),
            variance=tf.constant([]),
            epsilon=1e-3,
        ).y

    def forward(x: Any) -> Any:
        y = tf.nn.relu(normed(tf.nn.conv2d(x, filters[0], 1, "SAME"), 0))
        y = normed(tf.nn.conv2d(y, filters[1], 1, "SAME"), 1)
        return tf.reduce_mean(tf.nn.relu(x + y), [1, 2]) @ dense

    step = train_step(tf, forward, [*filters, *scales, *offsets, dense])
    x = tf.constant(normal(16, 32, 32, 64))
    labels = tf.constant((np.arange(16) % 10).astype(np.int32))
    return lambda: step(x, labels)


@case("while loop of 1,000 iterations", target=2, warm=WARM)
def while_loop(tf: Any) -> Step:
    @tf.function
    def collatz_like(n: Any) -> Any:
        i, x = tf.constant(0), tf.constant(1.0)
        while i < n:
            x = x * 0.5 + 1.0
            i += 1
        return x

    n = tf.constant(1000)
    return lambda: collatz_like(n)


@case("Monte Carlo loop of 700 steps, definition and first call", target=1, calls=1)
def first_long_loop(tf: Any) -> Step:
    """Hamiltonian Monte Carlo of a logistic regression: about 130 small operations a step."""
    features, labels = tf.constant(normal(100, 5)), tf.constant(np.arange(100) % 2, tf.float32)

    def log_density(w: Any) -> Any:
        logits = tf.linalg.matvec(features, w)
        fit = tf.reduce_sum(labels * logits - tf.nn.softplus(logits))
        return fit - 0.5 * tf.reduce_sum(w * w)

    def slope(w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            density = log_density(w)
        return tape.gradient(density, w)

    def leapfrog(w: Any, momentum: Any) -> Any:
        momentum += 0.05 * slope(w)
        for step in range(5):
            w += 0.1 * momentum
            momentum += (0.1 if step < 4 else 0.05) * slope(w)
        return w, momentum

    def sample(w: Any, steps: Any) -> Any:
        for _ in tf.range(steps):
            momentum = tf.random.normal([5])
            new, last = leapfrog(w, momentum)
            gain = log_density(new) - log_density(w)
            gain += 0.5 * (tf.reduce_sum(momentum * momentum) - tf.reduce_sum(last * last))
            w = tf.where(tf.math.log(tf.random.uniform([])) < gain, new, w)
        return w

    return lambda: tf.function(sample)(tf.zeros([5]), tf.constant(700))


@case("from definition to the end of the first step", target=2, calls=1)
def first_step(tf: Any) -> Step:
    """The MLP again: variables, function, trace, and one training step."""

    def once() -> object:
        forward, variables = mlp_parts(tf)
        step = train_step(tf, forward, variables)
        x, labels = map(tf.constant, mlp_batch())
        return step(x, labels)

    return once
