"""`tf.xla.experimental`: structures of results, effects, and where scopes are allowed."""

from __future__ import annotations

import numpy as np
import pytest

import tapeflow as tf

compile = tf.xla.experimental.compile


@pytest.mark.parametrize(
    ("computation", "expected"),
    [
        (lambda a: a + 1.0, [2.0]),
        (lambda a: (a, 2.0 * a), [1.0, 2.0]),
        (lambda a: {"k": a}, {"k": 1.0}),
        (lambda a: (a, (a, 3.0)), (1.0, (1.0, 3.0))),
        (lambda a: 3, [3]),
    ],
)
def test_results_are_sequences_unless_they_are_nested(computation, expected):
    results = compile(computation, [tf.constant(1.0)])
    assert tf.nest.map_structure(lambda t: t.numpy().item(), results) == expected


def test_a_computation_without_results_still_has_its_effects():
    total = tf.Variable(1.0)

    def add():
        total.assign_add(2.0)

    assert compile(add) is None
    assert total.numpy() == 3.0


def test_a_graph_receives_an_operation_for_none():
    with tf.Graph().as_default():
        total = tf.compat.v1.get_variable("total", initializer=1.0)

        def add(x):
            total.assign_add(x)

        done = compile(add, [tf.constant(2.0)])
        with tf.compat.v1.Session() as session:
            session.run(total.initializer)
            session.run(done)
            assert session.run(total) == 3.0


def test_compiled_inside_a_function():
    @tf.function
    def doubled(x):
        return compile(lambda b: b * 2.0, [x])[0]

    np.testing.assert_array_equal(doubled(tf.constant([1.0, 2.0])), [2.0, 4.0])


def test_inputs_must_be_a_list():
    with pytest.raises(TypeError, match="inputs must be a list"):
        compile(lambda a: a, tf.constant(1.0))


def test_a_scope_is_for_graphs_only():
    @tf.function
    def added(x):
        with tf.xla.experimental.jit_scope():
            return x + 1.0

    assert added(tf.constant(1.0)).numpy() == 2.0
    with pytest.raises(RuntimeError, match=r"tf\.function"), tf.xla.experimental.jit_scope():
        pass


def test_version_one_has_the_same():
    assert tf.compat.v1.xla.experimental.compile is compile
