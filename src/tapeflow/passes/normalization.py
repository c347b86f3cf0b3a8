"""Batch normalization that is rectified, as one operation, and its gradient as another.

Rectifying reads and writes the whole tensor again, once forward and once backward; done where the
values are at hand it costs nothing. The results are the same bits.
"""

from __future__ import annotations

from typing import Any

from tapeflow.core.registry import Op
from tapeflow.ops.activation import relu, relu_grad
from tapeflow.ops.batch_norm import (
    fused_batch_norm,
    fused_batch_norm_grad,
    fused_batch_norm_relu,
    fused_batch_norm_relu_grad,
)
from tapeflow.passes.rewriting import Call, Results, Rewrite, Rule


def rules(op: Op) -> tuple[Rule, ...]:
    return _BY_NAME.get(op.name, ())


def rectified(at: Rewrite, call: Call) -> Results | None:
    """Normalization in a training step of which nothing but rectifiers takes the result."""
    if not call.attrs["is_training"] or not at.taken_only_by(call.node.outputs[0], relu):
        return None
    attrs = {name: value for name, value in call.attrs.items() if name != "is_training"}
    return at.make(fused_batch_norm_relu, call.operands, attrs, call)


def rectified_already(at: Rewrite, call: Call) -> Results | None:
    """The rectifier of what is rectified."""
    (features,) = call.operands
    return (features,) if _is_rectified(features) else None


def gradient(at: Rewrite, call: Call) -> Results | None:
    """The gradient through both."""
    kept, x, scale, mean, variance, _ = call.operands
    if kept.op.definition is not relu_grad or not call.attrs["is_training"]:
        return None
    dy, y = kept.op.operands
    if not _is_rectified(y) or mean.op is not y.op or variance.op is not y.op:
        return None
    attrs = {name: value for name, value in call.attrs.items() if name != "is_training"}
    operands = (dy, x, scale, mean, variance, y)
    return at.make(fused_batch_norm_relu_grad, operands, attrs, call)


def _is_rectified(tensor: Any) -> bool:
    return tensor.op.definition is fused_batch_norm_relu and tensor.value_index == 0


_BY_NAME: dict[str, tuple[Rule, ...]] = {
    fused_batch_norm.name: (rectified,),
    relu.name: (rectified_already,),
    fused_batch_norm_grad.name: (gradient,),
}
