"""Reshape, transpose, flip, repeat and pad arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow import math as tfm
from tapeflow._src.api import arrays
from tapeflow._src.api.experimental.numpy.promotion import asarray, is_tensor
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import Axis, ShapeLike, TensorLike

# -- what shape --------------------------------------------------------------------------------


def shape(a: Any) -> TensorShape:
    """Return the shape.

    Args:
        a: Array.

    Returns:
        A `tf.TensorShape`.

    Example:
        >>> tf.experimental.numpy.shape([[1, 2]])
        TensorShape([1, 2])
    """
    return asarray(a).shape


def ndim(a: Any) -> Any:
    """Return the number of axes.

    Args:
        a: Array.

    Returns:
        An int; a tensor where the rank is unknown.
    """
    a = asarray(a)
    return arrays.rank(a) if a.shape.rank is None else a.shape.rank


def size(x: Any, axis: Any = None) -> Any:
    """Return the number of elements.

    Args:
        x: Array.
        axis: Must be None.

    Returns:
        An integer; a tensor where the shape is unknown.

    Raises:
        NotImplementedError: If `axis` is set.
    """
    if axis is not None:
        raise NotImplementedError("np.size counts all elements; `axis` must be None.")
    if isinstance(x, (int, float, np.int32, np.int64, np.float32, np.float64)):
        return 1
    x = asarray(x)
    if not x.shape.is_fully_defined():
        return arrays.size(x, dtypes.int64)
    return np.prod(x.shape.as_list(), dtype=np.int64)


def rank_of(a: Any, caller: str) -> int:
    """Return the static rank, which `caller` needs."""
    rank = a.shape.rank
    if rank is None:
        raise ValueError(f"{caller} needs an array whose number of axes is known.")
    return rank


# -- another shape -----------------------------------------------------------------------------


def reshape(a: Any, newshape: Any, order: str = "C") -> Any:
    """Reshape an array in row-major order, or column-major with order "F".

    Args:
        a: Array.
        newshape: A size, or a sequence of sizes, one of which may be -1.
        order: "C" or "F".

    Returns:
        A tensor.

    Raises:
        ValueError: For another order.

    Example:
        >>> tf.experimental.numpy.reshape([1, 2, 3, 4], [2, 2]).numpy()
        array([[1, 2],
               [3, 4]])
    """
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported order argument {order}")
    a = asarray(a)
    if isinstance(newshape, (int, np.integer)):
        newshape = [newshape]
    if order == "F":
        turned = newshape[::-1] if is_tensor(newshape) else list(newshape)[::-1]
        return arrays.transpose(arrays.reshape(arrays.transpose(a), turned))
    return arrays.reshape(a, newshape)


def ravel(a: TensorLike) -> Any:
    """Flatten an array.

    Args:
        a: Array.

    Returns:
        A vector.

    Example:
        >>> tf.experimental.numpy.ravel([[1, 2], [3, 4]]).numpy()
        array([1, 2, 3, 4])
    """
    return arrays.reshape(asarray(a), [-1])


def flatten(a: Any, order: str = "C") -> Any:
    """Flatten an array in row-major ("C", "A", "K") or column-major order ("F").

    Args:
        a: Array.
        order: "C", "A", "K" or "F".

    Returns:
        A vector.

    Raises:
        ValueError: For another order.
    """
    if order in ("C", "A", "K"):
        return ravel(a)
    if order == "F":
        return ravel(arrays.transpose(asarray(a)))
    raise ValueError(f"order must be one of 'C', 'F', 'A' or 'K' (got {order!r}).")


def expand_dims(a: TensorLike, axis: Axis) -> Any:
    """Insert an axis at `axis`.

    Args:
        a: Array.
        axis: The index of the new axis.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.expand_dims([1, 2], 0).shape
        TensorShape([1, 2])
    """
    return arrays.expand_dims(asarray(a), axis)


def squeeze(a: TensorLike, axis: Axis | None = None) -> Any:
    """Remove axes of size 1.

    Args:
        a: Array.
        axis: The axis, or axes; all of size 1 by default.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.squeeze([[1, 2]]).shape
        TensorShape([2])
    """
    return arrays.squeeze(asarray(a), axis)


def broadcast_to(array: Any, shape: ShapeLike) -> Any:
    """Broadcast an array to `shape`.

    Args:
        array: Array.
        shape: A size, or a sequence of sizes.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.broadcast_to([1, 2], [2, 2]).numpy()
        array([[1, 2],
               [1, 2]])
    """
    if isinstance(shape, (int, np.integer)):
        shape = [shape]
    return arrays.broadcast_to(asarray(array), shape)


def broadcast_arrays(*args: Any, **kwargs: Any) -> list[Any]:
    """Broadcast arrays against each other.

    Args:
        *args: Arrays.
        **kwargs: `subok` must be False.

    Returns:
        The arrays, in a list.

    Raises:
        ValueError: For other arguments.
    """
    subok = kwargs.pop("subok", False)
    if subok:
        raise ValueError("subok=True is not supported.")
    if kwargs:
        raise ValueError(f"Received unsupported arguments {list(kwargs)}")
    values = [asarray(a) for a in args]
    dims: Any = arrays.shape(values[0]) if values else []
    for value in values[1:]:
        dims = arrays.broadcast_dynamic_shape(dims, arrays.shape(value))
    return [arrays.broadcast_to(value, dims) for value in values]


def _at_least(arys: tuple[Any, ...], rank: int, lay_out: Any) -> Any:
    results = []
    for ary in arys:
        a = asarray(ary)
        results.append(lay_out(a) if rank_of(a, f"atleast_{rank}d") < rank else a)
    return results[0] if len(results) == 1 else results


def atleast_1d(*arys: Any) -> Any:
    """Return the arrays with at least one axis.

    Args:
        *arys: Arrays.

    Returns:
        One tensor for one array, else a list.

    Example:
        >>> tf.experimental.numpy.atleast_1d(3).numpy()
        array([3])
    """
    return _at_least(arys, 1, ravel)


def atleast_2d(*arys: Any) -> Any:
    """Return the arrays with at least two axes; new ones come first.

    Args:
        *arys: Arrays.

    Returns:
        One tensor for one array, else a list.

    Example:
        >>> tf.experimental.numpy.atleast_2d([3, 4]).numpy()
        array([[3, 4]])
    """
    return _at_least(arys, 2, lambda a: arrays.reshape(a, [1, -1]))


def atleast_3d(*arys: Any) -> Any:
    """Return the arrays with at least three axes; a matrix gets a new last axis.

    Args:
        *arys: Arrays.

    Returns:
        One tensor for one array, else a list.
    """
    return _at_least(arys, 3, _cube)


def _cube(a: Any) -> Any:
    return arrays.expand_dims(a, 2) if a.shape.rank == 2 else arrays.reshape(a, [1, -1, 1])


# -- axes elsewhere ----------------------------------------------------------------------------


def transpose(a: TensorLike, axes: Axis | None = None) -> Any:
    """Permute the axes; reversed by default.

    Args:
        a: Array.
        axes: The order of the axes.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.transpose([[1, 2], [3, 4]]).numpy()
        array([[1, 3],
               [2, 4]])
    """
    a = asarray(a)
    return arrays.transpose(a, axes)


def swapaxes(a: TensorLike, axis1: int, axis2: int) -> Any:
    """Swap two axes.

    Args:
        a: Array.
        axis1: One axis.
        axis2: The other axis.

    Returns:
        A tensor.

    Raises:
        IndexError: If there is no such axis.
    """
    a = asarray(a)
    rank = rank_of(a, "swapaxes")
    order = list(range(rank))
    for axis in (axis1, axis2):
        if not -rank <= axis < rank:
            raise IndexError(f"swapaxes of axis {axis} of an array with {rank} axes.")
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return arrays.transpose(a, order)


def moveaxis(a: TensorLike, source: Any, destination: Any) -> Any:
    """Move axes `source` to the positions `destination`.

    Args:
        a: Array.
        source: One axis, or several.
        destination: Their new positions.

    Returns:
        A tensor.

    Raises:
        ValueError: If the numbers of axes differ.

    Example:
        >>> tf.experimental.numpy.moveaxis(np.zeros([2, 3, 4]), 0, -1).shape
        TensorShape([3, 4, 2])
    """
    a = asarray(a)
    rank = rank_of(a, "moveaxis")
    sources = [source] if isinstance(source, int) else list(source)
    destinations = [destination] if isinstance(destination, int) else list(destination)
    if len(sources) != len(destinations):
        raise ValueError(
            f"moveaxis needs one destination per source, received {len(sources)} sources and "
            f"{len(destinations)} destinations"
        )
    sources = [s + rank if s < 0 else s for s in sources]
    destinations = [p + rank if p < 0 else p for p in destinations]
    order = [axis for axis in range(rank) if axis not in sources]
    for position, axis in sorted(zip(destinations, sources, strict=True)):
        order.insert(position, axis)
    return arrays.transpose(a, order)


# -- turned round --------------------------------------------------------------------------------


def flip(m: Any, axis: Any = None) -> Any:
    """Reverse the elements along one axis or all.

    Args:
        m: Array.
        axis: One axis; all by default.

    Returns:
        A tensor.

    Raises:
        TypeError: For several axes.

    Example:
        >>> tf.experimental.numpy.flip([1, 2, 3]).numpy()
        array([3, 2, 1])
    """
    m = asarray(m)
    if axis is None:
        return arrays.reverse(m, list(range(rank_of(m, "flip"))))
    if isinstance(axis, (list, tuple)):
        raise TypeError(f"flip takes one axis, or None for all. Received axis={axis}")
    return arrays.reverse(m, [axis])


def flipud(m: Any) -> Any:
    """Reverse the rows.

    Args:
        m: Array.

    Returns:
        A tensor.
    """
    m = asarray(m)
    return m if m.shape.rank == 0 else flip(m, 0)


def fliplr(m: Any) -> Any:
    """Reverse the columns.

    Args:
        m: Array.

    Returns:
        A tensor.
    """
    return flip(m, 1)


def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Rotate by `k` quarter turns in the plane of two axes.

    Args:
        m: Array.
        k: Number of quarter turns, from the first axis towards the second.
        axes: The two axes.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.rot90([[1, 2], [3, 4]]).numpy()
        array([[2, 4],
               [1, 3]])
    """
    m = asarray(m)
    first, second = axes
    k = k % 4
    if k == 0:
        return m
    if k == 2:
        return flip(flip(m, first), second)
    if k == 1:
        return swapaxes(flip(m, second), first, second)
    return flip(swapaxes(m, first, second), second)


def roll(a: TensorLike, shift: Any, axis: Axis | None = None) -> Any:
    """Shift the elements cyclically.

    Args:
        a: Array.
        shift: How far, or how far along each axis.
        axis: One axis, or several; None rolls the flattened array.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.roll([1, 2, 3], 1).numpy()
        array([3, 1, 2])
    """
    a = asarray(a)
    if axis is not None:
        return arrays.roll(a, shift, axis)
    dims = arrays.shape(a)
    return arrays.reshape(arrays.roll(ravel(a), shift, 0), dims)


# -- repeated and padded ---------------------------------------------------------------------------


def tile(a: TensorLike, reps: Any) -> Any:
    """Repeat an array as a whole along its axes.

    Args:
        a: Array.
        reps: Number of repetitions along each axis.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.tile([1, 2], 2).numpy()
        array([1, 2, 1, 2])
    """
    a = asarray(a)
    counts = arrays.reshape(asarray(reps, np.int32), [-1])
    missing = (counts.shape[0] or 0) - rank_of(a, "tile")
    if missing > 0:
        a = arrays.reshape(a, arrays.concat([[1] * missing, arrays.shape(a)], 0))
    elif missing < 0:
        counts = arrays.concat([[1] * -missing, counts], 0)
    return arrays.tile(a, counts)


def repeat(a: TensorLike, repeats: Any, axis: int | None = None) -> Any:
    """Repeat each element.

    Args:
        a: Array.
        repeats: Number of repetitions, or one for each element.
        axis: The axis; None flattens the array.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.repeat([1, 2], 2).numpy()
        array([1, 1, 2, 2])
    """
    return arrays.repeat(asarray(a), asarray(repeats), axis)


_PADDINGS = ("constant", "reflect", "symmetric")


def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Any:
    """Pad an array before and after every axis.

    Args:
        array: Array.
        pad_width: How many elements before and after each axis: a matrix.
        mode: "constant", "reflect" or "symmetric".
        **kwargs: `constant_values`, a scalar.

    Returns:
        A tensor.

    Raises:
        ValueError: For another mode.

    Example:
        >>> tf.experimental.numpy.pad([1, 2], [[1, 1]], "constant").numpy()
        array([0, 1, 2, 0])
    """
    if mode not in _PADDINGS:
        raise ValueError(f"Unsupported padding mode: {mode}")
    value = kwargs.get("constant_values", 0)
    array = asarray(array)
    widths = asarray(pad_width, np.int32)
    return arrays.pad(array, widths, mode.upper(), asarray(value, array.dtype))


# -- triangles and diagonals -----------------------------------------------------------------------


def _triangle(m: Any, k: int, lower: bool) -> Any:
    name = "tril" if lower else "triu"
    m = asarray(m)
    if m.shape.rank is not None and m.shape.rank < 2:
        raise ValueError(f"Argument to {name} must have rank at least 2")
    if m.dtype.is_bool and not lower:
        raise TypeError("triu takes numbers, not bool.")
    dims = arrays.shape(m)
    rows = arrays.expand_dims(arrays.range(dims[-2]), 1)
    columns = arrays.expand_dims(arrays.range(dims[-1]), 0)
    edge = tfm.add(rows, k)
    mask = tfm.less_equal(columns, edge) if lower else tfm.greater_equal(columns, edge)
    zero = convert(False if m.dtype.is_bool else 0, m.dtype)
    return arrays.where(arrays.broadcast_to(mask, dims), m, zero)


def tril(m: Any, k: int = 0) -> Any:
    """Keep the elements on and below the `k`-th diagonal; zeros above.

    Args:
        m: Array of at least two axes.
        k: The diagonal: above the main one if positive.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.tril([[1, 2], [3, 4]]).numpy()
        array([[1, 0],
               [3, 4]])
    """
    return _triangle(m, k, lower=True)


def triu(m: Any, k: int = 0) -> Any:
    """Keep the elements on and above the `k`-th diagonal; zeros below.

    Args:
        m: Array of at least two axes.
        k: The diagonal: above the main one if positive.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.triu([[1, 2], [3, 4]]).numpy()
        array([[1, 2],
               [0, 4]])
    """
    return _triangle(m, k, lower=False)
