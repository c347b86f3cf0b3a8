"""Products over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import along_axes
from tapeflow._src.core.dtypes import NUMERIC
from tapeflow._src.core.infer import reduction
from tapeflow._src.core.registry import Static, op
from tapeflow._src.core.traits import FOLDS, KEEPS_WEAK, TOTAL_ON_SHAPES
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
    traits=(FOLDS, KEEPS_WEAK, TOTAL_ON_SHAPES),
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
    last = factors.ndim - 1
    if factors.ndim and factors.shape[last] >= _WORTH_DIVIDING and (last in axes or -1 in axes):
        factors = _multiply_parts(factors)
    result = np.multiply.reduce(factors, axis=axes, keepdims=keep_dims, dtype=factors.dtype)
    if factors.dtype.kind == "c" and result.size == factors.size:
        # A single factor is its own product: NumPy's 1 would make NaN of what is beside infinity.
        result = factors.reshape(result.shape)
    return as_type(result, input.dtype)


# NumPy multiplies along the last axis one factor after the other, and several parts of it in
# vectors: rows of 2,000 take two thirds of the time, and shorter ones more.
_WORTH_DIVIDING = 1024
_PARTS = 8


def _multiply_parts(factors: Any) -> Any:
    """Multiply parts of the last axis: fewer factors with the same product."""
    while (count := factors.shape[-1]) > _PARTS * _PARTS:
        length = count // _PARTS
        parts = factors[..., : _PARTS * length].reshape(*factors.shape[:-1], _PARTS, length)
        product = np.multiply.reduce(parts, -2)
        if count % _PARTS:
            product[..., : count % _PARTS] *= factors[..., _PARTS * length :]
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
