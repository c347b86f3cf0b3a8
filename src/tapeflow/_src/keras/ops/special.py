"""Special functions, the largest elements, distances and views of complex numbers."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis, TensorLike
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import floating, promoted_to_float, to_tensor

_math = functools.partial(declare, family="math")


@_math("TopK")
def top_k(x: TensorLike, k: int, sorted: bool = True) -> Any:
    """Returns the `k` largest elements along the last axis, and their indices.

    Args:
        x: Tensor of rank 1 or more.
        k: Number of elements, at most the size of the last axis.
        sorted: Whether the elements come in descending order; otherwise their order is not
            specified.

    Returns:
        A tuple of the values, and of their positions along the last axis (`int32`). Of equal
        elements the first one comes first.

    Example:
        >>> values, indices = tf.keras.ops.top_k([3.0, 9.0, 1.0, 5.0], k=2)
        >>> values.numpy(), indices.numpy()
        (array([9., 5.], dtype=float32), array([1, 3], dtype=int32))
    """
    return tuple(tf.math.top_k(to_tensor(x), k, sorted=sorted))


@_math("InTopK", call=("targets", "predictions"))
def in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    """Returns whether each target is among the `k` largest predictions of its row.

    Args:
        targets: Class indices, of shape (batch,).
        predictions: Scores, of shape (batch, classes), which are computed in `float32`.
        k: Number of top classes. Classes whose score equals that of the last one are all inside.

    Returns:
        A boolean tensor of shape (batch,); false where the score of the target is not finite.

    Example:
        >>> scores = [[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]]
        >>> tf.keras.ops.in_top_k([2, 2], scores, k=2).numpy()
        array([ True, False])
    """
    targets = to_tensor(targets)
    if targets.dtype not in (tf.int32, tf.int64):
        targets = tf.cast(targets, tf.int32)
    return tf.math.in_top_k(targets, to_tensor(predictions, "float32"), k)


@_math()
def logsumexp(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Computes `log(sum(exp(x)))` along axes without overflow.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A floating-point tensor.

    Example:
        >>> tf.keras.ops.logsumexp([[0.0, 0.0], [100.0, 100.0]], axis=1).numpy().round(4)
        array([  0.6931, 100.6931], dtype=float32)
    """
    return tf.reduce_logsumexp(floating(x), axis=axis, keepdims=keepdims)


@_math("CDist", call=("x", "y"))
def cdist(x: Any, y: Any) -> Any:
    """Computes the Euclidean distances between all rows of `x` and of `y`.

    Args:
        x: Tensor of shape (..., n, features).
        y: Tensor of shape (..., m, features), whose leading axes broadcast with those of `x`.

    Returns:
        A floating-point tensor of shape (..., n, m).

    Raises:
        ValueError: An operand is not a matrix, the rows differ in length, or leading axes do not
            broadcast.

    Example:
        >>> tf.keras.ops.cdist([[0.0, 0.0]], [[3.0, 4.0], [0.0, 1.0]]).numpy()
        array([[5., 1.]], dtype=float32)
    """
    x, y = promoted_to_float(x, y)
    if min(x.shape.rank, y.shape.rank) < 2:
        raise ValueError(
            f"`cdist` takes matrices, or stacks of them. Received shapes {x.shape} and {y.shape}"
        )
    sizes = x.shape[-1], y.shape[-1]
    if None not in sizes and sizes[0] != sizes[1]:
        raise ValueError(
            f"`cdist`: rows of both must have the same length. Received shapes {x.shape} and "
            f"{y.shape}"
        )
    try:
        difference = x[..., :, None, :] - y[..., None, :, :]
    except (tf.errors.InvalidArgumentError, ValueError):
        raise ValueError(
            f"`cdist`: the axes before the last two must broadcast. Received shapes {x.shape} and "
            f"{y.shape}"
        ) from None
    return tf.sqrt(tf.reduce_sum(tf.square(difference), axis=-1))


@_math()
def rsqrt(x: TensorLike) -> Any:
    """Computes `1 / sqrt(x)` element-wise.

    Args:
        x: Tensor, or a value that converts to one; infinite at 0, NaN for negative numbers.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.rsqrt([4.0, 16.0]).numpy()
        array([0.5 , 0.25], dtype=float32)
    """
    return tf.math.rsqrt(floating(x))


@_math()
def erf(x: TensorLike) -> Any:
    """Computes the error function element-wise.

    Args:
        x: Real tensor.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.erf([0.0, 1.0, -1.0]).numpy().round(4)
        array([ 0.    ,  0.8427, -0.8427], dtype=float32)
    """
    return tf.math.erf(floating(x))


@_math()
def erfc(x: TensorLike) -> Any:
    """Computes `1 - erf(x)` element-wise.

    It stays accurate for large `x`, where `erf(x)` rounds to 1.

    Args:
        x: Real tensor.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.erfc([0.0, 5.0]).numpy()
        array([1.0000000e+00, 1.5374598e-12], dtype=float32)
    """
    return tf.math.erfc(floating(x))


@_math()
def erfinv(x: Any) -> Any:
    """Computes the inverse of the error function element-wise.

    Args:
        x: Real tensor; infinite at -1 and 1, NaN beyond.

    Returns:
        A floating-point (or complex) tensor of the shape of `x`; integers and booleans are computed
        in `floatx()`.

    Example:
        >>> tf.keras.ops.erfinv([0.0, 0.5, 1.0]).numpy().round(4)
        array([0.    , 0.4769,    inf], dtype=float32)
    """
    x = floating(x)
    if x.dtype in (tf.float16, tf.bfloat16):
        return tf.cast(tf.math.erfinv(tf.cast(x, tf.float32)), x.dtype)
    return tf.math.erfinv(x)


@_math()
def logdet(x: TensorLike) -> Any:
    """Computes the logarithm of the determinant of Hermitian positive definite matrices.

    Args:
        x: Tensor of shape (..., n, n). `slogdet` takes any square matrices.

    Returns:
        A tensor of shape (...).

    Example:
        >>> tf.keras.ops.logdet([[2.0, 0.0], [0.0, 3.0]]).numpy().round(4)
        np.float32(1.7918)
    """
    return tf.linalg.logdet(to_tensor(x))


@_math("ViewAsComplex")
def view_as_complex(x: Any) -> Any:
    """Returns complex numbers from a last axis of real and imaginary parts.

    Args:
        x: Tensor of shape (..., 2).

    Returns:
        A `complex64` tensor of shape (...).

    Raises:
        ValueError: The last axis does not have 2 elements.

    Example:
        >>> tf.keras.ops.view_as_complex([[1.0, 2.0], [3.0, -1.0]]).numpy()
        array([1.+2.j, 3.-1.j], dtype=complex64)
    """
    x = to_tensor(x)
    if x.shape.rank == 0 or x.shape[-1] != 2:
        raise ValueError(
            f"The last axis must hold two numbers, the real and the imaginary part. Received "
            f"shape {x.shape}"
        )
    x = tf.cast(x, tf.float32)
    return tf.complex(x[..., 0], x[..., 1])


@_math("ViewAsReal")
def view_as_real(x: TensorLike) -> Any:
    """Returns the real and imaginary parts of complex numbers in a new last axis.

    Args:
        x: Complex tensor of shape (...).

    Returns:
        A real tensor of shape (..., 2).

    Example:
        >>> tf.keras.ops.view_as_real([1 + 2j]).numpy()
        array([[1., 2.]])
    """
    x = to_tensor(x)
    return tf.stack([tf.math.real(x), tf.math.imag(x)], axis=-1)
