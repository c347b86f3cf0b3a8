"""The special functions of compiled execution, by SciPy's names: JAX's, and what JAX lacks.

JAX has no Bessel functions of the kinds J, Y and K. Here each is a Chebyshev series on a short
interval, and on the rest the form it takes far out (a decaying wave, a decaying exponential) with
Chebyshev series in the inverse argument. The coefficients were computed to 50 digits from the
definitions and cut where they fall below double precision.
"""

from __future__ import annotations

from typing import Any

import jax
from jax import lax
from jax import numpy as jnp
from jax.scipy import special
from jax.scipy.special import *  # noqa: F403
from jax.scipy.special import i0, i1, ndtr
from scipy.special import zetac

from tapeflow._src.backends import jax_double
from tapeflow._src.core.types import Array

_TWO_OVER_PI = 0.6366197723675814
_SQRT_OF_PI = 1.772453850905516

# log(Γ(2 + t)) = (1 - γ) t + (ζ(2) - 1) t**2 / 2 - (ζ(3) - 1) t**3 / 3 + ..., for |t| <= 0.5.
_LGAMMA_AT_TWO = (
    0.42278433509846714,
    *((-1) ** k * float(zetac(k)) / k for k in range(2, 28)),
)

# J0(x), J1(x) / x, and the parts of Y0 and Y1 beside the logarithm, on [0, 8] in x**2 / 32 - 1.
_J0_SMALL = (
    0.15772797147489012,
    -0.008723442352852221,
    0.2651786132033368,
    -0.37009499387264977,
    0.15806710233209725,
    -0.034893769411408884,
    0.004819180069467605,
    -0.00046062616620627504,
    3.246032882100508e-05,
    -1.7619469077621507e-06,
    7.608163592418782e-08,
    -2.679253530557673e-09,
    7.848696314479465e-11,
    -1.9438346867370164e-12,
    4.125320595634374e-14,
    -7.588508125447546e-16,
    1.2218515873961411e-17,
)
_J1_SMALL = (
    0.08104484632565812,
    -0.1489751450676521,
    0.1609992623572097,
    -0.08268049176681791,
    0.022213639654966037,
    -0.003646940600769276,
    0.0004050337728354822,
    -3.255554866857259e-05,
    1.9858774049915165e-06,
    -9.521984756750436e-08,
    3.687133759097148e-09,
    -1.178026622695885e-10,
    3.160154580348003e-12,
    -7.221755239651773e-14,
    1.4232144003513942e-15,
    -2.4441972916190464e-17,
    3.6912682997929334e-19,
)
_Y0_SMALL = (
    -0.03314611320328494,
    -0.2744743055297453,
    0.17903431407718265,
    0.26156734625504663,
    -0.17730201278114358,
    0.04719668959576339,
    -0.007287962479552079,
    0.0007531135932577742,
    -5.632079141056987e-05,
    3.206532537654801e-06,
    -1.44072332740187e-07,
    5.248794787330516e-09,
    -1.5837552541812015e-10,
    4.02633081830612e-12,
    -8.747341203310769e-14,
    1.6434898714919468e-15,
    -2.6977881152566837e-17,
    3.9032584173475982e-19,
)
_Y1_SMALL = (
    0.0025380132357417816,
    -0.01608717304766875,
    -0.09591204536083074,
    0.08445197259652346,
    -0.028328123944594365,
    0.005289897544167113,
    -0.0006414551451326356,
    5.505982873338744e-05,
    -3.53808001868935e-06,
    1.7707804556154404e-07,
    -7.11055004989928e-09,
    2.344337905911516e-10,
    -6.4651518414115946e-12,
    1.51429151205002e-13,
    -3.0511859694473254e-15,
    5.34668038572867e-17,
    -8.224911372021585e-19,
)
# Beyond 8 the waves' amplitudes in and out of phase, in 128 / x**2 - 1.
_P0 = (
    0.9994603493475187,
    -0.0005365220468132117,
    3.0751847875194745e-06,
    -5.1705945376060975e-08,
    1.6306464635151382e-09,
    -7.86409137723707e-11,
    5.168262387349193e-12,
    -4.3045788699253914e-13,
    4.3265957431549404e-14,
    -5.069034095935236e-15,
    6.748072215733873e-16,
    -1.0011513723467786e-16,
    1.6305919233744186e-17,
    -2.880866169482871e-18,
)
_Q0 = (
    -0.015555854605337009,
    6.838519942611649e-05,
    -7.414498411060647e-07,
    1.7972457247968992e-08,
    -7.27191593686632e-10,
    4.2201219046687385e-11,
    -3.206747420996635e-12,
    3.006145125351706e-13,
    -3.336328185322427e-14,
    4.255225040245461e-15,
    -6.09993013164005e-16,
    9.662128970303257e-17,
    -1.6686065214378146e-17,
    3.1082440486738143e-18,
    -6.191115787358145e-19,
    1.3091448717220122e-19,
    -2.9211627152642775e-20,
)
_P1 = (
    1.0009030408600137,
    0.0008989898330859408,
    -3.987284300488908e-06,
    6.177633960644299e-08,
    -1.8718907491063067e-09,
    8.816898659582339e-11,
    -5.704863640395645e-12,
    4.699195515230542e-13,
    -4.6842237839904895e-14,
    5.452674896044717e-15,
    -7.221180842274018e-16,
    1.0667689114335412e-16,
    -1.7312313216116335e-17,
    3.0492991197665872e-18,
)
_Q1 = (
    0.04677778706953532,
    -9.62772354915708e-05,
    9.138615257955454e-07,
    -2.0959781384083424e-08,
    8.229193327650554e-10,
    -4.686363688176945e-11,
    3.5152187949686082e-12,
    -3.2643156743279e-13,
    3.5967765829165294e-14,
    -4.5612523950772974e-15,
    6.508282957783384e-16,
    -1.0269147531823243e-16,
    1.767635548776479e-17,
    -3.2834519872981614e-18,
    6.524081149589261e-19,
    -1.3765771484849487e-19,
)
# K0 and x K1 beside the logarithm on [0, 2] in x**2 / 2 - 1; beyond, scaled, in 4 / x - 1.
_K0_SMALL = (
    -0.2676636966169514,
    0.3442898999246285,
    0.0359799365153615,
    0.001264615411446926,
    2.286212103119452e-05,
    2.5347910790261494e-07,
    1.904516377220209e-09,
    1.0349695257633625e-11,
    4.2598161427910826e-14,
    1.3744654358807508e-16,
    3.5708965285083736e-19,
)
_K1_SMALL = (
    0.7626501136694739,
    -0.3531559607765449,
    -0.12261118082265715,
    -0.006975723859639864,
    -0.0001730288957513052,
    -2.4334061415659684e-06,
    -2.213387630734726e-08,
    -1.4114883926335278e-10,
    -6.666901694199329e-13,
    -2.427449850519366e-15,
    -7.023863479386288e-18,
)
_K0_LARGE = (
    1.2201515410329777,
    -0.0314481013119645,
    0.0015698838857300533,
    -0.00012849549581627802,
    1.39498137188765e-05,
    -1.8317555227191195e-06,
    2.766813639445015e-07,
    -4.660489897687948e-08,
    8.574034017414225e-09,
    -1.6975345093890614e-09,
    3.5773972814003283e-10,
    -7.957489244477396e-11,
    1.8559491149549264e-11,
    -4.514597883374519e-12,
    1.1403405882073441e-12,
    -2.9800969231481784e-13,
    8.032890775068375e-14,
    -2.2275133267462965e-14,
    6.340076476276646e-15,
    -1.848593377920907e-15,
    5.5120559994043335e-16,
    -1.6782311257549006e-16,
    5.2103917776435543e-17,
    -1.6475805939842632e-17,
    5.3004337711773354e-18,
    -1.7331712005821001e-18,
)
_K1_LARGE = (
    1.3603130952422213,
    0.10392373657681724,
    -0.002857816859622779,
    0.00019521551847135162,
    -1.936197974166083e-05,
    2.406484947837217e-06,
    -3.5019606030878126e-07,
    5.7410841254500495e-08,
    -1.0345762465678097e-08,
    2.0150497551970347e-09,
    -4.1903547593419254e-10,
    9.218315187605315e-11,
    -2.129967838427791e-11,
    5.139639673482343e-12,
    -1.2891739609498229e-12,
    3.348419666052243e-13,
    -8.976705182010146e-14,
    2.4771544242195988e-14,
    -7.0198370892147685e-15,
    2.038703166239861e-15,
    -6.057047270643018e-16,
    1.8380935752430455e-16,
    -5.689462849193648e-17,
    1.7940510478863572e-17,
    -5.7567444820733025e-18,
    1.8778651901623268e-18,
)


def erf(x: Array) -> Any:
    """Compute the error function."""
    return jax_double.erf(x) if x.dtype == jnp.float64 else lax.erf(x)


def _chebyshev(coefficients: tuple[float, ...], t: Any) -> Any:
    """Return the sum of `coefficients[k] * T_k(t)`, by Clenshaw's recurrence."""
    ahead: Any = jnp.zeros_like(t)
    further = ahead
    for coefficient in coefficients[:0:-1]:
        ahead, further = coefficient + 2 * t * ahead - further, ahead
    return coefficients[0] + t * ahead - further


def _chebyshev_near_zero(coefficients: tuple[float, ...], x: Array) -> Any:
    return _chebyshev(coefficients, x * x / 32 - 1)


def _wave(
    in_phase: tuple[float, ...], out_of_phase: tuple[float, ...], x: Array
) -> tuple[Any, Any]:
    """Return the two amplitudes far out, each times the square root of 1 / (pi x)."""
    inverse = 8 / x
    t = 2 * inverse * inverse - 1
    scale = 1 / (_SQRT_OF_PI * jnp.sqrt(x))
    return scale * _chebyshev(in_phase, t), scale * inverse * _chebyshev(out_of_phase, t)


def j0(x: Array) -> Any:
    """Compute the Bessel function J0 (first kind)."""
    size = jnp.abs(x)
    far = jnp.maximum(size, 8)
    p, q = _wave(_P0, _Q0, far)
    sin, cos = jnp.sin(far), jnp.cos(far)
    return jnp.where(
        size <= 8,
        _chebyshev_near_zero(_J0_SMALL, jnp.minimum(size, 8)),
        p * (cos + sin) - q * (sin - cos),
    )


def j1(x: Array) -> Any:
    """Compute the Bessel function J1 (first kind)."""
    size = jnp.abs(x)
    near, far = jnp.clip(x, -8, 8), jnp.maximum(size, 8)
    p, q = _wave(_P1, _Q1, far)
    sin, cos = jnp.sin(far), jnp.cos(far)
    distant = jnp.sign(x) * (p * (sin - cos) + q * (sin + cos))
    return jnp.where(size <= 8, near * _chebyshev_near_zero(_J1_SMALL, near), distant)


def y0(x: Array) -> Any:
    """Compute the Bessel function of the second kind of order 0: NaN for negative `x`."""
    near, far = jnp.minimum(x, 8), jnp.maximum(x, 8)
    p, q = _wave(_P0, _Q0, far)
    sin, cos = jnp.sin(far), jnp.cos(far)
    close = _TWO_OVER_PI * jnp.log(near) * _chebyshev_near_zero(
        _J0_SMALL, near
    ) + _chebyshev_near_zero(_Y0_SMALL, near)
    return jnp.where(x <= 8, close, p * (sin - cos) + q * (sin + cos))


def y1(x: Array) -> Any:
    """Compute the Bessel function of the second kind of order 1: NaN for negative `x`."""
    near, far = jnp.minimum(x, 8), jnp.maximum(x, 8)
    p, q = _wave(_P1, _Q1, far)
    sin, cos = jnp.sin(far), jnp.cos(far)
    singular = jnp.log(near) * near * _chebyshev_near_zero(_J1_SMALL, near) - 1 / near
    close = _TWO_OVER_PI * singular + near * _chebyshev_near_zero(_Y1_SMALL, near)
    return jnp.where(x <= 8, close, q * (sin - cos) - p * (sin + cos))


def _k0_parts(x: Array) -> tuple[Any, Any]:
    """Return K0 where `x` is at most 2, and K0 times e**x beyond."""
    near, far = jnp.minimum(x, 2), jnp.maximum(x, 2)
    close = _chebyshev(_K0_SMALL, near * near / 2 - 1) - jnp.log(near / 2) * i0(near)
    return close, _chebyshev(_K0_LARGE, 4 / far - 1) / jnp.sqrt(far)


def _k1_parts(x: Array) -> tuple[Any, Any]:
    """Return K1 where `x` is at most 2, and K1 times e**x beyond."""
    near, far = jnp.minimum(x, 2), jnp.maximum(x, 2)
    close = _chebyshev(_K1_SMALL, near * near / 2 - 1) / near + jnp.log(near / 2) * i1(near)
    return close, _chebyshev(_K1_LARGE, 4 / far - 1) / jnp.sqrt(far)


def k0(x: Array) -> Any:
    """Compute the modified Bessel function of the second kind of order 0: NaN for negative `x`."""
    close, distant = _k0_parts(x)
    return jnp.where(x <= 2, close, distant * jnp.exp(-x))


def k0e(x: Array) -> Any:
    """Compute `k0` times e**x."""
    close, distant = _k0_parts(x)
    return jnp.where(x <= 2, close * jnp.exp(jnp.minimum(x, 2)), distant)


def k1(x: Array) -> Any:
    """Compute the modified Bessel function of the second kind of order 1: NaN for negative `x`."""
    close, distant = _k1_parts(x)
    return jnp.where(x <= 2, close, distant * jnp.exp(-x))


def k1e(x: Array) -> Any:
    """Compute `k1` times e**x."""
    close, distant = _k1_parts(x)
    return jnp.where(x <= 2, close * jnp.exp(jnp.minimum(x, 2)), distant)


def expi(x: Array) -> Any:
    """Compute the exponential integral, with its limits at 0 and where it overflows."""
    overflow = jnp.isinf(jnp.exp(x))
    return jnp.where(x == 0, -jnp.inf, jnp.where(overflow, jnp.inf, special.expi(x)))


# -- incomplete gamma ------------------------------------------------------------------------
# XLA's series steps its index by 1 until it converges: never, once the index is too large for
# the step to count. Gamma distributions of such an order are normal ones (Wilson, Hilferty).
# Double precision throughout: the exponents are large and nearly cancel.

_LARGE = 1e8


def _deviation(a: Array, x: Array) -> Any:
    """Return how many standard deviations the cube root of `x` lies above its mean."""
    return 3 * jnp.sqrt(a) * (jnp.expm1(jnp.log1p((x - a) / a) / 3) + 1 / (9 * a))


def _by_order(moderate: Any, large: Any, a: Array, x: Array) -> Any:
    """Select the function that is accurate at order `a`."""
    dtype = jnp.result_type(a, x)
    a, x = jnp.broadcast_arrays(jnp.asarray(a, "float64"), jnp.asarray(x, "float64"))
    is_large = a > _LARGE
    value = moderate(jnp.where(is_large, 1, a), jnp.where(is_large, 1, x))
    return jnp.where(is_large, large(a, x), value).astype(dtype)


def gammainc(a: Array, x: Array) -> Any:
    """Compute the lower regularised incomplete gamma function."""
    return _by_order(special.gammainc, lambda a, x: ndtr(_deviation(a, x)), a, x)


def gammaincc(a: Array, x: Array) -> Any:
    """Compute the upper regularised incomplete gamma function."""
    return _by_order(special.gammaincc, lambda a, x: ndtr(-_deviation(a, x)), a, x)


def _grad_a_of_large_order(a: Array, x: Array) -> Any:
    density = jnp.exp(-jnp.square(_deviation(a, x)) / 2) * 0.3989422804014327
    slope = (jnp.exp(jnp.log1p((x - a) / a) / 3) - 3 - 1 / (3 * a)) / (2 * jnp.sqrt(a))
    return jnp.where(density == 0, 0, density * slope)


def igamma_grad_a(a: Array, x: Array) -> Any:
    """Compute the derivative of `gammainc` with respect to `a`."""
    return _by_order(lax.igamma_grad_a, _grad_a_of_large_order, a, x)


@jax.custom_jvp
def gammaln(x: Array) -> Any:
    """Log-gamma: `log(|Γ(x)|)`.

    JAX's own has an absolute error near its zeros, which are 1 and 2: a Taylor series there.
    """
    near_one = (x > 0.5) & (x < 1.5)
    near_two = (x >= 1.5) & (x < 2.5)
    t = jnp.where(near_one, x - 1, jnp.where(near_two, x - 2, 0))
    total = jnp.zeros_like(t)
    for coefficient in reversed(_LGAMMA_AT_TWO):
        total = (total + coefficient) * t
    series = total - jnp.where(near_one, jnp.log1p(t), 0)
    return jnp.where(near_one | near_two, series, special.gammaln(x))


@gammaln.defjvp
def _(primals: Any, tangents: Any) -> Any:
    (x,) = primals
    return gammaln(x), special.digamma(x) * tangents[0]


@jax.custom_jvp
def zeta(x: Array, q: Any) -> Any:
    """Compute the Hurwitz zeta function; JAX's own is wrong where `q` is below about -9.

    Terms with negative bases are summed one by one, as SciPy does, until a base is positive. At
    the poles, which are whole numbers, there is nothing to sum.
    """
    x, q = jnp.broadcast_arrays(x, q)

    def left(state: tuple[Any, Any]) -> Any:
        return (state[0] < 0) & (state[0] != jnp.floor(state[0]))

    def step(state: tuple[Any, Any]) -> tuple[Any, Any]:
        base, total = state
        term = jnp.where(left(state), jnp.power(base, -x), 0)
        return base + left(state).astype(base.dtype), total + term

    base, total = lax.while_loop(lambda state: left(state).any(), step, (q, jnp.zeros_like(q)))
    return total + special.zeta(x, base)


@zeta.defjvp
def _(primals: Any, tangents: Any) -> Any:
    x, q = primals
    return zeta(x, q), -x * zeta(x + 1, q) * tangents[1]
