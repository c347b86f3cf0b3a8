"""Products of vectors and matrices, diagonals, polynomials."""

from __future__ import annotations

from typing import Any

from tapeflow import linalg
from tapeflow import math as tfm
from tapeflow._src.api import arrays
from tapeflow._src.api.experimental.numpy.manipulation import moveaxis, rank_of, ravel
from tapeflow._src.api.experimental.numpy.promotion import asarray, promote
from tapeflow._src.api.experimental.numpy.reductions import sum as sum_of
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.errors import InvalidArgumentError, OpError
from tapeflow._src.core.types import Axis, DTypeLike, TensorLike

# -- products ----------------------------------------------------------------------------------


def matmul(x1: Any, x2: Any) -> Any:
    """Compute matrix products over the last two axes.

    A vector is a row on the left, a column on the right.

    Args:
        x1: Array of at least one axis.
        x2: Array of at least one axis.

    Returns:
        A tensor of the promoted dtype.

    Raises:
        ValueError: If the sizes do not fit.

    Example:
        >>> tf.experimental.numpy.matmul([[1, 2], [3, 4]], [1, 1]).numpy()
        array([3, 7])
    """
    x1, x2 = promote(x1, x2)
    first, second = rank_of(x1, "matmul"), rank_of(x2, "matmul")
    try:
        if second == 1:
            return linalg.tensordot(x1, x2, 1)
        if first == 1:
            return linalg.tensordot(x1, x2, [[0], [second - 2]])
        return linalg.matmul(x1, x2)
    except OpError as error:
        raise ValueError(str(error)) from None


def dot(a: Any, b: Any) -> Any:
    """Compute the sum of products over the last axis of `a` and the second-to-last of `b`.

    Args:
        a: Array.
        b: Array of a compatible shape.

    Returns:
        A tensor of the promoted dtype.

    Example:
        >>> tf.experimental.numpy.dot([1, 2], [3, 4]).numpy()
        np.int64(11)
    """
    a, b = promote(a, b)
    if 0 in (rank_of(a, "dot"), rank_of(b, "dot")):
        return tfm.multiply(a, b)
    if b.shape.rank == 1:
        return linalg.tensordot(a, b, [[-1], [-1]])
    return linalg.tensordot(a, b, [[-1], [-2]])


def inner(a: Any, b: Any) -> Any:
    """Compute the sum of products over the last axes.

    Args:
        a: Array.
        b: Array of a compatible shape.

    Returns:
        A tensor of the promoted dtype.

    Example:
        >>> tf.experimental.numpy.inner([1, 2], [3, 4]).numpy()
        np.int64(11)
    """
    a, b = promote(a, b)
    if 0 in (rank_of(a, "inner"), rank_of(b, "inner")):
        return tfm.multiply(a, b)
    return linalg.tensordot(a, b, [[-1], [-1]])


def vdot(a: Any, b: Any) -> Any:
    """Compute the dot product of the flattened arrays, with `a` conjugated.

    Args:
        a: Array.
        b: Array of a compatible shape.

    Returns:
        A scalar.

    Example:
        >>> tf.experimental.numpy.vdot([1, 2], [3, 4]).numpy()
        np.int64(11)
    """
    a, b = promote(a, b)
    a, b = ravel(a), ravel(b)
    return linalg.tensordot(tfm.conj(a) if a.dtype.is_complex else a, b, 1)


def outer(a: TensorLike, b: TensorLike) -> Any:
    """Compute the outer product of the flattened arrays.

    Args:
        a: Array.
        b: Array of a compatible shape.

    Returns:
        A matrix.

    Example:
        >>> tf.experimental.numpy.outer([1, 2], [3, 4]).numpy()
        array([[3, 4],
               [6, 8]])
    """
    a, b = promote(a, b)
    return tfm.multiply(arrays.reshape(a, [-1, 1]), arrays.reshape(b, [1, -1]))


def tensordot(a: TensorLike, b: TensorLike, axes: Axis = 2) -> Any:
    """Compute the tensor contraction over several axes.

    Args:
        a: Array.
        b: Array of a compatible shape.
        axes: How many last axes of `a` and first ones of `b` are contracted, or two lists of axes.

    Returns:
        A tensor of the promoted dtype.

    Example:
        >>> tf.experimental.numpy.tensordot([1, 2], [3, 4], 1).numpy()
        np.int64(11)
    """
    a, b = promote(a, b)
    return linalg.tensordot(a, b, axes)


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Evaluate an Einstein summation; `casting` and `optimize` as in NumPy.

    Args:
        subscripts: The formula, such as "ij,jk->ik".
        *operands: The arrays.
        **kwargs: `casting` and `optimize`.

    Returns:
        A tensor of the promoted dtype.

    Raises:
        ValueError: For another `casting` than "no" or "safe".

    Example:
        >>> tf.experimental.numpy.einsum("i,i->", [1, 2], [3, 4]).numpy()
        np.int64(11)
    """
    casting = kwargs.get("casting", "safe")
    if casting == "safe":
        operands = promote(*operands)
    elif casting == "no":
        operands = tuple(asarray(operand) for operand in operands)
    else:
        raise ValueError(
            f"Argument `casting` got an unsupported value: {casting}. It must be 'no' or 'safe'."
        )
    plan = kwargs.get("optimize", "greedy")
    return linalg.einsum(subscripts, *operands, optimize="greedy" if plan is True else plan)


def kron(a: TensorLike, b: TensorLike) -> Any:
    """Compute the Kronecker product.

    Args:
        a: Array.
        b: Array of a compatible shape.

    Returns:
        A tensor of the promoted dtype.

    Example:
        >>> tf.experimental.numpy.kron([1, 2], [1, 10]).numpy()
        array([ 1, 10,  2, 20])
    """
    a, b = promote(a, b)
    first, second = rank_of(a, "kron"), rank_of(b, "kron")
    rank = first if first > second else second
    a, b = _with_rank(a, rank), _with_rank(b, rank)
    for axis in range(rank):
        a = arrays.expand_dims(a, 2 * axis + 1)
        b = arrays.expand_dims(b, 2 * axis)
    product = tfm.multiply(a, b)
    dims = arrays.shape(product)
    sizes = [tfm.multiply(dims[2 * axis], dims[2 * axis + 1]) for axis in range(rank)]
    return arrays.reshape(product, arrays.stack(sizes) if sizes else [])


def _with_rank(a: Any, rank: int) -> Any:
    missing = rank - a.shape.rank
    if not missing:
        return a
    return arrays.reshape(a, arrays.concat([[1] * missing, arrays.shape(a)], 0))


def cross(
    a: Any,
    b: Any,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Any:
    """Compute the cross product of vectors of two or three elements.

    Args:
        a: Array.
        b: Array of a compatible shape.
        axisa: The axis of the vectors in `a`.
        axisb: The axis of the vectors in `b`.
        axisc: The axis of the vectors in the result.
        axis: One axis for all three.

    Returns:
        A tensor of the promoted dtype.

    Raises:
        tf.errors.InvalidArgumentError: If vectors have other sizes.

    Example:
        >>> tf.experimental.numpy.cross([1, 0, 0], [0, 1, 0]).numpy()
        array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = promote(a, b)
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    length_a, length_b = a.shape[-1], b.shape[-1]
    if length_a not in (2, 3) or length_b not in (2, 3):
        raise InvalidArgumentError(
            None,
            None,
            f"cross takes vectors of two or three elements, whose number is known. "
            f"Received {length_a} and {length_b}.",
        )
    x, y = arrays.unstack(a, axis=-1), arrays.unstack(b, axis=-1)
    if length_a == length_b == 2:
        return _minor(x[0], y[1], x[1], y[0])
    zero = convert(0, a.dtype)
    x3 = x[2] if length_a == 3 else zero
    y3 = y[2] if length_b == 3 else zero
    parts = [
        _minor(x[1], y3, x3, y[1]),
        _minor(x3, y[0], x[0], y3),
        _minor(x[0], y[1], x[1], y[0]),
    ]
    return moveaxis(arrays.stack(parts, axis=-1), -1, axisc)


def _minor(a: TensorLike, b: TensorLike, c: Any, d: Any) -> Any:
    return tfm.subtract(tfm.multiply(a, b), tfm.multiply(c, d))


def polyval(p: Any, x: TensorLike) -> Any:
    """Evaluate a polynomial with coefficients `p`, from the highest power down, at `x`.

    Args:
        p: Vector of coefficients.
        x: Array.

    Returns:
        A tensor of the shape of `x`.

    Example:
        >>> tf.experimental.numpy.polyval([2, 0, 1], 3).numpy()
        np.int64(19)
    """
    p, x = promote(p, x)
    if p.shape.rank == 0:
        p = ravel(p)
    coefficients = arrays.unstack(p)
    value = tfm.add(arrays.zeros_like(x), coefficients[0])
    for coefficient in coefficients[1:]:
        value = tfm.add(tfm.multiply(value, x), coefficient)
    return value


# -- diagonals ---------------------------------------------------------------------------------


def diag(v: Any, k: int = 0) -> Any:
    """Extract the `k`-th diagonal of a matrix, or create a matrix from it.

    Args:
        v: Vector or matrix.
        k: The diagonal: above the main one if positive.

    Returns:
        A matrix or a vector.

    Raises:
        ValueError: For an array of three or more axes.

    Example:
        >>> tf.experimental.numpy.diag([1, 2]).numpy()
        array([[1, 0],
               [0, 2]])
    """
    v = asarray(v)
    rank = rank_of(v, "diag")
    if rank > 2:
        raise ValueError(f"Shape {v.shape} must have rank at most 2")
    if rank == 0:
        raise InvalidArgumentError(None, None, "diag takes a vector or a matrix, not a scalar.")
    if rank == 2:
        return diagonal(v, k)
    return linalg.diag(v, k=k, padding_value=_zero(v))


def diagflat(v: Any, k: int = 0) -> Any:
    """Flatten the input and place it on diagonal `k` of a matrix.

    Args:
        v: Array.
        k: The diagonal: above the main one if positive.

    Returns:
        A matrix.

    Example:
        >>> tf.experimental.numpy.diagflat([[1, 2]]).numpy()
        array([[1, 0],
               [0, 2]])
    """
    return diag(ravel(v), k)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the diagonals of matrices in two axes, as the last axis.

    Args:
        a: Array.
        offset: The diagonal: above the main one if positive.
        axis1: The axis of the rows.
        axis2: The axis of the columns.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.diagonal(np.array([[1, 2], [3, 4]])).numpy()
        array([1, 4])
    """
    a = asarray(a)
    rank = rank_of(a, "diagonal")
    if rank < 2:
        raise InvalidArgumentError(
            None, None, f"diagonal takes an array with two axes or more, not of shape {a.shape}."
        )
    if (axis1 % rank, axis2 % rank) != (rank - 2, rank - 1):
        a = moveaxis(a, (axis1, axis2), (-2, -1))
    # Slices, as they are just empty where there is no such diagonal.
    if offset > 0:
        a = a[..., :, offset:]
    elif offset < 0:
        a = a[..., -offset:, :]
    return linalg.diag_part(a)


def _zero(a: Any) -> Any:
    return convert(False if a.dtype.is_bool else 0, a.dtype)


def diag_indices(n: Any, ndim: int = 2) -> tuple[Any, ...]:
    """Return the indices of the main diagonal of an array with `ndim` axes of size `n`.

    Args:
        n: The size of each axis.
        ndim: The number of axes.

    Returns:
        A tuple of `ndim` vectors.

    Raises:
        ValueError: If a number is negative.

    Example:
        >>> [index.numpy() for index in tf.experimental.numpy.diag_indices(2)]
        [array([0, 1], dtype=int32), array([0, 1], dtype=int32)]
    """
    if n < 0:
        raise ValueError(f"n must be >= 0, got {n}.")
    if ndim < 0:
        raise ValueError(f"ndim must be >= 0, got {ndim}.")
    return (arrays.range(n),) * ndim


def trace(
    a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None
) -> Any:
    """Sum the diagonals of matrices in two axes.

    Args:
        a: Array.
        offset: The diagonal: above the main one if positive.
        axis1: The axis of the rows.
        axis2: The axis of the columns.
        dtype: The dtype of the sum.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.trace(np.array([[1, 2], [3, 4]])).numpy()
        np.int64(5)
    """
    a = asarray(a, dtype)
    rank = rank_of(a, "trace")
    if offset == 0 and {axis1 % rank, axis2 % rank} == {rank - 2, rank - 1}:
        return linalg.trace(a)
    return sum_of(diagonal(a, offset, axis1, axis2), -1, dtype)
