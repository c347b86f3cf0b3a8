"""`tf.nn`: activation functions."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from tapeflow._src.api.nn.arguments import axis_of
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.fused import fused
from tapeflow._src.ops.array.axes import swapped_with_last
from tapeflow._src.ops.array.common import concat_v2, scalar_int
from tapeflow._src.ops.array.transpose import transpose
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.elementwise import sigmoid as sigmoid_op
from tapeflow._src.ops.math.elementwise import tanh as tanh_op
from tapeflow._src.ops.math.special import erf
from tapeflow._src.ops.nn import activation
from tapeflow._src.ops.nn import softmax as softmax_ops


def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """Compute the rectified linear unit: `max(features, 0)`.

    Args:
        features: A real tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `features`. The gradient at 0 is 0.

    Example:

        >>> tf.nn.relu([-2.0, 0.0, 3.0]).numpy().tolist()
        [0.0, 0.0, 3.0]
    """
    return activation.relu(features, name=name)


def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """Compute the rectified linear unit capped at 6: `min(max(features, 0), 6)`.

    Args:
        features: A real tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `features`.

    Example:

        >>> tf.nn.relu6([-2.0, 3.0, 9.0]).numpy().tolist()
        [0.0, 3.0, 6.0]
    """
    return activation.relu6(features, name=name)


@scoped("CRelu", names_result=True)
@fused
def crelu(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """Compute the concatenated ReLU: `relu(features)` and `relu(-features)`, joined along `axis`.

    Args:
        features: A signed integer or floating-point tensor.
        axis: The axis that doubles in size; the last by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of the dtype of `features`.

    Example:

        >>> tf.nn.crelu([1.0, -2.0]).numpy().tolist()
        [1.0, 0.0, 0.0, 2.0]
    """
    features = dispatch.operand(features)
    return activation.relu(concat_v2([features, -features], scalar_int(axis), name=name))


def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """Compute the leaky ReLU: `features` where positive, `alpha * features` elsewhere.

    Args:
        features: A real tensor; integers are cast to float32.
        alpha: The slope for negative values, a Python number.
        name: Name of the op in a graph.

    Returns:
        A floating-point tensor of the shape of `features`.

    Raises:
        TypeError: `alpha` is not a number, such as a tensor.

    Example:

        >>> tf.nn.leaky_relu([-10.0, 5.0], alpha=0.5).numpy().tolist()
        [-5.0, 5.0]
    """
    if not isinstance(alpha, Real):
        raise TypeError(f"leaky_relu: expected float for argument 'alpha' not {alpha!r}.")
    features = dispatch.operand(features)
    if features.dtype.is_integer:
        features = cast(features, DstT=dtypes.float32)
    return activation.leaky_relu(features, alpha=float(alpha), name=name)


def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """Compute the exponential linear unit: `exp(features) - 1` where negative.

    Positive values are unchanged.

    Args:
        features: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `features`, with values above -1.

    Example:

        >>> tf.nn.elu([-np.inf, 0.0, 2.0]).numpy().tolist()
        [-1.0, 0.0, 2.0]
    """
    return activation.elu(features, name=name)


def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """Compute the scaled exponential linear unit, for self-normalising networks.

    With weights of variance `1 / fan_in` ("lecun_normal"), the activations of deep networks keep
    mean 0 and variance 1.

    Args:
        features: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `features`.

    Example:

        >>> tf.nn.selu([-1.0, 0.0, 1.0]).numpy().round(3).tolist()
        [-1.1109999418258667, 0.0, 1.0509999990463257]
    """
    return activation.selu(features, name=name)


def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """Compute `log(1 + exp(features))`, a smooth ReLU.

    Args:
        features: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `features`, with positive values.

    Example:

        >>> tf.nn.softplus([-1000.0, 1000.0]).numpy().tolist()
        [0.0, 1000.0]
    """
    return activation.softplus(features, name=name)


def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """Compute `features / (1 + |features|)`.

    Args:
        features: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `features`, with values in (-1, 1).

    Example:

        >>> tf.nn.softsign([-1.0, 0.0, 3.0]).numpy().tolist()
        [-0.5, 0.0, 0.75]
    """
    return activation.softsign(features, name=name)


def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the logistic sigmoid `1 / (1 + exp(-x))`.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.nn.sigmoid([-np.inf, 0.0]).numpy().tolist()
        [0.0, 0.5]
    """
    return sigmoid_op(x, name=name)


def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the hyperbolic tangent.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.nn.tanh([-np.inf, 0.0]).numpy().tolist()
        [-1.0, 0.0]
    """
    return tanh_op(x, name=name)


def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """Compute the sigmoid linear unit (swish): `features * sigmoid(beta * features)`.

    Args:
        features: A floating-point tensor.
        beta: The steepness of the sigmoid, a number or a tensor that broadcasts.

    Returns:
        A tensor of the shape and dtype of `features`.

    Example:

        >>> tf.nn.silu([-1.0, 0.0, 1.0]).numpy().round(3).tolist()
        [-0.26899999380111694, 0.0, 0.7310000061988831]
    """
    features = dispatch.operand(features)
    beta = dispatch.convert(beta, None, features.dtype)
    if beta.dtype is not features.dtype:
        beta = cast(beta, DstT=features.dtype)
    return features * sigmoid_op(beta * features)


@scoped("Gelu")
@fused
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """Compute the Gaussian error linear unit: `x * Φ(x)`, Φ the standard normal CDF.

    Args:
        features: A floating-point tensor.
        approximate: Whether to use the approximation with tanh instead, which is faster.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `features`.

    Raises:
        ValueError: `features` are not floating-point.

    Example:

        >>> tf.nn.gelu([-1.0, 0.0, 1.0]).numpy().round(3).tolist()
        [-0.1589999943971634, 0.0, 0.8410000205039978]
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


def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """Compute the softmax along `axis`: `exp(logits) / sum(exp(logits))`, without overflow.

    For a training loss, `tf.nn.softmax_cross_entropy_with_logits` takes the logits themselves.

    Args:
        logits: A floating-point tensor of rank 1 or more.
        axis: The axis along which results add up to 1; the last by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `logits`.

    Raises:
        InvalidArgumentError: The tensor is of integers, or `axis` is out of range.

    Example:

        >>> tf.nn.softmax([[0.0, 0.0], [1000.0, 0.0]]).numpy().tolist()
        [[0.5, 0.5], [1.0, 0.0]]
    """
    return _over_last_axis(softmax_ops.softmax, logits, axis, name)


def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """Compute the logarithm of the softmax along `axis`, without underflow.

    Args:
        logits: A floating-point tensor of rank 1 or more.
        axis: The axis of the classes; the last by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `logits`.

    Raises:
        InvalidArgumentError: The tensor is of integers, or `axis` is out of range.

    Example:

        >>> tf.nn.log_softmax([1000.0, 0.0]).numpy().tolist()
        [0.0, -1000.0]
    """
    return _over_last_axis(softmax_ops.log_softmax, logits, axis, name)


def _over_last_axis(op: Any, logits: Any, axis: int | None, name: str | None) -> Any:
    """Apply `op` along any axis by moving it last, and back."""
    logits = dispatch.operand(logits)
    rank = logits.shape.rank
    if axis is None or (type(axis) is int and (axis == -1 or axis + 1 == rank)):
        return op(logits, name=name)
    order = swapped_with_last(logits, axis_of(axis, rank, op.name))
    return transpose(op(transpose(logits, order)), order, name=name)
