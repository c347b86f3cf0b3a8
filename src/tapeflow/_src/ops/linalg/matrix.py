"""Helpers for gradients of matrix ops: transposes, products and sizes of matrices.

All work on matrices in the last two axes.
"""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.registry import InferError
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import (
    concat_v2,
    fill,
    range_,
    scalar_int,
    shape,
    size,
    static_ints,
)
from tapeflow._src.ops.array.diag import matrix_set_diag
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.array.transpose import conjugate_transpose, transpose
from tapeflow._src.ops.linalg.matmul import batch_mat_mul_v2, mat_mul
from tapeflow._src.ops.math.arithmetic import sub
from tapeflow._src.ops.math.elementwise import scalar


def _swapped(tensor: Any) -> Any:
    """Return the axes with the last two exchanged."""
    dims = tensor.static_shape
    if dims is not None:
        rank = len(dims)
        return static_ints((*range(rank - 2), rank - 1, rank - 2))
    rank = size(shape(tensor))
    last, before = sub(rank, scalar_int(1)), sub(rank, scalar_int(2))
    leading = range_(scalar_int(0), before, scalar_int(1))
    return concat_v2([leading, [last], [before]], scalar_int(0))


def transposed(matrix: Any) -> Any:
    """Return the transpose."""
    return transpose(matrix, _swapped(matrix))


def adjoint(matrix: Any, name: str | None = None) -> Any:
    """Return the conjugate transpose."""
    swap = conjugate_transpose if matrix.dtype.is_complex else transpose
    return swap(matrix, _swapped(matrix), name=name)


def matmul(a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False) -> Any:
    """Return the product, optionally of either factor's adjoint."""
    dims_a, dims_b = a.static_shape, b.static_shape
    plain = dims_a is not None and dims_b is not None and len(dims_a) == len(dims_b) == 2
    if plain and not ((adjoint_a or adjoint_b) and a.dtype.is_complex):
        return mat_mul(a, b, transpose_a=adjoint_a, transpose_b=adjoint_b)
    return batch_mat_mul_v2(a, b, adj_x=adjoint_a, adj_y=adjoint_b)


def identity_like(square: Any) -> Any:
    """Return identity matrices of the shape of `square`."""
    dims = square.static_shape
    if dims is not None and None not in dims:
        zeros = fill(static_ints(dims), scalar(0, square))
        return matrix_set_diag(zeros, fill(static_ints(dims[:-1]), scalar(1, square)))
    sizes = shape(square)
    ones = fill(get_item(sizes, slice(None, -1)), scalar(1, square))
    return matrix_set_diag(fill(sizes, scalar(0, square)), ones)


# -- shape rules -------------------------------------------------------------------------------


def require_matrix(spec: Spec, index: int = 0) -> None:
    """Raise InferError unless the last two axes can be matrices."""
    if spec.shape is not None and len(spec.shape) < 2:
        raise InferError(
            f"Input tensor {index} must have rank >= 2, got {len(spec.shape)}: "
            f"shape {fmt_shape(spec.shape)}"
        )


def require_square(spec: Spec, message: str = "Input matrix must be square.") -> int | None:
    """Return the static number of rows; raise InferError unless it equals that of columns."""
    require_matrix(spec)
    if spec.shape is None:
        return None
    rows, columns = spec.shape[-2:]
    if rows is not None and columns is not None and rows != columns:
        raise InferError(f"{message} Got shape {fmt_shape(spec.shape)}")
    return columns if rows is None else rows


def same_square(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    """Infer shapes of ops from square matrices to square matrices."""
    (matrix,) = specs
    size = require_square(matrix)
    return Spec(None if matrix.shape is None else (*matrix.shape[:-2], size, size), matrix.dtype)
