"""Numbers drawn with a `tf.random.Generator` by one op each, as graphs of some years ago do it."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import FLOATING, DType, as_dtype
from tapeflow._src.core.registry import UNREGISTERED, Op, Resource, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.kernels.random import fill as random_fill
from tapeflow._src.kernels.random.philox import split_words
from tapeflow._src.ops.random.common import dims_of, one_of, requested_shape, require_range
from tapeflow._src.ops.random.generator import philox_state, skipped

_INTEGERS = frozenset({dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64})


def _drawn(xp: ModuleType, resource: Any, algorithm: Any, dims: tuple[int, ...], draw: Any) -> Any:
    """Return `draw(stream, size)` of the generator's stream, and advance that."""
    state, size = philox_state(resource, algorithm), math.prod(dims)
    low, high = split_words(xp, state)
    stream = xp.stack([low, high], axis=1)[xp.asarray([2, 0, 1])].reshape(6)
    numbers = draw(stream, size)
    resource.array = skipped(xp, state, np.array([size], np.uint64))
    return numbers.reshape(dims)


def _fill(name: str, fill: Callable[..., Any], allowed: frozenset[DType], default: DType) -> Op:
    """Declare an op that fills a shape with numbers of a dtype."""

    def infer(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        return Spec(requested_shape(specs[2]), one_of(attrs["dtype"], allowed))

    @op(name, infer=infer, effect="writes", grad=UNREGISTERED)
    def filled(xp, resource: Resource, algorithm: Static, shape: Static, *, dtype=default):
        """Numbers drawn with a generator."""
        kind = one_of(dtype, allowed)

        def draw(stream: Any, size: int) -> Any:
            return fill(xp, stream, size, kind.np).astype(kind.np)

        return _drawn(xp, resource, algorithm, dims_of(shape), draw)

    filled.kernel("jax")(filled.body)
    return filled


stateful_uniform = _fill("StatefulUniform", random_fill.uniform, FLOATING, dtypes.float32)
stateful_uniform_full_int = _fill(
    "StatefulUniformFullInt", random_fill.uniform_full_int, _INTEGERS, dtypes.uint64
)
stateful_standard_normal_v2 = _fill(
    "StatefulStandardNormalV2", random_fill.normal, FLOATING, dtypes.float32
)
stateful_truncated_normal = _fill(
    "StatefulTruncatedNormal", random_fill.truncated_normal, FLOATING, dtypes.float32
)


@op("StatefulUniformInt", dtypes=_INTEGERS, effect="writes", grad=UNREGISTERED)
def stateful_uniform_int(xp, resource: Resource, algorithm: Static, shape: Static, minval, maxval):
    """Draw integers uniformly from [minval, maxval), with a generator."""
    require_range(xp, minval, maxval)
    kind = minval.dtype
    # 32-bit numbers are drawn from 64-bit samples, too.
    low, high = (v.astype(np.int64) if kind.itemsize == 4 else v for v in (minval, maxval))

    def draw(stream: Any, size: int) -> Any:
        return random_fill.uniform_int(xp, stream, size, low, high).astype(kind)

    return _drawn(xp, resource, algorithm, dims_of(shape), draw)


stateful_uniform_int.kernel("jax")(stateful_uniform_int.body)


@stateful_uniform_int.infer
def _(resource, algorithm, shape, minval, maxval):
    return Spec(requested_shape(shape), as_dtype(minval.dtype))
