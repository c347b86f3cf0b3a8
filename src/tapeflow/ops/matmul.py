"""Matrix products."""

from __future__ import annotations

from typing import Any

from tapeflow.core.dtypes import NUMERIC
from tapeflow.core.errors import fmt_shape
from tapeflow.core.infer import broadcast_shape, require_rank, require_rank_at_least
from tapeflow.core.registry import InferError, op
from tapeflow.core.spec import Spec
from tapeflow.ops.arithmetic import conj_of


def _inner_sizes_agree(a, b, rows_of_b: int, columns_of_a: int) -> None:
    k1, k2 = a.shape[columns_of_a], b.shape[rows_of_b]
    if k1 is not None and k2 is not None and k1 != k2:
        raise InferError(
            f"Matrix size-incompatible: In[0]: {fmt_shape(a.shape)}, In[1]: {fmt_shape(b.shape)}"
        )


@op("MatMul", dtypes=NUMERIC, checked=True)
def mat_mul(xp, a, b, *, transpose_a=False, transpose_b=False):
    """The product of two matrices, each transposed first if asked for."""
    return xp.matmul(a.T if transpose_a else a, b.T if transpose_b else b)


@mat_mul.infer
def _(a, b, *, transpose_a, transpose_b):
    require_rank(a, 2, "In[0]")
    require_rank(b, 2, "In[1]")
    rows = columns = None
    if a.shape is not None:
        rows = a.shape[1 if transpose_a else 0]
    if b.shape is not None:
        columns = b.shape[0 if transpose_b else 1]
    if a.shape is not None and b.shape is not None:
        _inner_sizes_agree(a, b, 1 if transpose_b else 0, 0 if transpose_a else 1)
    return Spec((rows, columns), a.dtype)


@mat_mul.gradient
def _(dz, *, a, b, transpose_a, transpose_b, needed):
    da = db = None
    if needed[0]:
        cb = conj_of(b)
        da = (
            mat_mul(cb, dz, transpose_a=transpose_b, transpose_b=True)
            if transpose_a
            else mat_mul(dz, cb, transpose_b=not transpose_b)
        )
    if needed[1]:
        ca = conj_of(a)
        db = (
            mat_mul(dz, ca, transpose_a=True, transpose_b=transpose_a)
            if transpose_b
            else mat_mul(ca, dz, transpose_a=not transpose_a)
        )
    return da, db


def _infer_batched(op, specs, attrs):
    a, b = specs
    require_rank_at_least(a, 2, "In[0]")
    require_rank_at_least(b, 2, "In[1]")
    if a.shape is None or b.shape is None:
        return Spec(None, a.dtype)
    adjoint_a, adjoint_b = attrs["adj_x"], attrs["adj_y"]
    _inner_sizes_agree(a, b, -1 if adjoint_b else -2, -2 if adjoint_a else -1)
    rows = a.shape[-1 if adjoint_a else -2]
    columns = b.shape[-2 if adjoint_b else -1]
    return Spec((*broadcast_shape(a.shape[:-2], b.shape[:-2]), rows, columns), a.dtype)


def _adjoint(xp, x):
    return xp.swapaxes(x.conj() if x.dtype.kind == "c" else x, -1, -2)


@op("BatchMatMulV2", infer=_infer_batched, dtypes=NUMERIC, checked=True)
def batch_mat_mul_v2(xp, x, y, *, adj_x=False, adj_y=False):
    """The products of matrices in the last two axes; the axes before them are broadcast."""
    return xp.matmul(_adjoint(xp, x) if adj_x else x, _adjoint(xp, y) if adj_y else y)


batch_mat_mul_v2.broadcasts = "batch"


@batch_mat_mul_v2.gradient
def _(dz, *, x, y, adj_x, adj_y, needed):
    dx = dy = None
    if needed[0]:
        dx = (
            batch_mat_mul_v2(y, dz, adj_x=adj_y, adj_y=True)
            if adj_x
            else batch_mat_mul_v2(dz, y, adj_y=not adj_y)
        )
    if needed[1]:
        dy = (
            batch_mat_mul_v2(dz, x, adj_x=True, adj_y=adj_x)
            if adj_y
            else batch_mat_mul_v2(x, dz, adj_x=not adj_x)
        )
    return dx, dy


def matmul(a: Any, b: Any) -> Any:
    """`a @ b`."""
    a, b = mat_mul.convert_inputs((a, b))
    if len(a.shape) > 2 or len(b.shape) > 2:
        return batch_mat_mul_v2(a, b)
    return mat_mul(a, b)
