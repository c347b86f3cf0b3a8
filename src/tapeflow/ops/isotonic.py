"""Isotonic regression: the closest sequence that never increases."""

from __future__ import annotations

import numpy as np

from tapeflow.core import dtypes
from tapeflow.core.dtypes import REAL, as_dtype
from tapeflow.core.infer import require_rank
from tapeflow.core.registry import InferError, op
from tapeflow.core.spec import Spec
from tapeflow.ops.arithmetic import add_v2, mul, real_div
from tapeflow.ops.array import ones_like, range_, reshape, scalar_int, shape_of, size, static_ints
from tapeflow.ops.cast import cast
from tapeflow.ops.gather import gather_v2
from tapeflow.ops.segment_sum import unsorted_segment_sum

_RESULTS = dtypes.FLOATING


def _pool_violators(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The means of the blocks that neighbours in the wrong order are merged into."""
    sums: list[float] = []
    counts: list[int] = []
    for value in row.tolist():
        sums.append(value)
        counts.append(1)
        while len(sums) > 1 and sums[-1] * counts[-2] > sums[-2] * counts[-1]:
            sums[-2] += sums.pop()
            counts[-2] += counts.pop()
    blocks = np.repeat(np.arange(len(counts)), counts)
    means = np.array(sums) / np.array(counts) if counts else np.zeros(0)
    return means[blocks] if counts else means, blocks


@op(
    "IsotonicRegression",
    dtypes=REAL,
    outputs=("output", "segments"),
    host="blocks are merged one by one",
)
def isotonic_regression(xp, input, *, output_dtype=dtypes.float32):
    """Each row's closest sequence that never increases, and which block each value fell into."""
    target = as_dtype(output_dtype).np
    output = np.zeros(input.shape, target)
    segments = np.zeros(input.shape, np.int32)
    for place in np.ndindex(input.shape[:-1]):
        output[place], segments[place] = _pool_violators(input[place].astype(np.float64))
    return output, segments


@isotonic_regression.infer
def _(input, *, output_dtype):
    require_rank(input, 2, "input")
    if as_dtype(output_dtype) not in _RESULTS:
        raise InferError(f"output_dtype must be floating, got {as_dtype(output_dtype).name}")
    return Spec(input.shape, as_dtype(output_dtype)), Spec(input.shape, dtypes.int32)


@isotonic_regression.gradient
def _(dz, dsegments, *, segments, dtype_of_input):
    # Each value's gradient is the mean over its block; blocks are numbered across all rows.
    shape = shape_of(segments)
    width = reshape(shape, static_ints((-1,)))[1]
    first = mul(range_(scalar_int(0), shape[0], scalar_int(1)), width)
    ids = reshape(add_v2(segments, reshape(first, static_ints((-1, 1)))), static_ints((-1,)))
    flat = reshape(dz, static_ints((-1,)))
    count = size(segments)
    total = unsorted_segment_sum(flat, ids, count)
    members = unsorted_segment_sum(ones_like(flat), ids, count)
    zero = scalar_int(0)
    shared = real_div(gather_v2(total, ids, zero), gather_v2(members, ids, zero))
    return cast(reshape(shared, shape), DstT=dtype_of_input)
