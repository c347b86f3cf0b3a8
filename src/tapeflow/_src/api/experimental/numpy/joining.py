"""Join and split arrays."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tapeflow._src.api import arrays as tfa
from tapeflow._src.api.experimental.numpy.manipulation import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    moveaxis,
    rank_of,
    ravel,
)
from tapeflow._src.api.experimental.numpy.promotion import asarray, is_tensor, promote
from tapeflow._src.core.types import Axis, TensorLike


def _promoted(arys: Any) -> list[Any]:
    """Convert the arrays of a sequence, or the rows of an array, to one dtype."""
    items = tfa.unstack(asarray(arys)) if is_tensor(arys) else [asarray(a) for a in arys]
    return list(promote(*items)) if items else []


def concatenate(arys: Any, axis: Axis = 0) -> Any:
    """Concatenate arrays along an existing axis.

    Args:
        arys: Sequence of arrays, which are promoted to one dtype.
        axis: The axis.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.concatenate([[1, 2], [3]]).numpy()
        array([1, 2, 3])
    """
    return tfa.concat(_promoted(arys), axis)


def append(arr: Any, values: TensorLike, axis: int | None = None) -> Any:
    """Append `values` to `arr` along `axis`; both are flattened if it is None.

    Args:
        arr: Array.
        values: Array to append.
        axis: The axis; None flattens both.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.append([1, 2], [[3, 4]]).numpy()
        array([1, 2, 3, 4])
    """
    if axis is None:
        return concatenate([ravel(arr), ravel(values)], 0)
    return concatenate([asarray(arr), asarray(values)], axis)


def stack(arrays: Any, axis: int = 0) -> Any:
    """Stack arrays along a new axis.

    Args:
        arrays: Sequence of arrays of one shape.
        axis: The index of the new axis.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.stack([[1, 2], [3, 4]], axis=1).numpy()
        array([[1, 3],
               [2, 4]])
    """
    if is_tensor(arrays):
        arrays = asarray(arrays)
        return arrays if axis == 0 else moveaxis(arrays, 0, axis)
    items = _promoted(arrays)
    return tfa.stack(items, axis) if items else tfa.stack([], axis)


def _joined(tup: Any, lay_out: Any, axis: int | None) -> Any:
    items = [lay_out(a) for a in _promoted(tup)]
    if axis is None:
        axis = 0 if rank_of(items[0], "hstack") == 1 else 1
    return tfa.concat(items, axis)


def hstack(tup: Any) -> Any:
    """Stack arrays horizontally: along the second axis, or the only one.

    Args:
        tup: Sequence of arrays, which are promoted to one dtype.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.hstack([[1, 2], [3]]).numpy()
        array([1, 2, 3])
    """
    return _joined(tup, atleast_1d, None)


def vstack(tup: Any) -> Any:
    """Stack arrays vertically, vectors as rows.

    Args:
        tup: Sequence of arrays, which are promoted to one dtype.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.vstack([[1, 2], [3, 4]]).numpy()
        array([[1, 2],
               [3, 4]])
    """
    return _joined(tup, atleast_2d, 0)


def dstack(tup: Any) -> Any:
    """Stack arrays along the third axis.

    Args:
        tup: Sequence of arrays, which are promoted to one dtype.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.dstack([[1, 2], [3, 4]]).numpy()
        array([[[1, 3],
                [2, 4]]])
    """
    return _joined(tup, atleast_3d, 2)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Split an array into equal sections, or at indices.

    Args:
        ary: Array.
        indices_or_sections: Number of equal parts, or the indices to split at.
        axis: The axis to split.

    Returns:
        The parts, in a list.

    Example:
        >>> [part.numpy() for part in tf.experimental.numpy.split([1, 2, 3, 4], 2)]
        [array([1, 2]), array([3, 4])]
    """
    ary = asarray(ary)
    if isinstance(indices_or_sections, int):
        return tfa.split(ary, indices_or_sections, axis)
    before = (slice(None),) * (axis % rank_of(ary, "split"))
    boundaries = [0, *(int(i) for i in indices_or_sections), None]
    return [ary[(*before, slice(start, stop))] for start, stop in pairwise(boundaries)]


def _split_evenly(ary: Any, indices_or_sections: Any, axis: int) -> list[Any]:
    ary = asarray(ary)
    size = ary.shape[axis]
    if isinstance(indices_or_sections, int) and size is not None and size % indices_or_sections:
        raise ValueError(
            f"{indices_or_sections} equal parts of an axis of size {size} are not possible: use "
            "array_split"
        )
    return split(ary, indices_or_sections, axis)


def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Split an array along its second axis, or the only one.

    Args:
        ary: Array.
        indices_or_sections: Number of equal parts, or the indices to split at.

    Returns:
        The parts, in a list.

    Raises:
        ValueError: If equal parts are not possible.

    Example:
        >>> [part.numpy() for part in tf.experimental.numpy.hsplit([1, 2, 3, 4], [1])]
        [array([1]), array([2, 3, 4])]
    """
    ary = asarray(ary)
    return _split_evenly(ary, indices_or_sections, 0 if rank_of(ary, "hsplit") == 1 else 1)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Split an array along its first axis.

    Args:
        ary: Array.
        indices_or_sections: Number of equal parts, or the indices to split at.

    Returns:
        The parts, in a list.

    Raises:
        ValueError: If equal parts are not possible.

    Example:
        >>> [part.numpy() for part in tf.experimental.numpy.vsplit([[1], [2]], 2)]
        [array([[1]]), array([[2]])]
    """
    return _split_evenly(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Split an array along its third axis.

    Args:
        ary: Array.
        indices_or_sections: Number of equal parts, or the indices to split at.

    Returns:
        The parts, in a list.

    Raises:
        ValueError: If equal parts are not possible.

    Example:
        >>> len(tf.experimental.numpy.dsplit(np.zeros([1, 1, 4]), 2))
        2
    """
    return _split_evenly(ary, indices_or_sections, 2)
