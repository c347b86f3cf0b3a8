"""Which names a piece of code reads and binds."""

from __future__ import annotations

import ast

import pytest

from tapeflow._src.autograph.analysis.activity import activity, inside


@pytest.mark.parametrize(
    ("code", "reads", "writes"),
    [
        ("x = y", "y", "x"),
        ("x += y", "x y", "x"),
        ("x, (y, *z) = w", "w", "x y z"),
        ("del x", "x", "x"),
        ("x: int = y", "y", "x"),
        ("x: int", "", ""),
        ("for i in x:\n  y = i\nelse:\n  z = 1", "x i", "i y z"),
        ("with f(x) as (y, z): pass", "f x", "y z"),
        ("import a.b, c as d", "", "a d"),
        ("from a import b as c", "", "c"),
        ("try:\n  pass\nexcept E as e:\n  f(e)", "E f e", "e"),
        ("if (y := f(x)): pass", "f x", "y"),
        ("[x for x in y if z]", "y z", ""),
        ("[w for x in y for z in x if (v := z)]", "y w", "v"),
        ("{k: v for k, v in d}", "d", ""),
        ("(x for x in y)", "y", ""),
        ("lambda x, y=d: x + z", "d z", ""),
        ("def f(x=d):\n  y = x + z", "d z", "f"),
        ("def f():\n  nonlocal y\n  y = z", "y z", "f"),
        ("class A(B):\n  x = y\n  def f(self): return z", "B y z", "A"),
        ("o.a = x", "o x", ""),
        ("o[i] = x", "o i x", ""),
        (
            "match x:\n  case [a, *b]: pass\n  case {'k': c, **d}: pass\n  case e: pass",
            "x",
            "a b c d e",
        ),
    ],
)
def test_reads_and_writes(code: str, reads: str, writes: str) -> None:
    found = activity(ast.parse(code).body)
    assert found.reads == set(reads.split())
    assert found.writes == set(writes.split())


@pytest.mark.parametrize(
    ("code", "places"),
    [
        ("self.total = 1", ["self.total"]),
        ("self.total += 1", ["self.total"]),
        ("a.b[0].c = 1", ["a.b[0].c"]),
        ("d['k'], d[-1], d[i] = x", ["d['k']", "d[-1]", "d[i]"]),
        ("f().x = 1", []),
        ("d[f(x)] = 1", []),
        ("d[1:2] = 1", []),
        ("x = o.a", []),
        ("del o.a", ["o.a"]),
    ],
)
def test_places(code: str, places: list[str]) -> None:
    assert list(activity(ast.parse(code).body).targets) == places


def test_what_nested_functions_take() -> None:
    code = ast.parse("def g():\n  nonlocal y\n  y = x\n  def h(): return w\nz = [lambda: v]").body
    found = activity(code)
    assert found.captured >= {"x", "y", "w", "v"}
    assert found.bound_inside == {"y"}


def test_the_own_and_free_names_of_a_function() -> None:
    (function,) = ast.parse(
        "def f(a, /, b, *c, d, **e):\n  global g\n  g = x = a\n  y: int\n  return h(x)"
    ).body
    within = inside(function)  # type: ignore[arg-type]
    assert within.local_names == {"a", "b", "c", "d", "e", "x", "y"}
    assert within.free == {"h"}
    assert within.activity.globals == {"g"}
