"""Sorting along axes, with NumPy's names and dtypes."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.experimental.numpy.promotion import asarray
from tapeflow._src.api.experimental.numpy.reductions import flat
from tapeflow._src.api.math import sorting
from tapeflow._src.api.math.casting import cast
from tapeflow._src.core import dtypes
from tapeflow._src.core.types import Axis, TensorLike


def sort(a: TensorLike, axis: Axis = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Sort the elements.

    Args:
        a: Array.
        axis: The axis; None flattens the array.
        kind: Must be "quicksort".
        order: Must be None.

    Returns:
        A tensor.

    Raises:
        ValueError: For another `kind` or `order`.

    Example:
        >>> tf.experimental.numpy.sort([3, 1, 2]).numpy()
        array([1, 2, 3])
    """
    if kind != "quicksort":
        raise ValueError(f"sort: kind must be 'quicksort', received {kind!r}")
    if order is not None:
        raise ValueError("sort: `order` is for structured arrays; it must be None.")
    a = asarray(a)
    if axis is None:
        a, axis = flat(a), -1
    return sorting.sort(a, axis)


def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Any:
    """Return the indices that sort the elements.

    Args:
        a: Array.
        axis: The axis; None flattens the array.
        kind: "quicksort" or "stable".
        order: Must be None.

    Returns:
        An int64 tensor.

    Raises:
        ValueError: For another `kind` or `order`.

    Example:
        >>> tf.experimental.numpy.argsort([3, 1, 2]).numpy()
        array([1, 2, 0])
    """
    if kind not in ("quicksort", "stable"):
        raise ValueError(f"argsort: kind must be 'quicksort' or 'stable', received {kind!r}")
    if order is not None:
        raise ValueError(
            f"argsort: `order` is for structured arrays; it must be None, received {order!r}"
        )
    a = asarray(a)
    if axis is None or a.shape.rank == 0:
        a, axis = flat(a), -1
    return cast(sorting.argsort(a, axis, stable=kind == "stable"), dtypes.int64)
