"""`tf.math.special`: Bessel functions and a few integrals."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.naming import scoped as _scoped
from tapeflow._src.core.tensor import Tensor as _Tensor
from tapeflow._src.ops.math import bessel, special

# -- Bessel functions ------------------------------------------------------------------------


@_scoped("bessel_i0")
def bessel_i0(x: Any, name: str | None = None) -> _Tensor:
    """Modified Bessel function I0 (first kind), element-wise."""
    return bessel.bessel_i0(x)


@_scoped("bessel_i0e")
def bessel_i0e(x: Any, name: str | None = None) -> _Tensor:
    """Exponentially scaled `bessel_i0`: `exp(-|x|) * I0(x)`."""
    return bessel.bessel_i0e(x)


@_scoped("bessel_i1")
def bessel_i1(x: Any, name: str | None = None) -> _Tensor:
    """Modified Bessel function I1 (first kind), element-wise."""
    return bessel.bessel_i1(x)


@_scoped("bessel_i1e")
def bessel_i1e(x: Any, name: str | None = None) -> _Tensor:
    """Exponentially scaled `bessel_i1`: `exp(-|x|) * I1(x)`."""
    return bessel.bessel_i1e(x)


@_scoped("bessel_j0")
def bessel_j0(x: Any, name: str | None = None) -> _Tensor:
    """Bessel function J0 (first kind), element-wise."""
    return bessel.bessel_j0(x)


@_scoped("bessel_j1")
def bessel_j1(x: Any, name: str | None = None) -> _Tensor:
    """Bessel function J1 (first kind), element-wise."""
    return bessel.bessel_j1(x)


@_scoped("bessel_k0")
def bessel_k0(x: Any, name: str | None = None) -> _Tensor:
    """Modified Bessel function K0 (second kind), element-wise."""
    return bessel.bessel_k0(x)


@_scoped("bessel_k0e")
def bessel_k0e(x: Any, name: str | None = None) -> _Tensor:
    """Exponentially scaled `bessel_k0`: `exp(x) * K0(x)`."""
    return bessel.bessel_k0e(x)


@_scoped("bessel_k1")
def bessel_k1(x: Any, name: str | None = None) -> _Tensor:
    """Modified Bessel function K1 (second kind), element-wise."""
    return bessel.bessel_k1(x)


@_scoped("bessel_k1e")
def bessel_k1e(x: Any, name: str | None = None) -> _Tensor:
    """Exponentially scaled `bessel_k1`: `exp(x) * K1(x)`."""
    return bessel.bessel_k1e(x)


@_scoped("bessel_y0")
def bessel_y0(x: Any, name: str | None = None) -> _Tensor:
    """Bessel function Y0 (second kind), element-wise."""
    return bessel.bessel_y0(x)


@_scoped("bessel_y1")
def bessel_y1(x: Any, name: str | None = None) -> _Tensor:
    """Bessel function Y1 (second kind), element-wise."""
    return bessel.bessel_y1(x)


# -- integrals -------------------------------------------------------------------------------


@_scoped("dawsn")
def dawsn(x: Any, name: str | None = None) -> _Tensor:
    """Dawson function, element-wise: `sqrt(π)/2 * exp(-x**2) * erfi(x)`."""
    return special.dawsn(x)


@_scoped("expint")
def expint(x: Any, name: str | None = None) -> _Tensor:
    """Exponential integral Ei of positive `x`, element-wise."""
    return special.expint(x)


@_scoped("fresnel_cos")
def fresnel_cos(x: Any, name: str | None = None) -> _Tensor:
    """Fresnel cosine integral C(x), element-wise."""
    return special.fresnel_cos(x)


@_scoped("fresnel_sin")
def fresnel_sin(x: Any, name: str | None = None) -> _Tensor:
    """Fresnel sine integral S(x), element-wise."""
    return special.fresnel_sin(x)


@_scoped("spence")
def spence(x: Any, name: str | None = None) -> _Tensor:
    """Spence's function, element-wise: the dilogarithm `Li2(1 - x)`."""
    return special.spence(x)
