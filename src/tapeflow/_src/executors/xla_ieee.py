"""Keeps XLA's algebraic simplifier from changing results: NaN, infinity and rounding.

The simplifier treats floats as real numbers. It turns `convert(mask) * x` into a selection, which
drops the NaN of `0 * nan`; `log(exp(x))` into `x`, `sqrt(x * x)` into `|x|`, `(x + c) - c` into `x`
and `(a / b) / c` into `a / (b * c)`. The interpreter computes what is written, so a function would
change its results once it is compiled. A lowered program is edited before it is compiled: masks
are converted by a selection between 1 and 0, and an optimization barrier separates two operations
that the simplifier would combine. Barriers are gone when loops are fused: they cost nothing there.

XLA computes exponentials from an integer part, which LLVM leaves undefined where it can tell while
compiling that the argument is NaN. A program with NaN or infinity among its constants therefore
selects NaN for the exponential of NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo as hlo

_REAL = frozenset({"f16", "bf16", "f32", "f64"})
_FLOATS = _REAL | {"complex<f32>", "complex<f64>"}
_MULTIPLICATIVE = frozenset({"stablehlo.multiply", "stablehlo.divide"})
_ADDITIVE = frozenset({"stablehlo.add", "stablehlo.subtract"})
# The simplifier combines the results of these with any multiplication, power or root.
_COMBINED = frozenset(
    {
        "stablehlo.divide",
        "stablehlo.exponential",
        "stablehlo.power",
        "stablehlo.rsqrt",
        "stablehlo.sqrt",
    }
)
_COMBINING = _MULTIPLICATIVE | {"stablehlo.log", "stablehlo.power", "stablehlo.sqrt"}
# A power of one half is a square root too.
_ROOTS = frozenset({"stablehlo.power", "stablehlo.rsqrt", "stablehlo.sqrt"})
# A value passed to another function may meet such an operation there.
_CALLS = frozenset({"func.call", "func.return"})
# Ops that preserve constants.
_TRANSPARENT = frozenset(
    {"stablehlo.broadcast_in_dim", "stablehlo.convert", "stablehlo.negate", "stablehlo.reshape"}
)
# Ops across which the simplifier moves element-wise operations.
_ARRANGING = frozenset(
    {"stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.slice", "stablehlo.transpose"}
)
# Ops that XLA computes by the exponential.
_EXPONENTIALS = frozenset({"chlo.cosh", "chlo.sinh", "stablehlo.exponential", "stablehlo.logistic"})
# Uses of an infinite constant that make no NaN: the start of a maximum, a bound.
_HARMLESS = frozenset(
    {
        "stablehlo.broadcast_in_dim",
        "stablehlo.clamp",
        "stablehlo.compare",
        "stablehlo.maximum",
        "stablehlo.minimum",
        "stablehlo.pad",
        "stablehlo.reduce",
        "stablehlo.reduce_window",
        "stablehlo.select",
    }
)


def preserve(module: Any) -> None:
    """Edit a StableHLO module in place so that XLA computes what is written."""
    operations: list[Any] = []

    def collect(operation: Any) -> Any:
        operations.append(operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(collect)
    with module.context:
        if any(map(_makes_nan, operations)):
            for operation in operations:
                _keep_nan(operation)
        for operation in operations:
            rule = _RULES.get(operation.name)
            if rule is not None:
                rule(operation)


def _convert(operation: Any) -> None:
    """Convert a mask by a selection, which the simplifier leaves alone."""
    mask, result = operation.operands[0], operation.results[0]
    kind = ir.RankedTensorType(result.type)
    if _element(mask) != "i1" or str(kind.element_type) not in _REAL:
        return
    with ir.InsertionPoint(operation), operation.location:
        one, zero = (
            hlo.constant(
                ir.DenseElementsAttr.get_splat(kind, ir.FloatAttr.get(kind.element_type, value))
            )
            for value in (1.0, 0.0)
        )
        selected = hlo.select(mask, one, zero)
    result.replace_all_uses_with(selected)
    operation.erase()


def _combined(operation: Any) -> None:
    _separate(operation, lambda user, _: user.name in _COMBINING or user.name in _CALLS)


def _product(operation: Any) -> None:
    """Keep `(x * c) * d` from becoming `x * (c * d)`, and `sqrt(x * x)` from `|x|`."""
    left, right = operation.operands
    if _element(left).startswith("complex"):
        # For an infinite number, even the product with 1 has another imaginary part.
        for index, operand in enumerate((left, right)):
            if _is_constant(operand):
                _hide(operation, index)
    if left == right:
        _separate(operation, lambda user, _: user.name in _ROOTS or user.name in _CALLS)
    if _is_constant(left) or _is_constant(right):
        _separate(operation, lambda user, index: _takes_constant(user, index, _MULTIPLICATIVE))


def _sum(operation: Any) -> None:
    """Keep `(x + c) + d` from becoming `x + (c + d)`."""
    if any(_is_constant(operand) for operand in operation.operands):
        _separate(operation, lambda user, index: _takes_constant(user, index, _ADDITIVE))


_RULES: dict[str, Callable[[Any], None]] = {
    "stablehlo.convert": _convert,
    "stablehlo.multiply": _product,
    **dict.fromkeys(_ADDITIVE, _sum),
    **dict.fromkeys(_COMBINED, _combined),
}


def _makes_nan(operation: Any) -> bool:
    """Whether it is a constant with NaN, or with an infinity that arithmetic may turn into NaN."""
    if operation.name != "stablehlo.constant" or _element(operation.results[0]) not in _REAL:
        return False
    attribute, kind = operation.attributes["value"], _element(operation.results[0])
    # MLIR's bindings have no bfloat16 arrays; its text has digits unless a value is not finite.
    values = np.array(attribute) if kind != "bf16" else np.inf if "0x" in str(attribute) else 0.0
    if np.isfinite(values).all():
        return False
    users = [use.owner.name for use in operation.results[0].uses]
    return bool(np.isnan(values).any()) or not _HARMLESS.issuperset(users)


def _keep_nan(operation: Any) -> None:
    """Select the argument of an exponential where it is NaN."""
    if operation.name not in _EXPONENTIALS or _element(operation.results[0]) not in _REAL:
        return
    argument, result = operation.operands[0], operation.results[0]
    users = [(use.owner, use.operand_number) for use in result.uses]
    with ir.InsertionPoint.after(operation), operation.location:
        undefined = hlo.compare(argument, argument, hlo.ComparisonDirectionAttr.get("NE"))
        selected = hlo.select(undefined, argument, result)
    for user, index in users:
        user.operands[index] = selected


def _separate(operation: Any, applies: Callable[[Any, int], bool]) -> None:
    """Put a barrier between an operation and those of its users for which `applies` holds."""
    result = operation.results[0]
    if _element(result) not in _FLOATS:
        return
    users = [(use.owner, use.operand_number) for use in result.uses]
    users = [(user, index) for user, index in users if _reaches(user, index, applies)]
    if not users:
        return
    with ir.InsertionPoint.after(operation), operation.location:
        barrier = hlo.OptimizationBarrierOp([result]).results[0]
    for user, index in users:
        user.operands[index] = barrier


def _reaches(user: Any, index: int, applies: Callable[[Any, int], bool], depth: int = 8) -> bool:
    """Whether `applies` holds for a user, or for users of its results if it only moves data."""
    if applies(user, index):
        return True
    if depth == 0 or user.name not in _ARRANGING:
        return False
    uses = user.results[0].uses
    return any(_reaches(use.owner, use.operand_number, applies, depth - 1) for use in uses)


def _hide(operation: Any, index: int) -> None:
    """Put a barrier before an operand."""
    with ir.InsertionPoint(operation), operation.location:
        barrier = hlo.OptimizationBarrierOp([operation.operands[index]]).results[0]
    operation.operands[index] = barrier


def _takes_constant(user: Any, index: int, family: frozenset[str]) -> bool:
    if user.name in _CALLS:
        return True
    return user.name in family and _is_constant(user.operands[1 - index])


def _is_constant(value: Any, depth: int = 8) -> bool:
    """Whether it is a constant, or computed from constants."""
    owner = value.owner
    name = getattr(owner, "name", "")
    if name == "stablehlo.constant":
        return True
    if depth == 0 or not (name in _TRANSPARENT or name in _MULTIPLICATIVE or name in _ADDITIVE):
        return False
    return all(_is_constant(operand, depth - 1) for operand in owner.operands)


def _element(value: Any) -> str:
    return str(ir.RankedTensorType(value.type).element_type)
