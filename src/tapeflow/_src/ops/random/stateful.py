"""Random ops with state: each call continues the stream of the op with its seeds.

The executor passes the stream as `counter` (see `core.random_state`); the bodies are pure.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import Batch, is_static
from tapeflow._src.core.dtypes import FLOATING, INDEX, as_dtype
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import broadcast, same_as
from tapeflow._src.core.random_state import reserves
from tapeflow._src.core.registry import Free, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import NOT_ELEMENTWISE
from tapeflow._src.kernels.random.fill import (
    RESERVED,
    categorical,
    normal,
    truncated_normal,
    uniform,
    uniform_int,
)
from tapeflow._src.kernels.random.gamma_gradient import sample_gradient
from tapeflow._src.kernels.random.permute import shuffle_blocks, shuffled
from tapeflow._src.kernels.random.philox import Array
from tapeflow._src.kernels.random.reject import bounded_normal, gamma, poisson
from tapeflow._src.ops.array.broadcasting import sum_to
from tapeflow._src.ops.math.arithmetic import mul
from tapeflow._src.ops.random.common import (
    COUNTS,
    GAMMA_DTYPES,
    by_sample,
    count_of,
    dims_of,
    fills,
    one_of,
    requested_shape,
    require_range,
    reserve_outputs,
    reserve_outputs_each,
)

# -- uniform and normal ----------------------------------------------------------------------


def _batch_draw(batch: Batch, shape: Any, *bounds: Any, **attrs: Any) -> Any:
    """Draw once for all members, so that they differ."""
    if not is_static(shape) or any(batch.has(bound) for bound in bounds):
        return NotImplemented
    return batch.op(batch.ints(batch.size, *map(int, shape.static_value)), *bounds, **attrs)


def _batch_draw_for_rates(batch: Batch, shape: Any, rates: Any, **attrs: Any) -> Any:
    """Infer the shape: that of the draws per rate, followed by the axes of the rates."""
    if not is_static(shape):
        return NotImplemented
    if not batch.has(rates):
        return batch.op(batch.ints(batch.size, *map(int, shape.static_value)), rates, **attrs)
    drawn = batch.op(shape, batch.values(rates), **attrs)
    return batch.move_axis(drawn, len(shape.static_value), 0)


@op("RandomUniform", infer=fills(FLOATING), effect="random", grad=None, batch=_batch_draw)
def random_uniform(xp, shape: Static, *, dtype, seed=0, seed2=0, counter):
    """Numbers evenly distributed over [0, 1)."""
    dims = dims_of(shape)
    target = one_of(dtype, FLOATING).np
    return uniform(xp, counter, math.prod(dims), target).reshape(dims)


@op("RandomUniformInt", dtypes=INDEX, effect="random", grad=None, batch=_batch_draw)
def random_uniform_int(xp, shape: Static, minval, maxval, *, seed=0, seed2=0, counter):
    """Draw integers uniformly from [minval, maxval)."""
    dims = dims_of(shape)
    if 0 in dims:
        return xp.zeros(dims, minval.dtype)
    require_range(xp, minval, maxval)
    return uniform_int(xp, counter, math.prod(dims), minval, maxval).reshape(dims)


@random_uniform_int.infer
def _(shape, minval, maxval, *, seed, seed2):
    return Spec(requested_shape(shape), minval.dtype)


@op("RandomStandardNormal", infer=fills(FLOATING), effect="random", grad=None, batch=_batch_draw)
def random_standard_normal(xp, shape: Static, *, dtype, seed=0, seed2=0, counter):
    """Draw from the standard normal distribution."""
    dims = dims_of(shape)
    target = one_of(dtype, FLOATING).np
    return normal(xp, counter, math.prod(dims), target).reshape(dims)


@op("TruncatedNormal", infer=fills(FLOATING), effect="random", grad=None, batch=_batch_draw)
def random_truncated_normal(xp, shape: Static, *, dtype, seed=0, seed2=0, counter):
    """Draw from the standard normal distribution truncated at two standard deviations."""
    dims = dims_of(shape)
    target = one_of(dtype, FLOATING).np
    return truncated_normal(xp, counter, math.prod(dims), target).reshape(dims)


for _name in ("RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal"):
    reserve_outputs(_name)


@op("ParameterizedTruncatedNormal", dtypes=FLOATING, effect="random", grad=None, checked=True)
def parameterized_truncated_normal(
    xp, shape: Static, means, stdevs, minvals, maxvals, *, seed=0, seed2=0, counter
):
    """Draw from truncated normal distributions; parameters are scalars or one per leading index."""
    dims = dims_of(shape)
    parameters = [
        xp.broadcast_to(p.reshape(-1), dims[:1]) for p in (means, stdevs, minvals, maxvals)
    ]
    require_bounds(xp, *parameters[1:])
    return bounded_normal(xp, counter, parameters, math.prod(dims[1:])).reshape(dims)


@parameterized_truncated_normal.infer
def _(shape, means, stdevs, minvals, maxvals, *, seed, seed2):
    dims = requested_shape(shape)
    if dims == ():
        raise InferError("Shape tensor must not be empty, got []")
    parameters = {"means": means, "stdevs": stdevs, "minvals": minvals, "maxvals": maxvals}
    for name, spec in parameters.items():
        if spec.rank is not None and spec.rank > 1:
            raise InferError(
                f"Input {name} should be a scalar or vector, got shape: {fmt_shape(spec.shape)}"
            )
        length = spec.shape[0] if spec.shape else None
        first = dims[0] if dims else None
        if None not in (length, first) and length not in (1, first):
            raise InferError(
                f"Input {name} should have length 1 or shape[0], got shape: {fmt_shape(spec.shape)}"
            )
    return Spec(dims, means.dtype)


@reserves("ParameterizedTruncatedNormal")
def _(arrays, attrs):
    return 500 * count_of(arrays[0])


def require_bounds(xp, deviation: Array, low: Array, high: Array) -> None:
    """Raise unless the standard deviation is positive and the bounds, one of them finite, are in
    order.
    """
    sensible = (deviation > 0) & (low < high) & (xp.isfinite(low) | xp.isfinite(high))
    xp.require(
        sensible.all(),
        "Invalid parameters: stddevs must be positive, minvals less than maxvals, and one of the "
        "two finite",
    )


# -- order and classes -----------------------------------------------------------------------


@op("RandomShuffle", infer=same_as("value"), effect="random", grad=None, traits=(NOT_ELEMENTWISE,))
def random_shuffle(xp, value, *, seed=0, seed2=0, counter):
    """Shuffle `value` along its first axis."""
    if value.ndim == 0 or value.shape[0] < 2:
        return value
    return shuffled(xp, counter, value)


@reserves("RandomShuffle")
def _(arrays, attrs):
    value = arrays[0]
    return shuffle_blocks(value.shape[0]) if value.ndim and value.size > 1 else 0


def infer_multinomial(logits: Spec, num_samples: Spec, output_dtype) -> Spec:
    """Infer the shape of categorical draws."""
    if logits.rank not in (None, 2):
        raise InferError(f"logits should be a matrix, got shape {fmt_shape(logits.shape)}")
    if num_samples.rank not in (None, 0):
        raise InferError(
            f"num_samples should be a scalar, got shape {fmt_shape(num_samples.shape)}"
        )
    batch, classes = logits.shape or (None, None)
    if classes == 0:
        raise InferError("num_classes should be positive, got 0")
    samples = None if num_samples.value is None else int(num_samples.value)
    if samples is not None and samples < 0:
        raise InferError(f"num_samples should be non-negative, got {samples}")
    if as_dtype(output_dtype) not in INDEX:
        raise InferError(f"output_dtype must be int32 or int64, got {as_dtype(output_dtype).name}")
    return Spec((batch, samples), as_dtype(output_dtype))


@op("Multinomial", dtypes=FLOATING, effect="random", grad=None, checked=True)
def multinomial(
    xp, logits, num_samples: Static, *, seed=0, seed2=0, output_dtype=dtypes.int64, counter
):
    """Draw classes with probabilities proportional to `exp(logits)`."""
    drawn = categorical(xp, counter, logits, int(num_samples))
    return drawn.astype(as_dtype(output_dtype).np)


@multinomial.infer
def _(logits, num_samples, *, seed, seed2, output_dtype):
    return infer_multinomial(logits, num_samples, output_dtype)


@multinomial.batch
def _(batch: Batch, logits: Any, num_samples: Any, **attrs: Any) -> Any:
    return batch.split(batch.op(batch.merge(logits, 0), num_samples, **attrs), 0)


@reserves("Multinomial")
def _(arrays, attrs):
    logits, num_samples = arrays
    if logits.ndim != 2 or num_samples.ndim or num_samples < 0:
        return 0  # the shape rule refuses the call
    # Samples are rounded up to whole blocks of four, and take two words each.
    return RESERVED * 2 * logits.shape[0] * -(-int(num_samples) // 4) * 4


# -- gamma and Poisson -----------------------------------------------------------------------


@op("RandomGamma", dtypes=GAMMA_DTYPES, effect="random", batch=_batch_draw_for_rates)
def random_gamma(xp, shape: Static, alpha, *, seed=0, seed2=0, counter):
    """Draw from gamma distributions with rate one, `shape` samples for each `alpha`."""
    dims = dims_of(shape)
    numbers = gamma(xp, counter, alpha.reshape(-1), math.prod(dims))
    return by_sample(numbers, dims + alpha.shape).astype(alpha.dtype)


@random_gamma.infer
def _(shape, alpha, *, seed, seed2):
    dims = requested_shape(shape)
    is_static = dims is not None and alpha.shape is not None
    return Spec(dims + alpha.shape if is_static else None, alpha.dtype)


@random_gamma.gradient
def _(dz, *, alpha, shape_of_alpha, output):
    return None, sum_to(mul(dz, random_gamma_grad(alpha, output)), shape_of_alpha)


_SINGLE_OR_DOUBLE = frozenset({dtypes.float32, dtypes.float64})


@op("RandomGammaGrad", infer=broadcast, dtypes=_SINGLE_OR_DOUBLE, grad=None)
def random_gamma_grad(xp, alpha, sample):
    """Compute the derivative of gamma samples w.r.t. `alpha`, at a fixed quantile."""
    alpha, sample = xp.broadcast_arrays(alpha, sample)
    return xp.lax.random_gamma_grad(alpha, sample)


@random_gamma_grad.kernel("numpy")
def _(xp, alpha, sample):
    return sample_gradient(xp, alpha, sample).astype(alpha.dtype)


@op("RandomPoissonV2", effect="random", grad=None, batch=_batch_draw_for_rates)
def random_poisson(xp, shape: Static, rate: Free, *, seed=0, seed2=0, dtype=dtypes.int64, counter):
    """Draw from Poisson distributions, `shape` samples for each `rate`."""
    dims = dims_of(shape)
    target = one_of(dtype, COUNTS)
    one_of(rate.dtype, COUNTS)
    counts = poisson(xp, counter, rate.reshape(-1), math.prod(dims), target)
    return by_sample(counts, dims + rate.shape).astype(target.np)


@random_poisson.infer
def _(shape, rate, *, seed, seed2, dtype):
    dims = requested_shape(shape)
    is_static = dims is not None and rate.shape is not None
    return Spec(dims + rate.shape if is_static else None, one_of(dtype, COUNTS))


for _name in ("RandomGamma", "RandomPoissonV2"):
    reserve_outputs_each(_name)


@op("NonDeterministicInts", effect="io", grad=None, host="asks the operating system")
def non_deterministic_ints(xp, shape: Static, *, dtype=dtypes.int64):
    """Draw integers from the operating system, different in every run."""
    dims = dims_of(shape)
    target = np.dtype(one_of(dtype, dtypes.SIGNED_INTEGER | dtypes.UNSIGNED).np)
    limits = np.iinfo(target)
    generator = np.random.default_rng()
    return generator.integers(limits.min, limits.max, dims, target, endpoint=True)


@non_deterministic_ints.infer
def _(shape, *, dtype):
    return Spec(requested_shape(shape), as_dtype(dtype))
