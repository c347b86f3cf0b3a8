"""`tf.math`: rounding, and tests for infinity and NaN."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.math import rounding


def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """Round up to integers.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.math.ceil([-1.5, 0.2, 2.0]).numpy().tolist()
        [-1.0, 1.0, 2.0]
    """
    return rounding.ceil(x, name=name)


def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """Round down to integers.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.floor([-1.5, 0.2, 2.0]).numpy().tolist()
        [-2.0, 0.0, 2.0]
    """
    return rounding.floor(x, name=name)


def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Return whether elements are neither infinite nor NaN.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of the shape of `x`.

    Example:

        >>> tf.math.is_finite([1.0, np.inf, np.nan]).numpy().tolist()
        [True, False, False]
    """
    return rounding.is_finite(x, name=name)


def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Return whether elements are positive or negative infinity.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of the shape of `x`.

    Example:

        >>> tf.math.is_inf([1.0, -np.inf, np.nan]).numpy().tolist()
        [False, True, False]
    """
    return rounding.is_inf(x, name=name)


def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Return whether elements are NaN.

    NaN differs from itself: a comparison does not find it.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of the shape of `x`.

    Example:

        >>> tf.math.is_nan([1.0, np.inf, np.nan]).numpy().tolist()
        [False, False, True]
    """
    return rounding.is_nan(x, name=name)


def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """Round to the nearest integers, halves to even.

    The result stays floating-point.

    Args:
        x: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.math.rint([0.5, 1.5, -0.7]).numpy().tolist()
        [0.0, 2.0, -1.0]
    """
    return rounding.rint(x, name=name)


def round(x: Any, name: str | None = None) -> Tensor:
    """Round to the nearest integers, halves to even; integers are unchanged.

    Python and NumPy round halves the same way; the dtype does not change.

    Args:
        x: A real tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round([0.5, 1.5, 2.4, -2.6]).numpy().tolist()
        [0.0, 2.0, 2.0, -3.0]
    """
    x = dispatch.operand(x)
    return x if x.dtype.is_integer else rounding.round_(x, name=name)


def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """Return the next representable number after `x1` towards `x2`.

    Args:
        x1: A float32 or float64 tensor.
        x2: A tensor of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.math.nextafter([1.0], [2.0]).numpy() - 1
        array([1.1920929e-07], dtype=float32)
    """
    return rounding.next_after(x1, x2, name=name)
