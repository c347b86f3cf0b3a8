"""Local response normalization across neighbouring channels."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch
from tapeflow._src.core.batching import in_first_axis
from tapeflow._src.core.dtypes import bfloat16, float16, float32
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import (
    expand_dims,
    pack,
    range_,
    reshape,
    scalar_int,
    shape_of,
    static_ints,
)
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg.matmul import mat_mul
from tapeflow._src.ops.math.arithmetic import abs_, add_v2, mul, real_div, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import less_equal
from tapeflow._src.ops.math.elementwise import scalar, square
from tapeflow._src.ops.math.power import pow_

_DTYPES = frozenset({bfloat16, float16, float32})


def _band(channels: int, radius: int) -> np.ndarray:
    """Return ones where two channels are at most `radius` apart."""
    channel_indices = np.arange(channels)
    return (np.abs(channel_indices[:, None] - channel_indices) <= radius).astype(np.float32)


def neighbour_sums(xp: ModuleType, values: Any, radius: int) -> Any:
    """Return the sums over each channel and those within `radius`."""
    return xp.matmul(values, _band(values.shape[-1], radius))


@op("LRN", dtypes=_DTYPES, checked=True, batch=in_first_axis)
def lrn(xp, input, *, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5):
    """Divide `input` by a power of the sum of squares of its neighbouring channels."""
    wide = input.astype(np.float32)
    total = neighbour_sums(xp, wide * wide, depth_radius)
    norm = np.float32(bias) + np.float32(alpha) * total
    # A quotient by a square root takes less than half the time of a power.
    scaled = wide / xp.sqrt(norm) if beta == 0.5 else wide * norm ** np.float32(-beta)
    return scaled.astype(input.dtype)


@lrn.infer
def _(input, *, depth_radius, bias, alpha, beta):
    require_rank(input, 4, "input")
    if depth_radius < 0:
        raise InferError(f"depth_radius must not be negative, got {depth_radius}")
    return Spec(input.shape, input.dtype)


@lrn.gradient
def _(dz, *, input, depth_radius, bias, alpha, beta):
    neighbours, rows_shape = _neighbours(input, depth_radius)

    def around(tensor: Any) -> Any:
        rows = mat_mul(reshape(tensor, rows_shape), neighbours)
        return reshape(rows, shape_of(input))

    norm = add_v2(mul(around(square(input)), scalar(alpha, input)), scalar(bias, input))
    direct = mul(dz, pow_(norm, scalar(-beta, input)))
    shared = around(real_div(mul(direct, input), norm))
    return sub(direct, mul(mul(scalar(2 * alpha * beta, input), input), shared))


def _neighbours(input: Any, radius: int) -> tuple[Any, Any]:
    """Return `_band` for the channels of `input`, and the shape of a matrix of its rows."""
    channels = None if input.static_shape is None else input.static_shape[-1]
    if channels is not None:
        band = dispatch.convert(_band(channels, radius).astype(input.dtype.np))
        return band, static_ints((-1, channels))
    count = get_item(shape_of(input), -1)
    channel_indices = range_(scalar_int(0), count, scalar_int(1))
    apart = abs_(sub(expand_dims(channel_indices, scalar_int(1)), channel_indices))
    band = cast(less_equal(apart, scalar_int(radius)), DstT=input.dtype)
    return band, pack([scalar_int(-1), count])
