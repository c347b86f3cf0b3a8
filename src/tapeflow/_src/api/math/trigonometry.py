"""`tf.math`: trigonometric and hyperbolic functions, and their inverses."""

from __future__ import annotations

from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.math import elementwise, trigonometry


def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse cosine element-wise, in [0, π].

    NaN for real numbers outside of [-1, 1].

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.acos([1.0, 0.0, -1.0]) * 100).numpy().tolist()
        [0.0, 157.0, 314.0]
    """
    return trigonometry.acos(x, name=name)


def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse hyperbolic cosine element-wise.

    NaN for real numbers below 1.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.acosh([1.0, 0.5]).numpy().tolist()
        [0.0, nan]
    """
    return trigonometry.acosh(x, name=name)


def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse sine element-wise, in [-π/2, π/2].

    NaN for real numbers outside of [-1, 1].

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.asin([0.0, 1.0]) * 100).numpy().tolist()
        [0.0, 157.0]
    """
    return trigonometry.asin(x, name=name)


def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse hyperbolic sine element-wise.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.asinh([0.0, 1.0]) * 100).numpy().tolist()
        [0.0, 88.0]
    """
    return trigonometry.asinh(x, name=name)


def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse tangent element-wise, in [-π/2, π/2].

    `tf.atan2` takes the signs of both coordinates into account.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.atan([0.0, 1.0, np.inf]) * 100).numpy().tolist()
        [0.0, 79.0, 157.0]
    """
    return trigonometry.atan(x, name=name)


def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse hyperbolic tangent element-wise.

    Infinite at -1 and 1, NaN for real numbers beyond.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.atanh([0.0, 1.0, 2.0]).numpy().tolist()
        [0.0, inf, nan]
    """
    return trigonometry.atanh(x, name=name)


def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the cosine element-wise.

    Args:
        x: A floating-point or complex tensor: angles in radians.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.cos([0.0, np.pi / 3, np.pi]) * 100).numpy().tolist()
        [100.0, 50.0, -100.0]
    """
    return trigonometry.cos(x, name=name)


def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the hyperbolic cosine element-wise.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.cosh([0.0]).numpy().tolist()
        [1.0]
    """
    return trigonometry.cosh(x, name=name)


def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the sine element-wise.

    Args:
        x: A floating-point or complex tensor: angles in radians.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.sin([0.0, np.pi / 6, np.pi / 2]) * 100).numpy().tolist()
        [0.0, 50.0, 100.0]
    """
    return trigonometry.sin(x, name=name)


def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the hyperbolic sine element-wise.

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.sinh([0.0, -np.inf]).numpy().tolist()
        [0.0, -inf]
    """
    return trigonometry.sinh(x, name=name)


def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the tangent element-wise.

    Args:
        x: A floating-point or complex tensor: angles in radians.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.tan([0.0, np.pi / 4]) * 100).numpy().tolist()
        [0.0, 100.0]
    """
    return trigonometry.tan(x, name=name)


def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the hyperbolic tangent element-wise.

    Maps the real numbers to (-1, 1).

    Args:
        x: A floating-point or complex tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:

        >>> tf.round(tf.tanh([-np.inf, 0.0, 1.0]) * 100).numpy().tolist()
        [-100.0, 0.0, 76.0]
    """
    return elementwise.tanh(x, name=name)


def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the angle of the point (`x`, `y`) in [-π, π].

    Args:
        y: The second coordinate, a floating-point tensor.
        x: The first coordinate, of the same dtype; both broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape that both broadcast to.

    Example:

        >>> tf.round(tf.atan2([1.0, 0.0], [0.0, -1.0]) * 100).numpy().tolist()
        [157.0, 314.0]
    """
    return trigonometry.atan2(y, x, name=name)
