"""How blocks are left."""

from __future__ import annotations

import ast

import pytest

from tapeflow._src.autograph.analysis.exits import contains_exit, contains_return, falls_through


def block(text: str) -> list[ast.stmt]:
    """Statements as they may stand in a loop of a function."""
    return ast.parse(text).body


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1", True),
        ("return x", False),
        ("raise E", False),
        ("break", False),
        ("if c: return 1", True),
        ("if c: return 1\nelse: return 2", False),
        ("if c: return 1\nelse: raise E", False),
        ("if c: return 1\nelif d: return 2", True),
        ("for i in x: return i", True),
        ("while c: return 1", True),
        ("while True: return 1", False),
        ("while 1:\n  for i in x: break", False),
        ("while True:\n  if c: break", True),
        # The context manager may swallow the exception that ends its block.
        ("with c: return 1", True),
        ("try: return 1\nexcept E: pass", True),
        ("try: return 1\nexcept E: return 2", False),
        ("try: x = 1\nexcept E: return 2\nelse: return 3", False),
        ("try: x = 1\nfinally: return 2", False),
        ("def f(): return 1", True),
    ],
)
def test_falling_through(text: str, expected: bool) -> None:
    assert falls_through(block(text)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("return 1", True),
        ("for i in x:\n  with c:\n    return 1", True),
        ("match x:\n  case 1: return 1", True),
        ("try: pass\nexcept E: return 1", True),
        ("def f(): return 1", False),
        ("class A:\n  def f(self): return 1", False),
        ("x = lambda: 1", False),
    ],
)
def test_containing_a_return(text: str, expected: bool) -> None:
    assert contains_return(block(text)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("break", True),
        ("continue", False),
        ("if c: break", True),
        ("for i in x: break", False),
        # The `else` of an inner loop belongs to the loop around.
        ("for i in x: pass\nelse: break", True),
        ("with c: break", True),
    ],
)
def test_containing_a_break(text: str, expected: bool) -> None:
    assert contains_exit(block(text), ast.Break) is expected
