"""`tf.math.special`: Bessel functions and a few integrals."""

from __future__ import annotations

from tapeflow._src.core.naming import scoped as _scoped
from tapeflow._src.core.tensor import Tensor as _Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.math import bessel, special

# -- Bessel functions ------------------------------------------------------------------------


@_scoped("bessel_i0")
def bessel_i0(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the modified Bessel function I0 (first kind) element-wise.

    Grows like `exp(|x|)`: `bessel_i0e` does not overflow.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.bessel_i0([0.5, 1.0]) * 1000).numpy().tolist()
        [1063.0, 1266.0]
    """
    return bessel.bessel_i0(x)


@_scoped("bessel_i0e")
def bessel_i0e(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the exponentially scaled `bessel_i0`: `exp(-|x|) * I0(x)`.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.bessel_i0e([0.5, 1.0]) * 1000).numpy().tolist()
        [645.0, 466.0]
    """
    return bessel.bessel_i0e(x)


@_scoped("bessel_i1")
def bessel_i1(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the modified Bessel function I1 (first kind) element-wise.

    Grows like `exp(|x|)`: `bessel_i1e` does not overflow.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.bessel_i1([0.5, 1.0]) * 1000).numpy().tolist()
        [258.0, 565.0]
    """
    return bessel.bessel_i1(x)


@_scoped("bessel_i1e")
def bessel_i1e(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the exponentially scaled `bessel_i1`: `exp(-|x|) * I1(x)`.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.bessel_i1e([0.5, 1.0]) * 1000).numpy().tolist()
        [156.0, 208.0]
    """
    return bessel.bessel_i1e(x)


@_scoped("bessel_j0")
def bessel_j0(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the Bessel function J0 (first kind) element-wise.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.bessel_j0([0.5, 1.0]) * 1000).numpy().tolist()
        [938.0, 765.0]
    """
    return bessel.bessel_j0(x)


@_scoped("bessel_j1")
def bessel_j1(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the Bessel function J1 (first kind) element-wise.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.bessel_j1([0.5, 1.0]) * 1000).numpy().tolist()
        [242.0, 440.0]
    """
    return bessel.bessel_j1(x)


@_scoped("bessel_k0")
def bessel_k0(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the modified Bessel function K0 (second kind) element-wise.

    Infinite at 0 and below.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.bessel_k0([0.5, 1.0]) * 1000).numpy().tolist()
        [924.0, 421.0]
    """
    return bessel.bessel_k0(x)


@_scoped("bessel_k0e")
def bessel_k0e(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the exponentially scaled `bessel_k0`: `exp(x) * K0(x)`.

    Infinite at 0 and below.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.bessel_k0e([0.5, 1.0]) * 1000).numpy().tolist()
        [1524.0, 1144.0]
    """
    return bessel.bessel_k0e(x)


@_scoped("bessel_k1")
def bessel_k1(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the modified Bessel function K1 (second kind) element-wise.

    Infinite at 0 and below.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.bessel_k1([0.5, 1.0]) * 1000).numpy().tolist()
        [1656.0, 602.0]
    """
    return bessel.bessel_k1(x)


@_scoped("bessel_k1e")
def bessel_k1e(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the exponentially scaled `bessel_k1`: `exp(x) * K1(x)`.

    Infinite at 0 and below.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.bessel_k1e([0.5, 1.0]) * 1000).numpy().tolist()
        [2731.0, 1636.0]
    """
    return bessel.bessel_k1e(x)


@_scoped("bessel_y0")
def bessel_y0(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the Bessel function Y0 (second kind) element-wise.

    -inf at 0 and below.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.bessel_y0([0.5, 1.0]) * 1000).numpy().tolist()
        [-445.0, 88.0]
    """
    return bessel.bessel_y0(x)


@_scoped("bessel_y1")
def bessel_y1(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the Bessel function Y1 (second kind) element-wise.

    -inf at 0 and below.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.bessel_y1([0.5, 1.0]) * 1000).numpy().tolist()
        [-1471.0, -781.0]
    """
    return bessel.bessel_y1(x)


# -- integrals -------------------------------------------------------------------------------


@_scoped("dawsn")
def dawsn(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the Dawson function element-wise: `sqrt(π)/2 * exp(-x**2) * erfi(x)`.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.dawsn([0.5, 1.0]) * 1000).numpy().tolist()
        [424.0, 538.0]
    """
    return special.dawsn(x)


@_scoped("expint")
def expint(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the exponential integral Ei of positive `x` element-wise.

    -inf at 0, NaN for negative numbers.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.expint([0.5, 1.0]) * 1000).numpy().tolist()
        [454.0, 1895.0]
    """
    return special.expint(x)


@_scoped("fresnel_cos")
def fresnel_cos(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the Fresnel cosine integral C(x) element-wise.

    That is `cos(π t² / 2)` integrated over [0, x].

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.fresnel_cos([0.5, 1.0]) * 1000).numpy().tolist()
        [492.0, 780.0]
    """
    return special.fresnel_cos(x)


@_scoped("fresnel_sin")
def fresnel_sin(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute the Fresnel sine integral S(x) element-wise.

    That is `sin(π t² / 2)` integrated over [0, x].

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.fresnel_sin([0.5, 1.0]) * 1000).numpy().tolist()
        [65.0, 438.0]
    """
    return special.fresnel_sin(x)


@_scoped("spence")
def spence(x: TensorLike, name: str | None = None) -> _Tensor:
    """Compute Spence's function element-wise: the dilogarithm `Li2(1 - x)`.

    NaN for negative numbers.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.math.special.spence([0.5, 1.0]) * 1000).numpy().tolist()
        [582.0, 0.0]
    """
    return special.spence(x)
