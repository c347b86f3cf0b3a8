"""The error function of float64 for compiled code, by polynomials.

JAX's own evaluates four of them and a division for each element, for it and for its complement.
Errors are at most two units in the last place. The coefficients interpolate at Chebyshev nodes.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

# erf(x) / x as a polynomial of x**2, up to 1.
_NEAR = (
    *(1.1283791670955126, -0.37612638903183543, 0.11283791670945013, -0.026866170643240175),
    *(0.005223977607142051, -0.0008548325976783213, 0.00012055294949368547),
    *(-1.4924737794031672e-05, 1.6447435851394787e-06, -1.6208569922643537e-07),
    *(1.3720437820982853e-08, -7.796593806654455e-10),
)
# erfc(x) * exp(x**2) as a polynomial of (x - 2) / (x + 2), from 1 on.
_FAR = (
    *(0.2553956763105058, -0.4271858474139656, 0.24165819424248844, -0.07897858101440194),
    *(0.0037328923991916847, 0.006997461660930841, -0.0008471429381162447),
    *(-0.0009819751552431104, 4.3547330464353915e-05, 0.00017434224196181866),
    *(2.7633276465968436e-05, -2.7534780755604192e-05, -1.4643944173533006e-05),
    *(1.8546416640664484e-06, 5.350308482568316e-06, -1.209665866027521e-06),
    -4.099321369723162e-09,
)
# From here on it is 1.
_LARGEST = 6.0


def _polynomial(coefficients: tuple[float, ...], x: Any) -> Any:
    value = jnp.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        value = value * x + coefficient
    return value


def erf(x: Any) -> Any:
    """Compute the error function."""
    size = jnp.minimum(jnp.abs(x), _LARGEST)
    square = size * size
    near = x * _polynomial(_NEAR, jnp.minimum(square, 1.0))
    outside = jnp.maximum(size, 1.0)
    rest = _polynomial(_FAR, (outside - 2) / (outside + 2))
    far = jnp.copysign(1 - jnp.exp(-outside * outside) * rest, x)
    return jnp.where(size < 1, near, jnp.where(x != x, x, far))
