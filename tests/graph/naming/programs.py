"""How calls are named in a graph: expressions, and what names their results have.

Every file here but this one holds the expressions of a family: `SAME` are named as TensorFlow names
them, `IN_SCOPE` are made of other ops, so that only the scope of what they give is the same.
An expression sees the placeholders below, `tf`, `np`, and `gradient(function, *sources)`.
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
    module = importlib.import_module(f"tests.graph.naming.{family}")
    return _lines(module.SAME), _lines(module.IN_SCOPE)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


def names_of(tf: Any, expression: str) -> list[str]:
    """The names of the tensors that an expression gives in a new graph."""
    graph = tf.Graph()
    with graph.as_default(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known: dict[str, Any] = {"tf": tf, "np": np, "gradient": partial(_gradient, tf)}
        for name, (dtype, shape) in PLACEHOLDERS.items():
            known[name] = tf.compat.v1.placeholder(dtype, shape, name)
        result = eval(expression, known)
        flat = tf.nest.flatten(result, expand_composites=True)
        return [each.name for each in flat if hasattr(each, "op") or hasattr(each, "node_def")]


def _gradient(tf: Any, function: Callable[..., Any], *sources: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(sources)
        target = function(*sources)
    return tape.gradient(target, sources)
