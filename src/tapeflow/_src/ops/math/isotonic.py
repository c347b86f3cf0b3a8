"""Isotonic regression: the closest sequence that never increases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import FLOATING, REAL, as_dtype
from tapeflow._src.core.infer import allowed_dtype
from tapeflow._src.core.registry import op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import (
    concat_v2,
    ones_like,
    range_,
    reshape,
    scalar_int,
    shape_of,
    size,
    static_ints,
)
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.math.arithmetic import add_v2, mul, real_div
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum


def _pool_violators(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the means of the blocks into which adjacent violators are pooled."""
    sums: list[float] = []
    counts: list[int] = []
    for value in row.tolist():
        total, count = value, 1
        while sums and total * counts[-1] > sums[-1] * count:
            total, count = total + sums.pop(), count + counts.pop()
        sums.append(total)
        counts.append(count)
    blocks = np.repeat(np.arange(len(counts)), counts)
    return (np.array(sums) / np.array(counts, float))[blocks], blocks


@op(
    "IsotonicRegression",
    dtypes=REAL,
    outputs=("output", "segments"),
    host="blocks are merged one by one",
    checked=True,
)
def isotonic_regression(xp, input, *, output_dtype=dtypes.float32):
    """Compute each row's closest non-increasing sequence, and the block of each value."""
    output = np.zeros(input.shape, as_dtype(output_dtype).np)
    segments = np.zeros(input.shape, np.int32)
    rows = input.astype(np.float64).reshape(_matrix(input.shape))
    values, blocks = output.reshape(rows.shape), segments.reshape(rows.shape)
    for i, row in enumerate(rows):
        values[i], blocks[i] = _pool_violators(row)
    return output, segments


def _matrix(dims: tuple[int, ...]) -> tuple[int, int]:
    """Return the shape of a matrix with the same last axis; a scalar is a row of one."""
    return math.prod(dims[:-1]), dims[-1] if dims else 1


@isotonic_regression.infer
def _(input, *, output_dtype):
    target = allowed_dtype("output_dtype", output_dtype, FLOATING)
    return Spec(input.shape, target), Spec(input.shape, dtypes.int32)


@isotonic_regression.gradient
def _(dz, dsegments, *, segments, dtype_of_input):
    # Each value's gradient is the mean over its block; blocks are numbered across all rows.
    rows = _as_rows(segments)
    sizes = shape_of(rows)
    first = mul(range_(scalar_int(0), sizes[0], scalar_int(1)), sizes[1])
    every = static_ints((-1,))
    ids = reshape(add_v2(rows, reshape(first, static_ints((-1, 1)))), every)
    flat = reshape(dz, every)
    count = size(segments)
    total = unsorted_segment_sum(flat, ids, count)
    members = unsorted_segment_sum(ones_like(flat), ids, count)
    zero = scalar_int(0)
    shared = real_div(gather_v2(total, ids, zero), gather_v2(members, ids, zero))
    return cast(reshape(shared, shape_of(segments)), DstT=dtype_of_input)


def _as_rows(tensor: Any) -> Any:
    """Reshape `tensor` to a matrix with the same last axis."""
    dims = tensor.static_shape
    if dims is not None and None not in dims:
        return reshape(tensor, static_ints(_matrix(dims)))
    # A scalar is a row of one.
    sizes = concat_v2([static_ints((1,)), shape_of(tensor)], scalar_int(0))
    width = sizes[-1:]
    return reshape(tensor, concat_v2([static_ints((-1,)), width], scalar_int(0)))
