"""Functions of complex numbers in compiled code: NumPy's results for infinity, NaN and -0.

XLA's own ignore signed zeros, which choose the side of a branch cut, and turn an infinite part
beside a NaN into NaN. Here symmetries (`f(conj(z)) = conj(f(z))`, odd functions) carry the signs,
and where a part is infinite or NaN the value that the C standard lists is selected.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tapeflow._src.core.types import Array

# For integer exponents below this NumPy multiplies, for others it uses the logarithm.
_MULTIPLIED = 100


def _for_complex(function: Callable[..., Any]) -> Callable[..., Any]:
    """Use `function` for complex arrays, and jax.numpy's function of that name for others.

    That one also defines the derivative: the selections here would turn it into NaN.
    """
    plain = getattr(jnp, function.__name__)
    corrected = jax.custom_jvp(function)

    @corrected.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        return function(*primals), jax.jvp(plain, primals, tangents)[1]

    @wraps(function)
    def chosen(*arrays: Any) -> Any:
        dtype = jnp.result_type(*arrays)
        if dtype.kind != "c":
            return plain(*arrays)
        return corrected(*(jnp.asarray(array, dtype) for array in arrays))

    return chosen


def _parts(z: Any) -> tuple[Any, Any]:
    return jnp.real(z), jnp.imag(z)


def _infinite(a: Array, b: Array) -> Any:
    return jnp.isinf(a) | jnp.isinf(b)


def _times_i(z: Any) -> Any:
    a, b = _parts(z)
    return lax.complex(-b, a)


def _over_i(z: Any) -> Any:
    a, b = _parts(z)
    return lax.complex(b, -a)


# -- modulus and direction ---------------------------------------------------------------------


@_for_complex
def abs(z: Any) -> Any:
    """Compute the modulus: infinite if a part is, even beside a NaN."""
    return jnp.where(_infinite(*_parts(z)), jnp.inf, jnp.abs(z))


@_for_complex
def sign(z: Any) -> Any:
    """Compute `z / |z|`, and the direction of an infinite number along an axis."""
    a, b = _parts(z)
    size = abs(z)
    scale = jnp.where((size > 0) & jnp.isfinite(size), size, 1)
    along = [jnp.where(jnp.isnan(size), jnp.nan, part / scale) for part in (a, b)]
    far_a = jnp.where(jnp.isinf(a), jnp.copysign(1, a), 0)
    far_b = jnp.where(jnp.isinf(a), 0, jnp.copysign(1, b))
    lost = jnp.isinf(a) & jnp.isinf(b)
    far = [jnp.where(lost, jnp.nan, part).astype(a.dtype) for part in (far_a, far_b)]
    return lax.complex(*(jnp.where(jnp.isinf(size), f, n) for f, n in zip(far, along)))


# -- quotients and powers ----------------------------------------------------------------------


@_for_complex
def divide(x: Array, y: Array) -> Any:
    """Compute `x / y` by Smith's method: the quotient of the parts of `y` does not overflow."""
    (a, b), (c, d) = _parts(x), _parts(y)
    upright = jnp.logical_not(jnp.abs(c) >= jnp.abs(d))
    large, small = jnp.where(upright, d, c), jnp.where(upright, c, d)
    first, second = jnp.where(upright, b, a), jnp.where(upright, a, b)
    ratio = small / large
    scale = 1 / (large + small * ratio)
    real = (first + second * ratio) * scale
    turned = jnp.where(upright, first * ratio - second, second - first * ratio)
    zero = (c == 0) & (d == 0)
    return lax.complex(
        jnp.where(zero, a / jnp.abs(c), real), jnp.where(zero, b / jnp.abs(d), turned * scale)
    )


@_for_complex
def power(x: Array, y: Array) -> Any:
    """Compute `x` to the power `y`: products for small integers, else by the logarithm."""
    x, y = jnp.broadcast_arrays(x, y)
    c, d = _parts(y)
    one = jnp.ones((), x.dtype)
    result = exp(_recovered(y, log(x)))
    whole = (d == 0) & (c == jnp.floor(c)) & (jnp.abs(c) < _MULTIPLIED)
    count = jnp.where(whole, jnp.abs(c), 0).astype("int32")
    product = jnp.broadcast_to(one, x.shape)
    square = x
    for bit in range(_MULTIPLIED.bit_length()):
        product = jnp.where(count >> bit & 1 == 1, product * square, product)
        square = square * square
    product = jnp.where(c < 0, divide(one, product), product)
    for exponent, exact in ((1, x), (2, x * x), (3, x * (x * x))):
        product = jnp.where(c == exponent, exact, product)
    result = jnp.where(whole, product, result)
    undefined = jnp.where(c > 0, 0, jnp.full((), complex(jnp.nan, jnp.nan), x.dtype))
    result = jnp.where(x == 0, undefined, result)
    return jnp.where(y == 0, one, result)


def _recovered(x: Array, y: Array) -> Any:
    """Return `x * y`, infinite in the direction the C standard lists where the plain product is
    NaN.
    """
    (a, b), (c, d) = _parts(x), _parts(y)
    plain = x * y
    lost = jnp.isnan(plain.real) & jnp.isnan(plain.imag)
    x_far, y_far = _infinite(a, b), _infinite(c, d)
    overflown = _infinite(a * c, b * d) | _infinite(a * d, b * c)
    lost = lost & (x_far | y_far | overflown)

    def boxed(part: Any, far: Any) -> Any:
        part = jnp.where(far, jnp.copysign(jnp.where(jnp.isinf(part), 1, 0), part), part)
        return jnp.where(jnp.isnan(part), jnp.copysign(0, part), part).astype(a.dtype)

    a, b, c, d = boxed(a, x_far), boxed(b, x_far), boxed(c, y_far), boxed(d, y_far)
    real = jnp.where(lost, jnp.inf * (a * c - b * d), plain.real)
    return lax.complex(real, jnp.where(lost, jnp.inf * (a * d + b * c), plain.imag))


@_for_complex
def sqrt(z: Any) -> Any:
    """Compute the square root on the side of the signed imaginary part."""
    a, b = _parts(z)
    root = jnp.sqrt(z)
    real, imag = root.real, jnp.copysign(root.imag, b)
    beside_nan = jnp.isinf(a) & jnp.isnan(b)
    real = jnp.where(jnp.isinf(b) | (beside_nan & (a > 0)), jnp.inf, real)
    imag = jnp.where(beside_nan & (a < 0), jnp.inf, imag)
    return lax.complex(real, jnp.where(jnp.isinf(b), b, imag))


# -- exponentials and logarithms ---------------------------------------------------------------


@_for_complex
def exp(z: Any) -> Any:
    """Compute the exponential."""
    a, b = _parts(z)
    result = jnp.exp(z)
    undirected = jnp.isinf(a) & jnp.logical_not(jnp.isfinite(b))
    real = jnp.where(a > 0, jnp.inf, 0)
    imag = jnp.where(a > 0, jnp.nan, jnp.copysign(0, b))
    return lax.complex(
        jnp.where(undirected, real, result.real), jnp.where(undirected, imag, result.imag)
    )


def _with_size(z: Any, logarithm: Any) -> Any:
    real = jnp.where(_infinite(*_parts(z)), jnp.inf, logarithm.real)
    return lax.complex(real, logarithm.imag)


@_for_complex
def log(z: Any) -> Any:
    """Compute the natural logarithm."""
    return _with_size(z, jnp.log(z))


@_for_complex
def log1p(z: Any) -> Any:
    """Compute the natural logarithm of `1 + z`."""
    a, b = _parts(z)
    # Near -1 the sum is exact, while XLA's own squares its parts.
    near_zero = jnp.maximum(jnp.abs(1 + a), jnp.abs(b)) < 0.5
    return _with_size(z, jnp.where(near_zero, jnp.log(lax.complex(1 + a, b)), jnp.log1p(z)))


# -- hyperbolic and circular functions ---------------------------------------------------------


def _stretched(a: Array, cos: Any, sin: Any) -> tuple[Any, Any]:
    """Return `sinh(a) * cos` and `cosh(a) * sin`, finite for some `a` whose sinh is not."""
    large = jnp.abs(a) > jnp.log(jnp.finfo(a.dtype).max) - 1
    half = jnp.exp(jnp.where(large, jnp.abs(a), 0) / 2)
    odd = jnp.where(large, jnp.copysign(half, a), jnp.sinh(a))
    even = jnp.where(large, half, jnp.cosh(a))
    rest = jnp.where(large, half / 2, 1)
    return odd * cos * rest, even * sin * rest


@_for_complex
def sinh(z: Any) -> Any:
    """Compute the hyperbolic sine."""
    a, b = _parts(z)
    real, imag = _stretched(a, jnp.cos(b), jnp.sin(b))
    undirected = jnp.logical_not(jnp.isfinite(b))
    real = jnp.where(undirected & (a == 0), a, jnp.where(undirected & jnp.isinf(a), jnp.inf, real))
    return lax.complex(real, jnp.where(b == 0, b, imag))


@_for_complex
def cosh(z: Any) -> Any:
    """Compute the hyperbolic cosine."""
    a, b = _parts(z)
    imag, real = _stretched(a, jnp.sin(b), jnp.cos(b))
    undirected = jnp.logical_not(jnp.isfinite(b))
    real = jnp.where(undirected & jnp.isinf(a), jnp.inf, real)
    flat = jnp.where(jnp.isnan(a), b, b * jnp.copysign(1, a))
    imag = jnp.where(b == 0, flat, jnp.where(undirected & (a == 0), 0, imag))
    return lax.complex(real, imag)


@_for_complex
def tanh(z: Any) -> Any:
    """Compute the hyperbolic tangent."""
    a, b = _parts(z)
    result = jnp.tanh(z)
    on_axis = (a == 0) & jnp.logical_not(jnp.isfinite(b))
    return lax.complex(jnp.where(on_axis, a, result.real), result.imag)


@_for_complex
def sin(z: Any) -> Any:
    """Compute the sine."""
    a, b = _parts(z)
    result = _over_i(sinh(_times_i(z)))
    undirected = jnp.isinf(b) & jnp.logical_not(jnp.isfinite(a))
    return lax.complex(result.real, jnp.where(undirected, jnp.inf, result.imag))


@_for_complex
def cos(z: Any) -> Any:
    """Compute the cosine."""
    return cosh(_times_i(z))


@_for_complex
def tan(z: Any) -> Any:
    """Compute the tangent."""
    return _over_i(tanh(_times_i(z)))


# -- their inverses ----------------------------------------------------------------------------


def _undefined(a: Array, b: Array) -> Any:
    return (jnp.isnan(a) | jnp.isnan(b)) & jnp.logical_not(_infinite(a, b))


@_for_complex
def arcsinh(z: Any) -> Any:
    """Compute the inverse of the hyperbolic sine."""
    a, b = _parts(z)
    result = jnp.arcsinh(lax.complex(jnp.abs(a), jnp.abs(b)))
    real = jnp.where(_undefined(a, b), jnp.nan, result.real)
    imag = jnp.where(jnp.isnan(a) & (b == 0), 0, result.imag)
    return lax.complex(jnp.copysign(real, a), jnp.copysign(imag, b))


@_for_complex
def arccosh(z: Any) -> Any:
    """Compute the inverse of the hyperbolic cosine."""
    result = arccos(z)
    a, b = result.real, result.imag
    return lax.complex(jnp.abs(b), jnp.copysign(a, jnp.imag(z)))


@_for_complex
def arctanh(z: Any) -> Any:
    """Compute the inverse of the hyperbolic tangent."""
    a, b = _parts(z)
    result = jnp.arctanh(lax.complex(jnp.abs(a), jnp.abs(b)))
    # Near 1 XLA's own squares the distance from there.
    distance = jnp.abs(lax.complex(1 - jnp.abs(a), b))
    opposite = jnp.abs(lax.complex(1 + jnp.abs(a), b))
    direct = (jnp.log(opposite) - jnp.log(distance)) / 2
    direct = jnp.where(distance < 0.1, direct, result.real)
    flat = (a == 0) | _infinite(a, b)
    undefined = jnp.isnan(a) | jnp.isnan(b)
    real = jnp.where(undefined, jnp.where(flat, 0, jnp.nan), direct)
    no_angle = jnp.isnan(b) | (jnp.isnan(a) & jnp.isfinite(b))
    imag = jnp.where(no_angle, jnp.nan, result.imag)
    return lax.complex(jnp.copysign(real, a), jnp.copysign(imag, b))


@_for_complex
def arcsin(z: Any) -> Any:
    """Compute the inverse of the sine."""
    return _over_i(arcsinh(_times_i(z)))


@_for_complex
def arccos(z: Any) -> Any:
    """Compute the inverse of the cosine."""
    a, b = _parts(z)
    result = jnp.arccos(lax.complex(a, jnp.abs(b)))
    real = jnp.where((a == 0) & jnp.isnan(b), jnp.pi / 2, result.real)
    imag = jnp.where(_undefined(a, b), jnp.nan, result.imag)
    return lax.complex(real, jnp.copysign(imag, -b))


@_for_complex
def arctan(z: Any) -> Any:
    """Compute the inverse of the tangent."""
    return _over_i(arctanh(_times_i(z)))


# -- running products --------------------------------------------------------------------------


def cumprod(a: Array, axis: int | None = None, dtype: Any = None, out: None = None) -> Any:
    """Compute cumulative products; complex ones sequentially, beginning with the first factor.

    XLA begins with 1 times it, and 1 * (b + inf j) has NaN for its real part.
    """
    if axis is None or a.dtype.kind != "c" or not a.shape[axis]:
        return jnp.cumprod(a, axis=axis, dtype=dtype, out=out)
    factors = jnp.moveaxis(a.astype(dtype), axis, 0)

    def step(product: Any, factor: Any) -> tuple[Any, Any]:
        product = product * factor
        return product, product

    _, products = lax.scan(step, factors[0], factors[1:])
    return jnp.moveaxis(jnp.concatenate([factors[:1], products]), 0, axis)
