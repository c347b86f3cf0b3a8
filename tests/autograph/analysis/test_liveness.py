"""Which values are still needed: checked at marked statements of small functions."""

from __future__ import annotations

import ast
import textwrap

import pytest

from tapeflow._src.autograph.analysis.liveness import Liveness
from tapeflow._src.autograph.analysis.scopes import scope_of


def after(text: str) -> set[str]:
    """The local variables that are live after the statement `HERE`."""
    (function,) = ast.parse(textwrap.dedent(text)).body
    assert isinstance(function, ast.FunctionDef)
    scope = scope_of(function)
    live = Liveness(function.body, scope)
    (mark,) = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Expr) and ast.unparse(node) == "HERE"
    ]
    return set(live.after[mark] & (scope.locals | scope.outside))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = 1; HERE; return x", "x"),
        ("x = 1; HERE; x = 2; return x", ""),
        ("x = 1; HERE; x += 2; return x", "x"),
        ("x = y = 1\nHERE\nif x: y = 2\nreturn y", "x y"),
        ("x = y = 1\nHERE\nif x: y = 2\nelse: y = 3\nreturn y", "x"),
        ("x = y = 1\nwhile x:\n  HERE\n  x = y\n  y = 2", "y"),
        ("x = y = 1\nwhile x:\n  y = x\n  HERE\n  x = y", "y"),
        ("s = 0\nfor i in R:\n  s = s + i\n  HERE\nreturn s", "s"),
        ("for i in R:\n  HERE\nreturn i", "i"),
        ("for i in R:\n  HERE\n  f(i)", "i"),
        ("for i in R:\n  t = i\n  f(t)\n  HERE", ""),
        # Where an exception would lead counts throughout the block.
        ("x = 0\ntry:\n  HERE\n  x = f()\nexcept E:\n  g(x)\nreturn 1", "x"),
        ("x = 0\ntry:\n  HERE\n  x = f()\nfinally:\n  g(x)", "x"),
        ("x = 0\nwith c:\n  HERE\n  x = f()\nreturn x", "x"),
        ("x = 1\ndef g(): return x\nHERE\nreturn g()", "x g"),
        ("x = 1\ng = lambda: x\nHERE\nx = 2\nreturn g()", "g"),
        ("x = 1\nmap(lambda a: a + x, y)\nHERE", ""),
        ("global n\nn = 1\nHERE", "n"),
        ("x = 1\nHERE\nmatch x:\n  case [y]: return y\n  case _ if y: pass", "x y"),
        ("x = 1\nHERE\ndel x", "x"),
        ("x = 1\nHERE\nreturn [x for x in x]", "x"),
        ("x = 1\nHERE\nraise E(x)", "x"),
        ("x = y = 1\nif x:\n  HERE\n  return 1\nreturn y", ""),
        ("x = 1\nwhile (x := f()):\n  HERE\nreturn 1", ""),
    ],
)
def test_live_after(body: str, expected: str) -> None:
    text = "def function(R):\n" + textwrap.indent(body, "    ")
    assert after(text) == set(expected.split())


def test_what_is_live_where_an_iteration_begins() -> None:
    (function,) = ast.parse(
        "def f(n):\n  a = b = c = 0\n  while a < n:\n    t = b\n    a = t + 1\n  return c"
    ).body
    assert isinstance(function, ast.FunctionDef)
    loop = function.body[1]
    live = Liveness(function.body, scope_of(function))
    assert live.head[loop] == {"a", "b", "c", "n"}
