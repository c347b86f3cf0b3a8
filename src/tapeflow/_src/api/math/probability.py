"""`tf.math`: error, gamma and beta functions and their inverses."""

from __future__ import annotations

import math
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.broadcasting import sum_
from tapeflow._src.ops.array.shape import static_ints
from tapeflow._src.ops.math import special
from tapeflow._src.ops.math.arithmetic import mul, neg, sub

# -- the normal distribution -----------------------------------------------------------------


def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the error function element-wise.

    `(1 + erf(x / sqrt(2))) / 2` is the cumulative normal distribution.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.erf([0.0, 1.0, np.inf]) * 100).numpy().tolist()
        [0.0, 84.0, 100.0]
    """
    return special.erf(x, name=name)


def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the complementary error function `1 - erf(x)`, accurate for large `x`.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.erfc([0.0, 1.0]) * 100).numpy().tolist()
        [100.0, 16.0]
    """
    return special.erfc(x, name=name)


@scoped("erfinv")
def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse error function element-wise.

    Args:
        x: A floating-point tensor of values in [-1, 1]; infinite at the ends, NaN beyond.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.math.erfinv([0.0, 1.0]).numpy().tolist()
        [0.0, inf]
    """
    return special.erfinv(x)


@scoped("erfcinv")
def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """Compute the inverse of `erfc` element-wise.

    Args:
        x: A floating-point tensor of values in [0, 2]; infinite at the ends, NaN beyond.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.erfcinv([0.5, 1.5]) * 100).numpy().tolist()
        [48.0, -48.0]
    """
    x = dispatch.operand(x)
    quantile = ndtri(mul(x, dispatch.convert(0.5, x.dtype)))
    return mul(neg(quantile), dispatch.convert(math.sqrt(0.5), x.dtype))


@scoped("ndtri")
def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the quantile function of the standard normal distribution.

    Args:
        x: A floating-point tensor of probabilities; infinite at 0 and 1, NaN beyond.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.ndtri([0.5, 0.975]) * 100).numpy().tolist()
        [0.0, 196.0]
    """
    return special.ndtri(x)


# -- gamma and beta --------------------------------------------------------------------------


def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute log-gamma element-wise: `log(|Γ(x)|)`.

    Infinite at 0 and at negative integers. `exp(lgamma(n + 1))` is the factorial of `n`.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.exp(tf.math.lgamma([1.0, 5.0]))).numpy().tolist()
        [1.0, 24.0]
    """
    return special.lgamma(x, name=name)


def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the derivative of `lgamma` element-wise.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.digamma([1.0, 2.0]) * 100).numpy().tolist()
        [-58.0, 42.0]
    """
    return special.digamma(x, name=name)


def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the derivative of order `a` of `digamma` at `x`.

    Args:
        a: The order, non-negative integers as floats.
        x: Where, a tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.round(tf.math.polygamma(1.0, [1.0, 2.0]) * 100).numpy().tolist()
        [164.0, 64.0]
    """
    return special.polygamma(a, x, name=name)


def zeta(x: TensorLike, q: Any, name: str | None = None) -> Tensor:
    """Compute the Hurwitz zeta function: the sum of `(q + n) ** -x` over n = 0, 1, 2, ...

    Args:
        x: The exponent, a float32 or float64 tensor of values above 1.
        q: The offset, of the same dtype; both broadcast. With 1 it is Riemann's zeta function.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.round(tf.math.zeta([2.0], [1.0]) * 1000).numpy().tolist()
        [1645.0]
    """
    return special.zeta(x, q, name=name)


def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the lower regularised incomplete gamma function.

    That is the cumulative distribution of a gamma variable; `igammac` is one minus it.

    Args:
        a: The shape parameter, a positive floating-point tensor.
        x: The upper limit of the integral, non-negative, of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.round(tf.math.igamma([1.0], [0.0, 1.0]) * 1000).numpy().tolist()
        [0.0, 632.0]
    """
    return special.igamma(a, x, name=name)


def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the upper regularised incomplete gamma function.

    `1 - igamma(a, x)`, accurate where that is small.

    Args:
        a: The shape parameter, a positive floating-point tensor.
        x: The lower limit of the integral, non-negative, of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.round(tf.math.igammac([1.0], [0.0, 1.0]) * 1000).numpy().tolist()
        [1000.0, 368.0]
    """
    return special.igammac(a, x, name=name)


def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the regularised incomplete beta function.

    That is the cumulative distribution of a beta variable.

    Args:
        a: The first shape parameter, a positive floating-point tensor.
        b: The second shape parameter.
        x: The upper limit of the integral, in [0, 1]. All three have one dtype and
            broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of their shape, with values in [0, 1].

    Example:

        >>> tf.round(tf.math.betainc(2.0, 2.0, [0.0, 0.5, 1.0]) * 100).numpy().tolist()
        [0.0, 50.0, 100.0]
    """
    return special.betainc(a, b, x, name=name)


@scoped("lbeta")
def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute log-beta over the last axis: the sum of `lgamma(x)` minus `lgamma` of the sum.

    For two numbers it is the logarithm of the beta function, for more the normaliser of a Dirichlet
    distribution.

    Args:
        x: A floating-point tensor of rank 1 or more.
        name: Name of the op in a graph.

    Returns:
        A tensor without the last axis of `x`.

    Example:

        >>> tf.round(tf.exp(-tf.math.lbeta([2.0, 3.0]))).numpy()
        np.float32(12.0)
    """
    x = dispatch.convert(x)
    last = static_ints((-1,))
    logarithms = sum_(special.lgamma(x), last)
    return sub(logarithms, special.lgamma(sum_(x, last)))
