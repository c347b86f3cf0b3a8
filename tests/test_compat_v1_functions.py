"""Functions as TensorFlow 1 programs call them, and its logger. Values are TensorFlow 2.21's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

v1 = tf.compat.v1
_X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)

CALLS: list[tuple[Callable[[], Any], Any]] = [
    (lambda: v1.reduce_sum(_X, reduction_indices=1, keep_dims=True), [[6.0], [15.0]]),
    (lambda: v1.reduce_mean(_X, 0), [2.5, 3.5, 4.5]),
    (lambda: v1.reduce_max(_X, keepdims=True), [[6.0]]),
    (lambda: v1.reduce_all([True, False]), False),
    (lambda: v1.argmax(_X, dimension=1), [2, 2]),
    (lambda: v1.argmax(_X), [1, 1, 1]),
    (lambda: v1.argmin(_X, 1, output_type=tf.int32), [0, 0]),
    (lambda: v1.constant([1, 2], verify_shape=True, shape=[2]), [1, 2]),
    (lambda: v1.constant(1, shape=[2]), [1, 1]),
    (lambda: v1.convert_to_tensor(1, preferred_dtype=tf.float32), 1.0),
    (lambda: v1.shape(_X, out_type=tf.int64), [2, 3]),
    (lambda: v1.size(_X), 6),
    (lambda: v1.zeros_like(_X, tf.int32), [[0, 0, 0], [0, 0, 0]]),
    (lambda: v1.ones_like([2.0]), [1.0]),
    (lambda: v1.expand_dims([1, 2], dim=0), [[1, 2]]),
    (lambda: v1.squeeze([[1]], squeeze_dims=0), [1]),
    (lambda: v1.squeeze([[1]], [0, 1]), 1),
    (lambda: v1.transpose(_X), _X.T.tolist()),
    (lambda: v1.gather(_X, [1], axis=1), [[2.0], [5.0]]),
    (lambda: v1.gather(_X, [1]), [[4.0, 5.0, 6.0]]),
    (lambda: v1.pad([1], [[1, 1]], constant_values=7), [7, 1, 7]),
    (lambda: v1.boolean_mask([1, 2, 3], [True, False, True]), [1, 3]),
    (lambda: v1.to_float([1, 2]), [1.0, 2.0]),
    (lambda: v1.to_int64([1.7]), [1]),
    (lambda: v1.div(-7, 2), -4),
    (lambda: v1.div(7.0, 2.0), 3.5),
    (lambda: v1.mod(-7, 3), 2),
    (lambda: v1.is_nan([np.nan]), [True]),
    (lambda: v1.segment_sum([1, 2, 3], [0, 0, 1]), [3, 3]),
    (lambda: v1.cond(tf.constant(True), lambda: [tf.constant(1)], lambda: [tf.constant(2)]), 1),
    (
        lambda: v1.cond(tf.constant(False), fn1=lambda: tf.constant(1), fn2=lambda: tf.constant(2)),
        2,
    ),
    (lambda: v1.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)]), 5),
    (lambda: v1.py_func(lambda a: a + 1, [tf.constant(1.0)], tf.float32), 2.0),
]


@pytest.mark.parametrize("place", range(len(CALLS)))
def test_values(place: int) -> None:
    call, expected = CALLS[place]
    assert np.asarray(call()).tolist() == expected
    with tf.Graph().as_default(), v1.Session() as session:
        assert np.asarray(session.run(call())).tolist() == expected


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="Cannot specify both 'reduction_indices' and 'axis'"):
        v1.reduce_sum(_X, axis=0, reduction_indices=1)
    with pytest.raises(TypeError, match="Expected Tensor's shape"):
        v1.constant(1, shape=[2], verify_shape=True)
    with pytest.raises(ValueError, match="needs `axis`: where to"):
        v1.expand_dims([1])
    with pytest.raises(TypeError, match="'true_fn' must be callable"):
        v1.cond(True)


def test_structures_of_loops() -> None:
    step = {"cond": lambda i: i < 5, "body": lambda i: (i + 1,), "loop_vars": [tf.constant(0)]}
    assert [int(t) for t in v1.while_loop(**step, return_same_structure=True)] == [5]
    pair = v1.while_loop(lambda i, j: i < 5, lambda i, j: (i + 1, j + 2), [0, 0])
    assert [int(t) for t in pair] == [5, 10]


def test_rows_of_variables() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        a, b = tf.Variable([1.0, 2.0, 3.0], name="a"), tf.Variable(1.0, name="b")
        missing = v1.report_uninitialized_variables()
        assert session.run(missing).tolist() == [b"a", b"b"]
        session.run(a.initializer)
        assert session.run(missing).tolist() == [b"b"]
        session.run(b.initializer)
        assert session.run(missing).tolist() == []
        assert session.run(v1.scatter_update(a, [0], [9.0])).tolist() == [9, 2, 3]
        assert session.run(v1.scatter_add(a, [0, 0], [1.0, 1.0])).tolist() == [11, 2, 3]
        after = v1.tuple([b + 1], control_inputs=[v1.assign(b, 5.0).op])
        session.run(after)
        assert session.run(b) == 5.0


def test_random_numbers_are_tensorflows() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v1.set_random_seed(3)
        drawn = session.run([v1.random_uniform([2], seed=1), v1.random_shuffle([1, 2, 3], seed=2)])
    assert drawn[0].tolist() == pytest.approx([0.7780691385269165, 0.5052884817123413])
    assert drawn[1].tolist() == [2, 3, 1]


def test_logging(capsys: Any) -> None:
    level = v1.logging.get_verbosity()
    try:
        v1.logging.set_verbosity(v1.logging.ERROR)
        v1.logging.warn("not this")
        v1.logging.error("but %s", "this")
        for _ in range(3):
            v1.logging.log_first_n(v1.logging.ERROR, "once", 1)
    finally:
        v1.logging.set_verbosity(level)
    assert capsys.readouterr().err.splitlines() == [
        "ERROR:tapeflow:but this",
        "ERROR:tapeflow:once",
    ]


def test_where_chooses_rows_and_finds_coordinates() -> None:
    x, y = tf.constant([[1, 2], [3, 4]]), tf.constant([[5, 6], [7, 8]])
    rows = v1.where([True, False], x, y)
    assert rows.numpy().tolist() == [[1, 2], [7, 8]]
    chosen = v1.where([[True, False], [False, True]], x, y)
    assert chosen.numpy().tolist() == [[1, 6], [7, 4]]
    assert v1.where([False, True]).numpy().tolist() == [[1]]
    with pytest.raises(ValueError, match="expected both x and y"):
        v1.where([True], x)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        v1.where([True, False], x, tf.constant(1))
