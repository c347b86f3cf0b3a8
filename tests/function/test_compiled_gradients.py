"""Functions that are compiled whole have gradients, whatever they know of sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

Dims = list[int | None] | None

CASES: dict[str, tuple[Callable[..., Any], list[Dims], list[list[int]]]] = {
    "rows": (lambda x, y: x * y, [[None, 3], [3]], [[4, 3], [3]]),
    "all sizes": (lambda x, y: x * y + x, [[None, None], [None, None]], [[4, 3], [1, 3]]),
    "ranks": (lambda x, y: x - y, [None, None], [[4, 3], [3]]),
    "means": (lambda x, y: tf.reduce_mean(x * y, 0), [[None, 3], [3]], [[4, 3], [3]]),
    "products": (tf.matmul, [[None, None, None], [None, None]], [[2, 4, 3], [3, 2]]),
    "shapes computed": (
        lambda x, y: tf.reshape(x, [tf.shape(x)[0] * 3]) + tf.tile(y, [tf.shape(x)[0]]),
        [[None, 3], [3]],
        [[4, 3], [3]],
    ),
    "joined": (lambda x, y: tf.concat([x, y], 0)[1:], [[None, 3], [None, 3]], [[4, 3], [2, 3]]),
    "in a branch": (
        lambda x, y: tf.cond(x[0, 0] > 0.0, lambda: x * y, lambda: x - y),
        [[None, None], [None]],
        [[4, 3], [3]],
    ),
    "in a loop": (
        lambda x, y: tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * y), [0, x])[1],
        [[None, None], [None]],
        [[4, 3], [3]],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_gradients_of_compiled_functions_of_unknown_sizes(case: str) -> None:
    function, dims, shapes = CASES[case]
    compiled = tf.function(
        function, jit_compile=True, input_signature=[tf.TensorSpec(d) for d in dims]
    )
    numbers = np.random.default_rng(0)
    inputs = [tf.constant(numbers.uniform(0.5, 2.0, shape), tf.float32) for shape in shapes]

    def gradients(function: Callable[..., Any]) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            results = function(*inputs)
        return tape.gradient(results, inputs)

    for found, expected in zip(gradients(compiled), gradients(function), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_long_way_from_a_size_is_not_gone_again() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None])], jit_compile=True)
    def function(x: Any) -> Any:
        count = tf.shape(x)[0]
        for _ in range(300):
            count = count + 1
        return x * tf.cast(count, tf.float32)

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert tape.gradient(y, x).numpy().tolist() == [302.0, 302.0]
