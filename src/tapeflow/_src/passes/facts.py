"""Facts about calls that passes rely on: which cannot fail, which keep shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.infer import broadcast, broadcast_bool
from tapeflow._src.core.registry import Op
from tapeflow._src.core.traits import BROADCASTS, TOTAL, TOTAL_ON_SHAPES
from tapeflow._src.graph.body import has_effect
from tapeflow._src.graph.operation import Operation
from tapeflow._src.ops.graph.nodes import no_op
from tapeflow._src.ops.math.cast import cast

# A tensor of such a dtype is a handle, not numbers.
HANDLES = frozenset({dtypes.resource, dtypes.variant})


_STATIC = frozenset({"Static", "StaticT"})


def never_fails(op: Op, operands: Sequence[Any]) -> bool:
    """Whether a call with tensors like these succeeds, whatever their values are."""
    if TOTAL in op.traits:
        return True
    if TOTAL_ON_SHAPES not in op.traits:
        return False
    for operand, kind in zip(operands, op.kinds, strict=True):
        for tensor in operand if type(operand) is tuple else (operand,):
            if tensor.static_shape is None or None in tensor.static_shape:
                return False
            if kind in _STATIC and tensor.static_value is None:
                return False
    return True


def may_fail(node: Operation) -> bool:
    """Whether an operation without effects may raise: it runs only if its result is used."""
    if has_effect(node):
        return False
    if any(map(may_fail, node.control_inputs)):
        return True
    return node.definition is not no_op and not never_fails(node.definition, node.operands)


def is_elementwise(op: Op) -> bool:
    """Whether each result element depends on one element of each operand, after broadcasting."""
    return op.infer_rule in (broadcast, broadcast_bool) or BROADCASTS in op.traits


def is_implied_by(dims: Any, shape: Any) -> bool:
    """Whether the static shape `dims` implies all that `shape` says."""
    if shape is None or dims == shape:
        return True
    return (
        dims is not None
        and len(dims) == len(shape)
        and all(
            required is None or size == required for size, required in zip(dims, shape, strict=True)
        )
    )


def keeps_shape(op: Op) -> bool:
    """Whether the result has the shape of the only input."""
    return (op.keeps_shape and len(op.input_names) == 1) or op is cast
