"""How branches and loops stand in a graph: their nodes, their parts, and what those take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.graph.body import bodies_of

X = tf.constant([1.0, 2.0])


def nodes(function: Any, *args: Any) -> dict[str, Any]:
    """The nodes of the function's graph, by the type of each."""
    concrete = tf.function(function, autograph=False).get_concrete_function(*args)
    return {node.type: node for node in concrete.graph.nodes}


def types(body: Any) -> set[str]:
    return {node.type for node in body.nodes()} - {"Const", "Placeholder"}


def test_what_only_computes_is_stateless() -> None:
    v = tf.Variable(1.0)

    def pure(x: Any) -> Any:
        y = tf.cond(x[0] > 0, lambda: x, lambda: -x)
        y = tf.switch_case(tf.constant(0), [lambda: y, lambda: -y])
        return tf.while_loop(lambda y: y[0] < 9, lambda y: [y * 2.0], [y])

    assert {"StatelessIf", "StatelessCase", "StatelessWhile"} <= nodes(pure, X).keys()

    def reading(x: Any) -> Any:
        y = tf.cond(x[0] > 0, lambda: x * v, lambda: -x)
        y = tf.switch_case(tf.constant(0), [lambda: y, lambda: y + tf.random.normal([2])])
        nested = tf.function(lambda z: tf.cond(z[0] > 0, lambda: v * z, lambda: z))
        return tf.while_loop(lambda y: y[0] < 9, lambda y: [nested(y) * 2.0], [y])

    assert {"If", "Case", "While"} <= nodes(reading, X).keys()


def test_branches_take_what_either_uses() -> None:
    def program(x: Any, y: Any, z: Any) -> Any:
        return tf.cond(x[0] > 0, lambda: x + y, lambda: y * z)

    node = nodes(program, X, X, X)["StatelessIf"]
    assert [t.op.name for t in node.inputs[1:]] == ["x", "y", "z"]
    then, otherwise = bodies_of(node)
    assert types(then) == {"AddV2"} and types(otherwise) == {"Mul"}
    assert len(then.inputs) == len(otherwise.inputs) == 3


def test_loops_pass_on_what_they_only_read() -> None:
    def program(x: Any, n: Any) -> Any:
        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, x])

    node = nodes(program, X, tf.constant(3))["StatelessWhile"]
    cond, body = bodies_of(node)
    assert len(node.inputs) == len(cond.inputs) == len(body.inputs) == 4
    assert [a is b for a, b in zip(body.inputs, body.outputs, strict=True)] == [
        *(False, False),
        *(True, True),
    ]
    assert types(cond) == {"Less"} and types(body) == {"AddV2", "Mul"}


def test_both_branches_are_traced_even_for_static_conditions() -> None:
    seen: list[str] = []

    def program() -> Any:
        return tf.cond(
            tf.constant(True), lambda: seen.append("then") or 1, lambda: seen.append("else") or 2
        )

    function = tf.function(program, autograph=False)
    assert function().numpy() == 1 and function().numpy() == 1
    assert seen == ["then", "else"]


def test_the_body_of_a_loop_is_traced_once() -> None:
    seen: list[str] = []

    def body(i: Any) -> Any:
        seen.append("body")
        return [i + 1]

    function = tf.function(lambda: tf.while_loop(lambda i: i < 5, body, [0]), autograph=False)
    assert function()[0].numpy() == 5
    assert seen == ["body"]


def test_an_error_in_a_branch_not_taken_is_none() -> None:
    def program(x: Any) -> Any:
        def refuse() -> Any:
            tf.debugging.Assert(x[0] < 0, [x])
            return tf.gather(x, [9])[0]

        return tf.cond(x[0] > 5, refuse, lambda: x[0])

    function = tf.function(program, autograph=False)
    assert function(X).numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
        function(X + 9.0)


def test_names() -> None:
    def program(x: Any) -> Any:
        first = tf.cond(x[0] > 0, lambda: x, lambda: -x)
        second = tf.cond(x[0] > 0, lambda: x, lambda: -x, name="mine")
        third = tf.while_loop(lambda y: y[0] < 9, lambda y: [y * 2.0], [x])[0]
        assert [t.op.name for t in (first, second, third)] == [
            "cond/Identity",
            "mine/Identity",
            "while",
        ]

    nodes(program, X)


def test_a_tensor_of_a_branch_does_not_leave_it() -> None:
    leaked: list[Any] = []

    def program(x: Any) -> Any:
        tf.cond(x[0] > 0, lambda: leaked.append(x * 2.0), lambda: None)
        return leaked[0] + 1.0

    with pytest.raises(TypeError, match="out of scope"):
        tf.function(program, autograph=False)(X)


# -- what gradients make of them ---------------------------------------------------------------


def gradient_of(program: Any) -> Any:
    def function(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(x)
        return tape.gradient(y, x)

    return function


def test_a_branch_gives_out_what_its_gradient_needs() -> None:
    def program(x: Any) -> Any:
        return tf.cond(x[0] > 0, lambda: tf.sin(tf.exp(x)), lambda: x * 2.0)

    concrete = tf.function(gradient_of(program), autograph=False).get_concrete_function(X)
    forward, backward = (n for n in concrete.graph.nodes if n.type == "StatelessIf")
    then, otherwise = bodies_of(forward)
    assert [t.op.type for t in then.outputs] == ["Sin", "Exp"]
    assert otherwise.outputs[1] is None
    assert backward.inputs[0] is forward.inputs[0]


def test_a_loop_collects_what_its_gradient_needs() -> None:
    def program(x: Any) -> Any:
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.sin(y) * x), [0, x])[1]

    concrete = tf.function(gradient_of(program), autograph=False).get_concrete_function(X)
    found = [n for n in concrete.graph.nodes if n.type in ("EmptyTensorList", "StatelessWhile")]
    # What the loop starts with stands before it; its own counter tells how often it ran.
    kinds = [n.type for n in found]
    assert kinds == ["EmptyTensorList", "EmptyTensorList", "StatelessWhile", "StatelessWhile"]
    assert [int(n.inputs[1].static_value) for n in found[:2]] == [3, 3]
    assert found[3].inputs[0] is found[2].outputs[0]
    np.testing.assert_allclose(concrete(X), gradient_of(program)(X), rtol=1e-6)


def test_a_counter_is_added_to_loops_without_one() -> None:
    def program(x: Any) -> Any:
        return tf.while_loop(lambda y: y[0] < 50.0, lambda y: [y * (x + 1.0)], [x])[0]

    concrete = tf.function(gradient_of(program), autograph=False).get_concrete_function(X)
    forward, backward = (n for n in concrete.graph.nodes if n.type == "StatelessWhile")
    assert backward.inputs[0] is forward.outputs[-1]
    np.testing.assert_allclose(concrete(X), gradient_of(program)(X), rtol=1e-6)


def test_assertions_may_be_waited_for() -> None:
    v = tf.Variable(1.0)

    @tf.function(autograph=False)
    def function(wanted: Any) -> Any:
        with tf.control_dependencies([tf.debugging.assert_equal(v, wanted), tf.print("")]):
            return v * 2.0

    assert function(1.0).numpy() == 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="assert_equal"):
        function(0.0)
