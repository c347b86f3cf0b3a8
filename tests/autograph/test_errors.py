"""Errors in traced code show the user's file, line and code."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import pytest

import tapeflow as tf
from tapeflow._src.autograph.errors import explaining
from tests.autograph.helpers import define, traced

ONE = tf.constant(1.0)


def message(function: Callable[..., Any], *args: Any) -> str:
    """What tracing a function raises, with the file's name left out."""
    with pytest.raises(Exception) as caught:
        traced(function)(*args)
    name = function.__code__.co_filename
    return str(caught.value).replace(f'"{name}"', "F")


def test_a_line_of_the_function() -> None:
    f = define("def f(x):\n    y = 1\n    return tf.reshape(x, [2, 3])")
    text = message(f, ONE)
    assert text.startswith(
        "in user code:\n\n    File F, line 3, in f  *\n        return tf.reshape(x, [2, 3])\n\n"
        "    ValueError: "
    )
    assert text.endswith("\n")


def test_functions_that_are_called() -> None:
    f = define("def g(x):\n    raise KeyError('k')\ndef f(x):\n    return g(x)")
    assert message(f, ONE) == (
        "in user code:\n\n"
        "    File F, line 4, in f  *\n        return g(x)\n"
        "    File F, line 2, in g  *\n        raise KeyError('k')\n\n"
        "    KeyError: 'k'\n"
    )


def test_code_that_is_not_converted_is_marked_where_it_begins() -> None:
    f = define(
        "class A:\n    def __init__(self):\n        self.b()\n    def b(self):\n"
        "        raise ValueError('no')\ndef f(x):\n    return A()"
    )
    assert message(f, ONE) == (
        "in user code:\n\n"
        "    File F, line 7, in f  *\n        return A()\n"
        "    File F, line 3, in __init__  **\n        self.b()\n"
        "    File F, line 5, in b\n        raise ValueError('no')\n\n"
        "    ValueError: no\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n  if x > 0:\n    y = 1\n    raise ValueError('no')\n  return x",
        "def f(x):\n  for i in tf.range(3):\n    while x > 0:\n      raise ValueError('no')",
        "def f(x):\n  y = 1\n  z = 2\n  return [h() for h in [lambda: no('no')]]\n",
        "def f(x):\n  y = 1\n\n  return x > 0 and no('no')",
        "def f(x):\n  return (\n    x > 0 and x < 5 and\n    no('no'))",
        "def f(x):\n  return [\n    i for i in [1] if\n    no('no')]",
        "def f(x):\n  y = 1\n\n  return x if x > 0 else no('no')",
    ],
)
def test_a_function_has_one_line(text: str) -> None:
    def no(reason: str) -> None:
        raise ValueError(reason)

    found = message(define(text, no=no), ONE)
    assert found.count("line 4, in f  *") == 1
    assert found.count("File F") == 1


def test_classes_are_kept() -> None:
    class Mine(ValueError):
        """Takes one text."""

    class Odd(Exception):
        """Takes what is no text."""

        def __init__(self, a: int, b: int) -> None:
            super().__init__(a, b)
            self.sum = a + b

    def simple(x: Any) -> None:
        raise Mine("why")

    def odd(x: Any) -> None:
        raise Odd(1, 2)

    with pytest.raises(Mine, match="in user code"):
        traced(simple)(ONE)
    with pytest.raises(Odd) as caught:
        traced(odd)(ONE)
    assert caught.value.sum == 3
    assert caught.value.args == (1, 2)
    assert "in odd  *" in caught.value.__notes__[0]


def test_errors_of_ops_keep_their_class() -> None:
    def f(x: Any) -> None:
        raise tf.errors.NotFoundError(None, None, "nothing there")

    with pytest.raises(tf.errors.NotFoundError) as caught:
        traced(f)(ONE)
    assert caught.value.message == str(caught.value)
    assert "in user code" in caught.value.message


def test_variables_without_a_value() -> None:
    f = define("def f(x, c):\n    if c: y = 1\n    if c: z = y\n    return y")
    assert message(f, ONE, False).endswith("UnboundLocalError: 'y' is used before assignment\n")


def test_handlers_inside_see_the_error_as_it_is() -> None:
    def f(x: Any) -> Any:
        try:
            x = tf.reshape(x, [2, 3])
        except ValueError as error:
            assert "user code" not in str(error)
            return x + 1
        return x

    assert traced(f)(ONE).numpy() == 2


def test_functions_within_functions() -> None:
    f = define("def inner(x):\n    raise ValueError('no')")
    inner = traced(f)
    g = define("def g(x):\n    return inner(x)", inner=inner)
    with pytest.raises(ValueError, match="in user code") as caught:
        traced(g)(ONE)
    text = str(caught.value)
    assert text.index("in g  *") < text.index("in inner  *")
    assert text.count("user code") == 1


def test_frames_of_the_library_are_folded_away() -> None:
    def f(x: Any) -> Any:
        return tf.reshape(x, [2, 3])

    with pytest.raises(ValueError, match="user code") as caught:
        traced(f)(ONE)
    files = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert not any("/autograph/operators/" in file or "/ops/" in file for file in files)


def test_code_that_was_not_converted_says_why() -> None:
    f = define("def g(x):\n    if x > 0: yield x\ndef f(x):\n    return list(g(x))")
    text = message(f, ONE)
    assert "in g  **" in text
    assert "g was run as it is, because generators cannot be converted" in text


def test_constructors_say_why_they_are_not_converted() -> None:
    f = define(
        "class A:\n    def __init__(self, x):\n        self.y = 1 if x > 0 else 2\n"
        "def f(x):\n    return A(x).y"
    )
    text = message(f, ONE)
    assert "in __init__  **" in text
    assert "A.__init__ was run as it is" in text
    assert "not constructors" in text


def test_functions_behind_other_code_say_why_they_are_not_converted() -> None:
    f = define(
        "import functools\n@functools.cache\ndef g(r):\n    return 1 if r.deref() > 0 else 2\n"
        "def f(x):\n    return g(x.ref())"
    )
    assert "g was run as it is, because _lru_cache_wrapper calls it" in message(f, ONE)


def test_generators_inside_say_why_they_are_not_converted() -> None:
    f = define("def f(x):\n    def g():\n        if x > 0: yield x\n    return list(g())")
    text = message(f, ONE)
    assert "in g  **" in text
    assert "f.<locals>.g was run as it is, because generators cannot be converted" in text


def test_deep_recursion_is_shown_short() -> None:
    f = define("def f(x):\n    return f(x)")
    text = message(f, ONE)
    assert "RecursionError" in text
    assert "[...]" in text
    assert text.count("\n") < 20


def test_what_is_not_ours_passes() -> None:
    with pytest.raises(ValueError, match=r"^plain$"), explaining():
        raise ValueError("plain")
