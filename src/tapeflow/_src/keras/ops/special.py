"""Special functions, the largest elements, distances and views of complex numbers."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import floating, promoted_to_float, to_tensor

_math = functools.partial(declare, family="math")


@_math("TopK")
def top_k(x: Any, k: int, sorted: bool = True) -> Any:
    """Returns the `k` largest elements along the last axis, and their indices."""
    return tuple(tf.math.top_k(to_tensor(x), k, sorted=sorted))


@_math("InTopK", call=("targets", "predictions"))
def in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    """Returns whether each target is among the `k` largest predictions of its row."""
    targets = to_tensor(targets)
    if targets.dtype not in (tf.int32, tf.int64):
        targets = tf.cast(targets, tf.int32)
    return tf.math.in_top_k(targets, to_tensor(predictions, "float32"), k)


@_math()
def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Computes `log(sum(exp(x)))` along axes without overflow."""
    return tf.reduce_logsumexp(floating(x), axis=axis, keepdims=keepdims)


@_math("CDist", call=("x", "y"))
def cdist(x: Any, y: Any) -> Any:
    """Computes the Euclidean distances between all rows of `x` and of `y`.

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
def rsqrt(x: Any) -> Any:
    """Computes `1 / sqrt(x)` element-wise."""
    return tf.math.rsqrt(floating(x))


@_math()
def erf(x: Any) -> Any:
    """Computes the error function element-wise."""
    return tf.math.erf(floating(x))


@_math()
def erfc(x: Any) -> Any:
    """Computes `1 - erf(x)` element-wise."""
    return tf.math.erfc(floating(x))


@_math()
def erfinv(x: Any) -> Any:
    """Computes the inverse of the error function element-wise."""
    x = floating(x)
    if x.dtype in (tf.float16, tf.bfloat16):
        return tf.cast(tf.math.erfinv(tf.cast(x, tf.float32)), x.dtype)
    return tf.math.erfinv(x)


@_math()
def logdet(x: Any) -> Any:
    """Computes the logarithm of the determinant of Hermitian positive definite matrices."""
    return tf.linalg.logdet(to_tensor(x))


@_math("ViewAsComplex")
def view_as_complex(x: Any) -> Any:
    """Returns complex numbers from a last axis of real and imaginary parts."""
    x = to_tensor(x)
    if x.shape.rank == 0 or x.shape[-1] != 2:
        raise ValueError(
            f"The last axis must hold two numbers, the real and the imaginary part. Received "
            f"shape {x.shape}"
        )
    x = tf.cast(x, tf.float32)
    return tf.complex(x[..., 0], x[..., 1])


@_math("ViewAsReal")
def view_as_real(x: Any) -> Any:
    """Returns the real and imaginary parts of complex numbers in a new last axis."""
    x = to_tensor(x)
    return tf.stack([tf.math.real(x), tf.math.imag(x)], axis=-1)
