"""`tf.nn`: activation functions."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from tapeflow._src.api.nn.arguments import axis_of
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.axes import swapped_with_last
from tapeflow._src.ops.array.common import concat_v2, scalar_int
from tapeflow._src.ops.array.transpose import transpose
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.elementwise import sigmoid as sigmoid_op
from tapeflow._src.ops.math.elementwise import tanh as tanh_op
from tapeflow._src.ops.math.special import erf
from tapeflow._src.ops.nn import activation
from tapeflow._src.ops.nn import softmax as softmax_ops


def relu(features: Any, name: str | None = None) -> Tensor:
    """Rectified linear unit: `max(features, 0)`."""
    return activation.relu(features, name=name)


def relu6(features: Any, name: str | None = None) -> Tensor:
    """Rectified linear unit capped at 6: `min(max(features, 0), 6)`."""
    return activation.relu6(features, name=name)


@scoped("CRelu", names_result=True)
def crelu(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """Concatenated ReLU: `relu(features)` and `relu(-features)`, joined along `axis`."""
    features = dispatch.operand(features)
    return activation.relu(concat_v2([features, -features], scalar_int(axis), name=name))


def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """Leaky ReLU: `features` where positive, `alpha * features` elsewhere."""
    if not isinstance(alpha, Real):
        raise TypeError(f"leaky_relu: expected float for argument 'alpha' not {alpha!r}.")
    features = dispatch.operand(features)
    if features.dtype.is_integer:
        features = cast(features, DstT=dtypes.float32)
    return activation.leaky_relu(features, alpha=float(alpha), name=name)


def elu(features: Any, name: str | None = None) -> Tensor:
    """Exponential linear unit: `features` where positive, `exp(features) - 1` elsewhere."""
    return activation.elu(features, name=name)


def selu(features: Any, name: str | None = None) -> Tensor:
    """Scaled exponential linear unit, for self-normalising networks."""
    return activation.selu(features, name=name)


def softplus(features: Any, name: str | None = None) -> Tensor:
    """Softplus: `log(1 + exp(features))`."""
    return activation.softplus(features, name=name)


def softsign(features: Any, name: str | None = None) -> Tensor:
    """Softsign: `features / (1 + |features|)`."""
    return activation.softsign(features, name=name)


def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """Logistic sigmoid: `1 / (1 + exp(-x))`."""
    return sigmoid_op(x, name=name)


def tanh(x: Any, name: str | None = None) -> Tensor:
    """Hyperbolic tangent."""
    return tanh_op(x, name=name)


def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """Sigmoid linear unit (swish): `features * sigmoid(beta * features)`."""
    features = dispatch.operand(features)
    beta = dispatch.convert(beta, None, features.dtype)
    if beta.dtype is not features.dtype:
        beta = cast(beta, DstT=features.dtype)
    return features * sigmoid_op(beta * features)


@scoped("Gelu")
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """Gaussian error linear unit: `x * Φ(x)`, Φ the standard normal CDF, or
    its tanh approximation.
    """
    features = dispatch.operand(features)
    if not features.dtype.is_floating:
        raise ValueError(
            f"`features` must have a floating-point dtype, received {features.dtype.name}: use "
            "tf.cast."
        )
    if approximate:
        inner = math.sqrt(2 / math.pi) * (features + 0.044715 * features**3.0)
        return 0.5 * features * (1.0 + tanh_op(inner))
    return 0.5 * features * (1.0 + erf(features * math.sqrt(0.5)))


def softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Softmax along `axis`, the last by default: `exp(logits) / sum(exp(logits))`."""
    return _over_last_axis(softmax_ops.softmax, logits, axis, name)


def log_softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Compute the logarithm of the softmax along `axis`."""
    return _over_last_axis(softmax_ops.log_softmax, logits, axis, name)


def _over_last_axis(op: Any, logits: Any, axis: int | None, name: str | None) -> Any:
    """Apply `op` along any axis by moving it last, and back."""
    logits = dispatch.operand(logits)
    rank = logits.shape.rank
    if axis is None or (type(axis) is int and (axis == -1 or axis + 1 == rank)):
        return op(logits, name=name)
    order = swapped_with_last(logits, axis_of(axis, rank, op.name))
    return transpose(op(transpose(logits, order)), order, name=name)
