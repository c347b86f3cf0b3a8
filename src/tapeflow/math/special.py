"""`tf.math.special`: Bessel functions and a few integrals."""

from __future__ import annotations

from typing import Any

from tapeflow.core.naming import scoped as _scoped
from tapeflow.ops import bessel, special

# -- Bessel functions ------------------------------------------------------------------------


@_scoped("bessel_i0")
def bessel_i0(x: Any, name: str | None = None) -> Any:
    """The modified Bessel function of the first kind, order 0, element by element."""
    return bessel.bessel_i0(x)


@_scoped("bessel_i0e")
def bessel_i0e(x: Any, name: str | None = None) -> Any:
    """`bessel_i0(x)` times exp(-|x|): it neither overflows nor underflows."""
    return bessel.bessel_i0e(x)


@_scoped("bessel_i1")
def bessel_i1(x: Any, name: str | None = None) -> Any:
    """The modified Bessel function of the first kind, order 1, element by element."""
    return bessel.bessel_i1(x)


@_scoped("bessel_i1e")
def bessel_i1e(x: Any, name: str | None = None) -> Any:
    """`bessel_i1(x)` times exp(-|x|): it neither overflows nor underflows."""
    return bessel.bessel_i1e(x)


@_scoped("bessel_j0")
def bessel_j0(x: Any, name: str | None = None) -> Any:
    """The Bessel function of the first kind, order 0, element by element."""
    return bessel.bessel_j0(x)


@_scoped("bessel_j1")
def bessel_j1(x: Any, name: str | None = None) -> Any:
    """The Bessel function of the first kind, order 1, element by element."""
    return bessel.bessel_j1(x)


@_scoped("bessel_k0")
def bessel_k0(x: Any, name: str | None = None) -> Any:
    """The modified Bessel function of the second kind, order 0, element by element."""
    return bessel.bessel_k0(x)


@_scoped("bessel_k0e")
def bessel_k0e(x: Any, name: str | None = None) -> Any:
    """`bessel_k0(x)` times exp(x): it neither overflows nor underflows."""
    return bessel.bessel_k0e(x)


@_scoped("bessel_k1")
def bessel_k1(x: Any, name: str | None = None) -> Any:
    """The modified Bessel function of the second kind, order 1, element by element."""
    return bessel.bessel_k1(x)


@_scoped("bessel_k1e")
def bessel_k1e(x: Any, name: str | None = None) -> Any:
    """`bessel_k1(x)` times exp(x): it neither overflows nor underflows."""
    return bessel.bessel_k1e(x)


@_scoped("bessel_y0")
def bessel_y0(x: Any, name: str | None = None) -> Any:
    """The Bessel function of the second kind, order 0, element by element."""
    return bessel.bessel_y0(x)


@_scoped("bessel_y1")
def bessel_y1(x: Any, name: str | None = None) -> Any:
    """The Bessel function of the second kind, order 1, element by element."""
    return bessel.bessel_y1(x)


# -- integrals -------------------------------------------------------------------------------


@_scoped("dawsn")
def dawsn(x: Any, name: str | None = None) -> Any:
    """Dawson's integral: exp(-x**2) times the integral of exp(t**2) from 0 to `x`."""
    return special.dawsn(x)


@_scoped("expint")
def expint(x: Any, name: str | None = None) -> Any:
    """The exponential integral of positive `x`."""
    return special.expint(x)


@_scoped("fresnel_cos")
def fresnel_cos(x: Any, name: str | None = None) -> Any:
    """Fresnel's cosine integral: that of cos(pi t**2 / 2) from 0 to `x`."""
    return special.fresnel_cos(x)


@_scoped("fresnel_sin")
def fresnel_sin(x: Any, name: str | None = None) -> Any:
    """Fresnel's sine integral: that of sin(pi t**2 / 2) from 0 to `x`."""
    return special.fresnel_sin(x)


@_scoped("spence")
def spence(x: Any, name: str | None = None) -> Any:
    """Spence's integral: that of log(t) / (1 - t) from 1 to `x`."""
    return special.spence(x)
