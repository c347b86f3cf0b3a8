"""
""`return` in branches and loops, rewritten alone: the result is plain Python, and does the same."""

from __future__ import annotations

import ast
import itertools
import textwrap
from contextlib import nullcontext, suppress
from typing import Any

import pytest

from tapeflow._src.autograph.analysis.exits import blocks
from tapeflow._src.autograph.converters import returns
from tapeflow._src.autograph.errors import UnsupportedFeature
from tests.autograph.helpers import outcome, parsed, stepped

PROGRAMS = [
    "if a: return 1\nreturn 2",
    "if a: return 1",
    "if a: return",
    "if a:\n  if b: return 1\n  a = 5\nreturn a",
    "if a:\n  if b: return 1\nelse:\n  return 2\nreturn 3",
    "if a:\n  x = 1\nelse:\n  return 2\nreturn x",
    "for i in range(a):\n  if i == b: return i\nreturn -1",
    "for i in range(a):\n  for j in range(b):\n    if j == 1: return i, j\n  else:\n"
    "    a = 9\nreturn a",
    "while a:\n  a -= 1\n  if a == b: return a\nelse:\n  return -1",
    "for i in range(a):\n  if i == b: break\nelse:\n  return 1\nreturn 2",
    "with nullcontext():\n  if a: return 1\nreturn 2",
    "with nullcontext():\n  if a: return 1\n  return 2",
    "with suppress(KeyError):\n  if a: return {}[1]\n  return 2\nreturn 3",
    "try:\n  if a: return 1 // b\nexcept ZeroDivisionError:\n  return -1\nreturn 2",
    "try:\n  if a: return 1\nexcept KeyError:\n  pass\nelse:\n  b = 7\nreturn b",
    "try:\n  if a: return 1\nfinally:\n  log.append(a)\nreturn 2",
    "try:\n  return 1 // a\nexcept ZeroDivisionError:\n  if b: return 2\nreturn 3",
    "match a:\n  case 0: return 1\n  case 1:\n    if b: return 2\nreturn 3",
    "if a:\n  raise KeyError\nelif b:\n  return 1\nreturn 2",
    "if a:\n  def g():\n    if b: return 1\n    return 2\n  return g()\nreturn 3",
    "while True:\n  if a > 2: return a\n  a += 1",
]


def run(body: str, a: int, b: int, *, rewritten: bool) -> Any:
    text = "def f(a, b):\n" + textwrap.indent(body, "    ")
    if rewritten:
        text = stepped(returns.convert, text)
    log: list[Any] = []
    scope: dict[str, Any] = {"nullcontext": nullcontext, "suppress": suppress, "log": log}
    exec(text, scope)
    return outcome(scope["f"], a, b), log


@pytest.mark.parametrize("body", PROGRAMS)
def test_the_function_does_the_same(body: str) -> None:
    for a, b in itertools.product(range(3), repeat=2):
        assert run(body, a, b, rewritten=True) == run(body, a, b, rewritten=False)


def returns_in_blocks(statement: ast.stmt) -> bool:
    return any(
        isinstance(each, ast.Return) or returns_in_blocks(each)
        for block in blocks(statement)
        for each in block
    )


@pytest.mark.parametrize("body", PROGRAMS)
def test_no_return_is_left_in_a_branch_or_loop(body: str) -> None:
    node, context = parsed("def f(a, b):\n" + textwrap.indent(body, "    "))
    returns.convert(node, context)
    for statement in ast.walk(node):
        if isinstance(statement, ast.If | ast.For | ast.While | ast.Match):
            assert not returns_in_blocks(statement)


def test_what_follows_a_branch_that_returns_becomes_the_other_branch() -> None:
    text = stepped(returns.convert, "def f(a):\n  if a: return 1\n  b = 2\n  return b")
    assert text == textwrap.dedent("""\
        def f(a):
            if a:
                retval_ = 1
            else:
                b = 2
                retval_ = b
            return retval_""")


def test_functions_that_return_at_their_end_stay_as_they_are() -> None:
    text = "def f(a):\n    with a:\n        x = 1\n        return x"
    assert stepped(returns.convert, text) == text


def test_names_that_are_taken_are_avoided() -> None:
    text = stepped(returns.convert, "def f(retval_):\n  if retval_: return 1\n  return 2")
    assert "retval__1 = 1" in text


def test_a_return_in_finally_is_refused() -> None:
    with pytest.raises(UnsupportedFeature, match="finally"):
        stepped(returns.convert, "def f(a):\n  try: pass\n  finally:\n    if a: return 1")
