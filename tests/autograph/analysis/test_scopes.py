"""To whom names belong."""

from __future__ import annotations

import ast
from typing import Any

from tapeflow._src.autograph.analysis.scopes import scope_of, walk_body


def function(text: str) -> Any:
    return ast.parse(text).body[0]


def test_the_names_of_a_function() -> None:
    scope = scope_of(
        function("def f(a):\n  global g\n  nonlocal n\n  g = n = x = a\n  def h(): return x\n  h()")
    )
    assert scope.parameters == {"a"}
    assert scope.locals == {"a", "x", "h"}
    assert scope.globals == {"g"}
    assert scope.nonlocals == {"n"}
    assert scope.outside == {"g", "n"}
    assert "x" in scope.captured


def test_local_functions_read_and_bind_variables() -> None:
    scope = scope_of(
        function(
            "def f():\n  y = 0\n  def g():\n    nonlocal y\n    y = x\n  h = lambda: g()\n  k = h"
        )
    )
    assert scope.closures["g"].writes == {"y"}
    assert scope.closures["g"].reads >= {"x", "y"}
    # `h` calls `g`, so it does what `g` does.
    assert scope.closures["h"].writes == {"y"}
    assert "k" not in scope.closures


def test_recursive_local_functions() -> None:
    scope = scope_of(
        function("def f():\n  def g(): return h(x)\n  def h(a): return g() + y\n  return g")
    )
    assert scope.closures["g"].reads == scope.closures["h"].reads >= {"x", "y", "g", "h"}


def test_the_walk_stays_in_the_function() -> None:
    node = function("def f():\n  a = 1\n  def g(): b = 2\n  class C: c = 3\n  return lambda: d")
    names = {each.id for each in walk_body(node) if isinstance(each, ast.Name)}
    assert names == {"a"}
