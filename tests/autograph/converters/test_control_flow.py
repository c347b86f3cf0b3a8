"""Blocks that become functions: what they share, and how an operator is told."""

from __future__ import annotations

import ast
import textwrap
from typing import Any

import pytest

from tapeflow._src.autograph.converters import control_flow
from tests.autograph.helpers import parsed


class Operators:
    """Runs the blocks as Python would, and remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []

    def _tell(self, **state: Any) -> None:
        variables = state.pop("variables", None)
        names = variables.__code__.co_freevars if variables else ()
        self.told.append({"variables": set(names), **state})

    def if_stmt(self, test: Any, body: Any, orelse: Any, **state: Any) -> None:
        self._tell(**state)
        if test:
            body()
        elif orelse:
            orelse()

    def while_stmt(self, test: Any, body: Any, **state: Any) -> None:
        self._tell(**state)
        while test():
            body()

    def for_stmt(self, iterable: Any, body: Any, **state: Any) -> None:
        self._tell(**state)
        for item in iterable:
            body(item)


def run(text: str, *args: Any, **names: Any) -> tuple[Any, list[dict[str, Any]]]:
    node, context = parsed(text)
    converted = ast.unparse(control_flow.convert(node, context))
    operators = Operators()
    scope: dict[str, Any] = {"ag__": operators, **names}
    exec(converted, scope)
    return scope[node.name](*args), operators.told


def test_a_branch() -> None:
    text = "def f(x):\n  if x: y = 1\n  else: y = 2\n  return y"
    result, told = run(text, True)
    assert result == 1
    assert told == [{"variables": {"y"}, "live": ("y",)}]
    assert run(text, False)[0] == 2


def test_what_stays_in_a_block_is_its_own() -> None:
    text = "def f(x):\n  if x:\n    t = x + 1\n    y = t\n  else: y = 2\n  t = 3\n  return y + t"
    result, told = run(text, 1)
    assert result == 5
    assert told == [{"variables": {"y"}, "live": ("y",)}]


def test_a_value_that_comes_in_but_does_not_count_afterwards() -> None:
    _, (told,) = run("def f(x):\n  y = 1\n  if x:\n    y += x\n    print(y)", 1, print=len_of)
    assert told == {"variables": {"y"}}


def len_of(*args: Any) -> int:
    return len(args)


def test_loops_carry_what_the_next_iteration_needs() -> None:
    text = (
        "def f(n):\n  i = s = 0\n  while i < n:\n    t = s + i\n    s = t\n    i += 1\n  return s"
    )
    result, told = run(text, 4)
    assert result == 6
    assert told == [{"variables": {"i", "s"}, "live": ("i", "s")}]


def test_the_variable_of_a_for_loop() -> None:
    _, (told,) = run("def f(n):\n  for i in n: pass\n  return i", [1, 2])
    assert told == {"variables": {"i"}, "live": ("i",), "target": "i"}
    _, (told,) = run("def f(n):\n  for i in n: pass", [1, 2])
    assert told == {"variables": set()}


def test_variables_without_a_value_are_declared() -> None:
    result, _ = run("def f(x):\n  if x: y = 1\n  return y", True)
    assert result == 1
    with pytest.raises(NameError):
        run("def f(x):\n  if x: y = 1\n  return y", False)


def test_closures_see_the_variables_of_the_function() -> None:
    text = """
        def f(x):
            functions = []
            for i in x:
                functions.append(lambda: i)
            return [g() for g in functions]
        """
    assert run(textwrap.dedent(text), [1, 2, 3])[0] == [3, 3, 3]


def test_a_local_function_that_binds_a_variable() -> None:
    text = """
        def f(x):
            total = 0
            def add(value):
                nonlocal total
                total += value
            for i in x:
                add(i)
            return total
        """
    result, told = run(textwrap.dedent(text), [1, 2, 3])
    assert result == 6
    assert told == [{"variables": {"total"}, "live": ("total",)}]


def test_globals_and_nonlocals() -> None:
    text = """
        def f(x):
            global g
            n = 1
            def inner():
                nonlocal n
                if x: n = 2
            inner()
            if x: g = n
            return n
        """
    node, context = parsed(textwrap.dedent(text))
    converted = ast.unparse(control_flow.convert(node, context))
    assert "ag__.item('g', globals(), 'g')" in converted
    operators = Operators()
    operators.item = lambda *args: args  # type: ignore[attr-defined]
    scope: dict[str, Any] = {"ag__": operators}
    exec(converted, scope)
    assert scope["f"](True) == 2
    assert scope["g"] == 2


@pytest.mark.parametrize(
    ("block", "places"),
    [
        ("o.a = 1", ["ag__.attribute('o.a', o, 'a')"]),
        ("o.a.b[k] = 1", ["ag__.item('o.a.b[k]', o.a.b, k)"]),
        ("o = p\n    o.a = 1", []),
        ("k = 1\n    o[k] = 1", []),
        ("o.a = p\n    o.a.b = 1", ["ag__.attribute('o.a', o, 'a')"]),
    ],
)
def test_places(block: str, places: list[str]) -> None:
    node, context = parsed(f"def f(o, p, k, x):\n  if x:\n    {block}\n  return o, k")
    text = ast.unparse(control_flow.convert(node, context))
    found = text.partition("slots=lambda: (")[2]
    assert all(place in found for place in places)
    assert found.count("ag__.") == len(places)


def test_private_names_are_those_of_the_class() -> None:
    node, context = parsed("def f(self, x):\n  if x: self.__a = 1")
    context.class_name = "_Owner"
    text = ast.unparse(control_flow.convert(node, context))
    assert "ag__.attribute('self.__a', self, '_Owner__a')" in text


def test_the_docstring_stays_first() -> None:
    node, context = parsed('def f(x):\n  """Doc."""\n  if x: y = 1\n  return y')
    assert ast.get_docstring(control_flow.convert(node, context)) == "Doc."  # type: ignore[arg-type]


def test_functions_without_control_flow_stay_as_they_are() -> None:
    text = "def f(x):\n    y = x\n    return y"
    node, context = parsed(text)
    assert ast.unparse(control_flow.convert(node, context)) == text
