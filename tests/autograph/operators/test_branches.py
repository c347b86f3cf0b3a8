"""`if` statements and conditional expressions that are staged."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import tapeflow as tf
from tests.autograph.helpers import traced

TWO = tf.constant(2.0)
MINUS = tf.constant(-2.0)


def test_both_branches_are_traced_and_one_is_run() -> None:
    seen = []

    def f(x: Any) -> Any:
        if x > 0:
            seen.append("main")
            y = x
        else:
            seen.append("else")
            y = -x * 10
        return y

    function = traced(f)
    assert function(TWO).numpy() == 2
    assert function(MINUS).numpy() == 20
    assert seen == ["main", "else"]


def test_python_conditions_are_pythons() -> None:
    def f(x: Any, flag: Any) -> Any:
        if flag:
            y = "text"
        else:
            y = None
        return x if y is None else x + 1

    assert traced(f)(TWO, None).numpy() == 2
    assert traced(f)(TWO, [1]).numpy() == 3


def test_variables_are_conditions_in_the_graph() -> None:
    flag = tf.Variable(True)

    def f(x: Any) -> Any:
        return x if flag else -x

    function = traced(f)
    assert function(TWO).numpy() == 2
    flag.assign(False)
    assert function(TWO).numpy() == -2


def test_structures() -> None:
    def f(x: Any) -> Any:
        if x > 0:
            y = {"a": (x, 1), "b": [x]}
        else:
            y = {"a": (-x, 2), "b": [x * 0]}
        return y

    result = tf.nest.map_structure(float, traced(f)(MINUS))
    assert result == {"a": (2.0, 2.0), "b": [0.0]}


@pytest.mark.parametrize(
    ("error", "text", "branch"),
    [
        (ValueError, "'y' .*the else branch does not assign it", lambda x: None),
        (ValueError, "'y' is None after the else branch", lambda x: {"y": None}),
        (
            TypeError,
            "'y' has dtype float32 after the main branch and int32",
            lambda x: {"y": 1},
        ),
        (TypeError, "'y' must have the same structure", lambda x: {"y": [x]}),
        (TypeError, "'y' is .* in the main branch, but .*object", lambda x: {"y": object()}),
    ],
)
def test_branches_that_do_not_agree(error: Any, text: str, branch: Any) -> None:
    def f(x: Any) -> Any:
        other = branch(x)
        if x > 0:
            y = x
        else:
            if other is not None:
                y = other["y"]
        return y

    with pytest.raises(error, match=text):
        traced(f)(TWO)


def test_values_that_are_no_tensors_but_the_same() -> None:
    marker = object()

    def f(x: Any) -> Any:
        if x > 0:
            y, z, w = marker, None, x
        else:
            y, z, w = marker, None, -x
        assert y is marker
        assert z is None
        return w

    assert traced(f)(MINUS).numpy() == 2


def test_what_is_not_needed_afterwards_may_differ() -> None:
    def f(x: Any) -> Any:
        if x > 0:
            temporary = "text"
            y = x
        else:
            y = -x
        temporary = 3.0
        return y + temporary

    assert traced(f)(MINUS).numpy() == 5


def test_returns_that_depend_on_a_tensor() -> None:
    def f(x: Any) -> Any:
        if x > 0:
            if x > 10:
                return x * 100
            x = x + 1
        with tf.name_scope("scope"):
            if x < -10:
                return x
        return x * 2

    function = traced(f)
    results = [float(function(tf.constant(v))) for v in (20.0, 2.0, -1.0, -20.0)]
    assert results == [2000.0, 6.0, -2.0, -20.0]


def test_a_branch_that_returns_nothing() -> None:
    def f(x: Any) -> Any:
        if x > 0:
            return x

    with pytest.raises(ValueError, match="the else branch has no return statement"):
        traced(f)(TWO)


def test_returning_nothing_in_all_branches() -> None:
    variable = tf.Variable(0.0)

    def f(x: Any) -> None:
        if x > 0:
            variable.assign(x)
            return
        variable.assign(-1.0)

    function = traced(f)
    assert function(TWO) is None
    assert variable.numpy() == 2
    function(MINUS)
    assert variable.numpy() == -1


def test_attributes_and_items() -> None:
    def f(x: Any) -> Any:
        o = SimpleNamespace(a=x, d={"k": [1.0, 2.0]})
        if x > 0:
            o.a = o.a * 3
            o.d["k"][1] += 1
        return o.a, o.d["k"]

    a, items = traced(f)(TWO)
    assert (a.numpy(), [float(i) for i in items]) == (6, [1.0, 3.0])
    a, items = traced(f)(MINUS)
    assert (a.numpy(), [float(i) for i in items]) == (-2, [1.0, 2.0])


def test_an_attribute_that_only_one_branch_sets() -> None:
    def f(x: Any) -> Any:
        o = SimpleNamespace()
        if x > 0:
            o.a = x
        return o.a

    with pytest.raises(ValueError, match=r"'o\.a' .*the else branch does not assign it"):
        traced(f)(TWO)


GLOBAL: Any = 1.0


def test_global_and_nonlocal_variables() -> None:
    def f(x: Any) -> Any:
        global GLOBAL
        n = 1.0

        def inner() -> None:
            nonlocal n
            if x > 0:
                n = x * 5

        inner()
        if x > 0:
            GLOBAL = x
        result, GLOBAL = GLOBAL, 1.0
        return result, n

    assert [t.numpy() for t in traced(f)(TWO)] == [2, 10]
    assert [t.numpy() for t in traced(f)(MINUS)] == [1, 1]
    assert GLOBAL == 1.0


@pytest.mark.parametrize(
    ("test", "text"),
    [
        (lambda x: tf.stack([x, x]) > 0, "expected a `tf.bool` scalar.*tf.reduce_any"),
        (lambda x: x, "expected a `tf.bool` scalar.*use tf.cast"),
    ],
)
def test_conditions_that_are_none(test: Any, text: str) -> None:
    def f(x: Any) -> Any:
        if test(x):
            return x
        return -x

    with pytest.raises(ValueError, match=text):
        traced(f)(TWO)


def test_a_condition_with_one_element() -> None:
    def f(x: Any) -> Any:
        if x > 0:
            return x
        return -x

    assert traced(f)(tf.constant([[-2.0]])).numpy() == [[2.0]]


def test_conditional_expressions() -> None:
    def f(x: Any) -> Any:
        return (x if x > 0 else -x), (1 if x is None else 2)

    assert [t.numpy() for t in traced(f)(MINUS)] == [2, 2]
    with pytest.raises(TypeError, match="'x > 0' has dtype int32 after the main branch"):
        traced(lambda x: 1 if x > 0 else 2.0)(TWO)
    with pytest.raises(ValueError, match="'x > 0' is None after the else branch"):
        traced(lambda x: x if x > 0 else None)(TWO)


def test_gradients_go_through() -> None:
    def f(x: Any) -> Any:
        if x > 0:
            y = x * x
        else:
            y = x * 3
        return y

    function = traced(f)
    for value, expected in ((2.0, 4.0), (-2.0, 3.0)):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        assert tape.gradient(y, x).numpy() == expected
