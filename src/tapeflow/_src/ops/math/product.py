"""Products over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import along_axes
from tapeflow._src.core.dtypes import NUMERIC
from tapeflow._src.core.infer import reduction
from tapeflow._src.core.registry import Static, op
from tapeflow._src.core.traits import KEEPS_WEAK, TOTAL_ON_SHAPES
from tapeflow._src.ops.array.common import keep_dims_shape_of, reshape, scalar_int, sum_
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.arithmetic import conj_of, mul, real_div
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.scan import accumulator, as_type, cumprod


def _axes(axis: Any) -> tuple[int, ...]:
    return tuple(axis.reshape(-1).tolist())


@op(
    "Prod",
    infer=reduction(),
    dtypes=NUMERIC,
    traits=(KEEPS_WEAK, TOTAL_ON_SHAPES),
    graph_inputs={"axis": "reduction_indices"},
    ragged_scope="RaggedReduceProd",
    batch=along_axes,
)
def prod(xp, input, axis: Static, *, keep_dims=False):
    """Compute the product over `axis`."""
    wide = accumulator(input.dtype)
    return as_type(xp.prod(input, axis=_axes(axis), keepdims=keep_dims, dtype=wide), input.dtype)


@prod.kernel("numpy")
def _(xp, input, axis, *, keep_dims):
    axes = _axes(axis)
    factors = as_type(input, accumulator(input.dtype))
    if factors.size >= _WORTH_HALVING:
        for at in axes:
            factors = _halve(factors, at)
    result = np.multiply.reduce(factors, axis=axes, keepdims=keep_dims, dtype=factors.dtype)
    if factors.dtype.kind == "c" and result.size == factors.size:
        # A single factor is its own product: NumPy's 1 would make NaN of what is beside infinity.
        result = factors.reshape(result.shape)
    return as_type(result, input.dtype)


# NumPy multiplies along an axis one factor after the other, and two halves in vectors.
_WORTH_HALVING = 4096


def _halve(factors: Any, axis: int) -> Any:
    """Multiply pairs along an axis: fewer factors with the same product."""
    before = (slice(None),) * (axis % factors.ndim)
    while (count := factors.shape[axis]) > 16:
        half = count // 2
        product = factors[(*before, slice(half))] * factors[(*before, slice(half, 2 * half))]
        if count % 2:
            product[(*before, slice(1))] *= factors[(*before, slice(count - 1, count))]
        factors = product
    return factors


@prod.gradient
def _(dz, *, input, shape_of_input, axis):
    dz = reshape(dz, keep_dims_shape_of(shape_of_input, axis))
    if axis.static_value is None:
        zeros = sum_(count_zeros(input), axis, keep_dims=True)
        rest = prod(without_zeros(input), axis, keep_dims=True)
        return mul(dz, conj_of(product_of_others(input, zeros, rest))), None
    # One axis after the other. The products before and after an element need no division, so that
    # zeros are harmless, also in the second derivative.
    steps = [(input, scalar_int(int(a))) for a in axis.static_value.reshape(-1)]
    for i in range(1, len(steps)):
        before, along = steps[i - 1]
        steps[i] = (prod(before, along, keep_dims=True), steps[i][1])
    for factors, along in reversed(steps):
        left = cumprod(factors, along, exclusive=True)
        right = cumprod(factors, along, exclusive=True, reverse=True)
        dz = mul(dz, conj_of(mul(left, right)))
    return dz, None


def count_zeros(x: Any) -> Any:
    return cast(equal(x, scalar(0, x)), DstT=dtypes.int32)


def without_zeros(x: Any) -> Any:
    """Return `x` with its zeros replaced by ones."""
    return select_v2(equal(x, scalar(0, x)), scalar(1, x), x)


def product_of_others(x: Any, zeros: Any, rest: Any) -> Any:
    """Return the product of all but the element itself.

    Computed from the number of zeros and the product of the non-zero elements.
    """
    others_are_not_zero = equal(zeros, count_zeros(x))
    return select_v2(others_are_not_zero, real_div(rest, without_zeros(x)), scalar(0, x))
