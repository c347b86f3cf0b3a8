"""LU factorisation: `tf.linalg.lu`, and functions of its factors."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays.creation import eye, ones_like
from tapeflow._src.api.arrays.shapes import shape as shape_of
from tapeflow._src.api.linalg.diagonals import band_part, set_diag
from tapeflow._src.api.linalg.products import matmul
from tapeflow._src.api.linalg.solvers import triangular_solve
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.array.diag import matrix_diag_part
from tapeflow._src.ops.array.filling import one_hot
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg import factor as linalg_factor


def lu(input: TensorLike, output_idx_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """Compute the LU factorisation of square matrices: both factors packed, and the permutation.

    Args:
        input: Square matrices in the last two axes, floating-point or complex.
        output_idx_type: The dtype of the permutation: int32 or int64.
        name: Name of the op in a graph.

    Returns:
        A named tuple `(lu, p)`: `u` in and above the diagonal of `lu`, `l` (whose diagonal is 1)
        below it; row `i` of `l @ u` is row `p[i]` of `input`.

    Raises:
        InvalidArgumentError: A matrix is singular.

    Example:

        >>> lu, p = tf.linalg.lu([[0.0, 1.0], [2.0, 4.0]])
        >>> lu.numpy().tolist(), p.numpy().tolist()
        ([[2.0, 4.0], [0.0, 1.0]], [1, 0])
        >>> tf.linalg.lu_reconstruct(lu, p).numpy().tolist()
        [[0.0, 1.0], [2.0, 4.0]]
    """
    op = linalg_factor.lu
    return op.result_type(*op(input, output_idx_type=output_idx_type, name=name))


def _checked_lu(lower_upper: Any, perm: Any) -> tuple[Any, Any]:
    lower_upper, perm = convert(lower_upper), convert(perm, None, dtypes.int32)
    shape, order = lower_upper.shape, perm.shape
    if shape.rank is not None and shape.rank < 2:
        raise ValueError(
            "`lower_upper` must be one matrix or a batch of them (rank 2 or more), received "
            f"shape {shape}."
        )
    if order.rank is not None and order.rank < 1:
        raise ValueError("Input `perm` must have at least 1 dimension.")
    if shape.rank is not None and order.rank is not None and shape.rank != order.rank + 1:
        raise ValueError("`rank(lower_upper)` must equal `rank(perm) + 1`")
    if shape.rank is not None and shape[-1] is not None and shape[-2] not in (None, shape[-1]):
        raise ValueError("`lower_upper` must be square.")
    return lower_upper, perm


def _row_order(perm: Any, dtype: DTypeLike) -> Any:
    """Create the permutation matrices of `perm`."""
    size = perm.shape[-1]
    depth = size if size is not None else get_item(shape_of(perm), -1)
    return one_hot(perm, depth, convert(1, dtype), convert(0, dtype))


def _unit_lower(lower_upper: Any) -> Any:
    return set_diag(lower_upper, ones_like(matrix_diag_part(lower_upper)))


@scoped("lu_reconstruct")
def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Reconstruct the matrix from its LU factors.

    Args:
        lower_upper: The packed factors, from `tf.linalg.lu`.
        perm: The permutation, from `tf.linalg.lu`.
        validate_args: Accepted for compatibility: static shapes are always checked.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `lower_upper`.

    Raises:
        ValueError: The shapes do not match.

    Example:

        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> tf.linalg.lu_reconstruct(*tf.linalg.lu(x)).numpy().round(3).tolist()
        [[1.0, 2.0], [3.0, 4.0]]
    """
    lower_upper, perm = _checked_lu(lower_upper, perm)
    product = matmul(_unit_lower(band_part(lower_upper, -1, 0)), band_part(lower_upper, 0, -1))
    return matmul(_row_order(perm, lower_upper.dtype), product, transpose_a=True)


@scoped("lu_solve")
def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Solve `a @ x = rhs` with the LU factors of `a`.

    Args:
        lower_upper: The packed factors, from `tf.linalg.lu`.
        perm: The permutation, from `tf.linalg.lu`.
        rhs: Right-hand sides `[..., n, k]`: add an axis to a vector.
        validate_args: Accepted for compatibility: static shapes are always checked.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[..., n, k]`.

    Raises:
        ValueError: The shapes do not match.

    Example:

        >>> factors = tf.linalg.lu([[2.0, 0.0], [0.0, 4.0]])
        >>> tf.linalg.lu_solve(*factors, [[2.0], [2.0]]).numpy().tolist()
        [[1.0], [0.5]]
    """
    lower_upper, perm = _checked_lu(lower_upper, perm)
    rhs = convert(rhs, None, lower_upper.dtype)
    if rhs.shape.rank is not None and rhs.shape.rank < 2:
        raise ValueError(
            "`rhs` must be one matrix or a batch of them (rank 2 or more), received shape "
            f"{rhs.shape}. Add an axis to a vector: rhs[..., tf.newaxis]."
        )
    rows, rhs_rows = lower_upper.shape[-2], rhs.shape[-2]
    if rows is not None and rhs_rows is not None and rows != rhs_rows:
        raise ValueError("`lower_upper.shape[-1]` must equal `rhs.shape[-2]`.")
    ordered = matmul(_row_order(perm, rhs.dtype), rhs)
    half = triangular_solve(_unit_lower(lower_upper), ordered)
    return triangular_solve(lower_upper, half, lower=False)


@scoped("lu_matrix_inverse")
def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Compute the inverse of a matrix from its LU factors.

    Args:
        lower_upper: The packed factors, from `tf.linalg.lu`.
        perm: The permutation, from `tf.linalg.lu`.
        validate_args: Accepted for compatibility: static shapes are always checked.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `lower_upper`.

    Raises:
        ValueError: The shapes do not match.

    Example:

        >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[2.0, 0.0], [0.0, 4.0]])).numpy().tolist()
        [[0.5, 0.0], [0.0, 0.25]]
    """
    lower_upper, perm = _checked_lu(lower_upper, perm)
    size = lower_upper.shape[-1]
    rows = size if size is not None else get_item(shape_of(lower_upper), -1)
    return lu_solve(lower_upper, perm, eye(rows, dtype=lower_upper.dtype))
