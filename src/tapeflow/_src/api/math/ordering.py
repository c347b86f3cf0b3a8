"""`tf.math.is_non_decreasing` and `is_strictly_increasing`."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.shape import reshape, static_ints
from tapeflow._src.ops.math.comparison import less, less_equal
from tapeflow._src.ops.math.reduction import all_


@scoped("is_non_decreasing")
def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Return whether the elements are non-decreasing in row-major order.

    Args:
        x: A real tensor of any shape. One with fewer than two elements is.
        name: Name of the op in a graph.

    Returns:
        A bool scalar tensor.

    Raises:
        TypeError: The tensor is of booleans or strings.

    Example:

        >>> tf.math.is_non_decreasing([1, 1, 2]).numpy()
        np.True_
    """
    return all_(less_equal(*_neighbours(x)), static_ints((0,)))


@scoped("is_strictly_increasing")
def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Return whether the elements are strictly increasing in row-major order.

    Args:
        x: A real tensor of any shape. One with fewer than two elements is.
        name: Name of the op in a graph.

    Returns:
        A bool scalar tensor.

    Raises:
        TypeError: The tensor is of booleans or strings.

    Example:

        >>> tf.math.is_strictly_increasing([1, 1, 2]).numpy()
        np.False_
    """
    return all_(less(*_neighbours(x)), static_ints((0,)))


def _neighbours(x: Any) -> tuple[Any, Any]:
    """Return each element and its successor."""
    x = dispatch.convert(x)
    if x.dtype is dtypes.bool or x.dtype is dtypes.string:
        raise TypeError(f"Expected numeric values, received dtype {x.dtype.name}: {x!r}")
    flat = reshape(x, static_ints((-1,)))
    return flat[:-1], flat[1:]
