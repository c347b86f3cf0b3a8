"""Dispatchers of libraries: asked where a function or an operator refuses its arguments."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tapeflow as tf
from tapeflow._src.internal.public_functions import OPERATORS, names, public_function

# In a process of its own: what is registered stays registered.
PROGRAM = """
import numpy as np
import tapeflow as tf

dispatch = tf.__internal__.dispatch


class Symbol:
    '''A value without one: operators are those of tensors.'''

    def __init__(self, text):
        self.text = text


for name in tf.Tensor.OVERLOADABLE_OPERATORS:
    setattr(Symbol, name, getattr(tf.Tensor, name))


class Recorder(dispatch.GlobalOpDispatcher):
    def handle(self, op, args, kwargs):
        if not any(isinstance(x, Symbol) for x in tf.nest.flatten([args, kwargs])):
            return self.NOT_SUPPORTED
        shown = [getattr(x, "text", x) for x in args]
        return Symbol(f"{op.__name__}{tuple(shown)}")


class Slicing(dispatch.OpDispatcher):
    def handle(self, args, kwargs):
        return Symbol("sliced")


Recorder().register()
Slicing().register(tf.__operators__.getitem)
s = Symbol("s")
assert (s + 1).text == "add('s', 1)", (s + 1).text
assert (2 * s).text == "multiply(2, 's')"
assert (-s).text == "negative('s',)"
assert (s > 3).text == "greater('s', 3)"
assert s[1:].text == "sliced"
assert (tf.constant(1) - s).text.startswith("subtract(<tf.Tensor")
assert tf.reduce_mean(s, 1).text == "reduce_mean('s', 1)"
assert tf.nn.relu(s).text == "relu('s',)"
assert tf.concat([s, s], 0).text.startswith("concat(")
np.testing.assert_array_equal(tf.reduce_mean([[1.0, 3.0]], 1), [2.0])
try:
    tf.concat([1, "text"], 0)
except (TypeError, ValueError):
    pass
else:
    raise AssertionError("an error of the function itself was lost")


@dispatch.add_dispatch_support
def double(x):
    if not isinstance(x, int):
        raise TypeError("expected an int")
    return x * 2


@dispatch.dispatch_for_types(double, tf.RaggedTensor)
def double_ragged(x):
    return x.with_values(x.values * 2)


assert double(s).text == "double('s',)"
assert double(tf.ragged.constant([[1], [2, 3]])).to_list() == [[2], [4, 6]]
assert double(4) == 8
"""


def test_dispatchers_are_asked_after_a_refusal() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(tf.__file__).parents[1])}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("math.reduce_mean", tf.reduce_mean),
        ("linalg.matmul", tf.matmul),
        ("nn.relu", tf.nn.relu),
        ("reshape", tf.reshape),
        ("__operators__.add", tf.__operators__.add),
    ],
)
def test_functions_have_the_names_that_files_know(name: str, function: object) -> None:
    assert names()[id(function)] == name
    assert public_function(name) is function


@pytest.mark.parametrize("name", sorted(OPERATORS.values()))
def test_operators_are_public_functions(name: str) -> None:
    assert callable(public_function(name))
