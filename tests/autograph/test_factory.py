"""Converted functions are like the originals: globals, closures, defaults, names, lines."""

from __future__ import annotations

import gc
import weakref
from typing import Any

from tapeflow._src.autograph.registry import is_block, is_converted
from tests.autograph.helpers import convert, define


def test_signature_defaults_and_globals() -> None:
    f = define("def f(a, b=2, *c, d, e=5, **g):\n    return a, b, c, d, e, g, K", K=7)
    made = convert(f)
    assert made(1, d=4) == f(1, d=4) == (1, 2, (), 4, 5, {}, 7)
    f.__globals__["K"] = 8
    assert made(1, 3, 3, d=4, h=9)[-2:] == ({"h": 9}, 8)


def test_the_closure_is_shared() -> None:
    count = 0

    def f(n: int) -> int:
        nonlocal count
        if n:
            count += n
        return count

    assert convert(f)(3) == 3
    assert count == 3
    count = 10
    assert convert(f)(1) == 11


def test_recursion_finds_the_global_function() -> None:
    f = define("def f(n):\n    if n < 2: return 1\n    return n * f(n - 1)")
    assert convert(f)(5) == 120


def test_methods_private_names_and_super() -> None:
    class Base:
        def value(self, x: int) -> int:
            return x

    class Derived(Base):
        def __init__(self) -> None:
            self.__secret = 10

        def value(self, x: int) -> int:
            if x > 0:
                self.__secret += 1
                return super().value(x) + self.__secret
            return self.__hidden() if x else __class__.__name__ == "Derived"  # type: ignore[name-defined]

        def __hidden(self) -> int:
            return -1

    derived = Derived()
    made = convert(Derived.value)
    assert made(derived, 1) == 12
    assert made(derived, -1) == -1
    assert made(derived, 0) is True


def test_names_and_lines_are_the_users() -> None:
    f = define("def f(x):\n    if x:\n        y = 1\n    else:\n        y = 2\n    return y")
    code = convert(f).__code__
    assert (code.co_name, code.co_filename) == ("f", f.__code__.co_filename)
    assert code.co_firstlineno == 1
    blocks = [each for each in code.co_consts if hasattr(each, "co_name") and is_block(each)]
    assert {each.co_name for each in blocks} == {"f"}
    assert {line for each in blocks[:2] for _, _, line in each.co_lines() if line} == {3, 5}
    assert is_converted(code)
    assert not is_converted(f.__code__)


def test_futures_of_the_module_hold() -> None:
    f = define(
        "from __future__ import annotations\n"
        "def f(x):\n    def g(a: Unknown) -> Unknown: return a\n    return g(x)"
    )
    assert convert(f)(1) == 1


def test_converted_functions_do_not_keep_the_original_alive() -> None:
    def make() -> tuple[Any, Any]:
        f = define("def f(x):\n    if x: return f\n    return x")
        convert(f)(0)
        return weakref.ref(f), weakref.ref(f.__code__)

    references = make()
    gc.collect()
    assert [each() for each in references] == [None, None]
