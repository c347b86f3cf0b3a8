"""Singular values and eigenvalues, with their vectors, of matrices in the last two axes.

Vectors are determined up to a sign (complex ones: a phase). Here it is chosen so that eager and
compiled code agree; TF may return others. Gradients do not depend on it as long as the loss does
not.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import Batch, Shared
from tapeflow._src.core.dtypes import COMPLEX, FLOATING_COMPLEX, as_dtype
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import expand_dims, scalar_int, zeros_like
from tapeflow._src.ops.array.diag import lower_part, matrix_diag, matrix_diag_part, matrix_set_diag
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg.matrix import adjoint, matmul, require_matrix, require_square
from tapeflow._src.ops.linalg.solve import LAPACK, matrix_solve
from tapeflow._src.ops.math.arithmetic import add_v2, conj_of, mul, real_div, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.complex_parts import real
from tapeflow._src.ops.math.elementwise import scalar, square

_NO_EIGENVALUES = (
    "Self-adjoint eigen decomposition was not successful. The input might not be valid."
)
_NO_EIG = "Eigen decomposition was not successful. The input might not be valid."


def _reciprocal(x: Any) -> Any:
    """Return `1 / x`, and 0 where `x` is: TF's convention for equal eigenvalues."""
    return real_div(x, add_v2(mul(x, x), scalar(1e-20, x)))


def _differences(values: Any) -> Any:
    """Return the matrix of differences, `values[j] - values[i]` at row i and column j."""
    return sub(expand_dims(values, scalar_int(-2)), expand_dims(values, scalar_int(-1)))


def _inverse_differences(values: Any) -> Any:
    """Return the reciprocals of the differences, with zeros on the diagonal."""
    inverse = _reciprocal(_differences(values))
    return matrix_set_diag(inverse, zeros_like(values))


def _sandwich(left: Any, middle: Any, right: Any) -> Any:
    """Return `left @ middle @ adjoint(right)`."""
    return matmul(left, matmul(middle, right, adjoint_b=True))


def _scaled(columns: Any, factors: Any) -> Any:
    """Multiply each column by its factor."""
    return mul(columns, expand_dims(factors, scalar_int(-2)))


# -- singular values ---------------------------------------------------------------------------


def _batch_spectra(batch: Batch, x: Any, **attrs: Any) -> Any:
    """Batch the results; vectors that are not computed are empty, whatever the batch."""
    values, *vectors = batch.op(batch.values(x), **attrs)
    with_vectors = attrs.get("compute_v", True) and attrs.get("compute_uv", True)
    return (values, *(v if with_vectors else Shared(v) for v in vectors))


@op("Svd", outputs=("s", "u", "v"), dtypes=LAPACK, checked=True, batch=_batch_spectra)
def svd(xp, input, *, compute_uv=True, full_matrices=False):
    """Compute singular values, in descending order, and vectors: `u @ diag(s) @ adjoint(v) =
    input`.
    """
    if not compute_uv:
        empty = xp.zeros((0,), input.dtype)
        return xp.linalg.singular_values(input).astype(input.dtype), empty, empty
    s, u, v = xp.linalg.svd(input, bool(full_matrices))
    return s.astype(input.dtype), u, v


@svd.infer
def _(input, *, compute_uv, full_matrices):
    require_matrix(input)
    if input.shape is None:
        unknown_spec = Spec(None, input.dtype)
        return (unknown_spec,) * 3 if compute_uv else (unknown_spec, *[Spec((0,), input.dtype)] * 2)
    *batch, rows, columns = input.shape
    rank = None if rows is None or columns is None else min(rows, columns)
    s = Spec((*batch, rank), input.dtype)
    if not compute_uv:
        return (s, *[Spec((0,), input.dtype)] * 2)
    left, right = (rows, columns) if full_matrices else (rank, rank)
    u = Spec((*batch, rows, left), input.dtype)
    return s, u, Spec((*batch, columns, right), input.dtype)


@svd.gradient
def _(ds, du, dv, *, input, s, u, v, compute_uv, full_matrices):
    if ds.dtype.is_complex:
        # Singular values are real, whatever the dtype says.
        ds = cast(real(ds, Tout=ds.dtype.real_dtype), DstT=ds.dtype)
    if not compute_uv:
        _, u, v = svd(input)
        return matmul(_scaled(u, ds), v, adjoint_b=True)
    if full_matrices:
        rows, columns = (None, None) if input.static_shape is None else input.static_shape[-2:]
        if rows is None or columns is None or abs(rows - columns) > 1:
            raise NotImplementedError(
                f"Svd: the gradient is not defined for matrices of shape "
                f"{fmt_shape(input.static_shape)} with full_matrices=True: several singular "
                "vectors are arbitrary unless the numbers of rows and columns differ by at most "
                "one. Use full_matrices=False."
            )
        rank = min(rows, columns)
        u, du = _without_complement(u, du, rank)
        v, dv = _without_complement(v, dv, rank)
    return _svd_gradient(s, u, v, ds, du, dv)


def _without_complement(x: Any, dx: Any, rank: int) -> tuple[Any, Any]:
    """Return the leading vectors; the gradient of their complement is folded into theirs."""
    if x.shape[-1] == rank:
        return x, dx
    first, last = (..., slice(None, rank)), (..., slice(rank, None))
    main, rest = get_item(x, first), get_item(x, last)
    moved = matmul(rest, matmul(get_item(dx, last), main, adjoint_a=True))
    return main, sub(get_item(dx, first), moved)


def _svd_gradient(s: Any, u: Any, v: Any, ds: Any, du: Any, dv: Any) -> Any:
    """Return the gradient for as many vectors as singular values."""
    inverse = _inverse_differences(square(s))
    turn_u = matmul(u, du, adjoint_a=True)
    turn_v = matmul(v, dv, adjoint_a=True)
    skew_u, skew_v = sub(turn_u, adjoint(turn_u)), sub(turn_v, adjoint(turn_v))
    middle = add_v2(_scaled(mul(inverse, skew_u), s), _rows_scaled(mul(inverse, skew_v), s))
    middle = add_v2(middle, matrix_diag(ds))
    inverse_s = _reciprocal(s)
    if s.dtype.is_complex:
        # Half of the common phase of u and v, on which the loss must not depend.
        phases = mul(mul(matrix_diag_part(skew_u), inverse_s), scalar(0.5, s))
        middle = add_v2(middle, matrix_diag(phases))
    gradient = _sandwich(u, middle, v)
    outside_u = _scaled(sub(du, matmul(u, turn_u)), inverse_s)
    outside_v = _scaled(sub(dv, matmul(v, turn_v)), inverse_s)
    gradient = add_v2(gradient, matmul(outside_u, v, adjoint_b=True))
    return add_v2(gradient, matmul(u, outside_v, adjoint_b=True))


def _rows_scaled(rows: Any, factors: Any) -> Any:
    """Multiply each row by its factor."""
    return mul(rows, expand_dims(factors, scalar_int(-1)))


# -- eigenvalues of self-adjoint matrices ------------------------------------------------------


@op("SelfAdjointEigV2", outputs=("e", "v"), dtypes=LAPACK, checked=True, batch=_batch_spectra)
def self_adjoint_eig_v2(xp, input, *, compute_v=True):
    """Compute eigenvalues in ascending order, and eigenvectors; only the lower triangle is read."""
    if not compute_v:
        e, converged = xp.linalg.eigvalsh(input)
        v = xp.zeros((0,), input.dtype)
    else:
        e, v, converged = xp.linalg.eigh(input)
    xp.require(converged, _NO_EIGENVALUES)
    return e if e.dtype == input.dtype else e.astype(input.dtype), v


def _infer_eigen(input: Spec, dtype: Any, compute_v: bool) -> tuple[Spec, Spec]:
    size = require_square(input)
    batch = None if input.shape is None else input.shape[:-2]
    e = Spec(None if batch is None else (*batch, size), dtype)
    if not compute_v:
        return e, Spec((0,), dtype)
    return e, Spec(None if batch is None else (*batch, size, size), dtype)


@self_adjoint_eig_v2.infer
def _(input, *, compute_v):
    return _infer_eigen(input, input.dtype, compute_v)


@self_adjoint_eig_v2.gradient
def _(de, dv, *, input, e, v, compute_v):
    if compute_v:
        middle = mul(_inverse_differences(e), matmul(v, dv, adjoint_a=True))
        middle = add_v2(middle, matrix_diag(de))
    else:
        _, v = self_adjoint_eig_v2(input)
        middle = matrix_diag(de)
    whole = _sandwich(v, middle, v)
    # The upper triangle was not read: its part goes to the lower one.
    lower = lower_part(add_v2(whole, adjoint(whole)))
    return matrix_set_diag(lower, mul(matrix_diag_part(lower), scalar(0.5, lower)))


# -- eigenvalues of any matrices ---------------------------------------------------------------


@op(
    "Eig",
    outputs=("e", "v"),
    dtypes=FLOATING_COMPLEX - {dtypes.float16, dtypes.bfloat16},
    checked=True,
    batch=_batch_spectra,
)
def eig(xp, input, *, Tout, compute_v=True):
    """Compute eigenvalues, in no order, and eigenvectors, all complex."""
    if not compute_v:
        e, converged = xp.linalg.eigvals(input)
        v = xp.zeros((0,), e.dtype)
    else:
        e, v, converged = xp.linalg.eig(input)
    xp.require(converged, _NO_EIG)
    return e, v


@eig.infer
def _(input, *, Tout, compute_v):
    double = input.dtype in (dtypes.float64, dtypes.complex128)
    result = dtypes.complex128 if double else dtypes.complex64
    if as_dtype(Tout) is not result:
        raise InferError(
            f"Tout must be {result.name} for input of {input.dtype.name}, got {as_dtype(Tout).name}"
        )
    return _infer_eigen(input, result, compute_v)


@eig.gradient
def _(de, dv, *, input, e, v, Tout, compute_v):
    if not compute_v:
        e, v = eig(input, Tout=Tout)
        middle = matrix_diag(de)
    else:
        middle = add_v2(matrix_diag(de), _projected(e, v, dv))
    whole = matmul(matrix_solve(v, middle, adjoint=True), v, adjoint_b=True)
    if input.dtype in COMPLEX:
        return whole
    return real(whole, Tout=input.dtype)


def _projected(e: Any, v: Any, dv: Any) -> Any:
    """Project the gradients of the unit-length eigenvectors back to the matrix."""
    inner = matmul(v, dv, adjoint_a=True)
    lengths = matrix_diag_part(inner)
    lengths = cast(real(lengths, Tout=e.dtype.real_dtype), DstT=e.dtype)
    projected = sub(inner, _scaled(matmul(v, v, adjoint_a=True), lengths))
    return mul(conj_of(_inverse_differences(e)), projected)
