"""Linear algebra on matrices and stacks of them."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
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
def cholesky(x: Any, upper: bool = False) -> Any:
    """Computes the Cholesky factor of positive definite matrices; raises ValueError of others."""
    x = _square(x)
    try:
        factor = tf.debugging.check_numerics(tf.linalg.cholesky(x), "cholesky")
    except tf.errors.InvalidArgumentError as error:
        raise ValueError(f"The matrix is not positive definite: {error}") from None
    return tf.linalg.adjoint(factor) if upper else factor


@_linalg()
def cholesky_inverse(x: Any, upper: bool = False) -> Any:
    """Computes the inverse of the matrix whose Cholesky factor is `x`."""
    x = _square(x)
    identity = tf.eye(tf.shape(x)[-1], dtype=x.dtype)
    try:
        inverse = tf.linalg.triangular_solve(x, identity, lower=not upper)
    except tf.errors.InvalidArgumentError as error:
        raise ValueError(f"The factor cannot be inverted: {error}") from None
    return tf.matmul(inverse, inverse, transpose_a=not upper, transpose_b=upper)


@_linalg()
def det(x: Any) -> Any:
    """Computes determinants."""
    return tf.linalg.det(_square(x))


@_linalg()
def eig(x: Any) -> Any:
    """Computes the eigenvalues and eigenvectors of square matrices, which are complex."""
    return tuple(tf.linalg.eig(_square(x)))


@_linalg()
def eigh(x: Any) -> Any:
    """Computes the eigenvalues and eigenvectors of Hermitian matrices."""
    return tuple(tf.linalg.eigh(_square(x)))


@_linalg()
def inv(x: Any) -> Any:
    """Computes inverses."""
    return tf.linalg.inv(_square(x))


def _lu_spec(operation: Any, x: Any) -> Any:
    *batch, rows, columns = x.shape
    pivots = None if None in (rows, columns) else min(rows, columns)
    return KerasTensor(x.shape, x.dtype), KerasTensor((*batch, pivots), "int32")


@_linalg("LuFactor", output_spec=_lu_spec)
def lu_factor(x: Any) -> Any:
    """Computes L and U in one matrix, and the pivots as a permutation."""
    factors, permutation = tf.linalg.lu(_square(x))
    if permutation.shape.rank == 1:
        return factors, tf.math.invert_permutation(permutation)
    return factors, tf.argsort(permutation, axis=-1)


@_linalg()
def qr(x: Any, mode: str = "reduced") -> Any:
    """Computes an orthogonal and an upper triangular factor."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"`mode` must be 'reduced' or 'complete'. Received: {mode!r}")
    return tuple(tf.linalg.qr(_matrix(x), full_matrices=mode == "complete"))


@_solving()
def solve(a: Any, b: Any) -> Any:
    """Solves `a @ x = b`; `b` may be a vector.

    >>> tf.keras.ops.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0]).numpy()
    array([1. , 0.5], dtype=float32)
    """
    a, b = _system(a, b)
    if b.shape.rank == a.shape.rank - 1:
        return tf.squeeze(tf.linalg.solve(a, b[..., None]), -1)
    return tf.linalg.solve(a, b)


@_solving("SolveTriangular")
def solve_triangular(a: Any, b: Any, lower: bool = False) -> Any:
    """Solves `a @ x = b` for a triangular matrix."""
    a, b = _system(a, b)
    if b.shape.rank == a.shape.rank - 1:
        return tf.squeeze(tf.linalg.triangular_solve(a, b[..., None], lower=lower), -1)
    return tf.linalg.triangular_solve(a, b, lower=lower)


@_linalg("SVD")
def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Computes the singular value decomposition `u, s, vh`, or `s` alone."""
    x = _matrix(x)
    if not compute_uv:
        return tf.linalg.svd(x, compute_uv=False)
    s, u, v = tf.linalg.svd(x, full_matrices=full_matrices)
    return u, s, tf.linalg.adjoint(v)


@_solving()
def lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    """Computes the least-squares solution of `a @ x = b`; small singular values count as 0."""
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
def matrix_rank(x: Any, tol: float | None = None) -> Any:
    """Computes how many singular values are above `tol`."""
    return tf.linalg.matrix_rank(_matrix(x), tol=tol)


@_linalg()
def pinv(x: Any, rcond: float | None = None) -> Any:
    """Computes the Moore-Penrose inverse."""
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
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Computes the norm of vectors (one axis) or matrices (two axes).

    Args:
        ord: the order of the norm: a number, inf, -inf, and of matrices also "fro" and "nuc".
        axis: one axis, two, or None for all.

    >>> float(tf.keras.ops.norm([3.0, 4.0]))
    5.0
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

    With `has_aux`, `fun` returns a pair, of which the second element is returned as it is.
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
