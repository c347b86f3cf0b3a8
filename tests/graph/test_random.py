"""Random operations in graphs draw the numbers that TensorFlow draws (recorded from it)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeflow as tf


@pytest.fixture(autouse=True)
def unseeded() -> Iterator[None]:
    """Other tests find no seed set."""
    yield
    tf.random.set_seed(None)


def _values(result: Any) -> Any:
    return [np.asarray(t).tolist() for t in tf.nest.flatten(result)]


def _close(result: Any, expected: Any) -> None:
    for tensor, values in zip(tf.nest.flatten(result), expected, strict=True):
        np.testing.assert_allclose(tensor, values, rtol=1e-6)


def test_calls_go_on_where_the_last_one_stopped_until_the_seed_is_set() -> None:
    draw = tf.function(lambda: tf.random.uniform([2]))
    tf.random.set_seed(1)
    _close(draw(), [[0.8126964569091797, 0.07857465744018555]])
    _close(draw(), [[0.8489425182342529, 0.09832477569580078]])
    tf.random.set_seed(1)
    _close(draw(), [[0.8126964569091797, 0.07857465744018555]])


def test_operations_of_one_graph_have_streams_of_their_own() -> None:
    def function() -> Any:
        pair = tf.random.uniform([]), tf.random.uniform([])
        return *pair, tf.random.normal([], seed=3), tf.random.normal([], seed=3)

    draw = tf.function(function)
    tf.random.set_seed(1)
    _close(draw(), [0.8126964569091797, 0.055544137954711914, *[-0.6708612442016602] * 2])
    _close(draw(), [0.5272892713546753, 0.8388307094573975, *[0.9259123206138611] * 2])


def test_inner_functions_count_their_operations_anew() -> None:
    inner = tf.function(lambda: tf.random.uniform([]))
    outer = tf.function(lambda: (inner(), inner(), tf.random.uniform([])))
    tf.random.set_seed(2)
    _close(outer(), [0.8290640115737915] * 3)


def test_eager_calls_and_functions_side_by_side() -> None:
    draw = tf.function(lambda: tf.random.uniform([]))
    tf.random.set_seed(2)
    drawn = [tf.random.uniform([]), draw(), tf.random.uniform([]), draw()]
    _close(drawn, [0.1469024419784546, 0.8290640115737915, 0.6266952753067017, 0.3041658401489258])


def test_op_seeds() -> None:
    first, second = (tf.function(lambda: tf.random.uniform([], seed=7)) for _ in range(2))
    tf.random.set_seed(5)
    drawn = [first(), first(), second(), tf.random.uniform([], seed=7)]
    _close(drawn, [0.4474637508392334, 0.048306941986083984, *[0.4474637508392334] * 2])


def test_a_seed_set_within_a_function_counts_while_it_is_traced() -> None:
    @tf.function(autograph=False)
    def function() -> Any:
        tf.random.set_seed(11)
        return tf.random.uniform([]), tf.random.uniform([])

    _close(function(), [0.7765624523162842, 0.622838020324707])
    _close(function(), [0.9749493598937988, 0.42069876194000244])


def test_loops_draw_anew_in_every_iteration() -> None:
    def function() -> Any:
        def body(i: Any, total: Any) -> Any:
            return i + 1, total + tf.random.uniform([])

        return tf.while_loop(lambda i, total: i < 3, body, [0, 0.0])[1]

    draw = tf.function(function)
    tf.random.set_seed(3)
    _close(draw(), [1.8752504587173462])
    _close(draw(), [1.8295550346374512])


def test_several_distributions() -> None:
    def function(x: Any) -> Any:
        return [
            tf.random.shuffle(x),
            tf.random.categorical([[1.0, 2.0]], 3),
            tf.nn.dropout(tf.ones(4), 0.5),
            tf.random.truncated_normal([2]),
            tf.random.gamma([2], 1.5),
        ]

    tf.random.set_seed(4)
    expected: list[Any] = [[1, 4, 2, 0, 3], [[1, 1, 1]], [2.0, 2.0, 2.0, 0.0]]
    expected += [[-0.33872872591018677, -0.15138167142868042]]
    expected += [[0.646729588508606, 0.9989219903945923]]
    _close(tf.function(function)(tf.range(5)), expected)


def test_seeds_in_a_plain_graph() -> None:
    with tf.Graph().as_default():
        tf.random.set_seed(9)
        drawn = tf.random.uniform([]), tf.random.uniform([], seed=4)
    seeds = [(t.op.get_attr("seed"), t.op.get_attr("seed2")) for t in drawn]
    assert seeds == [(9, 0), (9, 4)]


@pytest.mark.parametrize("seeded", [True, False])
def test_without_a_seed_every_operation_draws_its_own(seeded: bool) -> None:
    tf.random.set_seed(3 if seeded else None)
    first = tf.function(lambda: tf.random.uniform([4]))
    second = tf.function(lambda: tf.random.uniform([4]))
    assert (_values(first()) == _values(second())) is seeded
