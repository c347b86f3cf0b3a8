"""Segments of rows picked by index: what embedding lookups with several ids reduce to.

Each kind is a sum of picked rows, each row weighted by its segment's size: by 1, 1/n or 1/sqrt(n).
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.batching import in_rows
from tapeflow._src.core.dtypes import FLOATING, REAL
from tapeflow._src.core.infer import merge_shape
from tapeflow._src.core.registry import Index, InferError, Op, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import scalar_int
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.indexed_slices import IndexedSlices
from tapeflow._src.ops.math.scan import accumulator, as_type
from tapeflow._src.ops.math.segment import require_sorted

_HOST = "data-dependent shape"

# How a row counts in a segment of `n` rows.
_WEIGHTS: dict[str, Callable[[Any, Any], Any] | None] = {
    "Sum": None,
    "Mean": lambda xp, n: 1 / n,
    "SqrtN": lambda xp, n: 1 / xp.sqrt(n),
}


def _pick(xp: ModuleType, kind: str, data: Any, indices: Any, segment_ids: Any, count: int) -> Any:
    """Compute the weighted sums of the rows of `data` at `indices`, by segment."""
    size = data.shape[0]
    inside = (indices >= 0) & (indices < size)
    xp.require(xp.all(inside), lambda: _bad_index(indices, inside, size))
    rows = as_type(xp.take(data, indices, axis=0, mode="clip"), accumulator(data.dtype))
    total = xp.groups.segment_reduce("add", rows, segment_ids, count, 0)
    scale = _scale(xp, kind, segment_ids, count, total)
    return as_type(total if scale is None else total * scale, data.dtype)


def _scale(xp: ModuleType, kind: str, segment_ids: Any, count: int, like: Any) -> Any:
    """Return the factor of each segment's rows, as a column; None for a plain sum."""
    weigh = _WEIGHTS[kind]
    if weigh is None:
        return None
    ones = xp.ones(segment_ids.shape, like.dtype)
    sizes = xp.groups.segment_reduce("add", ones, segment_ids, count, 0)
    column = weigh(xp, xp.maximum(sizes, like.dtype.type(1)))
    return column.astype(like.dtype).reshape((-1, *(1,) * (like.ndim - 1)))


def _bad_index(indices: Any, inside: Any, size: int) -> str:
    first = int(np.argmin(inside))
    return f"Bad: indices[{first}] == {indices[first]} out of range [0, {size})"


def _check_pairs(indices: Any, segment_ids: Any) -> None:
    for name, spec in (("indices", indices), ("segment_ids", segment_ids)):
        if spec.shape is not None and len(spec.shape) != 1:
            raise InferError(f"{name} should be a vector.")
    try:
        merge_shape(indices.shape, segment_ids.shape)
    except InferError:
        raise InferError("segment_ids and indices should have same size.") from None


def _infer(data: Any, indices: Any, segment_ids: Any, count: int | None) -> Spec:
    _check_pairs(indices, segment_ids)
    if data.shape is None:
        return Spec(None, data.dtype)
    if not data.shape:
        raise InferError("Shape must be at least rank 1")
    return Spec((count, *data.shape[1:]), data.dtype)


def _scalar(spec: Any, name: str) -> int | None:
    if spec.shape not in (None, ()):
        raise InferError(f"{name} should be a scalar.")
    return None if spec.value is None else int(spec.value)


def _declare(kind: str, allowed: Any) -> tuple[Op, Op, Op, Op]:
    """Declare the ops of a kind: with and without a number of segments, and two gradients."""

    @op(f"SparseSegment{kind}", dtypes=allowed, host=_HOST, checked=True, batch=in_rows)
    def plain(xp, data, indices: Index, segment_ids: Index, *, sparse_gradient=False):
        return _pick(xp, kind, data, indices, segment_ids, require_sorted(xp, segment_ids))

    @plain.infer
    def _(data, indices, segment_ids, *, sparse_gradient):
        return _infer(data, indices, segment_ids, None)

    @op(f"SparseSegment{kind}WithNumSegments", dtypes=allowed, checked=True, batch=in_rows)
    def counted(
        xp,
        data,
        indices: Index,
        segment_ids: Index,
        num_segments: Static,
        *,
        sparse_gradient=False,
    ):
        count = int(num_segments)
        ids = segment_ids
        xp.require(xp.all(ids[1:] >= ids[:-1]), "segment ids are not increasing")
        xp.require(xp.all(ids >= 0), "segment ids must be >= 0")
        xp.require(xp.all(ids < count), "segment ids must be < num_segments")
        return _pick(xp, kind, data, indices, ids, count)

    @counted.infer
    def _(data, indices, segment_ids, num_segments, *, sparse_gradient):
        count = _scalar(num_segments, "num_segments")
        if count is not None and count < 0:
            raise InferError("segment ids must be >= 0")
        return _infer(data, indices, segment_ids, count)

    grad = _declare_grad(kind, counted)
    sparse_grad = _declare_sparse_grad(kind)

    @plain.gradient
    @counted.gradient
    def _(dz, *, shape_of_data, indices, segment_ids, sparse_gradient):
        rows = _first_size(shape_of_data)
        if sparse_gradient:
            values, positions = sparse_grad(dz, indices, segment_ids, rows)
            return IndexedSlices(values, positions, shape_of_data)
        return grad(dz, indices, segment_ids, rows)

    return plain, counted, grad, sparse_grad


def _first_size(shape: Any) -> Any:
    static_shape = shape.static_value
    if static_shape is not None:
        return scalar_int(int(static_shape[0]))
    return gather_v2(shape, scalar_int(0), scalar_int(0))


def _put_back(
    xp: ModuleType, kind: str, grad: Any, indices: Any, segment_ids: Any, size: int
) -> Any:
    """Compute the transpose of `_pick`: scatter-add the rows of `grad`, by segment."""
    count = grad.shape[0]
    xp.require(
        xp.all((segment_ids >= 0) & (segment_ids < count)),
        lambda: f"segment_ids must be in [0, {count}), the rows of grad",
    )
    inside = (indices >= 0) & (indices < size)
    xp.require(
        xp.all(inside), lambda: f"Index {indices[np.argmin(inside)]} out of range [0, {size})."
    )
    rows = as_type(grad, accumulator(grad.dtype))
    scale = _scale(xp, kind, segment_ids, count, rows)
    rows = xp.take(rows if scale is None else rows * scale, segment_ids, axis=0, mode="clip")
    return as_type(xp.groups.segment_reduce("add", rows, indices, size, 0), grad.dtype)


def _declare_grad(kind: str, forward: Op) -> Op:
    @op(f"SparseSegment{kind}Grad", dtypes=FLOATING, checked=True, batch=in_rows)
    def grad_op(xp, grad, indices: Index, segment_ids: Index, output_dim0: Static):
        return _put_back(xp, kind, grad, indices, segment_ids, int(output_dim0))

    @grad_op.infer
    def _(grad, indices, segment_ids, output_dim0):
        return _infer(grad, indices, segment_ids, _scalar(output_dim0, "output_dim0"))

    @grad_op.gradient
    def _(dz, *, shape_of_grad, indices, segment_ids):
        return forward(dz, indices, segment_ids, _first_size(shape_of_grad))

    return grad_op


def _declare_sparse_grad(kind: str) -> Op:
    @op(
        f"SparseSegment{kind}GradV2",
        dtypes=FLOATING,
        host=_HOST,
        checked=True,
        outputs=("output", "sorted_unique_indices"),
    )
    def grad_op(xp, grad, indices: Index, segment_ids: Index, dense_output_dim0: Static):
        size = int(dense_output_dim0)
        outside = (indices < 0) | (indices >= size)
        xp.require(
            not outside.any(),
            lambda: f"Index {indices[np.argmax(outside)]} out of range [0, {size}).",
        )
        unique_indices, compact = np.unique(indices, return_inverse=True)
        return _put_back(xp, kind, grad, compact, segment_ids, len(unique_indices)), unique_indices

    @grad_op.infer
    def _(grad, indices, segment_ids, dense_output_dim0):
        _scalar(dense_output_dim0, "dense_output_dim0")
        return _infer(grad, indices, segment_ids, None), Spec((None,), indices.dtype)

    @grad_op.gradient
    def _(dz, dplaces, *, shape_of_grad, indices, segment_ids, sorted_unique_indices):
        raise LookupError(
            f"No gradient defined for operation 'SparseSegment{kind}GradV2'. Ask for dense "
            f"gradients (sparse_gradient=False) to differentiate twice."
        )

    return grad_op


(
    sparse_segment_sum,
    sparse_segment_sum_with_num_segments,
    sparse_segment_sum_grad,
    sparse_segment_sum_grad_v2,
) = _declare("Sum", REAL)
(
    sparse_segment_mean,
    sparse_segment_mean_with_num_segments,
    sparse_segment_mean_grad,
    sparse_segment_mean_grad_v2,
) = _declare("Mean", FLOATING)
(
    sparse_segment_sqrt_n,
    sparse_segment_sqrt_n_with_num_segments,
    sparse_segment_sqrt_n_grad,
    sparse_segment_sqrt_n_grad_v2,
) = _declare("SqrtN", FLOATING)
