"""Sparse tensors element by element: with each other, and with dense tensors."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import NUMERIC, REAL
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import merge_shape
from tapeflow._src.core.registry import UNREGISTERED, Free, Index, InferError, Op, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import pack, scalar_int, shape, static_ints
from tapeflow._src.ops.array.gather_nd import gather_nd, scatter_nd
from tapeflow._src.ops.array.shape import rank as rank_of
from tapeflow._src.ops.array.strided import strided_slice
from tapeflow._src.ops.math.arithmetic import conj_of, mul, neg, real_div, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import not_equal
from tapeflow._src.ops.math.elementwise import scalar, square
from tapeflow._src.ops.sparse.parts import (
    HOST,
    check_parts,
    distinct,
    find_rows,
    known_dims,
    require_inside,
)

# -- two sparse tensors ------------------------------------------------------------------------


def _infer_pair(specs: tuple[Any, ...]) -> tuple[Spec, Spec]:
    """Return the indices and values of two sparse tensors of one shape combined."""
    a_indices, a_values, a_shape, b_indices, b_values, b_shape = specs
    _, rank = check_parts(a_indices, a_values, a_shape, name="a")
    _, other = check_parts(b_indices, b_values, b_shape, name="b")
    if rank is not None and other is not None and rank != other:
        raise InferError(
            f"Operands do not have the same ranks; got: {rank} and {other} axes "
            f"(shapes {fmt_shape(a_shape.shape)} and {fmt_shape(b_shape.shape)})"
        )
    a, b = a_shape.value, b_shape.value
    if a is not None and b is not None and a.tolist() != b.tolist():
        raise InferError(
            f"Operands' shapes do not match: [{','.join(map(str, a.tolist()))}] and "
            f"[{','.join(map(str, b.tolist()))}]"
        )
    rank = other if rank is None else rank
    return Spec((None, rank), dtypes.int64), Spec((None,), a_values.dtype)


def _combined(
    fold: Callable[[Any, Any], Any], a_indices: Any, a_values: Any, b_indices: Any, b_values: Any
) -> tuple[Any, Any]:
    """Combine two sparse tensors with `fold`; missing elements are zero."""
    rows, which = distinct(np.concatenate([a_indices, b_indices]))
    a = np.zeros(len(rows), a_values.dtype)
    b = np.zeros(len(rows), b_values.dtype)
    a[which[: len(a_values)]] = a_values
    b[which[len(a_values) :]] = b_values
    return rows, fold(a, b)


@op(
    "SparseAdd",
    dtypes=NUMERIC,
    host=HOST,
    checked=True,
    outputs=("sum_indices", "sum_values", "sum_shape"),
)
def sparse_add(
    xp,
    a_indices: Index,
    a_values,
    a_shape: Static,
    b_indices: Index,
    b_values,
    b_shape: Static,
    thresh: Free,
):
    """Add two sparse tensors; a sum of two elements below `thresh` is dropped."""
    rows, which = distinct(np.concatenate([a_indices, b_indices]))
    total = np.zeros(len(rows), a_values.dtype)
    np.add.at(total, which, np.concatenate([a_values, b_values]))
    alone = np.bincount(which, minlength=len(rows)) == 1
    is_kept = alone | (np.abs(total) >= thresh)
    return rows[is_kept], total[is_kept], a_shape


@sparse_add.infer
def _(a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh):
    if thresh.shape not in (None, ()):
        raise InferError(
            f"The magnitude threshold must be a scalar: got shape {fmt_shape(thresh.shape)}"
        )
    rows, values = _infer_pair((a_indices, a_values, a_shape, b_indices, b_values, b_shape))
    return rows, values, Spec(merge_shape(a_shape.shape, b_shape.shape), dtypes.int64)


@sparse_add.gradient
def _(drows, dvalues, dshape, *, a_indices, b_indices, sum_indices):
    da, db = sparse_add_grad(dvalues, a_indices, b_indices, sum_indices)
    return None, da, None, None, db


@op(
    "SparseAddGrad",
    dtypes=NUMERIC,
    host=HOST,
    checked=True,
    grad=UNREGISTERED,
    outputs=("a_val_grad", "b_val_grad"),
)
def sparse_add_grad(xp, backprop_val_grad, a_indices: Index, b_indices: Index, sum_indices: Index):
    """Compute the gradient of a sum's values w.r.t. each operand: zero for dropped elements."""
    return (
        values_at(backprop_val_grad, a_indices, sum_indices),
        values_at(backprop_val_grad, b_indices, sum_indices),
    )


def values_at(values: Any, keys: Any, rows: Any) -> Any:
    """Return the values of a sparse tensor at the rows `keys`; zero where it has none."""
    positions, is_present = find_rows(keys, rows)
    result = np.zeros(len(keys), values.dtype)
    result[is_present] = values[positions[is_present]]
    return result


@sparse_add_grad.infer
def _(backprop_val_grad, a_indices, b_indices, sum_indices):
    rows = [spec.shape and spec.shape[:1] for spec in (a_indices, b_indices)]
    return tuple(Spec(count or (None,), backprop_val_grad.dtype) for count in rows)


def _declare_extreme(name: str, fold: Any, allowed: Any) -> Op:
    @op(
        name,
        dtypes=allowed,
        grad=UNREGISTERED,
        host=HOST,
        checked=True,
        outputs=("output_indices", "output_values"),
    )
    def extreme(
        xp,
        a_indices: Index,
        a_values,
        a_shape: Static,
        b_indices: Index,
        b_values,
        b_shape: Static,
    ):
        return _combined(fold, a_indices, a_values, b_indices, b_values)

    @extreme.infer
    def _(*specs):
        return _infer_pair(specs)

    return extreme


sparse_sparse_maximum = _declare_extreme("SparseSparseMaximum", np.maximum, REAL)
sparse_sparse_minimum = _declare_extreme("SparseSparseMinimum", np.minimum, NUMERIC)


# -- a sparse and a dense tensor ---------------------------------------------------------------


@op("SparseTensorDenseAdd", dtypes=NUMERIC, checked=True)
def sparse_tensor_dense_add(xp, a_indices: Index, a_values, a_shape: Static, b):
    """Add the elements of a sparse tensor to `b`, of the same shape."""
    require_inside(xp, a_indices, b.shape)
    return xp.index_add(b, tuple(a_indices[:, i] for i in range(b.ndim)), a_values)


@sparse_tensor_dense_add.infer
def _(a_indices, a_values, a_shape, b):
    check_parts(a_indices, a_values, a_shape, name="a", narrow=True)
    dims = known_dims(a_shape)
    if dims is not None and b.shape is not None and len(dims) != len(b.shape):
        raise InferError(
            f"Two operands have different ranks; received: {len(dims)} and {len(b.shape)}"
        )
    return Spec(merge_shape(dims, b.shape, "The shapes must be equal"), b.dtype)


@sparse_tensor_dense_add.gradient
def _(dz, *, a_indices):
    return None, gather_nd(dz, a_indices), None, dz


def _infer_with_dense(op: Op, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    indices, values, sparse_shape, dense = specs
    count, _ = check_parts(indices, values, sparse_shape, name="sp")
    dims = known_dims(sparse_shape)
    dense_shape = dense.shape
    if dims is not None and dense_shape is not None:
        extra = len(dims) - len(dense_shape)
        sizes = zip(dense_shape, dims[max(extra, 0) :])
        if extra < 0 or any(None not in (d, s) and d != s and d != 1 for d, s in sizes):
            raise InferError(
                f"{op.name} broadcasts dense to sparse only; got incompatible shapes: "
                f"{fmt_shape(dims)} vs. {fmt_shape(dense_shape)}"
            )
    return Spec((count,), values.dtype)


def _values_of(xp: ModuleType, dense: Any, rows: Any, dims: Any) -> Any:
    """Return the values at `rows` of `dense`, broadcast to the sparse tensor's shape."""
    require_inside(xp, rows, dims)
    first = rows.shape[1] - dense.ndim
    key = tuple(
        rows[:, first + i] if size != 1 else xp.zeros(rows.shape[:1], rows.dtype)
        for i, size in enumerate(dense.shape)
    )
    return dense[key] if key else xp.broadcast_to(dense, rows.shape[:1])


def _rows_in(dense: Any, rows: Any) -> Any:
    """Return the coordinates in `dense` of the elements at `rows` of a larger sparse tensor."""
    # The last coordinates, as many as `dense` has axes; those of axes that are spread are 0.
    columns = strided_slice(
        shape(rows), static_ints((1,)), static_ints((2,)), static_ints((1,)), shrink_axis_mask=1
    )
    start, end = pack([scalar_int(0), sub(columns, rank_of(dense))]), static_ints((0, 0))
    last = strided_slice(rows, start, end, static_ints((1, 1)), begin_mask=1, end_mask=3)
    sizes = shape(dense, out_type=dtypes.int64)
    return mul(last, cast(not_equal(sizes, scalar(1, sizes)), DstT=dtypes.int64))


def _declare_with_dense(name: str, compute: Any, gradients: Any) -> Op:
    """Declare an op that computes new values of a sparse tensor from a dense one of its shape."""

    @op(name, infer=_infer_with_dense, dtypes=NUMERIC, checked=True)
    def with_dense(xp, sp_indices: Index, sp_values, sp_shape: Static, dense):
        return compute(xp, sp_values, _values_of(xp, dense, sp_indices, sp_shape))

    @with_dense.gradient
    def _(dz, *, sp_indices, sp_values, dense, needed):
        rows = _rows_in(dense, sp_indices)
        by_values, by_dense = gradients(dz, sp_values, gather_nd(dense, rows))
        if not needed[3]:
            return None, by_values
        return None, by_values, None, scatter_nd(rows, by_dense, shape(dense, out_type=rows.dtype))

    return with_dense


def _quotient(xp: ModuleType, x: Any, y: Any) -> Any:
    if x.dtype.kind in "iu":
        xp.require(xp.all(y != 0), "Integer division by zero")
        return (xp.sign(x) * xp.sign(y) * (xp.abs(x) // xp.maximum(xp.abs(y), 1))).astype(x.dtype)
    return x / y


def _quotient_gradients(dz: Any, x: Any, y: Any) -> tuple[Any, Any]:
    return real_div(dz, conj_of(y)), mul(dz, conj_of(neg(real_div(x, square(y)))))


sparse_dense_cwise_mul = _declare_with_dense(
    "SparseDenseCwiseMul",
    lambda xp, x, y: x * y,
    lambda dz, x, y: (mul(dz, conj_of(y)), mul(dz, conj_of(x))),
)
sparse_dense_cwise_div = _declare_with_dense("SparseDenseCwiseDiv", _quotient, _quotient_gradients)
sparse_dense_cwise_add = _declare_with_dense(
    "SparseDenseCwiseAdd", lambda xp, x, y: x + y, lambda dz, x, y: (dz, dz)
)
