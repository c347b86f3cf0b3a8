"""Linear algebra on matrices and stacks of them."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.internal.fused import fused
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import floating, to_tensor

_linalg = functools.partial(declare, family="linalg")
_solving = functools.partial(declare, family="linalg", call=("a", "b"))


def _matrix(x: Any) -> Any:
    x = to_tensor(x)
    if x.shape.rank < 2:
        raise ValueError(f"Expected a matrix, or a stack of them. Received shape {x.shape}")
    return x


def _square(x: Any) -> Any:
    x = _matrix(x)
    rows, columns = x.shape[-2:]
    if rows != columns:
        raise ValueError(f"Expected a square matrix. Received shape {x.shape}")
    return x


def _system(a: Any, b: Any) -> tuple[Any, Any]:
    a, b = _square(a), to_tensor(b)
    if b.shape.rank < 1:
        raise ValueError("The right-hand side must be a vector or a matrix. Received a scalar.")
    axis = -1 if b.shape.rank == a.shape.rank - 1 else -2
    if b.shape.rank < a.shape.rank - 1 or a.shape[-2] != b.shape[axis]:
        raise ValueError(
            f"The right-hand side must have as many rows as the matrix. Received shapes {a.shape} "
            f"and {b.shape}"
        )
    return a, b


@_linalg()
def cholesky(x: TensorLike, upper: bool = False) -> Any:
    """Computes the Cholesky factor of positive definite matrices.

    Args:
        x: Tensor of shape (..., n, n), of which the lower triangles are read.
        upper: Whether to return the upper factor `u`, with `x = uᴴ @ u`, instead of the lower one
            `l`, with `x = l @ lᴴ`.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ValueError: A matrix is not square, or not positive definite.

    Example:
        >>> tf.keras.ops.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy()
        array([[2., 0.],
               [1., 2.]], dtype=float32)
    """
    x = _square(x)
    try:
        factor = tf.debugging.check_numerics(tf.linalg.cholesky(x), "cholesky")
    except tf.errors.InvalidArgumentError as error:
        raise ValueError(f"The matrix is not positive definite: {error}") from None
    return tf.linalg.adjoint(factor) if upper else factor


@_linalg()
def cholesky_inverse(x: Any, upper: bool = False) -> Any:
    """Computes the inverse of the matrix whose Cholesky factor is `x`.

    Args:
        x: Triangular factors of shape (..., n, n).
        upper: Whether `x` are upper factors.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ValueError: A matrix is not square, or singular.

    Example:
        >>> tf.keras.ops.cholesky_inverse([[2.0, 0.0], [0.0, 4.0]]).numpy()
        array([[0.25  , 0.    ],
               [0.    , 0.0625]], dtype=float32)
    """
    x = _square(x)
    identity = tf.eye(tf.shape(x)[-1], dtype=x.dtype)
    try:
        inverse = tf.linalg.triangular_solve(x, identity, lower=not upper)
    except tf.errors.InvalidArgumentError as error:
        raise ValueError(f"The factor cannot be inverted: {error}") from None
    return tf.matmul(inverse, inverse, transpose_a=not upper, transpose_b=upper)


@_linalg()
def det(x: TensorLike) -> Any:
    """Computes determinants.

    Args:
        x: Tensor of shape (..., n, n).

    Returns:
        A tensor of shape (...).

    Raises:
        ValueError: A matrix is not square.

    Example:
        >>> tf.keras.ops.det([[2.0, 0.0], [1.0, 3.0]]).numpy()
        np.float32(6.0)
    """
    return tf.linalg.det(_square(x))


@_linalg()
def eig(x: TensorLike) -> Any:
    """Computes the eigenvalues and eigenvectors of square matrices, which are complex.

    Args:
        x: Tensor of shape (..., n, n).

    Returns:
        A tuple of the eigenvalues, of shape (..., n) and in no special order, and of the
        eigenvectors as columns, of shape (..., n, n).

    Raises:
        ValueError: A matrix is not square.

    Example:
        >>> values, vectors = tf.keras.ops.eig([[2.0, 0.0], [0.0, 3.0]])
        >>> sorted(values.numpy().real.tolist())
        [2.0, 3.0]
    """
    return tuple(tf.linalg.eig(_square(x)))


@_linalg()
def eigh(x: TensorLike) -> Any:
    """Computes the eigenvalues and eigenvectors of Hermitian matrices.

    Args:
        x: Tensor of shape (..., n, n), of which the lower triangles are read.

    Returns:
        A tuple of the eigenvalues in ascending order, of shape (..., n), and of the eigenvectors as
        columns, of shape (..., n, n).

    Raises:
        ValueError: A matrix is not square.

    Example:
        >>> values, vectors = tf.keras.ops.eigh([[2.0, 1.0], [1.0, 2.0]])
        >>> values.numpy().round(4)
        array([1., 3.], dtype=float32)
    """
    return tuple(tf.linalg.eigh(_square(x)))


@_linalg()
def inv(x: TensorLike) -> Any:
    """Computes inverses.

    Args:
        x: Tensor of shape (..., n, n). To solve equations, `solve` is more accurate.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ValueError: A matrix is not square.
        tf.errors.InvalidArgumentError: A matrix is singular.

    Example:
        >>> tf.keras.ops.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
        array([[0.5 , 0.  ],
               [0.  , 0.25]], dtype=float32)
    """
    return tf.linalg.inv(_square(x))


def _lu_spec(operation: Any, x: Any) -> Any:
    *batch, rows, columns = x.shape
    pivots = None if None in (rows, columns) else min(rows, columns)
    return KerasTensor(x.shape, x.dtype), KerasTensor((*batch, pivots), "int32")


@_linalg("LuFactor", output_spec=_lu_spec)
def lu_factor(x: TensorLike) -> Any:
    """Computes L and U in one matrix, and the pivots as a permutation.

    Args:
        x: Tensor of shape (..., n, n).

    Returns:
        A tuple of the factors, of the shape of `x`, with L below the diagonal (its own is all ones)
        and U from it on, and of an `int32` permutation of the rows.

    Raises:
        ValueError: A matrix is not square.

    Example:
        >>> factors, pivots = tf.keras.ops.lu_factor([[1.0, 2.0], [4.0, 3.0]])
        >>> factors.numpy(), pivots.numpy()
        (array([[4.  , 3.  ],
               [0.25, 1.25]], dtype=float32), array([1, 0], dtype=int32))
    """
    factors, permutation = tf.linalg.lu(_square(x))
    if permutation.shape.rank == 1:
        return factors, tf.math.invert_permutation(permutation)
    return factors, tf.argsort(permutation, axis=-1)


@_linalg()
def qr(x: TensorLike, mode: str = "reduced") -> Any:
    """Computes the QR decomposition: an orthogonal and an upper triangular factor.

    Args:
        x: Tensor of shape (..., n, m).
        mode: "reduced" for factors of min(n, m) columns and rows, "complete" for a square `q`.

    Returns:
        A tuple `(q, r)` with `x = q @ r`.

    Raises:
        ValueError: `mode` has another value, or `x` is not a matrix.

    Example:
        >>> q, r = tf.keras.ops.qr([[3.0, 1.0], [4.0, 2.0]])
        >>> tf.keras.ops.matmul(q, r).numpy().round(4)
        array([[3., 1.],
               [4., 2.]], dtype=float32)
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"`mode` must be 'reduced' or 'complete'. Received: {mode!r}")
    return tuple(tf.linalg.qr(_matrix(x), full_matrices=mode == "complete"))


@_solving()
def solve(a: Any, b: Any) -> Any:
    """Solves `a @ x = b`; `b` may be a vector.

    Args:
        a: Square matrices of shape (..., n, n).
        b: Right-hand sides of shape (..., n) or (..., n, k).

    Returns:
        A tensor of the shape of `b`.

    Raises:
        ValueError: A matrix is not square, or `b` has another number of rows.
        tf.errors.InvalidArgumentError: A matrix is singular.

    Example:
        >>> tf.keras.ops.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0]).numpy()
        array([1. , 0.5], dtype=float32)
    """
    a, b = _system(a, b)
    if b.shape.rank == a.shape.rank - 1:
        return tf.squeeze(tf.linalg.solve(a, b[..., None]), -1)
    return tf.linalg.solve(a, b)


@_solving("SolveTriangular")
def solve_triangular(a: Any, b: Any, lower: bool = False) -> Any:
    """Solves `a @ x = b` for a triangular matrix.

    Args:
        a: Triangular matrices of shape (..., n, n); the other triangle is not read.
        b: Right-hand sides of shape (..., n) or (..., n, k).
        lower: Whether the matrices are lower triangular.

    Returns:
        A tensor of the shape of `b`.

    Raises:
        ValueError: A matrix is not square, or `b` has another number of rows.

    Example:
        >>> tf.keras.ops.solve_triangular([[2.0, 0.0], [1.0, 4.0]], [2.0, 9.0], lower=True).numpy()
        array([1., 2.], dtype=float32)
    """
    a, b = _system(a, b)
    if b.shape.rank == a.shape.rank - 1:
        return tf.squeeze(tf.linalg.triangular_solve(a, b[..., None], lower=lower), -1)
    return tf.linalg.triangular_solve(a, b, lower=lower)


@_linalg("SVD")
def svd(x: TensorLike, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Computes the singular value decomposition `u, s, vh`, or `s` alone.

    Args:
        x: Tensor of shape (..., n, m).
        full_matrices: Whether `u` and `vh` are square; otherwise they have min(n, m) columns and
            rows.
        compute_uv: Whether to compute `u` and `vh`.

    Returns:
        A tuple `(u, s, vh)`, as of NumPy, with the singular values `s` in descending order; only
        `s` without `compute_uv`.

    Raises:
        ValueError: `x` is not a matrix.

    Example:
        >>> tf.keras.ops.svd([[3.0, 0.0], [0.0, -4.0]], compute_uv=False).numpy()
        array([4., 3.], dtype=float32)
    """
    x = _matrix(x)
    if not compute_uv:
        return tf.linalg.svd(x, compute_uv=False)
    s, u, v = tf.linalg.svd(x, full_matrices=full_matrices)
    return u, s, tf.linalg.adjoint(v)


@_solving()
def lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    """Computes the least-squares solution of `a @ x = b`; small singular values count as 0.

    Args:
        a: A matrix of shape (n, m).
        b: A matrix of n rows, or a vector.
        rcond: Singular values below this share of the largest one count as 0. None is `eps * max(n,
            m)`; a negative number is `eps`, the precision of the dtype.

    Returns:
        The solution, of shape (m, k) or (m,).

    Raises:
        ValueError: `a` and `b` have different numbers of rows.
        TypeError: `a` is not a matrix, or `b` neither a matrix nor a vector.

    Example:
        >>> a = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]
        >>> tf.keras.ops.lstsq(a, [1.0, 3.0, 5.0]).numpy().round(4)
        array([1., 2.], dtype=float32)
    """
    a, b = to_tensor(a), to_tensor(b)
    shapes = f"Received shapes {a.shape} and {b.shape}"
    if a.shape[0] != b.shape[0]:
        raise ValueError(f"`a` and `b` need equally many rows. {shapes}")
    if a.shape.rank != 2 or b.shape.rank not in (1, 2):
        raise TypeError(f"`lstsq` takes a matrix, and a matrix or vector. {shapes}")
    rows, columns = a.shape
    smallest = float(tf.experimental.numpy.finfo(a.dtype.as_numpy_dtype).eps)
    if rcond is None:
        rcond = smallest * max(rows, columns)
    elif rcond < 0:
        rcond = smallest
    u, s, vh = svd(a, full_matrices=False)
    counts = s >= tf.cast(rcond, s.dtype) * s[0]
    inverse = tf.where(counts, 1 / tf.where(counts, s, tf.ones_like(s)), tf.zeros_like(s))
    right = b if b.shape.rank == 2 else b[:, None]
    projected = tf.cast(inverse, a.dtype)[:, None] * tf.matmul(u, right, adjoint_a=True)
    solution = tf.matmul(vh, projected, adjoint_a=True)
    return solution if b.shape.rank == 2 else solution[:, 0]


@_linalg("MatrixRank")
def matrix_rank(x: TensorLike, tol: float | None = None) -> Any:
    """Computes how many singular values are above `tol`.

    Args:
        x: Tensor of shape (..., n, m).
        tol: The threshold; None is the largest singular value times the precision of the dtype and
            max(n, m).

    Returns:
        An `int32` tensor of shape (...).

    Raises:
        ValueError: `x` is not a matrix.

    Example:
        >>> tf.keras.ops.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).numpy()
        np.int32(1)
    """
    return tf.linalg.matrix_rank(_matrix(x), tol=tol)


@_linalg()
def pinv(x: TensorLike, rcond: float | None = None) -> Any:
    """Computes the Moore-Penrose pseudo-inverse.

    Args:
        x: Tensor of shape (..., n, m).
        rcond: Singular values below this share of the largest one count as 0; None derives it from
            the precision of the dtype and the size.

    Returns:
        A tensor of shape (..., m, n).

    Raises:
        ValueError: `x` is not a matrix.

    Example:
        >>> tf.keras.ops.pinv([[2.0, 0.0], [0.0, 0.0]]).numpy().round(4)
        array([[0.5, 0. ],
               [0. , 0. ]], dtype=float32)
    """
    return tf.linalg.pinv(_matrix(x), rcond=rcond)


_VECTOR_NORMS = {
    float("inf"): lambda x, axis, keep: tf.reduce_max(tf.abs(x), axis, keep),
    float("-inf"): lambda x, axis, keep: tf.reduce_min(tf.abs(x), axis, keep),
    0: lambda x, axis, keep: tf.reduce_sum(tf.cast(x != 0, x.dtype), axis, keep),
}


def _euclidean(x: Any, axes: list[int], keepdims: bool) -> Any:
    square = tf.square(x) if x.dtype.is_floating else x * tf.math.conj(x)
    return tf.sqrt(tf.reduce_sum(square, axes, keepdims))


def _vector_norm(x: Any, ord: Any, axis: int, keepdims: bool) -> Any:
    if ord is None or ord == 2:
        return _euclidean(x, [axis], keepdims)
    if isinstance(ord, str):
        raise ValueError(f"Vectors have norms of a number `ord`. Received: ord={ord!r}")
    if ord in _VECTOR_NORMS:
        return _VECTOR_NORMS[ord](x, axis, keepdims)
    power = tf.cast(ord, x.dtype)
    return tf.pow(tf.reduce_sum(tf.pow(tf.abs(x), power), axis, keepdims), 1.0 / power)


def _matrix_norm(x: Any, ord: Any, axes: list[int], keepdims: bool) -> Any:
    rows, columns = axes
    if ord is None or ord == "fro":
        return _euclidean(x, axes, keepdims)
    if ord in ("nuc", 2, -2):
        others = [axis for axis in range(x.shape.rank) if axis not in axes]
        values = tf.linalg.svd(tf.transpose(x, [*others, rows, columns]), compute_uv=False)
        reduce = {"nuc": tf.reduce_sum, 2: tf.reduce_max, -2: tf.reduce_min}[ord]
        result = reduce(values, -1)
        for axis in sorted(axes) if keepdims else ():
            result = tf.expand_dims(result, axis)
        return result
    if ord not in (1, -1, float("inf"), float("-inf")):
        raise ValueError(
            f"Matrices have the norms 'fro', 'nuc', 1, -1, 2, -2, inf and -inf. Received: ord={ord}"
        )
    summed, compared = (rows, columns) if ord in (1, -1) else (columns, rows)
    sums = tf.reduce_sum(tf.abs(x), summed, keepdims=True)
    extreme = tf.reduce_max if ord > 0 else tf.reduce_min
    result = extreme(sums, compared, keepdims=True)
    return result if keepdims else tf.squeeze(result, axes)


@_linalg()
@fused
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Computes the norm of vectors (one axis) or matrices (two axes).

    Args:
        x: Tensor, or a value that converts to one; integers become `floatx()`.
        ord: The order of the norm. Of vectors: any number, inf or -inf; 0 counts nonzeros. Of
            matrices: 1, -1, 2, -2, inf, -inf, "fro" or "nuc". None is 2 for vectors, "fro" for
            matrices.
        axis: One axis for vectors, two for matrices; None takes all, of which there must be one or
            two.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor without these axes.

    Raises:
        ValueError: The order is not defined, or there are more than two axes.

    Example:
        >>> tf.keras.ops.norm([3.0, 4.0]).numpy()
        np.float32(5.0)
        >>> tf.keras.ops.norm([[3.0, 4.0], [6.0, 8.0]], axis=1).numpy()
        array([ 5., 10.], dtype=float32)
    """
    x = floating(x)
    rank = x.shape.rank
    axes = list(range(rank)) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    if any(not -rank <= each < rank for each in axes):
        raise ValueError(f"`axis` must be within the {rank} axes. Received: axis={axis}")
    axes = [each % rank for each in axes]
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    if len(axes) == 2:
        return _matrix_norm(x, ord, axes, keepdims)
    raise ValueError(f"A norm is over one axis or two. Received: axis={axis}, shape {x.shape}")


@declare("JVP", family="linalg", call=("fun", "primals", "tangents"), nested=True)
def jvp(fun: Any, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """Computes `fun(*primals)` and its derivative in the direction of `tangents`.

    Args:
        fun: Function of tensors.
        primals: List or tuple of its arguments.
        tangents: List or tuple of directions of the same shapes.
        has_aux: Whether `fun` returns a pair, of which the second element is not differentiated.

    Returns:
        A tuple of the outputs and their derivatives, and of the second element with `has_aux`.

    Example:
        >>> outputs, derivative = tf.keras.ops.jvp(lambda x: x**2, (3.0,), (1.0,))
        >>> outputs.numpy(), derivative.numpy()
        (np.float32(9.0), np.float32(6.0))
    """
    inputs = [to_tensor(each) for each in tf.nest.flatten(primals)]
    directions = [
        tf.cast(each, primal.dtype) for each, primal in zip(tf.nest.flatten(tangents), inputs)
    ]
    with tf.autodiff.ForwardAccumulator(inputs, directions) as accumulator:
        outputs = fun(*tf.nest.pack_sequence_as(primals, inputs))
        outputs, *auxiliary = outputs if has_aux else (outputs,)
        derivatives = tf.nest.map_structure(accumulator.jvp, outputs)
    return (outputs, derivatives, *auxiliary)
