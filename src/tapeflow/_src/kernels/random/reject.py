"""Gamma, Poisson, binomial and bounded normal numbers: rejection sampling.

How many numbers a sample consumes depends on the numbers. As TensorFlow does on a CPU, every
sample therefore draws from a region of the stream of its own, and all samples try side by side
until the last one is accepted: NumPy goes on with the unfinished ones only, XLA repeats the step
for all. The algorithms and their order of drawing are TensorFlow's, so the samples are too, save
where `log` or `lgamma` differ in the last place right at the edge of acceptance.

Parameters come flattened, one entry a distribution; samples return as `[distributions, samples]`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.backends import numpy as numpy_backend
from tapeflow._src.backends.threads import for_each
from tapeflow._src.core import on_demand
from tapeflow._src.core.dtypes import DType
from tapeflow._src.kernels.random import reject_few
from tapeflow._src.kernels.random.fill import (
    RESERVED,
    box_muller32,
    box_muller64,
    unit_float16,
    unit_float32,
    unit_float64,
)
from tapeflow._src.kernels.random.philox import (
    Array,
    Blocks,
    advance,
    block,
    counters,
    key_of,
    on_host,
)
from tapeflow._src.kernels.random.reject_few import COUNTED_SAMPLES, FEW_SAMPLES

State = tuple[Array, ...]
Method = Callable[[ModuleType, State, Array, State], tuple[State, Array, State]]
"""`method(xp, context, step, state)` tries each sample once: the new state, which samples are
accepted, and their results. `context` holds what all samples have in common, the key first."""

_INVERSION_REGION = 42  # blocks reserved for a binomial sample by inversion
_BOUNDED_REGION = 2000  # numbers reserved for a bounded normal sample
_FEW_EVENTS = 10  # the rate below which Poisson events are counted
# Blocks of two numbers that most samples of few events take.
_COUNTED = 4
# Every method accepts at least every fifth attempt, for parameters that make sense.
_MOST_STEPS = 1000


def settle(
    xp: ModuleType,
    method: Method,
    context: State,
    state: State,
    active: Array,
    results: State,
    *,
    attempts: int = 1,
) -> State:
    """Repeat `method` until every active sample is accepted.

    The last axis of all arrays of the state is that of the samples; `results` holds the values of
    inactive samples, and of those still not accepted after very many attempts. `attempts`: after
    how many most samples are accepted; a namespace with a `settle` of its own makes only these.
    """
    if hasattr(xp, "settle"):
        settled: State = xp.settle(method, context, (state, active, results), attempts)
        return settled
    if not on_host(xp):
        return _settle_traced(xp, method, context, (state, active, results))
    results = tuple(r.copy() for r in results)
    live = np.nonzero(active)[0]
    state = tuple(s[..., live] for s in state)
    for step in range(_MOST_STEPS):
        if not live.size:
            break
        state, accepted, values = method(xp, context, np.full(1, step, np.uint32), state)
        for result, value in zip(results, values):
            result[live[accepted]] = value[accepted]
        rejected = ~accepted
        live, state = live[rejected], tuple(s[..., rejected] for s in state)
    return results


# Compiled code tries all samples together until one in so many is left, then the others.
_LEFT = 16


def _settle_traced(xp: ModuleType, method: Method, context: State, start: Any) -> State:
    size = start[1].shape[0]
    few = size // _LEFT
    step = xp.zeros((1,), xp.uint32)
    if few < _LEFT:
        return _repeat(xp, method, context, (step, *start), 0)[3]
    step, state, active, results = _repeat(xp, method, context, (step, *start), few)
    (left,) = xp.nonzero(active, size=few, fill_value=size)
    at = xp.minimum(left, size - 1)
    state = tuple(s[..., at] for s in state)
    rest = (step, state, left < size, tuple(r[at] for r in results))
    *_, settled = _repeat(xp, method, context, rest, 0)
    return tuple(r.at[left].set(s, mode="drop") for r, s in zip(results, settled))


def _repeat(xp: ModuleType, method: Method, context: State, start: Any, remaining: int) -> Any:
    """Repeat `method` for all samples until at most `remaining` of them are active.

    `start`, like the result: attempts so far, state, which samples are active, and results.
    """

    def unfinished(carry: Any) -> Array:
        return (carry[2].sum() > remaining) & (carry[0] < _MOST_STEPS).all()

    return xp.lax.while_loop(unfinished, partial(attempt, xp, method, context), start)


def attempt(xp: ModuleType, method: Method, context: State, carry: Any) -> Any:
    """Try all samples once; `carry`, like the result: as in `_repeat`."""
    step, state, active, results = carry
    state, accepted, values = method(xp, context, step, state)
    settled = active & accepted
    results = tuple(xp.where(settled, f, r) for f, r in zip(values, results))
    return step + np.uint32(1), state, active & ~accepted, results


def regions(xp: ModuleType, stream: Array, index: Array, region: int) -> Blocks:
    """Return the counters where the regions of the samples with these numbers start."""
    return counters(xp, stream, index, region)


# Samples drawn together on NumPy: few enough that memory is reused, so many that calls of NumPy
# last longer than threads wait for the interpreter's lock.
_PIECE = 65536

Draw = Callable[..., Array]
"""`draw(xp, stream, index, *parameters)` draws the samples with these numbers."""

LargeDraw = Callable[[Draw, Array, Sequence[Array]], Array]
# Samples from which on a compiled program may be worth its call.
_LARGE = 64


def _in_pieces(
    xp: ModuleType,
    draw: Draw,
    stream: Array,
    parameters: Sequence[Array],
    samples: int,
    exact: bool = False,
) -> Array:
    """Return the samples of `draw` for all parameters, each repeated `samples` times.

    `exact`: on NumPy, by NumPy, since logarithms of compiled programs differ in the last place.
    """
    flat = [xp.repeat(parameter, samples) for parameter in parameters]
    count = flat[0].shape[0]
    if not on_host(xp):
        return draw(xp, stream, xp.arange(count, dtype=xp.uint32), *flat)
    if exact or count < _LARGE:
        return draw_on_host(draw, stream, flat)
    on_demand.load("large draws")
    return _large_draw(draw, stream, flat)


def draw_on_host(draw: Draw, stream: np.ndarray, parameters: Sequence[np.ndarray]) -> np.ndarray:
    """Return samples, one for each entry of the parameters, with NumPy."""
    count = parameters[0].shape[0]
    index = np.arange(count, dtype=np.uint32)
    if count <= _PIECE:
        return draw(numpy_backend, stream, index, *parameters)
    result = np.empty(count)

    def draw_piece(start: int) -> None:
        part = slice(start, start + _PIECE)
        # Threads have error states of their own.
        with np.errstate(all="ignore"):
            values = (parameter[part] for parameter in parameters)
            result[part] = draw(numpy_backend, stream, index[part], *values)

    for_each(draw_piece, range(0, count, _PIECE))
    return result


_large_draw: LargeDraw = draw_on_host


def register_large_draw(draw: LargeDraw) -> None:
    """Register what draws many samples on NumPy, with the arguments of `draw_on_host`."""
    global _large_draw
    _large_draw = draw


def _uniforms(xp: ModuleType, blocks: Blocks, dtype: Any) -> list[Array]:
    """Return the uniform numbers of each block: two of 64 bits or four smaller ones."""
    if dtype == np.float64:
        return list(unit_float64(xp, *blocks))
    if dtype == np.float16:
        (w0, w2), (w1, w3) = (unit_float16(xp, words) for words in blocks)
    else:
        (w0, w2), (w1, w3) = (unit_float32(xp, words) for words in blocks)
    return [w0, w1, w2, w3]


def _normals(xp: ModuleType, blocks: Blocks, dtype: Any) -> list[Array]:
    if dtype == np.float64:
        return list(box_muller64(xp, *blocks))
    sine, cosine = (numbers.astype(dtype) for numbers in box_muller32(xp, *blocks))
    return [sine[0], cosine[0], sine[1], cosine[1]]


def _first(xp: ModuleType, accepted: list[Array], values: list[Array]) -> tuple[Array, Array]:
    """Return whether any candidate is accepted, and the first one that is."""
    is_accepted, value = accepted[-1], values[-1]
    for flag, candidate in zip(accepted[-2::-1], values[-2::-1]):
        value = xp.where(flag, candidate, value)
        is_accepted = is_accepted | flag
    return is_accepted, value


# -- gamma -----------------------------------------------------------------------------------


def gamma(xp: ModuleType, stream: Array, alpha: Array, samples: int) -> Array:
    """Return gamma numbers of shape `alpha` and rate one, in 64 bits: Marsaglia and Tsang."""
    if on_host(xp) and alpha.size * samples <= FEW_SAMPLES:
        shapes = alpha.astype(np.float64).repeat(samples).tolist()
        if reject_few.is_plain(shapes) and 1.0 not in shapes:
            return np.array(reject_few.gamma(stream, shapes)).reshape(alpha.shape[0], samples)
    exact = alpha.dtype == np.float64
    draw = _gamma_above_one if on_host(xp) and (alpha > 1).all() else _gamma
    numbers = _in_pieces(xp, draw, stream, [alpha.astype(xp.float64)], samples, exact)
    return numbers.reshape(alpha.shape[0], samples)


def _gamma(
    xp: ModuleType, stream: Array, index: Array, shape: Array, all_above_one: bool = False
) -> Array:
    starts = regions(xp, stream, index, RESERVED)
    key = key_of(stream)
    small, plain = shape < 1, shape == 1
    d = shape + xp.where(small, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / xp.sqrt(d)
    zero, none = xp.zeros_like(d), xp.zeros(d.shape, bool)
    position = xp.zeros(d.shape, xp.uint32)
    # position: blocks used; then a number left over from the last pair of normal and uniform ones.
    state = (*starts, d, c, position, none, zero, none, zero)
    state_after = settle(xp, _try_gamma, (key,), state, ~plain, (zero, position, none, zero))
    value, position, has_uniform, uniform = state_after
    if all_above_one:
        return value

    def boosted(value: Array) -> Array:
        # The exponent of the small ones takes another uniform number, left over or new.
        fresh = unit_float64(xp, *block(xp, key, advance(xp, starts, position)))[1]
        boost = xp.where(has_uniform, uniform, fresh)
        exponent = 1 / xp.where(small, shape, 1.0)
        scaled = xp.where(small, value * boost**exponent, value)
        return xp.where(plain, -xp.log1p(-fresh), scaled)

    # Most shapes are above one: a power and a logarithm less.
    needed = (small | plain).any()
    if on_host(xp):
        return boosted(value) if needed else value
    return xp.lax.cond(needed, boosted, lambda value: value, value)


_gamma_above_one = partial(_gamma, all_above_one=True)


def _try_gamma(
    xp: ModuleType, context: State, step: Array, state: State
) -> tuple[State, Array, State]:
    (key,) = context
    even, odd, d, c, position, has_normal, kept_normal, has_uniform, kept_uniform = state
    starts = (even, odd)
    first, second = box_muller64(xp, *block(xp, key, advance(xp, starts, position)))
    x = xp.where(has_normal, kept_normal, second)
    position = position + (~has_normal).astype(xp.uint32)
    root = 1 + c * x
    possible = ~(root <= 0)  # so that a parameter that is not a number is soon accepted
    v = root * root * root
    low, high = unit_float64(xp, *block(xp, key, advance(xp, starts, position)))
    u = xp.where(has_uniform, kept_uniform, high)
    position = position + (possible & ~has_uniform).astype(xp.uint32)
    left_over = xp.where(possible, ~has_uniform, has_uniform)
    uniform = xp.where(has_uniform, kept_uniform, low)
    squeeze = u < 1 - 0.0331 * (x * x) * (x * x)
    accepted = possible & (squeeze | (xp.log(u) < 0.5 * x * x + d * (1 - v + xp.log(v))))
    state = (even, odd, d, c, position, ~has_normal, first, left_over, uniform)
    return state, accepted, (d * v, position, left_over, uniform)


# -- Poisson ---------------------------------------------------------------------------------


def poisson(xp: ModuleType, stream: Array, rate: Array, samples: int, dtype: DType) -> Array:
    """Return Poisson counts as `float64`, none above what `dtype` can hold.

    An infinite rate returns infinity, or 0 where there is none, like TensorFlow's kernels.
    """
    if on_host(xp) and rate.size * samples <= COUNTED_SAMPLES:
        rates = rate.astype(np.float64).repeat(samples)
        few = reject_few.poisson(stream, rates, float(dtype.max))
        if few is not None:
            return few.reshape(rate.shape[0], samples)
    draw = _poisson_of(dtype, _events(rate) if on_host(xp) else "any")
    counts = _in_pieces(xp, draw, stream, [rate.astype(xp.float64)], samples)
    return counts.reshape(rate.shape[0], samples)


@cache
def _poisson_of(dtype: DType, events: str) -> Draw:
    """Return the draw for counts of a dtype; always the same one, as programs are cached by it."""
    return partial(_poisson, dtype=dtype, events=events)


def _events(rate: np.ndarray) -> str:
    """Return whether few or many events are expected of all rates, or any number."""
    small = rate < _FEW_EVENTS
    return "few" if small.all() else "any" if small.any() else "many"


def _poisson(
    xp: ModuleType, stream: Array, index: Array, lam: Array, *, dtype: DType, events: str
) -> Array:
    limit = np.float64(dtype.max)
    starts = regions(xp, stream, index, RESERVED)
    key, zero = key_of(stream), xp.zeros_like(lam)
    small = lam < _FEW_EVENTS
    few = zero
    if events != "many":
        (few,) = settle(
            xp,
            _try_few,
            (key, limit),
            (*starts, xp.exp(-lam), zero + 1, zero),
            small,
            (zero,),
            attempts=_COUNTED,
        )
    if events == "few":
        return few
    # Rates far above the limit would never be accepted.
    possible = xp.isfinite(lam) & (lam - 10 * xp.sqrt(lam) <= limit)
    (many,) = settle(
        xp,
        _try_many,
        (key, limit),
        (*starts, lam),
        ~small & possible,
        (xp.where(lam > limit, limit, lam),),
    )
    endless = xp.where(lam == np.inf, np.inf if dtype.is_floating else 0.0, many)
    return xp.where(small, few, endless)


def _try_few(
    xp: ModuleType, context: State, step: Array, state: State
) -> tuple[State, Array, State]:
    """Try Knuth's method: count the uniform numbers until their product is small."""
    key, limit = context
    even, odd, threshold, product, count = state
    numbers = unit_float64(xp, *block(xp, key, advance(xp, (even, odd), step)))
    accepted, values = [], []
    for number in (numbers[1], numbers[0]):
        product = product * number
        accepted.append((product <= threshold) & (count <= limit))
        values.append(count)
        count = count + 1
    is_accepted, value = _first(xp, accepted, values)
    return (even, odd, threshold, product, count), is_accepted, (value,)


def _try_many(
    xp: ModuleType, context: State, step: Array, state: State
) -> tuple[State, Array, State]:
    """Try Hörmann's transformed rejection."""
    key, limit = context
    even, odd, lam = state
    b = 0.931 + 2.53 * xp.sqrt(lam)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v, u = unit_float64(xp, *block(xp, key, advance(xp, (even, odd), step)))
    u = u - 0.5
    edge = 0.5 - xp.abs(u)
    k = xp.floor((2 * a / edge + b) * u + lam + 0.43)
    inside = (edge >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
    outside = (k < 0) | ((edge < 0.013) & (v > edge))
    s = xp.log(v * inverse_alpha / (a / (edge * edge) + b))
    t = -lam + k * xp.log(lam) - xp.special.gammaln(xp.maximum(k, 0.0) + 1)
    return state, (k <= limit) & (inside | (~outside & (s <= t))), (k,)


# -- binomial --------------------------------------------------------------------------------


def binomial(xp: ModuleType, stream: Array, count: Array, prob: Array, samples: int) -> Array:
    """Return numbers of successes in `count` trials, as `float64`."""
    few_successes = prob <= 0.5
    one = np.dtype(prob.dtype).type(1)
    rare = xp.where(few_successes, xp.maximum(prob, 0 * one), xp.maximum(one - prob, 0 * one))
    frequent = count * rare >= 10
    parameters = [count.astype(xp.float64), rare.astype(xp.float64), few_successes, frequent]
    if on_host(xp) and count.size * samples <= FEW_SAMPLES and not frequent.any():
        trials, probs = (x.tolist() for x in parameters[:2])
        if reject_few.is_plain(trials) and reject_few.is_plain(probs):
            trials, probs = ([x for x in row for _ in range(samples)] for row in (trials, probs))
            few = reject_few.binomial_inversion(stream, trials, probs, _INVERSION_REGION)
            wins = np.array(few, np.float64).reshape(count.shape[0], samples)
            if not few_successes.all():
                wins = np.where(few_successes[:, None], wins, parameters[0][:, None] - wins)
            return wins
    draw = _inverted if on_host(xp) and not frequent.any() else _binomial
    numbers = _in_pieces(xp, draw, stream, parameters, samples)
    return numbers.reshape(count.shape[0], samples)


def _binomial(
    xp: ModuleType,
    stream: Array,
    index: Array,
    n: Array,
    p: Array,
    direct: Array,
    many: Array,
    only_few: bool = False,
) -> Array:
    proper = (n > 0) & (p > 0) & (p <= 0.5)
    key, zero = key_of(stream), xp.zeros_like(n)
    (rare_events,) = settle(
        xp,
        _try_inversion,
        (key,),
        (*regions(xp, stream, index, _INVERSION_REGION), n, p, zero, zero),
        proper & ~many,
        (zero,),
        attempts=_COUNTED,
    )
    if not only_few:
        (by_rejection,) = settle(
            xp,
            _try_binomial,
            (key,),
            (*regions(xp, stream, index, RESERVED), n, p),
            proper & many,
            (zero,),
        )
        rare_events = xp.where(many, by_rejection, rare_events)
    result = xp.where(direct, rare_events, n - rare_events)
    undefined = xp.isnan(n) | xp.isnan(p)
    result = xp.where(undefined, xp.nan, result)
    return xp.where(n <= 0, 0.0, result)


# Few successes are expected of all.
_inverted = partial(_binomial, only_few=True)


def _try_inversion(
    xp: ModuleType, context: State, step: Array, state: State
) -> tuple[State, Array, State]:
    """Add up geometric waiting times until they exceed the number of trials."""
    (key,) = context
    even, odd, n, p, waited, count = state
    numbers = unit_float64(xp, *block(xp, key, advance(xp, (even, odd), step)))
    accepted, values = [], []
    for number in (numbers[1], numbers[0]):
        waited = waited + xp.ceil(xp.log(number) / xp.log1p(-p))
        accepted.append(waited > n)
        values.append(count)
        count = count + 1
    is_accepted, value = _first(xp, accepted, values)
    return (even, odd, n, p, waited, count), is_accepted, (value,)


def _try_binomial(
    xp: ModuleType, context: State, step: Array, state: State
) -> tuple[State, Array, State]:
    """Try Hörmann's transformed rejection with squeeze."""
    (key,) = context
    even, odd, n, p = state
    deviation = xp.sqrt(n * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    alpha = (2.83 + 5.1 / b) * deviation
    odds = p / (1 - p)
    mode = xp.floor((n + 1) * p)
    v, u = unit_float64(xp, *block(xp, key, advance(xp, (even, odd), step)))
    u = u - 0.5
    edge = 0.5 - xp.abs(u)
    k = xp.floor((2 * a / edge + b) * u + (n * p + 0.5))
    inside = (edge >= 0.07) & (v <= 0.92 - 4.2 / b)
    sensible = (k >= 0) & (k <= n)
    at = xp.clip(k, 0, n)
    height = xp.log(v * alpha / (a / (edge * edge) + b))
    bound = (
        (mode + 0.5) * xp.log((mode + 1) / (odds * (n - mode + 1)))
        + (n + 1) * xp.log((n - mode + 1) / (n - at + 1))
        + (at + 0.5) * xp.log(odds * (n - at + 1) / (at + 1))
        + _stirling_tail(xp, mode)
        + _stirling_tail(xp, n - mode)
        - _stirling_tail(xp, at)
        - _stirling_tail(xp, n - at)
    )
    return state, inside | (sensible & (height <= bound)), (k,)


# log k! minus Stirling's formula, for k from 0 to 9.
_STIRLING_TAIL = np.array(
    [
        0.0810614667953272,
        0.0413406959554092,
        0.0276779256849983,
        0.02079067210376509,
        0.0166446911898211,
        0.0138761288230707,
        0.0118967099458917,
        0.0104112652619720,
        0.00925546218271273,
        0.00833056343336287,
    ]
)


def _stirling_tail(xp: ModuleType, k: Array) -> Array:
    square = (k + 1) * (k + 1)
    series = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
    table = xp.asarray(_STIRLING_TAIL)[xp.clip(k, 0, 9).astype(xp.int32)]
    return xp.where(k <= 9, table, series)


# -- normal within bounds --------------------------------------------------------------------


def bounded_normal(
    xp: ModuleType, stream: Array, parameters: Sequence[Array], samples: int
) -> Array:
    """Return normal numbers of a mean, deviation, lower and upper bound.

    Each sample uses the one of three methods that suits its bounds best.

    TensorFlow lets consecutive samples of one thread share a stream, so that its numbers depend on
    how it divides the work. Here each sample has the region that TensorFlow assigns to the first
    sample of a piece of work: the numbers are the same on any machine, and equal for one sample.
    """
    numbers = _in_pieces(xp, _bounded_normal, stream, parameters, samples, exact=True)
    return numbers.reshape(parameters[0].shape[0], samples)


def _bounded_normal(
    xp: ModuleType,
    stream: Array,
    index: Array,
    mean: Array,
    deviation: Array,
    low: Array,
    high: Array,
) -> Array:
    dtype = np.dtype(mean.dtype)
    # A bound on one side only, or both on the left of the mean, is mirrored to the right of it.
    mirrored = (xp.isinf(low) & (low < 0)) | (high < mean)
    low, high = xp.where(mirrored, high, low), xp.where(mirrored, low, high)
    deviation = xp.where(mirrored, -deviation, deviation)
    low, high = (low - mean) / deviation, (high - mean) / deviation
    root = xp.sqrt(low * low + dtype.type(4))
    half = dtype.type(0.5)
    cutoff = dtype.type(2) * xp.exp(half + low * (low - root) / dtype.type(4)) / (low + root)
    inner = dtype.type(1.3)
    wide = ((low < -inner) & (high >= 0)) | ((high > inner) & (low <= 0))
    narrow = ~wide & (high - low < cutoff)
    per_block = 2 if dtype == np.float64 else 4
    starts = regions(xp, stream, index, _BOUNDED_REGION // per_block)
    key, result = key_of(stream), (xp.full_like(low, xp.nan),)
    state = (*starts, low, high)
    for attempt, active in (
        (_try_normal, wide),
        (_try_uniform, narrow),
        (_try_exponential, ~wide & ~narrow),
    ):
        result = settle(xp, attempt, (key,), state, active, result)
    return result[0] * deviation + mean


def _try_normal(
    xp: ModuleType, context: State, step: Array, state: State
) -> tuple[State, Array, State]:
    (key,) = context
    even, odd, low, high = state
    dtype = np.dtype(low.dtype)
    numbers = _normals(xp, block(xp, key, advance(xp, (even, odd), step)), dtype)
    is_accepted, value = _first(xp, [(x >= low) & (x <= high) for x in numbers], numbers)
    return state, is_accepted, (value,)


def _try_uniform(
    xp: ModuleType, context: State, step: Array, state: State
) -> tuple[State, Array, State]:
    (key,) = context
    even, odd, low, high = state
    dtype = np.dtype(low.dtype)
    two = np.uint32(2)
    uniforms = _uniforms(xp, block(xp, key, advance(xp, (even, odd), two * step)), dtype)
    heights = _uniforms(xp, block(xp, key, advance(xp, (even, odd), two * step + 1)), dtype)
    peak = xp.where(low < 0, dtype.type(0), low * low)
    values = [uniform * (high - low) + low for uniform in uniforms]
    accepted = [
        height <= xp.exp((peak - z * z) / dtype.type(2)) for z, height in zip(values, heights)
    ]
    is_accepted, value = _first(xp, accepted, values)
    return state, is_accepted, (value,)


def _try_exponential(
    xp: ModuleType, context: State, step: Array, state: State
) -> tuple[State, Array, State]:
    (key,) = context
    even, odd, low, high = state
    dtype = np.dtype(low.dtype)
    alpha = (low + xp.sqrt(low * low + dtype.type(4))) / dtype.type(2)
    numbers = _uniforms(xp, block(xp, key, advance(xp, (even, odd), step)), dtype)
    values = [-xp.log(number) / alpha + low for number in numbers[0::2]]
    accepted = []
    for z, height in zip(values, numbers[1::2]):
        distance = xp.where(low < alpha, alpha - z, low - alpha)
        accepted.append((height <= xp.exp(-distance * distance / dtype.type(2))) & (z < high))
    is_accepted, value = _first(xp, accepted, values)
    return state, is_accepted, (value,)
