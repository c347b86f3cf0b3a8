"""Random ops without state: the numbers depend only on the seed, or on the key and counter.

The ops of the first generation take a seed of two integers and scramble it; those of the second
take a key, a counter and an algorithm. On a CPU every algorithm allowed is Philox.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import FLOATING, INDEX, as_dtype
from tapeflow._src.core.errors import InvalidArgumentError, fmt_shape
from tapeflow._src.core.infer import Shape, broadcast_shape, same_as
from tapeflow._src.core.registry import Free, Index, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.kernels.random.fill import (
    categorical,
    normal,
    truncated_normal,
    uniform,
    uniform_full_int,
    uniform_int,
)
from tapeflow._src.kernels.random.permute import index_shuffle, shuffled
from tapeflow._src.kernels.random.philox import (
    Array,
    key_counter_from_stream,
    seeded_stream,
    split_words,
    stream_from_key_counter,
)
from tapeflow._src.kernels.random.reject import binomial, bounded_normal, gamma, poisson
from tapeflow._src.ops.array.broadcasting import sum_to
from tapeflow._src.ops.math.arithmetic import add_v2, mul, neg, real_div, sub
from tapeflow._src.ops.math.elementwise import exp, log, log1p, scalar, square
from tapeflow._src.ops.math.extremes import maximum, minimum
from tapeflow._src.ops.math.special import erfc
from tapeflow._src.ops.random.common import (
    COUNTS,
    GAMMA_DTYPES,
    by_sample,
    dims_of,
    fills,
    one_of,
    requested_shape,
    require_range,
    require_trailing,
    trailing,
)
from tapeflow._src.ops.random.stateful import infer_multinomial, random_gamma_grad, require_bounds

PHILOX = 1
THREEFRY = 2
AUTO_SELECT = 3

_FULL_INTEGERS = frozenset({dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64})


def _from_seed(xp: ModuleType, seed: Array) -> Array:
    if seed.shape != (2,):
        raise InvalidArgumentError(
            None, None, f"seed must have shape [2], not {fmt_shape(seed.shape)}"
        )
    return seeded_stream(xp, seed)


def stream_of(xp: ModuleType, key: Array, counter: Array, alg: np.ndarray) -> Array:
    """Return the stream that key, counter and algorithm describe."""
    if alg.ndim or int(alg) not in (PHILOX, AUTO_SELECT):
        raise InvalidArgumentError(None, None, f"Unsupported algorithm id: {alg}")
    for name, words, least in (("key", key, 1), ("counter", counter, 2)):
        if np.dtype(words.dtype) != np.uint64:
            raise InvalidArgumentError(None, None, f"{name} must be a uint64 tensor")
        if words.ndim != 1 or words.shape[0] < least:
            raise InvalidArgumentError(
                None,
                None,
                f"{name} must be a vector with length at least {least}; "
                f"got shape: {fmt_shape(words.shape)}",
            )
    return stream_from_key_counter(xp, key, counter)


# -- seeds -----------------------------------------------------------------------------------


@op("StatelessRandomGetKeyCounter", outputs=("key", "counter"), grad=None)
def stateless_random_get_key_counter(xp, seed: Index):
    """Return the key and counter that a seed is scrambled to."""
    return key_counter_from_stream(xp, _from_seed(xp, seed))


@stateless_random_get_key_counter.infer
def _(seed):
    if seed.shape not in (None, (None,), (2,)):
        raise InferError(
            f"seed must have shape [2], not {fmt_shape(seed.shape)}",
            f"Shape must be rank 1 but is rank {len(seed.shape)}"
            if len(seed.shape) != 1
            else f"Dimension must be 2 but is {seed.shape[0]}",
        )
    return Spec((1,), dtypes.uint64), Spec((2,), dtypes.uint64)


@op("StatelessRandomGetAlg", grad=None)
def stateless_random_get_alg(xp):
    """Return the algorithm this device prefers."""
    return np.array(PHILOX, np.int32)


@stateless_random_get_alg.infer
def _():
    return Spec((), dtypes.int32, np.array(PHILOX, np.int32))


@op("StatelessRandomGetKeyCounterAlg", outputs=("key", "counter", "alg"), grad=None)
def stateless_random_get_key_counter_alg(xp, seed: Index):
    """Return key, counter and algorithm for a seed."""
    return (*key_counter_from_stream(xp, _from_seed(xp, seed)), np.array(PHILOX, np.int32))


@stateless_random_get_key_counter_alg.infer
def _(seed):
    alg = Spec((), dtypes.int32, np.array(PHILOX, np.int32))
    return Spec((1,), dtypes.uint64), Spec((2,), dtypes.uint64), alg


# -- uniform and normal, by seed -------------------------------------------------------------


@op("StatelessRandomUniform", infer=fills(FLOATING), grad=None)
def stateless_random_uniform(xp, shape: Static, seed: Index, *, dtype=dtypes.float32):
    """Numbers evenly distributed over [0, 1)."""
    dims, target = dims_of(shape), one_of(dtype, FLOATING).np
    return uniform(xp, _from_seed(xp, seed), math.prod(dims), target).reshape(dims)


@op("StatelessRandomNormal", infer=fills(FLOATING), grad=None)
def stateless_random_normal(xp, shape: Static, seed: Index, *, dtype=dtypes.float32):
    """Draw from the standard normal distribution."""
    dims, target = dims_of(shape), one_of(dtype, FLOATING).np
    return normal(xp, _from_seed(xp, seed), math.prod(dims), target).reshape(dims)


@op("StatelessTruncatedNormal", infer=fills(FLOATING), grad=None)
def stateless_truncated_normal(xp, shape: Static, seed: Index, *, dtype=dtypes.float32):
    """Draw from the standard normal distribution truncated at two standard deviations."""
    dims, target = dims_of(shape), one_of(dtype, FLOATING).np
    return truncated_normal(xp, _from_seed(xp, seed), math.prod(dims), target).reshape(dims)


@op("StatelessRandomUniformFullInt", infer=fills(_FULL_INTEGERS), grad=None)
def stateless_random_uniform_full_int(xp, shape: Static, seed: Index, *, dtype=dtypes.uint64):
    """Draw integers uniformly from the full range of their dtype."""
    dims, target = dims_of(shape), one_of(dtype, _FULL_INTEGERS).np
    return uniform_full_int(xp, _from_seed(xp, seed), math.prod(dims), target).reshape(dims)


@op("StatelessRandomUniformInt", dtypes=INDEX, grad=None)
def stateless_random_uniform_int(xp, shape: Static, seed: Index, minval, maxval):
    """Draw integers uniformly from [minval, maxval)."""
    return _bounded_int(xp, shape, _from_seed(xp, seed), minval, maxval)


@stateless_random_uniform_int.infer
def _(shape, seed, minval, maxval):
    return Spec(requested_shape(shape), minval.dtype)


def _bounded_int(
    xp: ModuleType, shape: np.ndarray, stream: Array, low: Array, high: Array
) -> Array:
    dims = dims_of(shape)
    if 0 in dims:
        return xp.zeros(dims, low.dtype)
    require_range(xp, low, high)
    return uniform_int(xp, stream, math.prod(dims), low, high).reshape(dims)


# -- uniform and normal, by key and counter --------------------------------------------------


@op("StatelessRandomUniformV2", infer=fills(FLOATING), grad=None)
def stateless_random_uniform_v2(
    xp, shape: Static, key: Free, counter: Free, alg: Static, *, dtype=dtypes.float32
):
    """Numbers evenly distributed over [0, 1)."""
    dims, target = dims_of(shape), one_of(dtype, FLOATING).np
    return uniform(xp, stream_of(xp, key, counter, alg), math.prod(dims), target).reshape(dims)


@op("StatelessRandomNormalV2", infer=fills(FLOATING), grad=None)
def stateless_random_normal_v2(
    xp, shape: Static, key: Free, counter: Free, alg: Static, *, dtype=dtypes.float32
):
    """Draw from the standard normal distribution."""
    dims, target = dims_of(shape), one_of(dtype, FLOATING).np
    return normal(xp, stream_of(xp, key, counter, alg), math.prod(dims), target).reshape(dims)


@op("StatelessTruncatedNormalV2", infer=fills(FLOATING), grad=None)
def stateless_truncated_normal_v2(
    xp, shape: Static, key: Free, counter: Free, alg: Static, *, dtype=dtypes.float32
):
    """Draw from the standard normal distribution truncated at two standard deviations."""
    dims, target = dims_of(shape), one_of(dtype, FLOATING).np
    stream = stream_of(xp, key, counter, alg)
    return truncated_normal(xp, stream, math.prod(dims), target).reshape(dims)


@op("StatelessRandomUniformFullIntV2", infer=fills(_FULL_INTEGERS), grad=None)
def stateless_random_uniform_full_int_v2(
    xp, shape: Static, key: Free, counter: Free, alg: Static, *, dtype=dtypes.uint64
):
    """Draw integers uniformly from the full range of their dtype."""
    dims, target = dims_of(shape), one_of(dtype, _FULL_INTEGERS).np
    stream = stream_of(xp, key, counter, alg)
    return uniform_full_int(xp, stream, math.prod(dims), target).reshape(dims)


@op("StatelessRandomUniformIntV2", dtypes=_FULL_INTEGERS, grad=None)
def stateless_random_uniform_int_v2(
    xp, shape: Static, key: Free, counter: Free, alg: Static, minval, maxval
):
    """Draw integers uniformly from [minval, maxval)."""
    return _bounded_int(xp, shape, stream_of(xp, key, counter, alg), minval, maxval)


@stateless_random_uniform_int_v2.infer
def _(shape, key, counter, alg, minval, maxval):
    return Spec(requested_shape(shape), minval.dtype)


# -- rejection -------------------------------------------------------------------------------


@op("StatelessRandomGammaV2", dtypes=GAMMA_DTYPES, checked=True)
def stateless_random_gamma(xp, shape: Static, seed: Index, alpha):
    """Draw from gamma distributions with rate one; `shape` ends with the shape of `alpha`."""
    return _gamma(xp, shape, _from_seed(xp, seed), alpha)


@stateless_random_gamma.infer
def _(shape, seed, alpha):
    return Spec(require_trailing(requested_shape(shape), alpha.shape), alpha.dtype)


@stateless_random_gamma.gradient
def _(dz, *, alpha, shape_of_alpha, output):
    return None, None, sum_to(mul(dz, random_gamma_grad(alpha, output)), shape_of_alpha)


@op("StatelessRandomGammaV3", dtypes=GAMMA_DTYPES, checked=True)
def stateless_random_gamma_v3(xp, shape: Static, key: Free, counter: Free, alg: Static, alpha):
    """Draw from gamma distributions with rate one; `shape` ends with the shape of `alpha`."""
    return _gamma(xp, shape, stream_of(xp, key, counter, alg), alpha)


@stateless_random_gamma_v3.infer
def _(shape, key, counter, alg, alpha):
    return Spec(require_trailing(requested_shape(shape), alpha.shape), alpha.dtype)


@stateless_random_gamma_v3.gradient
def _(dz, *, alpha, shape_of_alpha, output):
    gradient = sum_to(mul(dz, random_gamma_grad(alpha, output)), shape_of_alpha)
    return None, None, None, None, gradient


def _gamma(xp: ModuleType, shape: np.ndarray, stream: Array, alpha: Array) -> Array:
    dims = dims_of(shape)
    numbers = gamma(xp, stream, alpha.reshape(-1), trailing(dims, alpha.shape))
    return by_sample(numbers, dims).astype(alpha.dtype)


@op("StatelessRandomPoisson", grad=None, checked=True)
def stateless_random_poisson(xp, shape: Static, seed: Index, lam: Free, *, dtype):
    """Draw from Poisson distributions; `shape` ends with the shape of `lam`."""
    dims, target = dims_of(shape), one_of(dtype, COUNTS)
    samples = trailing(dims, lam.shape)
    stream = _from_seed(xp, seed)
    counts = poisson(xp, stream, lam.reshape(-1), samples, target)
    return by_sample(counts, dims).astype(target.np)


@stateless_random_poisson.infer
def _(shape, seed, lam, *, dtype):
    if lam.dtype not in COUNTS:
        raise InferError(f"lam must be a real tensor, but is {lam.dtype.name}")
    return Spec(require_trailing(requested_shape(shape), lam.shape), one_of(dtype, COUNTS))


@op("StatelessRandomBinomial", dtypes=GAMMA_DTYPES, grad=None, checked=True)
def stateless_random_binomial(xp, shape: Static, seed: Index, counts, probs, *, dtype=dtypes.int64):
    """Draw successes in `counts` trials with probability `probs`; `shape` ends with their shape."""
    return binomial_counts(xp, shape, _from_seed(xp, seed), counts, probs, dtype)


@stateless_random_binomial.infer
def _(shape, seed, counts, probs, *, dtype):
    parameters = broadcast_shape(counts.shape, probs.shape)
    return Spec(require_trailing(requested_shape(shape), parameters), one_of(dtype, COUNTS))


def binomial_counts(
    xp: ModuleType, shape: np.ndarray, stream: Array, counts: Array, probs: Array, dtype: DTypeLike
) -> Array:
    """Draw binomial numbers of any shape that ends with that of the parameters."""
    dims = dims_of(shape)
    counts, probs = xp.broadcast_arrays(counts, probs)
    samples = trailing(dims, counts.shape)
    wins = binomial(xp, stream, counts.reshape(-1), probs.reshape(-1), samples)
    return by_sample(wins, dims).astype(one_of(dtype, COUNTS).np)


@op("StatelessParameterizedTruncatedNormal", dtypes=GAMMA_DTYPES, checked=True)
def stateless_parameterized_truncated_normal(
    xp, shape: Static, seed: Index, means, stddevs, minvals, maxvals
):
    """Draw from truncated normal distributions; `shape` ends with the shape of the parameters."""
    dims = dims_of(shape)
    parameters = xp.broadcast_arrays(means, stddevs, minvals, maxvals)
    require_bounds(xp, *parameters[1:])
    samples = trailing(dims, parameters[0].shape)
    flat = [parameter.reshape(-1) for parameter in parameters]
    return by_sample(bounded_normal(xp, _from_seed(xp, seed), flat, samples), dims)


@stateless_parameterized_truncated_normal.infer
def _(shape, seed, means, stddevs, minvals, maxvals):
    parameters: Shape = ()
    for spec in (means, stddevs, minvals, maxvals):
        parameters = broadcast_shape(parameters, spec.shape)
    return Spec(require_trailing(requested_shape(shape), parameters), means.dtype)


@stateless_parameterized_truncated_normal.gradient
def _(
    dz,
    *,
    means,
    stddevs,
    minvals,
    maxvals,
    output,
    shape_of_means,
    shape_of_stddevs,
    shape_of_minvals,
    shape_of_maxvals,
):
    # As in TensorFlow: a sample keeps its quantile between the bounds when one of them moves,
    # and its distance from the mean in deviations when the mean or the deviation does.
    low, high, z = (real_div(sub(x, means), stddevs) for x in (minvals, maxvals, output))
    below_low = _normal_cdf(low)
    quantile = real_div(sub(_normal_cdf(z), below_low), sub(_normal_cdf(high), below_low))
    limits = np.finfo(output.dtype.np)
    quantile = maximum(minimum(quantile, scalar(1 - limits.eps, z)), scalar(limits.tiny, z))
    half, squared = scalar(0.5, z), square(z)
    by_low = exp(add_v2(mul(half, sub(squared, square(low))), log1p(neg(quantile))))
    by_high = exp(add_v2(mul(half, sub(squared, square(high))), log(quantile)))
    return (
        None,
        None,
        sum_to(dz, shape_of_means),
        sum_to(mul(dz, z), shape_of_stddevs),
        sum_to(mul(dz, by_low), shape_of_minvals),
        sum_to(mul(dz, by_high), shape_of_maxvals),
    )


def _normal_cdf(x: Any) -> Any:
    return mul(scalar(0.5, x), erfc(mul(scalar(-math.sqrt(0.5), x), x)))


# -- classes and order -----------------------------------------------------------------------


@op("StatelessMultinomial", dtypes=FLOATING, grad=None, checked=True)
def stateless_multinomial(
    xp, logits, num_samples: Static, seed: Index, *, output_dtype=dtypes.int64
):
    """Draw classes with probabilities proportional to `exp(logits)`."""
    drawn = categorical(xp, _from_seed(xp, seed), logits, int(num_samples))
    return drawn.astype(as_dtype(output_dtype).np)


@stateless_multinomial.infer
def _(logits, num_samples, seed, *, output_dtype):
    return infer_multinomial(logits, num_samples, output_dtype)


@op("StatelessShuffle", infer=same_as("value"), grad=None)
def stateless_shuffle(xp, value, key: Free, counter: Free, alg: Static):
    """Shuffle `value` along its first axis."""
    stream = stream_of(xp, key, counter, alg)
    if value.ndim == 0 or value.shape[0] < 2:
        return value
    return shuffled(xp, stream, value)


@op("RandomIndexShuffle", dtypes=_FULL_INTEGERS, grad=None, checked=True)
def random_index_shuffle(xp, index, seed: Free, max_index, *, rounds=4):
    """Return the image of `index` under a permutation of 0 … `max_index` that `seed` selects."""
    for name, value in (("index", index), ("max_index", max_index)):
        xp.require((value >= 0).all(), f"{name} must be >= 0")
    xp.require(
        (max_index >= index).all(),
        lambda: f"max_index must be >= index, but {max_index} < {index}",
    )
    low, _ = split_words(xp, seed.reshape(-1, 3))
    moved = index_shuffle(
        xp,
        index.reshape(-1).astype(xp.uint64),
        low.astype(xp.uint64),
        max_index.reshape(-1).astype(xp.uint64),
        rounds,
    )
    scalar = index.ndim == 0 and seed.ndim == 1 and max_index.ndim == 0
    return moved.reshape(() if scalar else (-1,)).astype(index.dtype)


@random_index_shuffle.infer
def _(index, seed, max_index, *, rounds):
    if seed.dtype not in _FULL_INTEGERS:
        raise InferError(f"seed must be an integer tensor, but is {seed.dtype.name}")
    if rounds < 4 or rounds % 2:
        raise InferError(f"rounds must be even and at least 4, got {rounds}")
    if None in (index.rank, seed.rank, max_index.rank):
        return Spec(None, index.dtype)
    if index.rank == 0 and seed.rank == 1 and max_index.rank == 0:
        _require_triple(seed, 1)
        return Spec((), index.dtype)
    if index.rank > 1:
        raise InferError("Index must be a scalar or vector.")
    if max_index.rank > 1:
        raise InferError(
            "max_index must be one number or as long as index; received shape "
            f"{fmt_shape(max_index.shape)}"
        )
    lengths = [s.shape[0] for s, rank in ((index, 1), (seed, 2), (max_index, 1)) if s.rank == rank]
    static_lengths = [length for length in lengths if length is not None]
    count = max(static_lengths) if static_lengths else None
    _require_triple(seed, count)
    if any(length != count for length in static_lengths):
        raise InferError(
            "index, seed and max_index must have one length, got "
            f"{fmt_shape(index.shape)}, {fmt_shape(seed.shape)} and {fmt_shape(max_index.shape)}"
        )
    return Spec((count,), index.dtype)


def _require_triple(seed: Spec, count: int | None) -> None:
    shape = seed.shape or ()
    if len(shape) not in (1, 2) or shape[-1] not in (None, 3):
        raise InferError(
            f"Seed must be a vector of size [3] or a matrix of size [{count}, 3] but got "
            f"{fmt_shape(shape)}."
        )
