"""The converters of expressions and small statements, each alone."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.autograph.analysis.notes import options_of
from tapeflow._src.autograph.converters import (
    asserts,
    calls,
    comparisons,
    conditional_expressions,
    directives,
    lists,
    logical_expressions,
    supers,
)
from tests.autograph.helpers import parsed, stepped

Step = Callable[[ast.AST, Any], ast.AST]


@pytest.mark.parametrize(
    ("step", "before", "after"),
    [
        (
            conditional_expressions.convert,
            "lambda x: a if x > 0 else b",
            "lambda x: ag__.if_exp(x > 0, lambda: a, lambda: b, 'x > 0')",
        ),
        # What binds a variable must stay in its function.
        (conditional_expressions.convert, "lambda x: (y := a) if x else b", None),
        (
            logical_expressions.convert,
            "lambda x, y: x and y and (not x)",
            "lambda x, y: ag__.and_(x, lambda: y, lambda: ag__.not_(x))",
        ),
        (logical_expressions.convert, "lambda x, y: x or y", "lambda x, y: ag__.or_(x, lambda: y)"),
        (logical_expressions.convert, "lambda x: x and (y := x)", None),
        (logical_expressions.convert, "lambda x: -x", None),
        (comparisons.convert, "lambda x, y: x < y", None),
        (comparisons.convert, "lambda x, y: 0 < x <= y", "lambda x, y: 0 < x and x <= y"),
        (
            comparisons.convert,
            "lambda x: a < f(x) < b",
            "lambda x: (lambda left, right: left < right and right < b)(a, f(x))",
        ),
        (
            calls.convert,
            "lambda x: f(x, *y, k=g(x))",
            "lambda x: ag__.call(f)(x, *y, k=ag__.call(g)(x))",
        ),
        # Built-in functions without an operator, and operators themselves, stay.
        (calls.convert, "lambda x: isinstance(x, list(x))", None),
        (calls.convert, "lambda x: ag__.not_(x)", None),
        (calls.convert, "lambda x, list: list(x)", "lambda x, list: ag__.call(list)(x)"),
        (calls.convert, "lambda x: len(x)", "lambda x: ag__.call(len)(x)"),
    ],
)
def test_expressions(step: Step, before: str, after: str | None) -> None:
    assert stepped(step, before) == (after or before)


@pytest.mark.parametrize(
    ("step", "before", "after"),
    [
        (asserts.convert, "assert x", "ag__.assert_stmt(x)"),
        (asserts.convert, "assert x, m", "ag__.assert_stmt(x, lambda: m)"),
        (supers.convert, "return super().f(x)", "return super(__class__, self).f(x)"),
        (supers.convert, "return super(A, x).f(x)", None),
        (
            lists.convert,
            "y = []\nif x:\n    y.append(1)",
            "y = []\nif x:\n    y = ag__.list_append(y, 1)",
        ),
        # Outside branches and loops nothing is staged; a parameter is the caller's.
        (lists.convert, "y = []\ny.append(1)", None),
        (lists.convert, "for i in x:\n    x.append(1)", None),
        (lists.convert, "for i in x:\n    z.append(1)", None),
        (lists.convert, "y = []\nfor i in x:\n    self.append(1)", None),
    ],
)
def test_statements(step: Step, before: str, after: str | None) -> None:
    def function(body: str) -> str:
        return "def f(self, x):\n" + "\n".join(f"    {line}" for line in body.split("\n"))

    assert stepped(step, function(before)) == function(after or before)


def test_decorators_annotations_and_defaults_stay_as_they_are() -> None:
    text = "def f(x: a and b=c and d) -> e or f:\n\n    @g(h and i)\n    def j():\n        pass"
    assert stepped(logical_expressions.convert, text) == text


def test_statements_of_a_class_stay_as_they_are_but_not_its_functions() -> None:
    text = (
        "def f(x):\n\n    class A:\n        y = x and z\n\n        def g(self):\n"
        "            return x and y"
    )
    expected = text.replace("return x and y", "return ag__.and_(x, lambda: y)")
    assert stepped(logical_expressions.convert, text) == expected


def test_generators_inside_stay_as_they_are() -> None:
    text = "def f(x):\n\n    def g():\n        yield (x and y)\n    return g"
    assert stepped(logical_expressions.convert, text) == text


def test_functions_of_libraries_are_known_while_converting() -> None:
    node, context = parsed("lambda x: tf.math.sin(tf.x(m.f(x)))")
    context.namespace = {"tf": tf}
    assert ast.unparse(calls.convert(node, context)) == (
        "lambda x: tf.math.sin(tf.x(ag__.call(m.f)(x)))"
    )


def test_loop_options_are_taken_out_of_the_loop() -> None:
    node, context = parsed(
        "def f(x):\n  for i in x:\n    options(1, maximum_iterations=3)\n    g(i)\n"
        "  while x:\n    options(maximum_iterations=4)"
    )
    context.namespace = {"options": tf.autograph.experimental.set_loop_options}
    tree: Any = directives.convert(node, context)
    loop, other = tree.body
    given = {each.arg: ast.unparse(each.value) for each in options_of(loop)}
    assert given == {"parallel_iterations": "1", "maximum_iterations": "3"}
    assert ast.unparse(loop.body) == "g(i)"
    assert [each.arg for each in options_of(other)] == ["maximum_iterations"]
    assert ast.unparse(other.body) == "pass"


def test_loop_options_are_known_by_name() -> None:
    node, context = parsed("def f(x, tf):\n  for i in x:\n    tf.a.set_loop_options(swap_memory=1)")
    tree: Any = directives.convert(node, context)
    assert [each.arg for each in options_of(tree.body[0])] == ["swap_memory"]
