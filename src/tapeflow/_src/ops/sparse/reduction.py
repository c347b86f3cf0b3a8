"""Sums, maxima and softmax of sparse tensors, and their products with dense matrices."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import NUMERIC, REAL
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import reduced_shape, require_rank
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.registry import UNREGISTERED, Index, InferError, Op, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import (
    keep_dims_shape_of,
    reshape,
    scalar_int,
    static_ints,
    sum_,
    unpack,
)
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.gather_nd import gather_nd
from tapeflow._src.ops.linalg.matrix import adjoint
from tapeflow._src.ops.math.arithmetic import conj_of, mul, neg
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import not_equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.scan import accumulator, as_type
from tapeflow._src.ops.sparse.arithmetic import sparse_dense_cwise_add
from tapeflow._src.ops.sparse.parts import (
    HOST,
    check_parts,
    distinct,
    flat_positions,
    known_dims,
    require_inside,
)

_scipy = LazyModule("scipy.sparse", "products of sparse and dense matrices")
_MANY_TERMS = 1 << 17

# -- reductions --------------------------------------------------------------------------------


def _remaining_axes(rank: int, axes: Any) -> list[int]:
    gone = {int(axis) % rank for axis in np.asarray(axes).reshape(-1)}
    return [axis for axis in range(rank) if axis not in gone]


def _fold(xp: ModuleType, kind: str, values: Any, ids: Any, count: int) -> Any:
    """Compute the sum or the maximum of the values with each id; 0 for empty segments."""
    wide = as_type(values, accumulator(values.dtype))
    if kind == "add":
        return as_type(xp.groups.segment_reduce("add", wide, ids, count, 0), values.dtype)
    lowest = dtypes.FROM_NUMPY[np.dtype(wide.dtype)].min
    largest = xp.groups.segment_reduce("maximum", wide, ids, count, lowest)
    none = xp.groups.segment_count(ids, count) == 0
    return as_type(xp.where(none, np.zeros((), wide.dtype), largest), values.dtype)


def _reduced(dims: Any, axes: Spec, keep_dims: bool) -> Any:
    """Return the shape after reducing axes, which may be repeated."""
    value = axes.value
    if dims and value is not None:
        rank = len(dims)
        axes_list = value.reshape(-1).tolist()
        value = np.array(sorted({axis + rank if -rank <= axis < 0 else axis for axis in axes_list}))
    return reduced_shape(dims, value, keep_dims)


def _declare_to_dense(name: str, kind: str, allowed: Any) -> Op:
    """Declare a reduction that returns a dense tensor."""

    @op(f"SparseReduce{name}", dtypes=allowed, grad=UNREGISTERED, checked=True)
    def dense(
        xp,
        input_indices: Index,
        input_values,
        input_shape: Static,
        reduction_axes: Static,
        *,
        keep_dims=False,
    ):
        dims = tuple(input_shape.tolist())
        require_inside(xp, input_indices, dims)
        remaining_axes = _remaining_axes(len(dims), reduction_axes)
        sizes = tuple(dims[axis] for axis in remaining_axes)
        ids = flat_positions(xp, input_indices[:, np.array(remaining_axes, np.intp)], sizes)
        result = _fold(xp, kind, input_values, ids, int(np.prod(sizes, dtype=np.int64)))
        shape = (
            [dims[i] if i in remaining_axes else 1 for i in range(len(dims))]
            if keep_dims
            else sizes
        )
        return result.reshape(shape)

    @dense.infer
    def _(input_indices, input_values, input_shape, reduction_axes, *, keep_dims):
        check_parts(input_indices, input_values, input_shape)
        dims = _reduced(known_dims(input_shape), reduction_axes, keep_dims)
        return Spec(dims, input_values.dtype)

    return dense


def _declare_to_sparse(name: str, kind: str, allowed: Any) -> Op:
    """Declare a reduction that returns a sparse tensor."""

    @op(
        f"SparseReduce{name}Sparse",
        dtypes=allowed,
        grad=UNREGISTERED,
        host=HOST,
        checked=True,
        outputs=("output_indices", "output_values", "output_shape"),
    )
    def sparse(
        xp,
        input_indices: Index,
        input_values,
        input_shape: Static,
        reduction_axes: Static,
        *,
        keep_dims=False,
    ):
        require_inside(xp, input_indices, input_shape)
        remaining_axes = _remaining_axes(len(input_shape), reduction_axes)
        rows, which = distinct(input_indices[:, remaining_axes])
        values = _fold(xp, kind, input_values, which, len(rows))
        if not keep_dims:
            return rows, values, input_shape[remaining_axes]
        indices = np.zeros((len(rows), len(input_shape)), np.int64)
        indices[:, remaining_axes] = rows
        sizes = np.ones_like(input_shape)
        sizes[remaining_axes] = input_shape[remaining_axes]
        return indices, values, sizes

    @sparse.infer
    def _(input_indices, input_values, input_shape, reduction_axes, *, keep_dims):
        _, rank = check_parts(input_indices, input_values, input_shape)
        every = None if rank is None else (None,) * rank
        dims = _reduced(every, reduction_axes, keep_dims)
        left = None if dims is None else len(dims)
        return (
            Spec((None, left), dtypes.int64),
            Spec((None,), input_values.dtype),
            Spec((left,), dtypes.int64),
        )

    return sparse


sparse_reduce_sum = _declare_to_dense("Sum", "add", NUMERIC)
sparse_reduce_max = _declare_to_dense("Max", "maximum", REAL)
sparse_reduce_sum_sparse = _declare_to_sparse("Sum", "add", NUMERIC)
sparse_reduce_max_sparse = _declare_to_sparse("Max", "maximum", REAL)


@sparse_reduce_sum.gradient
def _(dz, *, input_indices, input_shape, reduction_axes):
    sizes = cast(keep_dims_shape_of(input_shape, reduction_axes), DstT=dtypes.int64)
    # An axis of size 1 has only the coordinate 0.
    rows = mul(input_indices, cast(not_equal(sizes, scalar(1, sizes)), DstT=dtypes.int64))
    return None, gather_nd(reshape(dz, sizes), rows)


# -- softmax -----------------------------------------------------------------------------------


def _row_numbers(xp: ModuleType, rows: Any) -> Any:
    """Return the row of the last axis of each element, counting non-empty rows."""
    changes = xp.any(rows[1:, :-1] != rows[:-1, :-1], axis=1)
    return xp.concatenate([xp.zeros(1, np.int64), xp.cumsum(changes.astype(np.int64))])


_SOFTMAX = frozenset({dtypes.float16, dtypes.float32, dtypes.float64})


@op("SparseSoftmax", dtypes=_SOFTMAX, checked=True)
def sparse_softmax(xp, sp_indices: Index, sp_values, sp_shape: Static):
    """Compute the softmax along the last axis, over the stored elements."""
    require_inside(xp, sp_indices, sp_shape)
    count = sp_values.shape[0]
    if not count:
        return sp_values
    ids = _row_numbers(xp, sp_indices)
    values = as_type(sp_values, accumulator(sp_values.dtype))
    largest = xp.groups.segment_reduce("maximum", values, ids, count, -np.inf)
    powers = xp.exp(values - largest[ids])
    totals = xp.groups.segment_reduce("add", powers, ids, count, 0)
    return as_type(powers / totals[ids], sp_values.dtype)


@sparse_softmax.infer
def _(sp_indices, sp_values, sp_shape):
    count, rank = check_parts(sp_indices, sp_values, sp_shape, name="sp")
    if rank is not None and rank < 2:
        raise InferError(f"Input should have rank >= 2, but received shape: [{rank}]")
    return Spec((count,), sp_values.dtype)


@sparse_softmax.gradient
def _(dz, *, sp_indices, sp_shape, output):
    last = static_ints((-1,))
    shares = sparse_reduce_sum(sp_indices, mul(dz, output), sp_shape, last, keep_dims=True)
    rest = sparse_dense_cwise_add(sp_indices, dz, sp_shape, neg(shares))
    return None, mul(output, rest)


# -- products ----------------------------------------------------------------------------------


@op("SparseTensorDenseMatMul", dtypes=NUMERIC, checked=True, outputs=("product",))
def sparse_tensor_dense_mat_mul(
    xp, a_indices: Index, a_values, a_shape: Static, b, *, adjoint_a=False, adjoint_b=False
):
    """Compute the product of a sparse and a dense matrix."""
    require_inside(xp, a_indices, a_shape)
    rows, columns = (1, 0) if adjoint_a else (0, 1)
    values = xp.conj(a_values) if adjoint_a and a_values.dtype.kind == "c" else a_values
    right = b.T if adjoint_b else b
    right = xp.conj(right) if adjoint_b and b.dtype.kind == "c" else right
    wide = accumulator(b.dtype)
    picked = as_type(xp.take(right, a_indices[:, columns], axis=0, mode="clip"), wide)
    terms = as_type(values, wide)[:, None] * picked
    count = int(a_shape[rows])
    return as_type(xp.groups.segment_reduce("add", terms, a_indices[:, rows], count, 0), b.dtype)


@sparse_tensor_dense_mat_mul.kernel("numpy")
def _(xp, a_indices, a_values, a_shape, b, *, adjoint_a, adjoint_b):
    # SciPy never holds all terms at once (up to 50 times as fast), but takes 1 ms to begin.
    if a_values.size * b.size < _MANY_TERMS * max(1, b.shape[1 if adjoint_b else 0]):
        attrs = {"adjoint_a": adjoint_a, "adjoint_b": adjoint_b}
        return sparse_tensor_dense_mat_mul.body(xp, a_indices, a_values, a_shape, b, **attrs)
    require_inside(xp, a_indices, a_shape)
    wide = accumulator(b.dtype)
    coordinates = a_indices[:, 0], a_indices[:, 1]
    left = _scipy.csr_array((as_type(a_values, wide), coordinates), shape=tuple(a_shape.tolist()))
    left = left.conj().T if adjoint_a else left
    right = np.conj(b.T) if adjoint_b else b
    return as_type(left @ as_type(right, wide), b.dtype)


@sparse_tensor_dense_mat_mul.infer
def _(a_indices, a_values, a_shape, b, *, adjoint_a, adjoint_b):
    _, rank = check_parts(a_indices, a_values, a_shape, name="a", narrow=True)
    if rank not in (None, 2):
        raise InferError(f"Tensor 'a_shape' must have 2 elements, got {rank}")
    require_rank(b, 2, "Tensor 'b'")
    a_dims = known_dims(a_shape) or (None, None)
    rows, inner = a_dims[::-1] if adjoint_a else a_dims
    b_dims = b.shape or (None, None)
    other, columns = b_dims[::-1] if adjoint_b else b_dims
    if inner is not None and other is not None and inner != other:
        raise InferError(
            f"Cannot multiply A and B because inner dimension does not match: {inner} vs. {other}. "
            f"Did you forget a transpose? Dimensions of A: {fmt_shape(a_dims)}. Dimensions of B: "
            f"{fmt_shape(b_dims)}"
        )
    return Spec((rows, columns), b.dtype)


@sparse_tensor_dense_mat_mul.gradient
def _(dz, *, a_indices, a_values, a_shape, b, adjoint_a, adjoint_b, needed):
    by_values = by_b = None
    if needed[1]:
        rows, columns = unpack(a_indices, num=2, axis=1)
        if adjoint_a:
            rows, columns = columns, rows
        right = adjoint(b) if adjoint_b else b
        zero = scalar_int(0)
        terms = mul(gather_v2(dz, rows, zero), conj_of(gather_v2(right, columns, zero)))
        by_values = sum_(terms, static_ints((1,)))
        by_values = conj_of(by_values) if adjoint_a else by_values
    if needed[3]:
        by_b = sparse_tensor_dense_mat_mul(
            a_indices, a_values, a_shape, dz, adjoint_a=not adjoint_a
        )
        by_b = adjoint(by_b) if adjoint_b else by_b
    return None, by_values, None, by_b
