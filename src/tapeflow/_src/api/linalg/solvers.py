"""Determinants, inverses and linear systems: `tf.linalg.solve` and related functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.arrays.joining import pad, stack
from tapeflow._src.api.arrays.shapes import expand_dims, squeeze
from tapeflow._src.api.arrays.slicing import where
from tapeflow._src.api.linalg.diagonals import diag_part
from tapeflow._src.api.linalg.factors import svd
from tapeflow._src.api.linalg.products import matmul, matrix_transpose
from tapeflow._src.api.math.reduction import reduce_max, reduce_sum
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import shape_of
from tapeflow._src.ops.array.diag import matrix_diag_part
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg import bands as linalg_bands
from tapeflow._src.ops.linalg import factor as linalg_factor
from tapeflow._src.ops.linalg import least_squares as linalg_least_squares
from tapeflow._src.ops.linalg import solve as linalg_solve
from tapeflow._src.ops.linalg.matrix import identity_like
from tapeflow._src.ops.math.arithmetic import add_v2, conj_of, mul
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import greater
from tapeflow._src.ops.math.complex_parts import real
from tapeflow._src.ops.math.elementwise import log, scalar

# -- determinants and inverses -----------------------------------------------------------------


def det(input: TensorLike, name: str | None = None) -> Tensor:
    """Compute the determinant of square matrices.

    For large matrices it overflows: see `tf.linalg.slogdet`.

    Args:
        input: Square matrices in the last two axes, floating-point or complex.
        name: Name of the op in a graph.

    Returns:
        A tensor without the last two axes.

    Example:

        >>> tf.linalg.det([[1.0, 2.0], [3.0, 4.0]]).numpy().round(3)
        np.float32(-2.0)
    """
    return linalg_solve.matrix_determinant(input, name=name)


def slogdet(input: TensorLike, name: str | None = None) -> Any:
    """Compute the sign and the logarithm of the absolute value of determinants.

    Args:
        input: Square matrices in the last two axes, floating-point or complex.
        name: Name of the op in a graph.

    Returns:
        A named tuple `(sign, log_abs_determinant)` of tensors without the last two axes.

    Example:

        >>> sign, logarithm = tf.linalg.slogdet([[1.0, 2.0], [3.0, 4.0]])
        >>> sign.numpy(), tf.exp(logarithm).numpy().round(3)
        (np.float32(-1.0), np.float32(2.0))
    """
    op = linalg_solve.log_matrix_determinant
    return op.result_type(*op(input, name=name))


@scoped("logdet")
def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Compute the logarithm of the determinant of positive definite matrices.

    It uses the Cholesky factor; `tf.linalg.slogdet` takes any matrix.

    Args:
        matrix: Hermitian positive definite matrices; NaN for others.
        name: Name of the op in a graph.

    Returns:
        A real tensor without the last two axes.

    Example:

        >>> tf.exp(tf.linalg.logdet([[2.0, 0.0], [0.0, 3.0]])).numpy().round(3)
        np.float32(6.0)
    """
    diagonal = matrix_diag_part(linalg_factor.cholesky(matrix))
    if diagonal.dtype.is_complex:
        diagonal = real(diagonal, Tout=diagonal.dtype.real_dtype)
    logarithms = log(diagonal)
    return mul(scalar(2, logarithms), reduce_sum(logarithms, -1))


def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Compute the inverse of square matrices, or of their adjoints.

    To solve systems, `tf.linalg.solve` is faster and more accurate.

    Args:
        input: Square matrices in the last two axes, floating-point or complex.
        adjoint: Whether to invert the conjugate transposes.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: A matrix is singular.

    Example:

        >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy().tolist()
        [[0.5, 0.0], [0.0, 0.25]]
    """
    return linalg_solve.matrix_inverse(input, adjoint=adjoint, name=name)


def _floating(a: Any) -> Any:
    a = convert(a)
    if not a.dtype.is_floating:
        raise TypeError(
            f"`a` must hold floating-point numbers, received dtype {a.dtype.name}: use tf.cast."
        )
    if a.shape.rank is not None and a.shape.rank < 2:
        raise ValueError(
            f"`a` must be one matrix or a batch of them (rank 2 or more), received shape {a.shape}."
        )
    return a


@scoped("pinv")
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """Compute the Moore-Penrose pseudo-inverse.

    Args:
        a: Floating-point matrices `[..., m, n]` in the last two axes.
        rcond: Singular values up to `rcond` times the largest count as zero; by default ten times
            the machine epsilon times the larger side.
        validate_args: Accepted for compatibility: shapes are always checked.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[..., n, m]`.

    Raises:
        TypeError: `a` is not floating-point.
        ValueError: `a` has fewer than two axes.

    Example:

        >>> tf.linalg.pinv([[2.0], [0.0]]).numpy().tolist()
        [[0.5, 0.0]]
    """
    a = _floating(a)
    if rcond is None:
        rcond = _larger_size(a, 10.0 * np.finfo(_wide(a.dtype)).eps)
    s, u, v = svd(a, full_matrices=False, compute_uv=True)
    limit = mul(convert(rcond, s.dtype), reduce_max(s, -1))
    s = where(greater(s, expand_dims(limit, -1)), s, scalar(np.inf, s))
    return matmul(v / expand_dims(s, -2), u, adjoint_b=True)


@scoped("matrix_rank")
def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Compute the rank of matrices: the number of singular values above `tol`.

    Args:
        a: Floating-point matrices in the last two axes.
        tol: The threshold; by default the machine epsilon times the larger side and the largest
            singular value.
        validate_args: Accepted for compatibility: shapes are always checked.
        name: Name of the op in a graph.

    Returns:
        An int32 tensor without the last two axes.

    Raises:
        TypeError: `a` is not floating-point.
        ValueError: `a` has fewer than two axes.

    Example:

        >>> tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy()
        np.int32(1)
    """
    a = convert(a, None, dtypes.float32)
    if a.shape.rank is not None and a.shape.rank < 2:
        raise ValueError(
            f"`a` must be one matrix or a batch of them (rank 2 or more), received shape {a.shape}."
        )
    if not a.dtype.is_floating:
        raise TypeError(
            f"`a` must hold floating-point numbers, received dtype {a.dtype.name}: use tf.cast."
        )
    s = svd(a, compute_uv=False)
    if tol is None:
        factor = _larger_size(a, np.finfo(_wide(s.dtype)).eps)
        tol = mul(convert(factor, s.dtype), reduce_max(s, -1, keepdims=True))
    return reduce_sum(cast(greater(s, tol), DstT=dtypes.int32), -1)


def _larger_size(a: Any, times: float) -> Any:
    """Return the larger of the number of rows and columns, times a number."""
    sizes = get_item(shape_of(a), slice(-2, None))
    static_sizes = sizes.static_value
    if static_sizes is not None:
        return float(max(static_sizes.tolist()) * times)
    dtype = a.dtype.real_dtype
    return cast(cast(reduce_max(sizes), DstT=dtype) * convert(times, dtype), DstT=a.dtype)


def _wide(dtype: Any) -> Any:
    """Return the dtype whose precision counts: 16-bit floats are computed in float32."""
    return np.float32 if dtype.size == 2 else dtype.real_dtype.np


# -- systems -----------------------------------------------------------------------------------


def solve(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solve `matrix @ x = rhs`, or with the adjoint of `matrix`.

    Args:
        matrix: Square matrices in the last two axes, floating-point or complex.
        rhs: Right-hand sides `[..., n, k]`: add an axis to a vector.
        adjoint: Whether to solve with the conjugate transpose of `matrix`.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `rhs`.

    Raises:
        InvalidArgumentError: A matrix is singular, or shapes do not match.

    Example:

        >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy().tolist()
        [[1.0], [0.5]]
    """
    return linalg_solve.matrix_solve(matrix, rhs, adjoint=adjoint, name=name)


@scoped("triangular_solve")
def triangular_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """Solve `matrix @ x = rhs` for a triangular matrix; the other triangle is not read.

    Args:
        matrix: Square matrices in the last two axes, floating-point or complex.
        rhs: Right-hand sides `[..., n, k]`: add an axis to a vector. The batch axes broadcast.
        lower: Whether the lower triangle is used; else the upper one.
        adjoint: Whether to solve with the conjugate transpose of `matrix`.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[..., n, k]`; infinite or NaN where a diagonal element is zero.

    Example:

        >>> tf.linalg.triangular_solve([[2.0, 99.0], [1.0, 1.0]], [[2.0], [3.0]]).numpy().tolist()
        [[1.0], [2.0]]
    """
    return linalg_solve.matrix_triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)


@scoped("cholesky_solve")
def cholesky_solve(chol: Any, rhs: TensorLike, name: str | None = None) -> Tensor:
    """Solve `a @ x = rhs` with the Cholesky factor of `a`.

    Args:
        chol: The lower triangular factor, from `tf.linalg.cholesky`.
        rhs: Right-hand sides `[..., n, k]`: add an axis to a vector.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `rhs`.

    Example:

        >>> factor = tf.linalg.cholesky([[4.0, 0.0], [0.0, 9.0]])
        >>> tf.linalg.cholesky_solve(factor, [[4.0], [18.0]]).numpy().tolist()
        [[1.0], [2.0]]
    """
    chol = convert(chol)
    return linalg_solve.cholesky_solve(chol, convert(rhs, None, chol.dtype))


def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """Solve linear least squares: minimise `|matrix @ x - rhs|² + l2_regularizer |x|²`.

    Args:
        matrix: `[..., m, n]`.
        rhs: `[..., m, k]`.
        l2_regularizer: The weight of the L2 regularisation; ignored unless `fast`.
        fast: Whether to solve the normal equations, which suits well-conditioned matrices.
            Otherwise an orthogonal factorisation yields the solution of least norm.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[..., n, k]`.

    Example:

        >>> x = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]
        >>> tf.linalg.lstsq(x, [[1.0], [3.0], [5.0]]).numpy().round(3).tolist()
        [[1.0], [2.0]]
    """
    matrix = convert(matrix)
    rhs = convert(rhs, None, matrix.dtype)
    rows, columns = matrix.shape[-2:] if matrix.shape.rank is not None else (None, None)
    if not fast or rows is None or columns is None:
        damping = convert(l2_regularizer, dtypes.float64)
        return linalg_least_squares.matrix_solve_ls(matrix, rhs, damping, fast=fast, name=name)
    return _by_normal_equations(matrix, rhs, l2_regularizer, rows >= columns, name=name)


@scoped("matrix_solve_ls")
def _by_normal_equations(
    matrix: Any, rhs: Any, l2_regularizer: Any, over: bool, name: str | None = None
) -> Any:
    """Solve least squares by the normal equations of an over- or underdetermined system."""
    gram = matmul(matrix, matrix, adjoint_a=over, adjoint_b=not over)
    if isinstance(l2_regularizer, (int, float)):
        damping = convert(l2_regularizer, matrix.dtype)
    else:
        damping = cast(convert(l2_regularizer), DstT=matrix.dtype)
    if not isinstance(l2_regularizer, (int, float)) or l2_regularizer != 0:
        gram = add_v2(gram, mul(damping, identity_like(gram)))
    factor = linalg_factor.cholesky(gram)
    if over:
        return cholesky_solve(factor, matmul(matrix, rhs, adjoint_a=True))
    return matmul(matrix, cholesky_solve(factor, rhs), adjoint_a=True)


# -- bands -------------------------------------------------------------------------------------


@scoped("banded_triangular_solve")
def banded_triangular_solve(
    bands: Any, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solve `a @ x = rhs` for triangular `a` with few diagonals.

    Args:
        bands: The diagonals of `a` as rows, `[..., bands, n]`: of a lower matrix the main diagonal
            first, with the unused elements in front; of an upper one last, with the unused elements
            behind.
        rhs: Right-hand sides `[..., n, k]`: add an axis to a vector.
        lower: Whether `a` is lower triangular.
        adjoint: Whether to solve with the conjugate transpose.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[..., n, k]`.

    Example:

        >>> bands = tf.constant([[2.0, 1.0], [0.0, 1.0]])
        >>> tf.linalg.banded_triangular_solve(bands, [[2.0], [3.0]]).numpy().tolist()
        [[1.0], [2.0]]
    """
    return linalg_bands.banded_triangular_solve(bands, rhs, lower=lower, adjoint=adjoint)


def _unknown_format(diagonals_format: Any) -> ValueError:
    return ValueError(
        f"Unrecognized diagonals_format: {diagonals_format}; use 'compact', 'sequence' or 'matrix'."
    )


def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """Solve `a @ x = rhs` for tridiagonal `a`.

    Args:
        diagonals: The three diagonals, see `diagonals_format`.
        rhs: The right-hand sides: `[..., n]` or `[..., n, k]`.
        diagonals_format: "compact": the rows of one tensor, superdiagonal first; "sequence": a
            list; "matrix": the whole matrix.
        transpose_rhs: Whether to transpose `rhs` first.
        conjugate_rhs: Whether to conjugate `rhs` first.
        partial_pivoting: Whether to pivot, for stability.
        perturb_singular: Whether to perturb singular matrices.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `rhs`.

    Raises:
        ValueError: The format is unknown, or shapes do not match.

    Example:

        >>> diagonals = tf.constant([[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 1.0, 1.0]])
        >>> rhs = tf.constant([4.0, 8.0, 8.0])
        >>> tf.linalg.tridiagonal_solve(diagonals, rhs).numpy().round(3).tolist()
        [1.0, 2.0, 3.0]
    """
    if diagonals_format == "compact":
        diagonals = convert(diagonals)
    elif diagonals_format == "sequence":
        diagonals = _from_sequence(diagonals)
    elif diagonals_format == "matrix":
        diagonals = convert(diagonals)
        _check_square(diagonals)
        diagonals = diag_part(diagonals, k=(-1, 1), padding_value=0, align="LEFT_RIGHT")
    else:
        raise _unknown_format(diagonals_format)
    rhs = convert(rhs, None, diagonals.dtype)
    _check_tridiagonal(diagonals, rhs, transpose_rhs)
    how = {"partial_pivoting": partial_pivoting, "perturb_singular": perturb_singular}
    if rhs.shape.rank is not None and rhs.shape.rank + 1 == diagonals.shape.rank:
        rhs = expand_dims(conj_of(rhs) if conjugate_rhs else rhs, -1)
        return squeeze(linalg_bands.tridiagonal_solve(diagonals, rhs, **how, name=name), -1)
    if transpose_rhs:
        rhs = matrix_transpose(rhs, conjugate=conjugate_rhs)
    elif conjugate_rhs:
        rhs = conj_of(rhs)
    return linalg_bands.tridiagonal_solve(diagonals, rhs, **how, name=name)


def _check_square(matrix: Any) -> None:
    if matrix.shape.rank is None:
        return
    if matrix.shape.rank < 2:
        raise ValueError(
            "With diagonals_format='matrix', `diagonals` must be matrices (rank 2 or more), "
            f"received shape {matrix.shape}."
        )
    rows, columns = matrix.shape[-2:]
    if rows is not None and columns is not None and rows != columns:
        raise ValueError(
            f"With diagonals_format='matrix', `diagonals` must be square matrices, received {rows} "
            f"rows and {columns} columns."
        )


def _check_tridiagonal(diagonals: Any, rhs: Any, transpose_rhs: bool) -> None:
    """Raise ValueError unless the static shapes are compatible."""
    rank = diagonals.shape.rank
    if rank is None or rhs.shape.rank is None:
        return
    if rank < 2:
        raise ValueError(f"`diagonals` must have rank 2 or more, received shape {diagonals.shape}.")
    if rhs.shape.rank not in (rank - 1, rank):
        raise ValueError(
            f"`rhs` must have rank {rank - 1} (vectors) or {rank} (matrices) beside diagonals of "
            f"shape {diagonals.shape}, received shape {rhs.shape}."
        )
    if diagonals.shape[-2] not in (None, 3):
        raise ValueError(
            f"Expected 3 diagonals in the second last axis, received {diagonals.shape[-2]}."
        )
    vector = rhs.shape.rank == rank - 1
    left, right = diagonals.shape[-1], rhs.shape[-1 if vector or transpose_rhs else -2]
    if left is not None and right is not None and left != right:
        raise ValueError(
            f"The system has {left} equations, but `rhs` has {right} rows: both numbers must be "
            "equal."
        )


def _from_sequence(diagonals: Any) -> Any:
    """Pack three diagonals into one tensor; the outer ones may be one element shorter."""
    if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
        raise ValueError(
            "With diagonals_format='sequence', `diagonals` must be three tensors: (superdiagonal, "
            "diagonal, subdiagonal)."
        )
    upper, main, lower = (convert(d) for d in diagonals)
    upper = _padded(upper, main, "superdiagonal", before=False)
    lower = _padded(lower, main, "subdiagonal", before=True)
    for name, line in (("superdiagonal", upper), ("subdiagonal", lower)):
        if not line.shape.is_compatible_with(main.shape):
            raise ValueError(
                f"The {name} has shape {line.shape}, which does not fit the diagonal of shape "
                f"{main.shape}: apart from the last axis, all three must agree."
            )
    return stack([upper, main, lower], axis=-2)


def _padded(diagonal: Any, main: Any, name: str, before: bool) -> Any:
    length, size = _last_size(diagonal), _last_size(main)
    missing = size - length
    if isinstance(missing, int):
        if missing == 0:
            return diagonal
        if missing != 1:
            raise ValueError(
                f"The {name} of a {size} x {size} matrix must have length {size - 1}, or {size} "
                f"with one unused element; received length {length}."
            )
    if diagonal.static_shape is None:
        raise ValueError(f"tridiagonal_solve: the rank of the {name} must be known.")
    edge = [[0, 0]] * (len(diagonal.static_shape) - 1)
    return pad(diagonal, [*edge, [missing, 0] if before else [0, missing]])


def _last_size(tensor: Any) -> Any:
    """Return the size of the last axis: an int, or a scalar tensor if unknown."""
    static_size = None if tensor.static_shape is None else tensor.static_shape[-1]
    return get_item(shape_of(tensor), -1) if static_size is None else static_size


def tridiagonal_matmul(
    diagonals: Any, rhs: TensorLike, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """Multiply `rhs` by a tridiagonal matrix.

    Args:
        diagonals: The three diagonals, see `diagonals_format`.
        rhs: `[..., n, k]`.
        diagonals_format: "compact": the rows of one tensor, superdiagonal first; "sequence": a
            list; "matrix": the whole matrix.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `rhs`.

    Raises:
        ValueError: The format is unknown.

    Example:

        >>> diagonals = tf.constant([[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 1.0, 1.0]])
        >>> tf.linalg.tridiagonal_matmul(diagonals, tf.ones((3, 1))).numpy().tolist()
        [[3.0], [4.0], [3.0]]
    """
    if diagonals_format == "compact":
        diagonals = convert(diagonals)
        if diagonals.shape.rank is not None and diagonals.shape[-2] not in (None, 3):
            raise IndexError(f"Expected 3 diagonals, got shape {diagonals.shape}.")
        lines = [get_item(diagonals, (..., i, slice(None))) for i in range(3)]
    elif diagonals_format == "sequence":
        lines = [convert(d) for d in diagonals]
    elif diagonals_format == "matrix":
        matrix = convert(diagonals)
        edge = [[0, 0]] * (matrix.shape.rank - 2)
        upper = pad(diag_part(matrix, k=1), [*edge, [0, 1]])
        lower = pad(diag_part(matrix, k=-1), [*edge, [1, 0]])
        lines = [upper, diag_part(matrix), lower]
    else:
        raise _unknown_format(diagonals_format)
    rows = [expand_dims(line, -2) for line in lines]
    return linalg_bands.tridiagonal_mat_mul(*rows, rhs, name=name)
