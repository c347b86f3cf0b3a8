"""Run a small program and say what came of it, in plain data that two processes can compare.

A program is text that sees `tf` and `np`; its result is the value of its last expression. The
outcome is that value (structure, dtypes, shapes, values) or the class of the exception raised.
Knows neither which module `tf` is nor where the other outcome comes from.
"""

from __future__ import annotations

import ast
import hashlib
import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

Outcome = dict[str, Any]

# Relative to the precision of the dtype: both sides may sum in another order.
TOLERANCE = {"float16": 4e-3, "bfloat16": 4e-2, "float32": 2e-5, "complex64": 2e-5}
DEFAULT_TOLERANCE = 1e-10


def digest(code: str) -> str:
    """Return what records name a program by: they do not repeat its text."""
    return hashlib.sha256(code.encode()).hexdigest()[:16]


def execute(code: str, tf: Any) -> Outcome:
    """The outcome of a program under one module."""
    tree = ast.parse(code)
    names: dict[str, Any] = {"tf": tf, "np": np}
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        raise ValueError(f"a program ends in an expression, its result:\n{code}")
    tree.body.pop()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(tree, "<program>", "exec", dont_inherit=True), names)
            result = ast.Expression(last.value)
            value = eval(compile(result, "<program>", "eval", dont_inherit=True), names)
        except Exception as error:
            return {"raises": type(error).__name__.lstrip("_")}
        return {"value": describe(value, tf)}


def describe(value: Any, tf: Any) -> Any:
    """A value as JSON data that keeps what must agree."""
    match value:
        case None | bool() | int() | float() | str():
            return {type(value).__name__: value}
        case bytes():
            return {"bytes": value.decode("latin-1")}
        case complex():
            return {"complex": [value.real, value.imag]}
        case Mapping():
            return {"dict": {str(key): describe(item, tf) for key, item in value.items()}}
        case tf.TensorShape():
            return {"shape": None if value.rank is None else value.as_list()}
        case tf.DType():
            return {"dtype": value.name}
        case tf.IndexedSlices():
            fields = (value.values, value.indices, value.dense_shape)
            return {"slices": [describe(field, tf) for field in fields]}
        case tf.Variable():
            return {"variable": array(value.numpy(), value.dtype.name)}
        case tf.Tensor():
            return {"tensor": array(value.numpy(), value.dtype.name)}
        case np.ndarray() | np.generic():
            return {"array": array(np.asarray(value), value.dtype.name)}
        case list() | tuple():
            kind = "list" if isinstance(value, list) else "tuple"
            return {kind: [describe(item, tf) for item in value]}
        case type():
            return {"class": value.__name__}
    return {"object": type(value).__name__}


def array(value: Any, dtype: str) -> Outcome:
    flat = np.asarray(value).reshape(-1)
    if dtype.startswith("complex"):
        values = [[float(item.real), float(item.imag)] for item in flat]
    elif dtype in ("float16", "bfloat16", "float32", "float64"):
        values = flat.astype(np.float64).tolist()
    elif flat.dtype.kind in "OSU":
        values = [v.decode("latin-1") if isinstance(v, bytes) else str(v) for v in flat]
    else:
        values = flat.tolist()
    return {"dtype": dtype, "shape": list(np.shape(value)), "values": values}


def difference(ours: Any, theirs: Any, path: str = "result") -> str | None:
    """Where two outcomes part, in words; None if they agree."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if ours.keys() != theirs.keys():
            return f"{path}: {summary(ours)}, TensorFlow: {summary(theirs)}"
        if "values" in ours and "dtype" in ours:
            return array_difference(ours, theirs, path)
        pairs = [(key, ours[key], theirs[key]) for key in ours]
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = [(index, a, b) for index, (a, b) in enumerate(zip(ours, theirs))]
    elif isinstance(ours, float) and isinstance(theirs, float):
        return None if close(ours, theirs, 2e-5) else f"{path}: {ours}, TensorFlow: {theirs}"
    else:
        return None if ours == theirs else f"{path}: {ours!r}, TensorFlow: {theirs!r}"
    return next(filter(None, (difference(a, b, f"{path}.{key}") for key, a, b in pairs)), None)


def array_difference(ours: Outcome, theirs: Outcome, path: str) -> str | None:
    for field in ("dtype", "shape"):
        if ours[field] != theirs[field]:
            return f"{path}: {field} {ours[field]}, TensorFlow: {theirs[field]}"
    tolerance = TOLERANCE.get(ours["dtype"], DEFAULT_TOLERANCE)
    for index, (a, b) in enumerate(zip(ours["values"], theirs["values"])):
        if not close(a, b, tolerance):
            return f"{path}: element {index} is {a}, TensorFlow: {b}"
    return None


def close(ours: Any, theirs: Any, tolerance: float) -> bool:
    if isinstance(ours, list):
        return all(close(a, b, tolerance) for a, b in zip(ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, float):
        if math.isnan(ours) or math.isnan(theirs):
            return math.isnan(ours) and math.isnan(theirs)
        return math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=tolerance)
    return bool(ours == theirs)


def summary(outcome: Outcome) -> str:
    text = ", ".join(f"{key} {value}" for key, value in outcome.items())
    return text if len(text) <= 200 else text[:200] + "…"
