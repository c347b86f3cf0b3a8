"""Fused batch normalisation and ReLU, and their fused gradient.

A separate ReLU reads and writes the whole tensor again, once forward and once backward; fused it
costs nothing. The results are the same bits. So are those of batch normalisation, residual add and
ReLU, as at the end of a residual block.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.registry import Op
from tapeflow._src.ops.math.arithmetic import add_v2
from tapeflow._src.ops.nn.activation import relu, relu_grad
from tapeflow._src.ops.nn.batch_norm import (
    fused_batch_norm,
    fused_batch_norm_add_relu,
    fused_batch_norm_grad,
    fused_batch_norm_relu,
    fused_batch_norm_relu_grad,
)
from tapeflow._src.passes.rewriting import Call, Results, Rewrite, Rule


def rules(op: Op) -> tuple[Rule, ...]:
    return _BY_NAME.get(op.name, ())


def rectified(at: Rewrite, call: Call) -> Results | None:
    """Fuse batch normalisation in training whose result goes only to ReLUs."""
    if not call.attrs["is_training"] or not at.consumed_only_by(call.node.outputs[0], relu):
        return None
    return at.make(fused_batch_norm_relu, call.operands, _attrs(call), call)


def summed(at: Rewrite, call: Call) -> Results | None:
    """Fuse batch normalisation in training whose result goes to one sum, and that to ReLUs."""
    y = call.node.outputs[0]
    takers = at.takers(y)
    if takers is None or len(takers) != 1 or not call.attrs["is_training"]:
        return None
    (sum_,) = takers
    if sum_.definition is not add_v2 or sum_.control_inputs or y.dtype is not float32:
        return None
    first, second = sum_.inputs
    other = second if first is y else first
    side_input = at.of.get(id(other))
    # Computed later than the normalisation, or possibly of another shape.
    if (
        side_input is None
        or other is y
        or other.static_shape is None
        or other.static_shape != y.static_shape
    ):
        return None
    if not at.consumed_only_by(sum_.outputs[0], relu):
        return None
    results = at.make(fused_batch_norm_add_relu, (*call.operands, side_input), _attrs(call), call)
    at.settle(sum_, results[:1])
    return results


def rectified_already(at: Rewrite, call: Call) -> Results | None:
    """Drop the ReLU of a result that is already rectified."""
    (features,) = call.operands
    return (features,) if _is_rectified(features) or _is_summed(features) else None


def gradient(at: Rewrite, call: Call) -> Results | None:
    """Fuse the gradient of both."""
    rectified_gradient, x, scale, mean, variance, _ = call.operands
    if rectified_gradient.op.definition is not relu_grad or not call.attrs["is_training"]:
        return None
    dy, y = rectified_gradient.op.operands
    if not _is_rectified(y) or mean.op is not y.op or variance.op is not y.op:
        return None
    operands = (dy, x, scale, mean, variance, y)
    return at.make(fused_batch_norm_relu_grad, operands, _attrs(call), call)


def _is_rectified(tensor: Any) -> bool:
    return tensor.op.definition is fused_batch_norm_relu and tensor.value_index == 0


def _is_summed(tensor: Any) -> bool:
    return tensor.op.definition is fused_batch_norm_add_relu and tensor.value_index == 0


def _attrs(call: Call) -> dict[str, Any]:
    return {name: value for name, value in call.attrs.items() if name != "is_training"}


_BY_NAME: dict[str, tuple[Rule, ...]] = {
    fused_batch_norm.name: (rectified, summed),
    relu.name: (rectified_already,),
    fused_batch_norm_grad.name: (gradient,),
}
