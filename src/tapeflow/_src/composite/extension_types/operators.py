"""Ops on extension types: dispatch to the override of the function of that name.

Python's operators are ops, and the library's own functions call ops. Given an extension type, an
op dispatches to it (see `core.composite`): to the override of the public function that
computes the same, so that `tensor * value` is what `tf.multiply(tensor, value)` is.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.math import arithmetic, comparison, elementwise
from tapeflow._src.composite.extension_types.overrides import overrides_of
from tapeflow._src.core import nest
from tapeflow._src.core.registry import Op
from tapeflow._src.ops.array.shape import identity, stop_gradient
from tapeflow._src.ops.math.arithmetic import (
    abs_,
    add_v2,
    floor_div,
    floor_mod,
    mul,
    neg,
    real_div,
    sub,
)
from tapeflow._src.ops.math.comparison import greater, greater_equal, less, less_equal
from tapeflow._src.ops.math.extremes import maximum, minimum
from tapeflow._src.ops.math.logical import logical_and, logical_not, logical_or
from tapeflow._src.ops.math.power import pow_

# The public function of an op; none of these ops has attributes.
_FUNCTIONS: dict[Op, Any] = {
    abs_: elementwise.abs,
    add_v2: arithmetic.add,
    floor_div: arithmetic.floordiv,
    floor_mod: arithmetic.floormod,
    greater: comparison.greater,
    greater_equal: comparison.greater_equal,
    less: comparison.less,
    less_equal: comparison.less_equal,
    logical_and: comparison.logical_and,
    logical_not: comparison.logical_not,
    logical_or: comparison.logical_or,
    maximum: arithmetic.maximum,
    minimum: arithmetic.minimum,
    mul: arithmetic.multiply,
    neg: elementwise.negative,
    pow_: arithmetic.pow,
    real_div: arithmetic.truediv,
    sub: arithmetic.subtract,
}
_OF_PARTS = (identity, stop_gradient)


def answer(value: Any, op: Any, inputs: tuple[Any, ...]) -> Any:
    """Return the result of `op` for an extension type; NotImplemented without an override."""
    if op in _OF_PARTS:
        return nest.map_structure(op, value, expand_composites=True)
    function = _FUNCTIONS.get(op)
    return NotImplemented if function is None else overrides_of(function).ask(inputs, {})
