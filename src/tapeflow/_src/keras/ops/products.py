"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis, TensorLike
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.ops import sparse
from tapeflow._src.keras.ops.axes import sizes
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import floating, result_type, strongly_promoted, to_tensor
from tapeflow._src.keras.ops.shapes import moveaxis

_op = functools.partial(declare, family="numpy")
_binary = functools.partial(_op, call=("x1", "x2"))
_MODES = ("valid", "same", "full")


def _computed_in_floats(product: Any, x1: Any, x2: Any) -> Any:
    """`product` of two tensors, of which integers are multiplied as floating-point numbers."""
    x1, x2 = to_tensor(x1), to_tensor(x2)
    first, second = x1.dtype, x2.dtype
    if first is second and (first.is_floating or first.is_complex):
        return product(x1, x2)
    compute = result_type(first, second, float)
    result = product(tf.cast(x1, compute), tf.cast(x2, compute))
    return tf.cast(result, result_type(first, second))


def _matmul(x1: Any, x2: Any) -> Any:
    ranks = x1.shape.rank, x2.shape.rank
    if ranks[1] == 1:
        return tf.tensordot(x1, x2, 1)
    if ranks[0] == 1:
        return tf.tensordot(x1, x2, [[0], [-2]])
    return tf.matmul(x1, x2)


@_binary(sparse=sparse.kept_if_all)
def matmul(x1: Any, x2: Any) -> Any:
    """Multiplies matrices, or stacks of them; a vector counts as one row or column.

    Axes before the last two broadcast. Integers are multiplied as floating-point numbers and cast
    back, except matrices of `int8`, whose product is `int32`.

    Args:
        x1: Tensor of shape (..., n, m), or a vector of m elements.
        x2: Tensor of shape (..., m, k), or a vector of m elements.

    Returns:
        A tensor of shape (..., n, k), without n or k where an operand is a vector. It is sparse if
        both operands are.

    Example:
        >>> tf.keras.ops.matmul([[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]]).numpy()
        array([[1., 4.],
               [3., 8.]], dtype=float32)
        >>> tf.keras.ops.matmul([[1, 2], [3, 4]], [1, 1]).numpy()
        array([3, 7], dtype=int32)
    """
    if isinstance(x1, tf.SparseTensor) or isinstance(x2, tf.SparseTensor):
        return sparse.matmul(_matmul, x1, x2)
    x1, x2 = to_tensor(x1), to_tensor(x2)
    if x1.dtype is tf.int8 and x2.dtype is tf.int8 and 1 not in (x1.shape.rank, x2.shape.rank):
        return tf.matmul(tf.cast(x1, tf.int32), tf.cast(x2, tf.int32))
    return _computed_in_floats(_matmul, x1, x2)


def _dot(x1: Any, x2: Any) -> Any:
    if 0 in (x1.shape.rank, x2.shape.rank):
        return x1 * x2
    return tf.tensordot(x1, x2, [[-1], [-1 if x2.shape.rank == 1 else -2]])


@_binary()
def dot(x1: TensorLike, x2: TensorLike) -> Any:
    """Sums products along the rows of `x1` and the columns of `x2`.

    With a scalar it is the element-wise product. For stacks of matrices see `matmul`: `dot`
    combines all leading axes of both.

    Args:
        x1: Tensor whose last axis is summed over.
        x2: Tensor whose last but one axis is summed over; the only one of a vector.

    Returns:
        A tensor of the promoted dtype.

    Example:
        >>> tf.keras.ops.dot([1, 2, 3], [4, 5, 6]).numpy()
        np.int32(32)
        >>> tf.keras.ops.dot(tf.ones((2, 3)), tf.ones((3, 4))).shape
        TensorShape([2, 4])
    """
    return _computed_in_floats(_dot, x1, x2)


@_binary()
def vdot(x1: TensorLike, x2: TensorLike) -> Any:
    """Computes the dot product of all elements of two tensors.

    Complex numbers are not conjugated.

    Args:
        x1: Tensor of any shape, which is flattened.
        x2: Tensor of as many elements.

    Returns:
        A scalar tensor of the promoted dtype.

    Example:
        >>> tf.keras.ops.vdot([[1, 2], [3, 4]], [[1, 0], [0, 1]]).numpy()
        np.int32(5)
    """
    return _computed_in_floats(
        _dot, tf.reshape(to_tensor(x1), [-1]), tf.reshape(to_tensor(x2), [-1])
    )


def _inner(x1: Any, x2: Any) -> Any:
    if 0 in (x1.shape.rank, x2.shape.rank):
        return x1 * x2
    return tf.tensordot(x1, x2, [[-1], [-1]])


@_binary()
def inner(x1: TensorLike, x2: TensorLike) -> Any:
    """Sums products over the last axes of both tensors.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: Tensor whose last axis has the same size. A product with a scalar is element-wise.

    Returns:
        A tensor of all other axes of `x1`, then those of `x2`.

    Example:
        >>> tf.keras.ops.inner([[1, 2], [3, 4]], [10, 1]).numpy()
        array([12, 34], dtype=int32)
    """
    return _computed_in_floats(_inner, x1, x2)


@_binary()
def outer(x1: TensorLike, x2: TensorLike) -> Any:
    """Returns the matrix of all products of an element of `x1` with one of `x2`.

    Args:
        x1: Tensor of any shape, which is flattened.
        x2: Tensor of any shape, which is flattened.

    Returns:
        A matrix of the promoted dtype.

    Example:
        >>> tf.keras.ops.outer([1, 2], [10, 20, 30]).numpy()
        array([[10, 20, 30],
               [20, 40, 60]], dtype=int32)
    """
    x1, x2 = strongly_promoted(x1, x2)
    return tf.reshape(x1, [-1, 1]) * tf.reshape(x2, [-1])


@_binary()
def tensordot(x1: TensorLike, x2: TensorLike, axes: Axis = 2) -> Any:
    """Sums products over axes of both tensors.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: Tensor, or a value that converts to one.
        axes: How many of the last axes of `x1` and the first of `x2`, or a pair of lists: axes of
            `x1`, and those of `x2` that belong to them.

    Returns:
        A tensor of the remaining axes of `x1`, then those of `x2`.

    Example:
        >>> tf.keras.ops.tensordot(tf.ones((2, 3, 4)), tf.ones((3, 4, 5))).shape
        TensorShape([2, 5])
        >>> tf.keras.ops.tensordot(tf.ones((2, 3)), tf.ones((4, 3)), axes=[[1], [1]]).shape
        TensorShape([2, 4])
    """
    return _computed_in_floats(lambda a, b: tf.tensordot(a, b, axes), x1, x2)


@_op(call=("operands",))
def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> Any:
    """Sums products of tensors over the axes that `subscripts` leave out of the result.

    Args:
        subscripts: The axes of the operands by letters, and those of the result behind `->`; `...`
            stands for axes that broadcast.
        *operands: Tensors. Integers are multiplied as floating-point numbers and cast back; of
            `int8` alone the result is `int32`.
        **kwargs: Passed on to `tf.einsum`.

    Returns:
        A tensor of the promoted dtype.

    Example:
        >>> tf.keras.ops.einsum("ij,j->i", [[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]).numpy()
        array([3., 7.], dtype=float32)
        >>> tf.keras.ops.einsum("bij,bjk->bik", tf.ones((5, 2, 3)), tf.ones((5, 3, 4))).shape
        TensorShape([5, 2, 4])
    """
    tensors = [to_tensor(x) for x in operands]
    dtypes = {x.dtype for x in tensors}
    result = "int32" if dtypes == {tf.int8} else result_type(*dtypes)
    compute = floatx() if "int" in result else result
    return tf.cast(tf.einsum(subscripts, *(tf.cast(x, compute) for x in tensors), **kwargs), result)


@_binary()
def kron(x1: Any, x2: Any) -> Any:
    """Computes the Kronecker product: `x1` with each element replaced by its multiple of `x2`.

    Args:
        x1: Tensor, or a value that converts to one.
        x2: Tensor, or a value that converts to one. The operand of fewer axes gets leading ones of
            size 1.

    Returns:
        A tensor whose sizes are the products of those of both.

    Example:
        >>> tf.keras.ops.kron([1, 10], [1, 2, 3]).numpy()
        array([ 1,  2,  3, 10, 20, 30], dtype=int32)
    """
    x1, x2 = strongly_promoted(x1, x2)
    rank = max(x1.shape.rank, x2.shape.rank)
    first = [1] * (rank - x1.shape.rank) + sizes(x1)
    second = [1] * (rank - x2.shape.rank) + sizes(x2)
    spread = [size for length in first for size in (length, 1)]
    inserted = [size for length in second for size in (1, length)]
    product = tf.reshape(x1, spread) * tf.reshape(x2, inserted)
    return tf.reshape(product, [a * b for a, b in zip(first, second)])


@_binary()
def cross(
    x1: Any, x2: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Any:
    """Computes the cross product of vectors of 2 or 3 elements.

    Args:
        x1: Tensor of vectors.
        x2: Tensor of vectors; all other axes broadcast.
        axisa: The axis of the vectors in `x1`.
        axisb: The axis of the vectors in `x2`.
        axisc: The axis of the vectors in the result.
        axis: One axis for all three, instead of them.

    Returns:
        A tensor of vectors of 3 elements; of two vectors of 2 elements, only the third component.

    Raises:
        ValueError: Vectors have another number of elements.

    Example:
        >>> tf.keras.ops.cross([1, 0, 0], [0, 1, 0]).numpy()
        array([0, 0, 1], dtype=int32)
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x1, x2 = strongly_promoted(x1, x2)
    x1, x2 = moveaxis(x1, axisa, -1), moveaxis(x2, axisb, -1)
    flat = x1.shape[-1] == 2 and x2.shape[-1] == 2
    x1, x2 = _in_space(x1), _in_space(x2)
    a, b = tf.unstack(x1, axis=-1), tf.unstack(x2, axis=-1)
    last = a[0] * b[1] - a[1] * b[0]
    if flat:
        return last
    parts = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], last]
    return moveaxis(tf.stack(parts, axis=-1), -1, axisc)


def _in_space(x: Any) -> Any:
    """Vectors of 2 elements with a third one, 0."""
    if x.shape[-1] == 2:
        return tf.concat([x, tf.zeros_like(x[..., :1])], -1)
    if x.shape[-1] not in (None, 3):
        raise ValueError(
            f"`cross` takes vectors of 2 or 3 elements. Received: vectors of {x.shape[-1]}"
        )
    return tf.ensure_shape(x, [*x.shape[:-1], 3])


@_binary()
def correlate(x1: TensorLike, x2: TensorLike, mode: str = "valid") -> Any:
    """Computes the cross-correlation of two vectors.

    Args:
        x1: A vector.
        x2: The vector that is moved along it.
        mode: "valid" where they overlap whole, "full" where they overlap at all, "same" for a
            result of the length of the longer one.

    Returns:
        A floating-point vector.

    Raises:
        ValueError: `mode` has another value.

    Example:
        >>> tf.keras.ops.correlate([1.0, 2.0, 3.0, 4.0], [1.0, 1.0]).numpy()
        array([3., 5., 7.], dtype=float32)
    """
    if mode not in _MODES:
        raise ValueError(f"`mode` must be one of {_MODES}. Received: mode={mode!r}")
    x1, x2 = (floating(x, int64="float64") for x in strongly_promoted(x1, x2))
    first, second = sizes(x1)[0], sizes(x2)[0]
    if mode != "valid":
        x1 = tf.pad(x1, [[second - 1, second - 1]])
    kernel, signal = tf.reshape(x2, [-1, 1, 1]), tf.reshape(x1, [1, -1, 1])
    result = tf.reshape(tf.nn.conv1d(signal, kernel, stride=1, padding="VALID"), [-1])
    if mode == "same":
        known = isinstance(first, int) and isinstance(second, int)
        length = max(first, second) if known else tf.maximum(first, second)
        start = (first + second - 1 - length) // 2
        return result[start : start + length]
    return result


@_op()
def slogdet(x: TensorLike) -> Any:
    """Returns the signs and the logarithms of the absolute values of determinants.

    Args:
        x: Tensor of shape (..., n, n).

    Returns:
        A tuple of two tensors of shape (...). The determinants are `sign * exp(logarithm)`.

    Example:
        >>> [part.numpy() for part in tf.keras.ops.slogdet([[0.0, 1.0], [1.0, 0.0]])]
        [np.float32(-1.0), np.float32(0.0)]
    """
    return tuple(tf.linalg.slogdet(to_tensor(x)))
