"""`tf.math`: unary element-wise functions other than roundings and angles."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.filling import zeros_like
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math import (
    arithmetic,
    complex_parts,
    division,
    elementwise,
)
from tapeflow._src.ops.math.comparison import less
from tapeflow._src.ops.nn.activation import softplus as softplus_op
from tapeflow._src.ops.nn.activation import softsign as softsign_op

_PI = 3.141592653589793


def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the exponential element-wise.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.exp([0.0, -np.inf]).numpy().tolist()
        [1.0, 0.0]
    """
    return elementwise.exp(x, name=name)


def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `exp(x) - 1`, accurate near 0.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.math.expm1([0.0, 1e-10]).numpy().tolist()
        [0.0, 1.000000013351432e-10]
    """
    return elementwise.expm1(x, name=name)


def log(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the natural logarithm element-wise.

    -inf at 0, NaN for negative real numbers. For other bases divide by `tf.math.log(base)`.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.math.log([1.0, 0.0, -1.0]).numpy().tolist()
        [0.0, -inf, nan]
    """
    return elementwise.log(x, name=name)


def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `log(1 + x)`, accurate near 0.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.math.log1p([0.0, -1.0]).numpy().tolist()
        [0.0, -inf]
    """
    return elementwise.log1p(x, name=name)


def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """Return `-x` element-wise.

    Args:
        x: A signed integer, floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.negative([1, -2]).numpy().tolist()
        [-1, 2]
    """
    return arithmetic.neg(x, name=name)


def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """Return `1 / x` element-wise; infinite at 0.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.math.reciprocal([2.0, 0.0]).numpy().tolist()
        [0.5, inf]
    """
    return elementwise.reciprocal(x, name=name)


def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute `1 / sqrt(x)` element-wise.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.math.rsqrt([4.0, 0.25]).numpy().tolist()
        [0.5, 2.0]
    """
    return elementwise.rsqrt(x, name=name)


def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the logistic sigmoid `1 / (1 + exp(-x))` element-wise.

    Its results lie in [0, 1]. For a loss, `tf.nn.sigmoid_cross_entropy_with_logits` is more
    accurate than the logarithm of this.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.sigmoid([0.0, np.inf]).numpy().tolist()
        [0.5, 1.0]
    """
    return elementwise.sigmoid(x, name=name)


def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """Return the sign: -1, 0 or 1; `x / |x|` for complex numbers.

    Args:
        x: A signed integer, floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.sign([-7, 0, 3]).numpy().tolist()
        [-1, 0, 1]
    """
    return arithmetic.sign(x, name=name)


def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the square root element-wise.

    NaN for negative real numbers; cast to a complex dtype to obtain their roots.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.sqrt([4.0, 0.0, -1.0]).numpy().tolist()
        [2.0, 0.0, nan]
    """
    return elementwise.sqrt(x, name=name)


def square(x: TensorLike, name: str | None = None) -> Tensor:
    """Return `x * x` element-wise.

    Args:
        x: A numeric tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.square([1, -2, 3]).numpy().tolist()
        [1, 4, 9]
    """
    return elementwise.square(x, name=name)


# -- by dtype --------------------------------------------------------------------------------


def abs(x: Any, name: str | None = None) -> Tensor:
    """Compute the absolute value element-wise; real for complex tensors.

    Args:
        x: A signed integer, floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `x` and of its dtype; float32 or float64 for complex ones.

    Example:

        >>> tf.abs([-1, 2]).numpy().tolist()
        [1, 2]
        >>> tf.abs([3.0 + 4.0j])
        <tf.Tensor: shape=(1,), dtype=float64, numpy=array([5.])>
    """
    return arithmetic.absolute(x, name=name)


def conj(x: Any, name: str | None = None) -> Tensor:
    """Compute the complex conjugate; real tensors are unchanged.

    Args:
        x: A numeric tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.math.conj([1.0 + 2.0j]).numpy().tolist()
        [(1-2j)]
    """
    x = dispatch.operand(x)
    if x.dtype.is_complex:
        return arithmetic.conj(x, name=name)
    if not x.dtype.is_numeric:
        raise TypeError(f"tf.math.conj expects numbers, received dtype {x.dtype.name}.")
    return x


def real(input: TensorLike, name: str | None = None) -> Tensor:
    """Return the real part element-wise; real tensors are unchanged.

    Args:
        input: A numeric tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of float32 or float64 for complex ones, else `input` itself.

    Example:

        >>> tf.math.real([1.0 + 2.0j]).numpy().tolist()
        [1.0]
    """
    x = dispatch.operand(input)
    if x.dtype.is_complex:
        return complex_parts.real(x, Tout=x.dtype.real_dtype, name=name)
    if not x.dtype.is_numeric:
        raise TypeError(f"tf.math.real expects numbers, received dtype {x.dtype.name}.")
    return x


@scoped("Imag", names_result=True)
def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """Return the imaginary part element-wise: 0 for real tensors.

    Args:
        input: A numeric tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of float32 or float64 for complex ones, else zeros of the dtype of `input`.

    Example:

        >>> tf.math.imag([1.0 + 2.0j]).numpy().tolist()
        [2.0]
    """
    x = dispatch.operand(input)
    if x.dtype.is_complex:
        return complex_parts.imag(x, Tout=x.dtype.real_dtype, name=name)
    return zeros_like(x, name="zeros_like")


@scoped("Angle", names_result=True)
def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the angle of complex numbers in [-π, π]; 0 or, if negative, π for real ones.

    Args:
        input: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A floating-point tensor of the shape of `input`.

    Example:

        >>> tf.round(tf.math.angle([1.0 + 0j, 1j, -1.0 + 0j]) * 100).numpy().tolist()
        [0.0, 157.0, 314.0]
    """
    x = dispatch.operand(input)
    if x.dtype.is_complex:
        return complex_parts.angle(x, Tout=x.dtype.real_dtype, name=name)
    half_turn = dispatch.convert(_PI, x.dtype)
    return select_v2(less(x, dispatch.convert(0, x.dtype)), half_turn, zeros_like(x), name="Select")


# -- composites ------------------------------------------------------------------------------


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """Compute `1 / x`, and 0 where `x` is 0.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.math.reciprocal_no_nan([2.0, 0.0]).numpy().tolist()
        [0.5, 0.0]
    """
    x = dispatch.operand(x)
    one = dispatch.convert(1, x.dtype)
    return division.div_no_nan(one, x, name=name or "reciprocal_no_nan")


@scoped("LogSigmoid", names_result=True)
def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the logarithm of the sigmoid, without underflow.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.math.log_sigmoid([-1000.0]).numpy().tolist()
        [-1000.0]
    """
    return arithmetic.neg(softplus_op(arithmetic.neg(dispatch.operand(x))), name=name)


def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """Return `log(1 + exp(features))` element-wise: a smooth ReLU.

    Args:
        features: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `features`.

    Example:

        >>> tf.math.softplus([-1000.0, 1000.0]).numpy().tolist()
        [0.0, 1000.0]
    """
    return softplus_op(features, name=name)


def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """Return `features / (1 + |features|)` element-wise.

    Maps the real numbers to (-1, 1), with slower tails than `tf.tanh`.

    Args:
        features: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `features`.

    Example:

        >>> tf.math.softsign([-1.0, 0.0, 3.0]).numpy().tolist()
        [-0.5, 0.0, 0.75]
    """
    return softsign_op(features, name=name)
