"""Whose functions are converted."""

from __future__ import annotations

import collections
import functools
import json
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow._src.autograph.operators.namespace import namespace
from tapeflow._src.autograph.options import Options
from tapeflow._src.autograph.policy import is_library

OPERATORS = namespace(Options())


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ({"__name__": "tapeflow.math"}, True),
        ({"__name__": "numpy.linalg"}, True),
        ({"__name__": "json.decoder", "__file__": json.decoder.__file__}, True),
        ({"__name__": "itertools"}, True),
        ({"__name__": "__main__"}, False),
        ({"__name__": "tests.autograph"}, False),
        # A module of the user's may be called like one of Python's.
        ({"__name__": "queue_", "__file__": "/home/user/queue_.py"}, False),
        ({"__name__": "code", "__file__": "/home/user/code.py"}, False),
        ({}, False),
    ],
)
def test_libraries(names: dict[str, Any], expected: bool) -> None:
    is_library.__globals__["_decisions"].pop(names.get("__name__", ""), None)
    assert is_library(names) is expected
    is_library.__globals__["_decisions"].pop(names.get("__name__", ""), None)


class Point(collections.namedtuple("Point", "x y")):
    def size(self) -> Any:
        if self.x > 0:
            return self.x
        return self.y


class Called:
    def __call__(self) -> int:
        return 1


def user() -> int:
    return 1


@functools.cache
def cached() -> int:
    return 1


@pytest.mark.parametrize(
    "function",
    [tf.add, np.zeros, isinstance, [].append, Point, Point(1, 2)._replace, tf.function(user)]
    + [tf.constant(1.0).numpy, json.dumps, cached, Called, type, functools.partial],
)
def test_what_stays_as_it_is(function: Any) -> None:
    assert OPERATORS.call(function) is function or OPERATORS.call(function) == function


@pytest.mark.parametrize("function", [user, Called(), Point(1, 2).size, functools.partial(user)])
def test_what_is_converted(function: Any) -> None:
    converted = OPERATORS.call(function)
    assert converted is not function
    assert converted() == 1


def test_converted_functions_are_not_converted_again() -> None:
    converted = OPERATORS.call(user)
    assert OPERATORS.call(converted) is converted
