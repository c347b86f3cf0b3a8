"""Cases about training steps over sequences, in functions: an LSTM loop and a small transformer.

Each is written once against the TensorFlow API and once in plain jax, with the same parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.cases import Step, case, normal
from benchmarks.function_cases import WARM

RATE = 0.01
Parameters = dict[str, np.ndarray]

# -- LSTM ------------------------------------------------------------------------------------------

STEPS, BATCH, FEATURES, UNITS = 50, 32, 64, 128


def lstm_parameters() -> Parameters:
    return {
        "kernel": normal(FEATURES, 4 * UNITS, scale=0.1),
        "recurrent": normal(UNITS, 4 * UNITS, scale=0.1),
        "bias": np.zeros(4 * UNITS, np.float32),
    }


def _lstm(tf: Any) -> Step:
    """The gradient of a loop of `STEPS` LSTM cells, written by hand."""
    weights = {name: tf.Variable(value) for name, value in lstm_parameters().items()}
    inputs = tf.constant(normal(STEPS, BATCH, FEATURES))

    @tf.function
    def gradients(x: Any) -> Any:
        with tf.GradientTape() as tape:
            h = c = tf.zeros([BATCH, UNITS])
            for i in tf.range(STEPS):
                gates = x[i] @ weights["kernel"] + h @ weights["recurrent"] + weights["bias"]
                into, forget, new, out = tf.split(gates, 4, axis=1)
                c = tf.sigmoid(forget) * c + tf.sigmoid(into) * tf.tanh(new)
                h = tf.sigmoid(out) * tf.tanh(c)
            loss = tf.reduce_mean(h * h)
        return loss, tape.gradient(loss, list(weights.values()))

    return lambda: gradients(inputs)[0].numpy()


def _jax_lstm(jax: Any) -> Step:
    """The same by `jax.lax.scan`."""
    numpy = jax.numpy
    weights = {name: numpy.asarray(value) for name, value in lstm_parameters().items()}
    inputs = numpy.asarray(normal(STEPS, BATCH, FEATURES))

    def loss_of(weights: Any, x: Any) -> Any:
        def cell(carry: Any, x: Any) -> Any:
            h, c = carry
            gates = x @ weights["kernel"] + h @ weights["recurrent"] + weights["bias"]
            into, forget, new, out = numpy.split(gates, 4, axis=1)
            c = jax.nn.sigmoid(forget) * c + jax.nn.sigmoid(into) * numpy.tanh(new)
            return (jax.nn.sigmoid(out) * numpy.tanh(c), c), None

        zeros = numpy.zeros([BATCH, UNITS])
        (h, _), _ = jax.lax.scan(cell, (zeros, zeros), x)
        return (h * h).mean()

    compiled = jax.jit(jax.value_and_grad(loss_of))

    def run() -> object:
        loss, gradients = compiled(weights, inputs)
        jax.block_until_ready(gradients)
        return loss

    return run


@case("gradient of an LSTM loop of 50 steps, function", target=1 / 0.8, warm=WARM)
def lstm_loop(tf: Any) -> Step:
    return _lstm(tf)


@case("gradient of an LSTM loop, against jax.lax.scan", target=1 / 1.1, warm=WARM, peer="jax")
def lstm_loop_jax(module: Any) -> Step:
    return _jax_lstm(module) if module.__name__ == "jax" else _lstm(module)


# -- transformer -----------------------------------------------------------------------------------

TOKENS, WIDTH, HEADS, HIDDEN, BLOCKS, WORDS, CLASSES = 64, 128, 4, 512, 2, 1000, 10


def transformer_parameters() -> Parameters:
    parameters = {
        "words": normal(WORDS, WIDTH, scale=0.1),
        "positions": normal(TOKENS, WIDTH, scale=0.1),
        "classes": normal(WIDTH, CLASSES, scale=0.1),
    }
    for i in range(BLOCKS):
        for name in ("q", "k", "v", "o"):
            parameters[f"{name}{i}"] = normal(WIDTH, WIDTH, scale=WIDTH**-0.5)
        parameters[f"up{i}"] = normal(WIDTH, HIDDEN, scale=WIDTH**-0.5)
        parameters[f"down{i}"] = normal(HIDDEN, WIDTH, scale=HIDDEN**-0.5)
        for name in ("scale", "shift", "scale_last", "shift_last"):
            start = np.ones if "scale" in name else np.zeros
            parameters[f"{name}{i}"] = start(WIDTH, np.float32)
    return parameters


def transformer_batch() -> tuple[np.ndarray, np.ndarray]:
    words = np.random.default_rng(0).integers(0, WORDS, (BATCH, TOKENS)).astype(np.int32)
    return words, (np.arange(BATCH) % CLASSES).astype(np.int32)


def forward(library: Any, gather: Callable[..., Any], p: Any, words: Any) -> Any:
    """Return the logits. `library` has the functions that both modules offer by these names."""
    x = gather(p["words"], words) + p["positions"]
    for i in range(BLOCKS):
        x = library.norm(x + attention(library, p, i, x), p[f"scale{i}"], p[f"shift{i}"])
        hidden = library.relu(x @ p[f"up{i}"]) @ p[f"down{i}"]
        x = library.norm(x + hidden, p[f"scale_last{i}"], p[f"shift_last{i}"])
    return library.mean(x, 1) @ p["classes"]


def attention(library: Any, p: Any, i: int, x: Any) -> Any:
    def heads(name: str) -> Any:
        parts = library.reshape(x @ p[f"{name}{i}"], [BATCH, TOKENS, HEADS, WIDTH // HEADS])
        return library.transpose(parts, [0, 2, 1, 3])

    q, k, v = heads("q"), heads("k"), heads("v")
    scores = q @ library.transpose(k, [0, 1, 3, 2]) * (WIDTH // HEADS) ** -0.5
    mixed = library.transpose(library.softmax(scores) @ v, [0, 2, 1, 3])
    return library.reshape(mixed, [BATCH, TOKENS, WIDTH]) @ p[f"o{i}"]


class Library:
    """The functions of `forward`, from either module."""

    def __init__(self, numpy: Any, nn: Any, mean: Any, rsqrt: Any) -> None:
        self.reshape, self.transpose = numpy.reshape, numpy.transpose
        self.relu, self.softmax, self.mean = nn.relu, nn.softmax, mean
        self._rsqrt = rsqrt

    def norm(self, x: Any, scale: Any, shift: Any) -> Any:
        centred = x - self.mean(x, -1)[..., None]
        variance = self.mean(centred * centred, -1)[..., None]
        return centred * self._rsqrt(variance + 1e-5) * scale + shift


def _transformer(tf: Any) -> Step:
    weights = {name: tf.Variable(value) for name, value in transformer_parameters().items()}
    variables = list(weights.values())
    library = Library(tf, tf.nn, tf.reduce_mean, tf.math.rsqrt)
    words, labels = map(tf.constant, transformer_batch())

    @tf.function
    def step(words: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = forward(library, tf.gather, weights, words)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            loss = tf.reduce_mean(losses)
        for variable, gradient in zip(variables, tape.gradient(loss, variables)):
            variable.assign_sub(RATE * tf.convert_to_tensor(gradient))
        return loss

    return lambda: step(words, labels).numpy()


def _jax_transformer(jax: Any) -> Step:
    numpy = jax.numpy
    library = Library(numpy, jax.nn, numpy.mean, jax.lax.rsqrt)
    words, labels = map(numpy.asarray, transformer_batch())

    def loss_of(weights: Any, words: Any, labels: Any) -> Any:
        logits = forward(library, lambda table, index: table[index], weights, words)
        return -jax.nn.log_softmax(logits)[numpy.arange(BATCH), labels].mean()

    def step(weights: Any, words: Any, labels: Any) -> Any:
        loss, gradients = jax.value_and_grad(loss_of)(weights, words, labels)
        return loss, jax.tree.map(lambda w, g: w - RATE * g, weights, gradients)

    compiled = jax.jit(step, donate_argnums=0)
    state = [{name: numpy.asarray(value) for name, value in transformer_parameters().items()}]

    def run() -> object:
        loss, state[0] = compiled(state[0], words, labels)
        return loss.block_until_ready()

    return run


@case("transformer training step, function", target=1 / 0.6, warm=WARM)
def transformer_step(tf: Any) -> Step:
    return _transformer(tf)


@case("transformer training step, against jax.jit", target=1 / 0.9, warm=WARM, peer="jax")
def transformer_step_jax(module: Any) -> Step:
    return _jax_transformer(module) if module.__name__ == "jax" else _transformer(module)
