"""Ops on the state of a `tf.random.Generator`: a variable of two counter words and a key."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import InvalidArgumentError, UnimplementedError, fmt_shape
from tapeflow._src.core.infer import broadcast_shape
from tapeflow._src.core.registry import Free, Index, Resource, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.kernels.random.fill import RESERVED
from tapeflow._src.kernels.random.philox import (
    Array,
    advance,
    join_words,
    on_host,
    split_words,
)
from tapeflow._src.ops.random.common import (
    COUNTS,
    GAMMA_DTYPES,
    dims_of,
    one_of,
    requested_shape,
    require_trailing,
    trailing,
)
from tapeflow._src.ops.random.stateless import AUTO_SELECT, PHILOX, THREEFRY, binomial_counts
from tapeflow._src.ops.state.variables import current

_PHILOX_STATE = 3  # two 64-bit words of counter, then one of key


def philox_state(resource: Any, algorithm: np.ndarray) -> Array:
    """Return the generator's state; raise unless it is a Philox state."""
    if int(algorithm) == THREEFRY:
        raise UnimplementedError(
            None, None, "Only Philox runs on a CPU; the ThreeFry algorithm is not supported."
        )
    if int(algorithm) not in (PHILOX, AUTO_SELECT):
        raise InvalidArgumentError(None, None, f"Unsupported algorithm id: {algorithm}")
    state = current(resource)
    if state.ndim != 1 or state.shape[0] < _PHILOX_STATE or state.dtype != np.int64:
        raise InvalidArgumentError(
            None,
            None,
            "For the Philox algorithm, the state must be a vector of at least 3 int64 numbers; got "
            f"{state.dtype}{fmt_shape(state.shape)}",
        )
    return state


_LOW64, _LOW128 = 2**64 - 1, 2**128 - 1


def skipped(xp: ModuleType, state: Array, outputs: Array) -> Array:
    """Return the state after reserving numbers for `outputs` (one `uint64`, shape `[1]`)."""
    if on_host(xp):
        low_half, high_half = state[:2].view(np.uint64).tolist()
        counter = (low_half | high_half << 64) + (outputs.item() * RESERVED & _LOW64) & _LOW128
        result = state.copy()
        result[:2] = np.array([counter & _LOW64, counter >> 64], np.uint64).view(np.int64)
        return result
    low, high = split_words(xp, outputs * np.uint64(RESERVED))
    words = split_words(xp, state[:2])
    counter = (words[0].reshape(2, 1), words[1].reshape(2, 1))
    even, odd = advance(xp, counter, low, high)
    moved = join_words(xp, even[:, 0], odd[:, 0]).astype(xp.int64)
    return xp.concatenate([moved, state[2:]])


@op("RngReadAndSkip", effect="writes", grad=None)
def rng_read_and_skip(xp, resource: Resource, alg: Static, delta: Free):
    """Return the current state, then advance it by the numbers that `delta` outputs may take."""
    state = philox_state(resource, alg)
    resource.array = skipped(xp, state, delta.reshape(1).astype(xp.uint64))
    return state


rng_read_and_skip.kernel("jax")(rng_read_and_skip.body)


@rng_read_and_skip.infer
def _(resource, alg, delta):
    return Spec(resource.shape, dtypes.int64)


def _no_outputs(op: Any, specs: Any, attrs: Any) -> tuple[Spec, ...]:
    return ()


@op("RngSkip", infer=_no_outputs, outputs=(), effect="writes", grad=None)
def rng_skip(xp, resource: Resource, algorithm: Static, delta: Index):
    """Move the state on by the numbers that `delta` outputs may take."""
    state = philox_state(resource, algorithm)
    resource.array = skipped(xp, state, delta.reshape(1).astype(xp.uint64))


rng_skip.kernel("jax")(rng_skip.body)


@op("StatefulRandomBinomial", dtypes=GAMMA_DTYPES, effect="writes", grad=None)
def stateful_random_binomial(
    xp, resource: Resource, algorithm: Static, shape: Static, counts, probs, *, dtype=dtypes.int64
):
    """Draw successes in `counts` trials with probability `probs`, with a generator."""
    state = philox_state(resource, algorithm)
    dims = dims_of(shape)
    parameters = np.broadcast_shapes(counts.shape, probs.shape)
    samples = trailing(dims, parameters)
    outputs = math.prod(parameters) * 2 * 100 * (samples + 3) // 4
    low, high = split_words(xp, state)
    stream = xp.stack([low, high], axis=1)[xp.asarray([2, 0, 1])].reshape(6)
    drawn = binomial_counts(xp, shape, stream, counts, probs, dtype)
    resource.array = skipped(xp, state, np.array([outputs], np.uint64))
    return drawn


stateful_random_binomial.kernel("jax")(stateful_random_binomial.body)


@stateful_random_binomial.infer
def _(resource, algorithm, shape, counts, probs, *, dtype):
    parameters = broadcast_shape(counts.shape, probs.shape)
    return Spec(require_trailing(requested_shape(shape), parameters), one_of(dtype, COUNTS))
