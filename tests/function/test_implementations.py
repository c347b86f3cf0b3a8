"""Functions with the same `api_implements`: a graph runs the one for its device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

X = tf.constant([1.0, 2.0])


def _implementation(api: str, device: str | None, number: float, factor: Any = 2.0) -> Any:
    attributes = {"api_implements": api}
    if device is not None:
        attributes["api_preferred_device"] = device
    return tf.function(
        lambda x: (factor * x, tf.constant(number)),
        autograph=False,
        experimental_attributes=attributes,
    )


def _program(called: Any, added: Any) -> Any:
    @tf.function
    def program(x):
        result, number = called(x)
        number = 10.0 * number
        added.get_concrete_function(x).add_to_graph()
        return result, number

    return program


@pytest.mark.parametrize(
    ("called", "added", "expected"),
    [
        (None, "CPU", 20.0),
        ("GPU", "CPU", 20.0),
        ("CPU", "GPU", 10.0),
        ("CPU", None, 10.0),
        (None, "GPU", 10.0),
    ],
)
def test_a_call_becomes_one_of_the_implementation_for_the_cpu(called, added, expected):
    program = _program(_implementation("api", called, 1.0), _implementation("api", added, 2.0))
    assert float(program(X)[1]) == expected
    outer = tf.function(lambda x: program(x))
    assert float(outer(X)[1]) == expected


def test_both_implementations_may_be_called():
    plain, cpu = _implementation("api", None, 1.0), _implementation("api", "CPU", 2.0)
    both = tf.function(lambda x: (plain(x)[1], cpu(x)[1]))
    assert [float(t) for t in both(X)] == [2.0, 2.0]


def test_implementations_of_other_apis_and_graphs_do_not_count():
    plain, other = _implementation("one", None, 1.0), _implementation("two", "CPU", 2.0)
    assert float(_program(plain, other)(X)[1]) == 10.0
    cpu = _implementation("one", "CPU", 2.0)
    assert float(_program(plain, cpu)(X)[1]) == 20.0
    assert float(tf.function(lambda x: plain(x)[1])(X)) == 1.0


def test_called_eagerly_a_function_is_itself():
    plain, cpu = _implementation("api", None, 1.0), _implementation("api", "CPU", 2.0)
    _program(plain, cpu)(X)
    assert float(plain(X)[1]) == 1.0


def test_a_replaced_call_is_differentiated():
    program = _program(_implementation("api", None, 1.0), _implementation("api", "CPU", 2.0))
    with tf.GradientTape() as outer:
        outer.watch(X)
        with tf.GradientTape() as tape:
            tape.watch(X)
            result = tf.reduce_sum(program(X)[0] ** 2)
        gradient = tape.gradient(result, X)
        assert gradient is not None
    np.testing.assert_allclose(gradient, [8.0, 16.0])
    np.testing.assert_allclose(outer.gradient(gradient, X), [8.0, 8.0])


def test_in_a_loop_a_call_is_replaced():
    plain, cpu = _implementation("api", None, 1.0), _implementation("api", "CPU", 2.0)

    @tf.function
    def total(x):
        number = tf.constant(0.0)
        for _ in tf.range(3):
            number += plain(x)[1]
            cpu.get_concrete_function(x).add_to_graph()
        return number

    assert float(total(X)) == 6.0


def test_an_implementation_with_captures_does_not_replace():
    captured = tf.Variable(2.0)
    plain, cpu = _implementation("api", None, 1.0), _implementation("api", "CPU", 2.0, captured)
    assert float(_program(plain, cpu)(X)[1]) == 10.0


def test_the_option_of_the_optimizer_switches_it_off():
    program = _program(_implementation("api", None, 1.0), _implementation("api", "CPU", 2.0))
    tf.config.optimizer.set_experimental_options({"implementation_selector": False})
    try:
        assert float(program(X)[1]) == 10.0
    finally:
        tf.config.optimizer.set_experimental_options({"implementation_selector": None})
