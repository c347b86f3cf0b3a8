"""How calls are named in a graph: expressions, and what names their results have.

Every file here but this one holds the expressions of a family: `SAME` are named as TensorFlow names
them, `IN_SCOPE` are made of other ops, so that only the scope of what they give is the same.
An expression sees the placeholders below, `tf`, `np`, `gradient(function, *sources)`, and
`traced(function)`: the names that `function(x, note)` notes while it is traced, and of its results.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

FAMILIES = sorted(
    file.stem
    for file in Path(__file__).parent.glob("*.py")
    if file.stem not in ("__init__", "programs") and not file.stem.startswith("test_")
)

PLACEHOLDERS = {
    "x": ("float32", [2, 3]),
    "y": ("float32", [2, 3]),
    "square": ("float32", [3, 3]),
    "v": ("float32", [4]),
    "rows": ("float32", [None, 3]),
    "image": ("float32", [8, 8, 3]),
    "images": ("float32", [2, 8, 8, 3]),
    "n": ("int32", [3]),
    "labels": ("int32", [2]),
    "flags": ("bool", [3]),
    "z": ("complex64", [2, 4]),
    "s": ("string", [2]),
}


def expressions(family: str) -> tuple[list[str], list[str]]:
    """The expressions of a family: those named alike, and those in the same scope."""
    module = importlib.import_module(f"tests.parity.naming.{family}")
    return _lines(module.SAME), _lines(module.IN_SCOPE)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


def names_of(tf: Any, expression: str) -> list[str]:
    """The names of the tensors that an expression gives in a new graph."""
    known: dict[str, Any] = {"tf": tf, "np": np}
    if expression.startswith("traced("):
        # In a plain graph, functions are named otherwise inside.
        return _names(tf, eval(expression, {**known, "traced": partial(_traced, tf)}))
    with tf.Graph().as_default(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known["gradient"] = partial(_gradient, tf)
        for name, (dtype, shape) in PLACEHOLDERS.items():
            known[name] = tf.compat.v1.placeholder(dtype, shape, name)
        result = eval(expression, known)
        return _names(tf, result)


def _names(tf: Any, result: Any) -> list[str]:
    """The names of all tensors and operations in a structure; those that are there already."""
    flat = tf.nest.flatten(result, expand_composites=True)
    named = (str, tf.Operation, tf.Tensor)
    return [each if type(each) is str else each.name for each in flat if isinstance(each, named)]


def _gradient(tf: Any, function: Callable[..., Any], *sources: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(sources)
        target = function(*sources)
    return tape.gradient(target, sources)


def _traced(tf: Any, function: Callable[..., Any]) -> list[str]:
    found: list[str] = []

    def note(tensor: Any) -> Any:
        found.append(tensor.name)
        return tensor

    def noted(x: Any) -> None:
        found.extend(_names(tf, function(x, note)))

    tf.function(noted, autograph=False).get_concrete_function(tf.TensorSpec([2, 3]))
    return found
