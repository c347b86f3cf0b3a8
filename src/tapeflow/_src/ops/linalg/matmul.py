"""Matrix products."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.backends.blas import batched_dot, dot
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.batching import Batch, on_aligned, on_values
from tapeflow._src.core.dtypes import FLOATING, FLOATING_COMPLEX, INTEGER, as_dtype
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import broadcast_shape
from tapeflow._src.core.registry import Free, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.traits import NOT_ELEMENTWISE, OWN_SCOPE, PROMOTES, TOTAL_ON_SHAPES
from tapeflow._src.ops.array.common import reshape, static_ints
from tapeflow._src.ops.math.arithmetic import conj_of
from tapeflow._src.ops.math.cast import cast

_MATRIX = FLOATING_COMPLEX | {dtypes.int32, dtypes.int64} | dtypes.UNSIGNED
_MATRICES = _MATRIX | {dtypes.int16}
_EIGHT_BITS = frozenset({dtypes.int8, dtypes.uint8})

# Below this many multiplications NumPy's own integer loop is faster than a detour.
_FEW_MULTIPLICATIONS = 1 << 15
_EXACT_IN_FLOAT64 = 1 << 53


# -- the product of two arrays -----------------------------------------------------------------


def multiply(a: Any, b: Any) -> Any:
    """Compute `a @ b` with NumPy and BLAS, also for dtypes that BLAS does not support."""
    kind = a.dtype
    if kind.char in "fdFD":
        if a.ndim > 1 and a.shape[-1] == 1 and b.ndim > 1 and b.shape[-2] == 1:
            return a * b  # BLAS scales by 0 without a look at NaN
        # One large product is faster than a small one for each matrix of `a`.
        if a.ndim > 2 and b.ndim == 2 and a.shape[-1] == b.shape[0] and a.flags.c_contiguous:
            rows = a.reshape(a.size // max(a.shape[-1], 1), a.shape[-1])
            return dot(rows, b).reshape(*a.shape[:-1], b.shape[1]) if a.size else a @ b
        if a.ndim > 2 and a.shape[:-2] == b.shape[:-2]:
            return batched_dot(a, b)
        return np.matmul(a, b)
    if kind.kind in "iu":
        return _multiply_integers(a, b)
    # float16 and bfloat16 accumulate in float32, as in TF.
    return multiply(a.astype(np.float32), b.astype(np.float32)).astype(kind)


def _multiply_integers(a: Any, b: Any) -> Any:
    """Multiply in float64 where that is exact: NumPy's integer product is a plain loop."""
    if a.size and b.size and a.size * b.shape[-1] > _FEW_MULTIPLICATIONS:
        largest = _magnitude(a) * _magnitude(b) * a.shape[-1]
        if largest < _EXACT_IN_FLOAT64:
            return multiply(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)
    return np.matmul(a, b)


def _magnitude(a: Any) -> int:
    return max(abs(int(a.max())), abs(int(a.min())))


def _adjoint(xp: ModuleType, x: Any) -> Any:
    return xp.swapaxes(x.conj() if x.dtype.kind == "c" else x, -1, -2)


# -- two matrices ------------------------------------------------------------------------------


def _require_matrix(spec: Spec, index: int) -> None:
    if spec.shape is not None and len(spec.shape) != 2:
        raise InferError(
            f"{'ab'[index]} must be a matrix (rank 2), received shape {fmt_shape(spec.shape)}"
        )


def _incompatible(a: Spec, b: Spec, inner_a: int, inner_b: int) -> InferError:
    return InferError(
        f"Matrix shapes are incompatible: the columns of a ({inner_a}) must equal the rows of b "
        f"({inner_b}); a has shape {fmt_shape(a.shape)}, b has shape {fmt_shape(b.shape)}"
    )


def _infer_matrix(op, specs, attrs):
    a, b = specs
    _require_matrix(a, 0)
    _require_matrix(b, 1)
    rows, inner_a = a.shape or (None, None)
    if attrs["transpose_a"]:
        rows, inner_a = inner_a, rows
    inner_b, columns = b.shape or (None, None)
    if attrs["transpose_b"]:
        inner_b, columns = columns, inner_b
    if inner_a is not None and inner_b is not None and inner_a != inner_b:
        raise _incompatible(a, b, inner_a, inner_b)
    return Spec((rows, columns), a.dtype)


@op("MatMul", infer=_infer_matrix, dtypes=_MATRIX, traits=(OWN_SCOPE, PROMOTES, TOTAL_ON_SHAPES))
def mat_mul(xp, a, b, *, transpose_a=False, transpose_b=False, grad_a=False, grad_b=False):
    """Compute the product of two matrices, each optionally transposed first."""
    return xp.matmul(a.T if transpose_a else a, b.T if transpose_b else b)


@mat_mul.kernel("numpy")
def _(xp, a, b, *, transpose_a, transpose_b, grad_a, grad_b):
    if a.ndim != 2 or b.ndim != 2:
        # Checked here and not by the shape rule at each call, which would double the cost.
        raise InferError("In[0] and In[1] must be matrices")
    if transpose_a:
        a = a.T
    if transpose_b:
        b = b.T
    return dot(a, b) if a.dtype.char in "fdFD" else multiply(a, b)


@mat_mul.gradient
def _(dz, *, a, b, transpose_a, transpose_b, needed):
    da = db = None
    if dz.dtype.is_complex:
        a, b = conj_of(a), conj_of(b)
    if needed[0]:
        da = (
            mat_mul(b, dz, transpose_a=transpose_b, transpose_b=True)
            if transpose_a
            else mat_mul(dz, b, transpose_b=not transpose_b)
        )
    if needed[1]:
        db = (
            mat_mul(dz, a, transpose_a=True, transpose_b=transpose_a)
            if transpose_b
            else mat_mul(a, dz, transpose_a=not transpose_a)
        )
    return da, db


@mat_mul.batch
def _(batch: Batch, a: Any, b: Any, *, transpose_a: Any, transpose_b: Any, **attrs: Any) -> Any:
    x, y = (batch.values(t) if batch.has(t) else t for t in (a, b))
    if not batch.has(b) and not transpose_a and None not in x.static_shape:
        # All rows of all members in one product.
        n, rows, inner = x.static_shape
        flat = batch.reshape(x, n * rows, inner)
        product = batch.op(flat, b, transpose_a=False, transpose_b=transpose_b, **attrs)
        return batch.reshape(product, n, rows, product.static_shape[1])
    # For complex matrices the batched product takes the adjoint, not the transpose.
    x, y = conj_of(x) if transpose_a else x, conj_of(y) if transpose_b else y
    return batch_mat_mul_v2(x, y, adj_x=transpose_a, adj_y=transpose_b)


_SPARSE = frozenset({dtypes.float32, dtypes.bfloat16})


def _infer_sparse(op, specs, attrs):
    for spec in specs:
        if spec.dtype not in _SPARSE:
            raise InferError(f"SparseMatMul takes float32 or bfloat16, not {spec.dtype.name}")
    for name, spec in zip("ab", specs, strict=True):
        if spec.shape is not None and len(spec.shape) != 2:
            raise InferError(f"{name} is not a matrix")
    return Spec(_infer_matrix(op, specs, attrs).shape, dtypes.float32)


@op("SparseMatMul", infer=_infer_sparse, dtypes=_SPARSE, checked=True)
def sparse_mat_mul(
    xp,
    a: Free,
    b: Free,
    *,
    transpose_a=False,
    transpose_b=False,
    a_is_sparse=False,
    b_is_sparse=False,
):
    """Like `MatMul`, for matrices declared sparse; the result is float32."""
    a, b = a.astype(np.float32), b.astype(np.float32)
    return xp.matmul(a.T if transpose_a else a, b.T if transpose_b else b)


@sparse_mat_mul.gradient
def _(dz, *, a, b, transpose_a, transpose_b, needed):
    wide_a, wide_b = cast(a, DstT=dz.dtype), cast(b, DstT=dz.dtype)
    da = db = None
    if needed[0]:
        da = (
            mat_mul(wide_b, dz, transpose_a=transpose_b, transpose_b=True)
            if transpose_a
            else mat_mul(dz, wide_b, transpose_b=not transpose_b)
        )
        da = cast(da, DstT=a.dtype)
    if needed[1]:
        db = (
            mat_mul(dz, wide_a, transpose_a=True, transpose_b=transpose_a)
            if transpose_b
            else mat_mul(wide_a, dz, transpose_a=not transpose_a)
        )
        db = cast(db, DstT=b.dtype)
    return da, db


# -- batches of matrices -----------------------------------------------------------------------


def _infer_batched(op, specs, attrs):
    a, b = specs
    for index, spec in enumerate(specs):
        if spec.shape is not None and len(spec.shape) < 2:
            raise InferError(f"In[{index}] ndims must be >= 2: {len(spec.shape)}")
    if a.shape is None or b.shape is None:
        return Spec(None, a.dtype)
    rows, inner_a = a.shape[-2:]
    if attrs["adj_x"]:
        rows, inner_a = inner_a, rows
    inner_b, columns = b.shape[-2:]
    if attrs["adj_y"]:
        inner_b, columns = columns, inner_b
    if inner_a is not None and inner_b is not None and inner_a != inner_b:
        raise _incompatible(a, b, inner_a, inner_b)
    try:
        batch = broadcast_shape(a.shape[:-2], b.shape[:-2])
    except InferError:
        raise InferError(
            "In[0] and In[1] must have compatible batch dimensions: "
            f"{fmt_shape(a.shape)} vs. {fmt_shape(b.shape)}"
        ) from None
    return Spec((*batch, rows, columns), a.dtype)


@op(
    "BatchMatMulV2",
    infer=_infer_batched,
    dtypes=_MATRICES,
    traits=(NOT_ELEMENTWISE, OWN_SCOPE, PROMOTES, TOTAL_ON_SHAPES),
    display="MatMul",
    batch=on_aligned,
)
def batch_mat_mul_v2(xp, x, y, *, adj_x=False, adj_y=False, grad_x=False, grad_y=False):
    """Compute the products of matrices in the last two axes; batch axes are broadcast."""
    return xp.matmul(_adjoint(xp, x) if adj_x else x, _adjoint(xp, y) if adj_y else y)


@batch_mat_mul_v2.kernel("numpy")
def _(xp, x, y, *, adj_x, adj_y, grad_x, grad_y):
    if x.ndim < 2 or y.ndim < 2:
        # NumPy also refuses everything else that the shape rule does.
        raise InferError("In[0] and In[1] must have at least 2 dimensions")
    return multiply(_adjoint(xp, x) if adj_x else x, _adjoint(xp, y) if adj_y else y)


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
    if needed[1] and _is_shared(x, y, dz, adj_x):
        # One product of all rows: the sum of the products of a batch takes its memory, too.
        rows, slopes = _as_rows(x), _as_rows(dz)
        dy = mat_mul(*((slopes, rows) if adj_y else (rows, slopes)), transpose_a=True)
    elif needed[1]:
        dy = (
            batch_mat_mul_v2(dz, x, adj_x=True, adj_y=adj_x)
            if adj_y
            else batch_mat_mul_v2(x, dz, adj_x=not adj_x)
        )
    return dx, dy


def _is_shared(x: Any, y: Any, dz: Any, adj_x: bool) -> bool:
    """Whether one matrix `y` is multiplied with all rows of a batch `x`, of known lengths."""
    shapes = x.static_shape, dz.static_shape
    if adj_x or x.dtype.is_complex or y.static_shape is None or len(y.static_shape) > 2:
        return False
    return all(dims is not None and dims[-1] for dims in shapes)


def _as_rows(matrices: Any) -> Any:
    """Return the rows of all matrices of a batch as one matrix."""
    return reshape(matrices, static_ints((-1, matrices.static_shape[-1])))


def _infer_same_batch(op, specs, attrs):
    x, y = specs
    if x.shape is not None and y.shape is not None:
        if len(x.shape) != len(y.shape):
            raise InferError(
                "In[0] and In[1] has different ndims: "
                f"{fmt_shape(x.shape)} vs. {fmt_shape(y.shape)}"
            )
        for i, (n, m) in enumerate(zip(x.shape[:-2], y.shape[:-2], strict=True)):
            if n is not None and m is not None and n != m:
                raise InferError(
                    f"In[0].dim({i}) and In[1].dim({i}) must be the same: "
                    f"{fmt_shape(x.shape)} vs {fmt_shape(y.shape)}"
                )
    return _infer_batched(op, specs, attrs)


@op(
    "BatchMatMul",
    infer=_infer_same_batch,
    dtypes=_MATRIX - dtypes.UNSIGNED,
    checked=True,
    traits=(TOTAL_ON_SHAPES,),
    batch=on_values,
)
def batch_mat_mul(xp, x, y, *, adj_x=False, adj_y=False, grad_x=False, grad_y=False):
    """Compute the products of matrices in the last two axes; batch axes are equal."""
    return xp.matmul(_adjoint(xp, x) if adj_x else x, _adjoint(xp, y) if adj_y else y)


batch_mat_mul.kernel("numpy")(batch_mat_mul_v2.kernels["numpy"])
batch_mat_mul.gradient(batch_mat_mul_v2.gradient_rule.fn)


def _infer_mixed(op, specs, attrs):
    x, y = specs
    target = as_dtype(attrs["Tout"])
    widened = (x.dtype in FLOATING and y.dtype in FLOATING and target in FLOATING) or (
        x.dtype in INTEGER and y.dtype in INTEGER and target in INTEGER - _EIGHT_BITS
    )
    narrowed = any(s.dtype is not target and s.dtype.size >= target.size for s in specs)
    weights = {x.dtype, y.dtype} == {dtypes.int8, dtypes.bfloat16} and target is dtypes.bfloat16
    if not (weights or x.dtype is y.dtype is target) and (not widened or narrowed):
        raise InferError(
            f"BatchMatMulV3 gives the dtype of its inputs or a wider one: got {x.dtype.name} and "
            f"{y.dtype.name} for {target.name}"
        )
    return Spec(_infer_batched(op, specs, attrs).shape, target)


@op(
    "BatchMatMulV3",
    infer=_infer_mixed,
    checked=True,
    traits=(NOT_ELEMENTWISE, TOTAL_ON_SHAPES),
    batch=on_aligned,
)
def batch_mat_mul_v3(
    xp, x: Free, y: Free, *, Tout, adj_x=False, adj_y=False, grad_x=False, grad_y=False
):
    """Like `BatchMatMulV2`, multiplied and accumulated in dtype `Tout`."""
    x, y = x.astype(as_dtype(Tout).np), y.astype(as_dtype(Tout).np)
    return xp.matmul(_adjoint(xp, x) if adj_x else x, _adjoint(xp, y) if adj_y else y)


@batch_mat_mul_v3.kernel("numpy")
def _(xp, x, y, *, Tout, adj_x, adj_y, grad_x, grad_y):
    x, y = (a.astype(as_dtype(Tout).np, copy=False) for a in (x, y))
    return multiply(_adjoint(xp, x) if adj_x else x, _adjoint(xp, y) if adj_y else y)


batch_mat_mul_v3.broadcasts = "batch"


@batch_mat_mul_v3.gradient
def _(dz, *, x, y, adj_x, adj_y, needed):
    wide_x, wide_y = cast(x, DstT=dz.dtype), cast(y, DstT=dz.dtype)
    rule = batch_mat_mul_v2.gradient_rule.fn
    dx, dy = rule(dz, x=wide_x, y=wide_y, adj_x=adj_x, adj_y=adj_y, needed=needed)
    return (
        None if dx is None else cast(dx, DstT=x.dtype),
        None if dy is None else cast(dy, DstT=y.dtype),
    )


# -- the operator ------------------------------------------------------------------------------


def matmul(a: Any, b: Any, name: str = "matmul") -> Any:
    """Compute `a @ b`."""
    if not isinstance(b, Tensor) and hasattr(b, "__tf_tensor__"):
        b = b.__tf_tensor__()  # a variable, as in every layer: the long way takes twice as long
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)):
        a, b = mat_mul.convert_inputs((a, b))
    dims_a, dims_b = a.static_shape, b.static_shape
    if dims_a is None or dims_b is None or len(dims_a) > 2 or len(dims_b) > 2:
        return batch_mat_mul_v2(a, b, name=name)
    return dispatch.state.mode.execute(mat_mul, (a, b), mat_mul.defaults.copy(), name)
