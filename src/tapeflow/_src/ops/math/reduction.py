"""Reductions over axes: means, maxima, minima and their indices, norms, all and any."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.backends import threads
from tapeflow._src.backends.numpy import silence, unsilence
from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import along_axes, along_axis
from tapeflow._src.core.dtypes import NUMERIC, REAL, as_dtype
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import allowed_dtype, reduction
from tapeflow._src.core.registry import Bool, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import EXACT_IN_BATCHES, FOLDS, KEEPS_WEAK, TOTAL_ON_SHAPES
from tapeflow._src.ops.array.common import (
    keep_dims_shape_of,
    reshape,
    scalar_int,
    size,
    spread,
    static_ints,
    sum_,
)
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.math.arithmetic import floor_mod, mul, real_div
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.product import prod
from tapeflow._src.ops.math.scan import accumulator, as_type


def _axes(axis: Any) -> tuple[int, ...]:
    return tuple(axis.tolist() if axis.ndim == 1 else axis.reshape(-1).tolist())


def divide_integers(xp: ModuleType, total: Any, count: Any) -> Any:
    """Divide integers, truncated: the most negative one has no absolute value."""
    quotient = total // count
    if total.dtype.kind != "i":
        return quotient
    return quotient + ((total < 0) & (quotient * count != total)).astype(quotient.dtype)


@op(
    "Mean",
    infer=reduction(),
    dtypes=NUMERIC,
    traits=(FOLDS, KEEPS_WEAK, TOTAL_ON_SHAPES),
    graph_inputs={"axis": "reduction_indices"},
    ragged_scope="RaggedReduceMean",
    batch=along_axes,
)
def mean(xp, input, axis: Static, *, keep_dims=False):
    """Compute the mean over `axis`; for integers, truncated."""
    axes = _axes(axis)
    dtype = input.dtype
    count = math.prod(input.shape[a] for a in axes)
    if dtype.kind in "iu":
        wide = np.dtype(f"{dtype.kind}8")
        total = xp.sum(input, axis=axes, keepdims=keep_dims, dtype=wide)
        return divide_integers(xp, total, wide.type(max(count, 1))).astype(dtype)
    wide = accumulator(dtype)
    total = xp.sum(input, axis=axes, dtype=wide, keepdims=keep_dims)
    if dtype.kind == "c":
        return _complex_mean(xp, total, count)
    return as_type(total / wide.type(count), dtype)


def _complex_mean(xp: ModuleType, total: Any, count: int) -> Any:
    """Return `total / count` by parts; 0 for an empty sum, which is NaN for real numbers only."""
    # As a complex divisor, `count` would multiply an infinite part by its imaginary zero.
    divisor = max(count, 1)
    return xp.make_complex(xp.real(total) / divisor, xp.imag(total) / divisor)


@mean.kernel("numpy")
def _(xp, input, axis, *, keep_dims):
    dtype = input.dtype
    if dtype.kind in "iu":
        return mean.body(xp, input, axis, keep_dims=keep_dims)
    wide = accumulator(dtype)
    total = np.add.reduce(input, axis=_axes(axis), dtype=wide, keepdims=keep_dims)
    count = input.size // (total.size or 1)
    return _complex_mean(xp, total, count) if dtype.kind == "c" else as_type(total / count, dtype)


@mean.gradient
def _(dz, *, shape_of_input, axis):
    return spread(real_div(dz, _terms(shape_of_input, axis, dz)), shape_of_input, axis), None


def _terms(input_shape: Any, axis: Any, like: Any) -> Any:
    """Return how many elements each result of a reduction is computed from."""
    dims, axes = input_shape.static_value, axis.static_value
    if dims is not None and axes is not None:
        sizes = dims.tolist()
        return scalar(math.prod([sizes[a] for a in axes.reshape(-1).tolist()]), like)
    # A scalar has no axes, but the remainder is computed all the same.
    rank = maximum(size(input_shape), scalar_int(1))
    from_front = floor_mod(cast(axis, DstT=dtypes.int32), rank)
    sizes = gather_v2(input_shape, from_front, scalar_int(0))
    return cast(prod(reshape(sizes, static_ints((-1,))), static_ints((0,))), DstT=like.dtype)


# -- extremes ----------------------------------------------------------------------------------


def lowest(dtype: Any) -> Any:
    """Return the identity of the maximum: minus infinity, or the lowest integer."""
    return np.iinfo(dtype).min if dtype.kind in "iu" else -math.inf


def highest(dtype: Any) -> Any:
    """Return the identity of the minimum: infinity, or the highest integer."""
    return np.iinfo(dtype).max if dtype.kind in "iu" else math.inf


@op(
    "Max",
    infer=reduction(),
    dtypes=REAL,
    traits=(EXACT_IN_BATCHES, FOLDS, KEEPS_WEAK, TOTAL_ON_SHAPES),
    graph_inputs={"axis": "reduction_indices"},
    ragged_scope="RaggedReduceMax",
    batch=along_axes,
)
def max_(xp, input, axis: Static, *, keep_dims=False):
    """Compute the largest element over `axis`; NaN if there is one."""
    start = {} if input.size else {"initial": xp.asarray(lowest(input.dtype), input.dtype)}
    return xp.max(input, axis=_axes(axis), keepdims=keep_dims, **start)


@op(
    "Min",
    infer=reduction(),
    dtypes=REAL,
    traits=(EXACT_IN_BATCHES, FOLDS, KEEPS_WEAK, TOTAL_ON_SHAPES),
    graph_inputs={"axis": "reduction_indices"},
    ragged_scope="RaggedReduceMin",
    batch=along_axes,
)
def min_(xp, input, axis: Static, *, keep_dims=False):
    """Compute the smallest element over `axis`; NaN if there is one."""
    start = {} if input.size else {"initial": xp.asarray(highest(input.dtype), input.dtype)}
    return xp.min(input, axis=_axes(axis), keepdims=keep_dims, **start)


@max_.kernel("numpy")
def _(xp, input, axis, *, keep_dims):
    if not input.size:
        return max_.body(xp, input, axis, keep_dims=keep_dims)
    return np.maximum.reduce(input, axis=_axes(axis), keepdims=keep_dims)


@min_.kernel("numpy")
def _(xp, input, axis, *, keep_dims):
    if not input.size:
        return min_.body(xp, input, axis, keep_dims=keep_dims)
    return np.minimum.reduce(input, axis=_axes(axis), keepdims=keep_dims)


@max_.gradient
@min_.gradient
def _(dz, *, input, shape_of_input, axis, output):
    keep_dims_shape = keep_dims_shape_of(shape_of_input, axis)
    chosen = cast(equal(input, reshape(output, keep_dims_shape)), DstT=dz.dtype)
    return share_equally(chosen, reshape(dz, keep_dims_shape), axis), None


def share_equally(chosen: Any, dz: Any, axis: Any) -> Any:
    """Divide `dz` among the elements where `chosen` is one, along `axis`."""
    return mul(chosen, real_div(dz, sum_(chosen, axis, keep_dims=True)))


def _infer_index(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    input, dimension = specs
    dtype = allowed_dtype("output_type", attrs["output_type"], _INDEX_DTYPES[op.name])
    if dimension.shape not in (None, ()):
        raise InferError(f"dim must be a scalar, but received tensor of shape: {dimension.shape}")
    if input.shape is None:
        return Spec(None, dtype)
    rank = len(input.shape)
    if dimension.value is None:
        return Spec((None,) * (rank - 1) if rank else None, dtype)
    at = int(dimension.value)
    if not -rank <= at < rank:
        raise InferError(f"Expected dimension in the range [{-rank}, {rank}), but got {at}")
    at %= rank
    if input.shape[at] == 0:
        raise InferError(f"Reduction axis {at} is empty in shape {fmt_shape(input.shape)}")
    return Spec((*input.shape[:at], *input.shape[at + 1 :]), dtype)


_INDEX_DTYPES = {
    "ArgMax": frozenset({dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.int64}),
    "ArgMin": frozenset({dtypes.int32, dtypes.int64}),
}


@op(
    "ArgMax",
    infer=_infer_index,
    dtypes=REAL | {dtypes.bool},
    grad=None,
    checked=True,
    batch=along_axis,
)
def arg_max(xp, input, dimension: Static, *, output_type=dtypes.int64):
    """Return the index of the largest element along an axis, the first of ties; NaN is lowest."""
    if input.dtype.kind in "fV":
        input = xp.where(input != input, xp.asarray(-math.inf, input.dtype), input)
    return xp.argmax(input, axis=int(dimension)).astype(as_dtype(output_type).np)


@op(
    "ArgMin",
    infer=_infer_index,
    dtypes=REAL | {dtypes.bool},
    grad=None,
    checked=True,
    batch=along_axis,
)
def arg_min(xp, input, dimension: Static, *, output_type=dtypes.int64):
    """Compute the index of the smallest element along an axis, the first of ties.

    NaN is the highest.
    """
    if input.dtype.kind in "fV":
        input = xp.where(input != input, xp.asarray(math.inf, input.dtype), input)
    return xp.argmin(input, axis=int(dimension)).astype(as_dtype(output_type).np)


@arg_max.kernel("numpy")
def _(xp, input, dimension, *, output_type):
    result = _first_of(np.max, np.ndarray.argmax, input, int(dimension))
    if input.dtype.kind in "fV" and _stopped_at_nan(input, result, int(dimension)):
        return arg_max.body(xp, input, dimension, output_type=output_type)
    return result.astype(as_dtype(output_type).np)


@arg_min.kernel("numpy")
def _(xp, input, dimension, *, output_type):
    result = _first_of(np.min, np.ndarray.argmin, input, int(dimension))
    if input.dtype.kind in "fV" and _stopped_at_nan(input, result, int(dimension)):
        return arg_min.body(xp, input, dimension, output_type=output_type)
    return result.astype(as_dtype(output_type).np)


def _first_of(extreme: Any, index_of: Any, input: Any, axis: int) -> Any:
    """Return the index of the first extreme along an axis, or that of a NaN."""
    if input.ndim != 2 or axis % 2 or input.size < _WORTH_PICKING:
        return index_of(input, axis)
    # NumPy goes down one column after the other; to compare whole rows takes a tenth of the time.
    result = np.full(input.shape[1], -1, np.intp)

    def work(start: int) -> None:
        token = silence()
        try:
            block = input[:, start : start + step]
            indices = _true_indices(block == extreme(block, axis=0))
        finally:
            unsilence(token)
        rows, columns = np.divmod(indices, block.shape[1])
        # The last of several assignments stays, which is the first row if they go backwards.
        result[start : start + step][columns[::-1]] = rows[::-1]

    parts = threads.cores() if input.size >= _WORTH_DIVIDING else 1
    step = -(-input.shape[1] // parts)
    threads.for_each(work, range(0, input.shape[1], step))
    return result if (result >= 0).all() else index_of(input, axis=axis)


def _true_indices(mask: Any) -> Any:
    """Return the indices of the few elements of a mask that are true, counted through all rows."""
    flat = mask.reshape(-1)
    if flat.size % 8:
        return np.flatnonzero(flat)
    # Eight elements at a time: most of them are false.
    groups = np.flatnonzero(flat.view(np.uint64))
    which, where = np.nonzero(flat.reshape(-1, 8)[groups])
    return groups[which] * 8 + where


def _stopped_at_nan(input: Any, index: Any, axis: int) -> bool:
    """Whether NumPy stopped at a NaN, or there is one at all if that is cheaper to check."""
    if input.size < _WORTH_PICKING:
        if input.size and input.dtype.char in "fd":
            largest = np.maximum.reduce(input, axis=None)  # one pass, and no array of flags
            return bool(largest != largest)
        return bool((input != input).any())
    picked = np.take_along_axis(input, np.expand_dims(index, axis), axis)
    return bool((picked != picked).any())


# Elements from which on comparing all of them takes longer than to pick those at the indices.
_WORTH_PICKING = 1 << 15
# Elements from which on threads pay.
_WORTH_DIVIDING = 1 << 20


# -- norms and logic ---------------------------------------------------------------------------


@op(
    "EuclideanNorm",
    infer=reduction(),
    dtypes=NUMERIC,
    traits=(KEEPS_WEAK,),
    graph_inputs={"axis": "reduction_indices"},
    batch=along_axes,
)
def euclidean_norm(xp, input, axis: Static, *, keep_dims=False):
    """Compute the Euclidean norm over `axis`."""
    dtype = input.dtype
    wide = accumulator(dtype)
    values = as_type(input, wide)
    squares = values * xp.conj(values) if dtype.kind == "c" else values * values
    total = xp.sum(squares, axis=_axes(axis), keepdims=keep_dims, dtype=wide)
    if dtype.kind in "iu":
        total = total.astype(np.float64)
    return as_type(xp.sqrt(total), dtype)


@euclidean_norm.gradient
def _(dz, *, input, shape_of_input, axis, output):
    if dz.dtype.is_complex:
        # The norm is real: it cannot follow the imaginary part.
        dz = cast(cast(dz, DstT=dz.dtype.real_dtype), DstT=dz.dtype)
    return mul(input, reshape(real_div(dz, output), keep_dims_shape_of(shape_of_input, axis))), None


@op(
    "All",
    infer=reduction(dtypes.bool),
    grad=None,
    traits=(FOLDS, TOTAL_ON_SHAPES),
    graph_inputs={"axis": "reduction_indices"},
    ragged_scope="RaggedReduceAll",
    batch=along_axes,
)
def all_(xp, input: Bool, axis: Static, *, keep_dims=False):
    """Whether all elements over `axis` are true."""
    return xp.all(input, axis=_axes(axis), keepdims=keep_dims)


@op(
    "Any",
    infer=reduction(dtypes.bool),
    grad=None,
    traits=(FOLDS, TOTAL_ON_SHAPES),
    graph_inputs={"axis": "reduction_indices"},
    ragged_scope="RaggedReduceAny",
    batch=along_axes,
)
def any_(xp, input: Bool, axis: Static, *, keep_dims=False):
    """Whether any element over `axis` is true."""
    return xp.any(input, axis=_axes(axis), keepdims=keep_dims)
