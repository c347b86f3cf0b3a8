"""`tf.math`: error, gamma and beta functions and their inverses."""

from __future__ import annotations

import math
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.broadcasting import sum_
from tapeflow._src.ops.array.shape import static_ints
from tapeflow._src.ops.math import special
from tapeflow._src.ops.math.arithmetic import mul, neg, sub

# -- the normal distribution -----------------------------------------------------------------


def erf(x: Any, name: str | None = None) -> Tensor:
    """Compute the error function element-wise."""
    return special.erf(x, name=name)


def erfc(x: Any, name: str | None = None) -> Tensor:
    """Compute the complementary error function element-wise."""
    return special.erfc(x, name=name)


@scoped("erfinv")
def erfinv(x: Any, name: str | None = None) -> Tensor:
    """Compute the inverse error function element-wise."""
    return special.erfinv(x)


@scoped("erfcinv")
def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """Compute the inverse of `erfc` element-wise."""
    x = dispatch.operand(x)
    quantile = ndtri(mul(x, dispatch.convert(0.5, x.dtype)))
    return mul(neg(quantile), dispatch.convert(math.sqrt(0.5), x.dtype))


@scoped("ndtri")
def ndtri(x: Any, name: str | None = None) -> Tensor:
    """Compute the quantile function of the standard normal distribution."""
    return special.ndtri(x)


# -- gamma and beta --------------------------------------------------------------------------


def lgamma(x: Any, name: str | None = None) -> Tensor:
    """Log-gamma, element-wise: `log(|Γ(x)|)`."""
    return special.lgamma(x, name=name)


def digamma(x: Any, name: str | None = None) -> Tensor:
    """Compute the derivative of `lgamma`."""
    return special.digamma(x, name=name)


def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Compute the derivative of order `a` of `digamma` at `x`."""
    return special.polygamma(a, x, name=name)


def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """Compute the Hurwitz zeta function: the sum of `(q + n) ** -x` over n = 0, 1, 2, ..."""
    return special.zeta(x, q, name=name)


def igamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Compute the lower regularised incomplete gamma function."""
    return special.igamma(a, x, name=name)


def igammac(a: Any, x: Any, name: str | None = None) -> Tensor:
    """Compute the upper regularised incomplete gamma function."""
    return special.igammac(a, x, name=name)


def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """Compute the regularised incomplete beta function."""
    return special.betainc(a, b, x, name=name)


@scoped("lbeta")
def lbeta(x: Any, name: str | None = None) -> Tensor:
    """Log-beta over the last axis: the sum of `lgamma(x)` minus `lgamma` of the sum."""
    x = dispatch.convert(x)
    last = static_ints((-1,))
    logarithms = sum_(special.lgamma(x), last)
    return sub(logarithms, special.lgamma(sum_(x, last)))
