"""Ops on extension types: dispatch to the override of the function of that name.

Python's operators are ops, and the library's own functions call ops. Given an extension type, an
op asks it (see `core.composite`); here it answers with the override of the public function that
computes the same, so that `tensor * value` is what `tf.multiply(tensor, value)` is.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.math import arithmetic, elementwise
from tapeflow._src.composite.extension_types.overrides import overrides_of
from tapeflow._src.core import nest

# By the names of the ops, which have no attributes.
_FUNCTIONS: dict[str, Any] = {
    "Abs": elementwise.abs,
    "AddV2": arithmetic.add,
    "FloorDiv": arithmetic.floordiv,
    "FloorMod": arithmetic.floormod,
    "Greater": arithmetic.greater,
    "GreaterEqual": arithmetic.greater_equal,
    "Less": arithmetic.less,
    "LessEqual": arithmetic.less_equal,
    "LogicalAnd": arithmetic.logical_and,
    "LogicalNot": arithmetic.logical_not,
    "LogicalOr": arithmetic.logical_or,
    "Maximum": arithmetic.maximum,
    "Minimum": arithmetic.minimum,
    "Mul": arithmetic.multiply,
    "Neg": elementwise.negative,
    "Pow": arithmetic.pow,
    "RealDiv": arithmetic.truediv,
    "Sub": arithmetic.subtract,
}
_OF_PARTS = ("Identity", "StopGradient")


def answer(value: Any, op: Any, inputs: tuple[Any, ...]) -> Any:
    """Return the result of `op` for an extension type; NotImplemented without an override."""
    if op.name in _OF_PARTS:
        return nest.map_structure(op, value, expand_composites=True)
    function = _FUNCTIONS.get(op.name)
    return NotImplemented if function is None else overrides_of(function).ask(inputs, {})
