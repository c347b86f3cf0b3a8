"""Commute max pooling and ReLU: the same numbers, with the ReLU on fewer elements.

`max(relu(x))` is `relu(max(x))` in every window, and the gradient goes to the same element: where
the maximum is positive, relu changes neither it nor its index; elsewhere the gradient is zero. With
windows of 2×2 three quarters of a ReLU's work is saved, forward and backward.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.registry import Op
from tapeflow._src.ops.nn.activation import relu, relu_grad
from tapeflow._src.ops.nn.pooling import max_pool, max_pool3d, max_pool3d_grad, max_pool_grad
from tapeflow._src.passes.rewriting import Call, Results, Rewrite, Rule

_GRADIENTS: dict[Op, Op] = {max_pool: max_pool_grad, max_pool3d: max_pool3d_grad}
# The attributes that max pooling and its gradient must have in common.
_WINDOW = ("ksize", "strides", "padding", "data_format")


def rules(op: Op) -> tuple[Rule, ...]:
    return _BY_OP.get(op, ())


def rectified_later(at: Rewrite, call: Call) -> Results | None:
    """`max_pool(relu(x))` is `relu(max_pool(x))`."""
    (rectified,) = call.operands
    # A window of padding only has no element to rectify: its maximum stays -inf.
    if rectified.op.definition is not relu or call.attrs["padding"] == "EXPLICIT":
        return None
    (greatest,) = at.make(call.op, rectified.op.operands, call.attrs, call)
    return at.make(relu, (greatest,), {}, call)


def rectified_gradient(at: Rewrite, call: Call) -> Results | None:
    """Rewrite the gradient of both w.r.t. their operand: that of relu comes first now."""
    gradient, features = call.operands
    pooled = gradient.op
    if pooled.definition not in _GRADIENTS.values() or pooled.operands[0] is not features:
        return None
    _, result, from_above = pooled.operands
    source = _pooled_before(result, features)
    if source is None or _GRADIENTS[source.op.definition] is not pooled.definition:
        return None
    if any(pooled.attrs[name] != source.op.attrs[name] for name in _WINDOW):
        return None
    (masked,) = at.make(relu_grad, (from_above, result), {}, call)
    x = source.op.operands[0]
    return at.make(pooled.definition, (x, source, masked), pooled.attrs, call)


def _pooled_before(result: Any, features: Any) -> Any:
    """Return `max_pool(x)`, if `result` is its ReLU and `features` is `relu(x)`."""
    if result.op.definition is not relu or features.op.definition is not relu:
        return None
    (source,) = result.op.operands
    if source.op.definition not in _GRADIENTS:
        return None
    return source if source.op.operands[0] is features.op.operands[0] else None


_BY_OP: dict[Op, tuple[Rule, ...]] = {
    max_pool: (rectified_later,),
    max_pool3d: (rectified_later,),
    relu_grad: (rectified_gradient,),
}
