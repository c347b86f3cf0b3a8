"""Public functions and their names: what TensorFlow calls them in files and in layers' names."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from tapeflow._src.composite.extension_types.overrides import can_be_overridden
from tapeflow._src.core import tensorflow_names

_ROOT = __name__.partition(".")[0]
# The names of Python's operators, as public functions.
OPERATORS = {
    "abs": "math.abs",
    "add": "__operators__.add",
    "and": "math.logical_and",
    "eq": "__operators__.eq",
    "floordiv": "math.floordiv",
    "ge": "math.greater_equal",
    "getitem": "__operators__.getitem",
    "gt": "math.greater",
    "invert": "math.logical_not",
    "le": "math.less_equal",
    "lt": "math.less",
    "matmul": "linalg.matmul",
    "mod": "math.floormod",
    "mul": "math.multiply",
    "ne": "__operators__.ne",
    "neg": "math.negative",
    "or": "math.logical_or",
    "pow": "math.pow",
    "sub": "math.subtract",
    "truediv": "math.truediv",
    "xor": "math.logical_xor",
}
# Namespaces of functions that take tensors. Those first have the name that files know.
_OF_TENSORS = (
    *("__operators__", "math", "linalg", "strings", "random", "signal", "image", "io"),
    *("nn", "sparse", "ragged", "bitwise", "sets", "audio", "quantization", "math.special"),
    *("debugging", "dtypes", "", "compat.v1", "compat.v1.nn", "compat.v1.math"),
)


def _space(name: str) -> Any:
    # The root package is imported before any of its functions is looked up.
    namespace: Any = sys.modules[_ROOT]
    for part in name.split(".") if name else ():
        namespace = getattr(namespace, part, None)
    return namespace


def public_function(name: str) -> Any:
    """Return the public function or class of a name such as `math.add`, or None."""
    space, _, own = name.rpartition(".")
    return getattr(_space(space), own, None)


def _named() -> Iterator[tuple[str, Any]]:
    """Yield the names of all functions of tensors, the best name of each first."""
    spaces = tensorflow_names.recorded().spaces
    for space in _OF_TENSORS:
        holder = _space(space)
        if not isinstance(holder, ModuleType):
            continue
        listed = spaces.get(space) or {name for name in vars(holder) if not name.startswith("_")}
        for own in sorted(listed):
            function = getattr(holder, own, None)
            if function is not None and not isinstance(function, ModuleType):
                yield (f"{space}.{own}" if space else own), function


@functools.cache
def names() -> dict[int, str]:
    """Return the names of functions and classes, by the identities of these."""
    by_id: dict[int, str] = {}
    for name, function in _named():
        by_id.setdefault(id(function), name)
    return by_id


def tensor_functions() -> Iterator[FunctionType]:
    """Yield every public function that takes tensors, once."""
    seen: set[int] = set()
    for _, function in _named():
        if can_be_overridden(function) and id(function) not in seen:
            seen.add(id(function))
            yield function
