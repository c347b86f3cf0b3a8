"""Pooling over windows whose sizes differ by one, in random order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import float32, float64, int32, int64
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import merge_shape, require_rank, shape_from_value
from tapeflow._src.core.random_state import reserves
from tapeflow._src.core.registry import Free, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.types import DTypeLike, ShapeLike
from tapeflow._src.kernels.random.philox import Array
from tapeflow._src.ops.array.common import (
    expand_dims,
    pack,
    range_,
    reshape,
    scalar_int,
    shape_of,
    static_ints,
    sum_,
    zeros_like,
)
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.linalg.matmul import batch_mat_mul_v2
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal, greater_equal, less
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.extremes import minimum
from tapeflow._src.ops.math.logical import logical_and, logical_not
from tapeflow._src.ops.math.reduction import divide_integers, lowest
from tapeflow._src.ops.nn.fractional_sequences import Sequences, infer_pooled, longest, windows

_DTYPES = frozenset({float32, float64, int32, int64})
_OUTPUTS = ("output", "row_pooling_sequence", "col_pooling_sequence")


def _attrs(pooling_ratio, pseudo_random, deterministic, seed, seed2):
    return {
        "pooling_ratio": pooling_ratio,
        "pseudo_random": pseudo_random,
        "deterministic": deterministic,
        "seed": seed,
        "seed2": seed2,
    }


def _blocks(arrays: Any, attrs: dict[str, Any]) -> int:
    return Sequences(arrays[0].shape, attrs).blocks()


reserves("FractionalMaxPool")(_blocks)
reserves("FractionalAvgPool")(_blocks)


# -- maximum -----------------------------------------------------------------------------------


class _WindowValues:
    """The values of all windows, position by position: the first of each, the second, …"""

    def __init__(self, xp: Any, dims: Any, rows: Array, columns: Array, overlapping: bool) -> None:
        self._xp = xp
        pairs = list(zip((rows, columns), dims[1:3], strict=True))
        self._axes = [(*windows(xp, s, size, overlapping), size) for s, size in pairs]
        self._spans = [longest(s.shape[0] - 1, size, overlapping) for s, size in pairs]

    def __iter__(self) -> Iterator[tuple[Array, Array, Array]]:
        """Yield rows, columns and whether they are in their windows, for each window position."""
        xp = self._xp
        (top, bottom, height), (left, right, width) = self._axes
        for down, across in itertools.product(*map(range, self._spans)):
            rows, columns = top + down, left + across
            inside = (rows < bottom)[:, None] & (columns < right)
            yield (
                xp.clip(rows, 0, height - 1)[:, None],
                xp.clip(columns, 0, width - 1),
                inside[None, :, :, None],
            )


def _greatest(
    xp: ModuleType, values: Array, seen: _WindowValues, shape: ShapeLike
) -> tuple[Array, Array, Array]:
    """Return the maximum of each window, and the row and column of its first occurrence."""
    best = xp.full(shape, lowest(values.dtype), values.dtype)
    row = xp.full(shape, -1, np.int64)
    column = xp.full(shape, -1, np.int64)
    for rows, columns, inside in seen:
        here = values[:, rows, columns]
        better = inside & ((here > best) | (row < 0))
        best = xp.where(better, here, best)
        row = xp.where(better, rows[..., None], row)
        column = xp.where(better, columns[:, None], column)
    return best, row, column


@op(
    "FractionalMaxPool",
    infer=infer_pooled,
    dtypes=_DTYPES,
    outputs=_OUTPUTS,
    effect="random",
    checked=True,
)
def fractional_max_pool(
    xp,
    value,
    *,
    pooling_ratio,
    pseudo_random=False,
    overlapping=False,
    deterministic=False,
    seed=0,
    seed2=0,
    counter,
):
    """Compute the maximum of each window, and the pooling sequences."""
    attrs = _attrs(pooling_ratio, pseudo_random, deterministic, seed, seed2)
    sequences = Sequences(value.shape, attrs)
    rows, columns = sequences.draw(xp, counter)
    seen = _WindowValues(xp, value.shape, rows, columns, overlapping)
    shape = (value.shape[0], *sequences.space, value.shape[3])
    return _greatest(xp, value, seen, shape)[0], rows, columns


@op("FractionalMaxPoolGrad", dtypes=_DTYPES, checked=True)
def fractional_max_pool_grad(
    xp,
    orig_input,
    orig_output,
    out_backprop,
    row_pooling_sequence: Free,
    col_pooling_sequence: Free,
    *,
    overlapping=False,
):
    """Compute the gradient of `fractional_max_pool`: that of a window goes to its first maximum."""
    dims = orig_input.shape
    seen = _WindowValues(xp, dims, row_pooling_sequence, col_pooling_sequence, overlapping)
    best, row, column = _greatest(xp, orig_input, seen, orig_output.shape)
    xp.require(xp.all((best == orig_output) | (best != best)), "orig_output is not what was pooled")
    batch = np.arange(dims[0])[:, None, None, None]
    key = (batch, row, column, np.arange(dims[3]))
    return xp.index_add(xp.zeros(dims, orig_input.dtype), key, out_backprop)


# -- means -------------------------------------------------------------------------------------


def _member(
    xp: ModuleType, sequence: Array, size: int, overlapping: bool, dtype: DTypeLike
) -> Array:
    """Return the matrix `[windows, size]` that is 1 where a value belongs to a window."""
    start, end = windows(xp, sequence, size, overlapping)
    positions = np.arange(size)
    return ((positions >= start[:, None]) & (positions < end[:, None])).astype(dtype)


def _resample(xp: ModuleType, rows: Array, values: Array, columns: Array) -> Array:
    """Multiply images by a matrix along their height and by one along their width."""
    batch, height, width, channels = values.shape
    down = xp.matmul(rows, values.reshape((batch, height, width * channels)))
    across = xp.matmul(columns, down.reshape((batch * rows.shape[0], width, channels)))
    return across.reshape((batch, rows.shape[0], columns.shape[0], channels))


def _counts(rows: Array, columns: Array) -> Array:
    """Return the number of values in each window."""
    return rows.sum(1)[:, None, None] * columns.sum(1)[:, None]


@op(
    "FractionalAvgPool",
    infer=infer_pooled,
    dtypes=_DTYPES,
    outputs=_OUTPUTS,
    effect="random",
    checked=True,
)
def fractional_avg_pool(
    xp,
    value,
    *,
    pooling_ratio,
    pseudo_random=False,
    overlapping=False,
    deterministic=False,
    seed=0,
    seed2=0,
    counter,
):
    """Compute the mean of each window, and the pooling sequences."""
    attrs = _attrs(pooling_ratio, pseudo_random, deterministic, seed, seed2)
    sequences = Sequences(value.shape, attrs).draw(xp, counter)
    rows, columns = (
        _member(xp, sequence, size, overlapping, value.dtype)
        for sequence, size in zip(sequences, value.shape[1:3], strict=True)
    )
    total = _resample(xp, rows, value, columns)
    count = _counts(rows, columns).astype(value.dtype)
    whole = value.dtype.kind == "i"
    return divide_integers(xp, total, count) if whole else total / count, *sequences


@op("FractionalAvgPoolGrad", dtypes=_DTYPES, checked=True)
def fractional_avg_pool_grad(
    xp,
    orig_input_tensor_shape: Static,
    out_backprop,
    row_pooling_sequence: Free,
    col_pooling_sequence: Free,
    *,
    overlapping=False,
):
    """Compute the gradient of `fractional_avg_pool`: each value of a window gets an equal share."""
    dims = tuple(orig_input_tensor_shape.tolist())
    rows, columns = (
        _member(xp, sequence, size, overlapping, np.float64)
        for sequence, size in zip(
            (row_pooling_sequence, col_pooling_sequence), dims[1:3], strict=True
        )
    )
    share = out_backprop.astype(np.float64) / _counts(rows, columns)
    return _resample(xp, rows.T, share, columns.T).astype(out_backprop.dtype)


# -- shape rules and gradients -----------------------------------------------------------------


def _check_sequences(rows: Spec, columns: Spec, space: Any) -> None:
    names = ("row_pooling_sequence", "col_pooling_sequence")
    for name, spec, count in zip(names, (rows, columns), space, strict=True):
        require_rank(spec, 1, name)
        if spec.dtype is not int64:
            raise InferError(f"{name} must be int64, got {spec.dtype.name}")
        length = spec.shape[0] if spec.shape else None
        if None not in (length, count) and length != count + 1:
            raise InferError(f"{name} must have {count + 1} entries, got {length}")


@fractional_max_pool_grad.infer
def _(
    orig_input,
    orig_output,
    out_backprop,
    row_pooling_sequence,
    col_pooling_sequence,
    *,
    overlapping,
):
    for name, spec in (("orig_input", orig_input), ("orig_output", orig_output)):
        require_rank(spec, 4, name)
    pooled = merge_shape(
        orig_output.shape, out_backprop.shape, "out_backprop must have the shape of orig_output"
    )
    if orig_input.shape is not None and pooled is not None:
        outer = [(dims[0], dims[3]) for dims in (orig_input.shape, pooled)]
        merge_shape(*outer, "orig_input and orig_output differ in batch or channels")
    space = (None, None) if pooled is None else pooled[1:3]
    _check_sequences(row_pooling_sequence, col_pooling_sequence, space)
    return Spec(orig_input.shape, orig_input.dtype)


@fractional_avg_pool_grad.infer
def _(
    orig_input_tensor_shape,
    out_backprop,
    row_pooling_sequence,
    col_pooling_sequence,
    *,
    overlapping,
):
    require_rank(out_backprop, 4, "out_backprop")
    dims = shape_from_value(orig_input_tensor_shape)
    if dims is not None and len(dims) != 4:
        raise InferError(
            f"original input tensor shape must be 1-dimensional and 4 elements, got "
            f"{fmt_shape(dims)}"
        )
    pooled = out_backprop.shape
    if dims is not None and pooled is not None:
        outer = [(sizes[0], sizes[3]) for sizes in (dims, pooled)]
        merge_shape(*outer, "out_backprop differs in batch or channels")
    space = (None, None) if pooled is None else pooled[1:3]
    _check_sequences(row_pooling_sequence, col_pooling_sequence, space)
    return Spec(dims, out_backprop.dtype)


@fractional_max_pool.gradient
def _(
    dz, drows, dcolumns, *, value, output, row_pooling_sequence, col_pooling_sequence, overlapping
):
    return fractional_max_pool_grad(
        value, output, dz, row_pooling_sequence, col_pooling_sequence, overlapping=overlapping
    )


@fractional_avg_pool.gradient
def _(
    dz, drows, dcolumns, *, shape_of_value, row_pooling_sequence, col_pooling_sequence, overlapping
):
    return fractional_avg_pool_grad(
        cast(shape_of_value, DstT=int64),
        dz,
        row_pooling_sequence,
        col_pooling_sequence,
        overlapping=overlapping,
    )


# -- second gradients --------------------------------------------------------------------------


def _bounds(sequence: Any, size: Any, overlapping: bool) -> tuple[Any, Any]:
    """Like `windows`, with ops."""
    shared = scalar(1 if overlapping else 0, sequence)
    return sequence[:-1], minimum(sequence[1:] + shared, cast(size, DstT=int64))


@fractional_avg_pool_grad.gradient
def _(dz, *, shape_of_out_backprop, row_pooling_sequence, col_pooling_sequence, overlapping):
    sizes = shape_of(dz)
    member = []
    for axis, sequence in ((1, row_pooling_sequence), (2, col_pooling_sequence)):
        start, end = _bounds(sequence, sizes[axis], overlapping)
        positions = cast(range_(scalar_int(0), sizes[axis], scalar_int(1)), DstT=int64)
        column = scalar_int(1)
        inside = logical_and(
            greater_equal(positions, expand_dims(start, column)),
            less(positions, expand_dims(end, column)),
        )
        share = cast(inside, DstT=dz.dtype)
        member.append(share / sum_(share, static_ints((1,)), keep_dims=True))
    windows_of = shape_of_out_backprop
    merged = reshape(dz, pack([sizes[0], sizes[1], sizes[2] * sizes[3]]))
    down = batch_mat_mul_v2(member[0], merged)
    split = reshape(down, pack([sizes[0] * windows_of[1], sizes[2], sizes[3]]))
    return None, reshape(batch_mat_mul_v2(member[1], split), windows_of)


@fractional_max_pool_grad.gradient
def _(dz, *, orig_input, orig_output, row_pooling_sequence, col_pooling_sequence, overlapping):
    dims, pooled = orig_input.static_shape, orig_output.static_shape
    if None in (dims, pooled) or None in (*dims[1:3], *pooled[1:3]):
        raise NotImplementedError(
            "The second gradient of FractionalMaxPool needs to know the sizes of the images."
        )
    axes = [
        (*_bounds(sequence, scalar_int(size), overlapping), scalar(size - 1, sequence))
        for sequence, size in zip(
            (row_pooling_sequence, col_pooling_sequence), dims[1:3], strict=True
        )
    ]
    spans = [longest(n, size, overlapping) for n, size in zip(pooled[1:3], dims[1:3])]
    picked = zeros_like(orig_output)
    left = equal(orig_output, orig_output)
    for steps in itertools.product(*map(range, spans)):
        values, masks_inside = (orig_input, dz), []
        for axis, (start, end, last) in enumerate(axes, 1):
            positions = start + scalar(steps[axis - 1], start)
            masks_inside.append(less(positions, end))
            at = minimum(positions, last)
            values = tuple(gather_v2(v, at, scalar_int(axis)) for v in values)
        inside = logical_and(expand_dims(masks_inside[0], scalar_int(1)), masks_inside[1])
        here = logical_and(left, expand_dims(inside, scalar_int(2)))
        here = logical_and(here, equal(values[0], orig_output))
        picked = select_v2(here, values[1], picked)
        left = logical_and(left, logical_not(here))
    return None, None, picked
