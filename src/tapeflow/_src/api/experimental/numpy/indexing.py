"""Indexing by integers, masks and conditions; and `tensor[...]` with NumPy's semantics."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow import math as tfm
from tapeflow._src.api import arrays
from tapeflow._src.api.experimental.numpy.logic import as_bools
from tapeflow._src.api.experimental.numpy.manipulation import moveaxis, rank_of, ravel
from tapeflow._src.api.experimental.numpy.promotion import asarray, is_tensor, promote
from tapeflow._src.api.math.casting import cast
from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.slicing import get_item

# -- functions ---------------------------------------------------------------------------------


def take(
    a: TensorLike, indices: TensorLike, axis: int | None = None, out: Any = None, mode: str = "clip"
) -> Any:
    """Take elements at `indices` along an axis; `mode` clips or wraps invalid indices.

    Args:
        a: Array.
        indices: Integers.
        axis: The axis; None flattens the array.
        out: Must be None.
        mode: "clip" or "wrap".

    Returns:
        A tensor.

    Raises:
        ValueError: For another `out` or `mode`.

    Example:
        >>> tf.experimental.numpy.take([5, 6, 7], [0, 9]).numpy()
        array([5, 7])
    """
    if out is not None:
        raise ValueError("take returns a new array; `out` must be None.")
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f"Invalid mode '{mode}' for take")
    if mode == "raise":
        raise ValueError("take has the modes 'wrap' and 'clip'; 'raise' is not supported.")
    a, indices_array = asarray(a), asarray(indices)
    if axis is None:
        a, axis = ravel(a), 0
    size = cast(arrays.shape(a)[axis], indices_array.dtype)
    if mode == "clip":
        indices_array = tfm.maximum(tfm.minimum(indices_array, tfm.subtract(size, 1)), 0)
    else:
        indices_array = tfm.floormod(indices_array, size)
    return arrays.gather(a, indices_array, axis=axis)


def take_along_axis(arr: Any, indices: TensorLike, axis: int | None) -> Any:
    """Take elements by matching 1-D slices of `arr` and `indices` along `axis`.

    Args:
        arr: Array.
        indices: Integers, of the rank of `arr`; negative ones count from the end.
        axis: The axis; None flattens the array.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.take_along_axis(np.array([[3, 1]]), np.array([[1, 0]]), 1).numpy()
        array([[1, 3]])
    """
    arr, indices_array = asarray(arr), asarray(indices)
    if axis is None:
        return take_along_axis(ravel(arr), indices_array, 0)
    rank = rank_of(arr, "take_along_axis")
    if indices_array.shape.rank != rank:
        raise _other_rank(arr, indices_array)
    arr, indices_array = moveaxis(arr, axis, -1), moveaxis(indices_array, axis, -1)
    size = cast(arrays.shape(arr)[-1], indices_array.dtype)
    indices_array = arrays.where(
        tfm.less(indices_array, 0), tfm.add(indices_array, size), indices_array
    )
    if rank > 1:
        arr, indices_array = _one_batch(arr, indices_array)
    result = arrays.gather(arr, indices_array, batch_dims=rank - 1)
    return moveaxis(result, -1, axis)


def _one_batch(a: TensorLike, b: TensorLike) -> tuple[Any, Any]:
    """Broadcast all axes but the last against each other."""
    dims_a, dims_b = arrays.shape(a), arrays.shape(b)
    batch = arrays.broadcast_dynamic_shape(dims_a[:-1], dims_b[:-1])
    return (
        arrays.broadcast_to(a, arrays.concat([batch, dims_a[-1:]], 0)),
        arrays.broadcast_to(b, arrays.concat([batch, dims_b[-1:]], 0)),
    )


def compress(condition: Any, a: Any, axis: int | None = None) -> Any:
    """Return the slices of `a` along `axis` where `condition` holds; it may be shorter.

    Args:
        condition: Vector of booleans.
        a: Array.
        axis: The axis; None flattens the array.

    Returns:
        A tensor.

    Raises:
        ValueError: If the condition is no vector.

    Example:
        >>> tf.experimental.numpy.compress([True, False, True], [5, 6, 7]).numpy()
        array([5, 7])
    """
    condition, a = as_bools(condition), asarray(a)
    if condition.shape.rank != 1:
        raise ValueError("condition must be a 1-d array.")
    if axis is None:
        a, axis = ravel(a), 0
    positions = true_positions(condition)
    return arrays.gather(a, positions, axis=axis)


def true_positions(condition: TensorLike) -> Any:
    """Return the indices at which a 1-D `condition` holds."""
    return arrays.reshape(arrays.where(condition), [-1])


def nonzero(a: Any) -> list[Any]:
    """Return the indices of nonzero elements, one array per axis.

    Args:
        a: Array.

    Returns:
        A list of int64 vectors.

    Example:
        >>> [index.numpy() for index in tf.experimental.numpy.nonzero([0, 3, 4])]
        [array([1, 2])]
    """
    a = asarray(a)
    if a.shape.rank == 0:
        a = ravel(a)
    return arrays.unstack(arrays.where(as_bools(a)), rank_of(a, "nonzero"), axis=1)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Select from `x` or `y` by `condition`; without them, return the indices of true elements.

    Args:
        condition: Array; nonzero counts as True.
        x: Values where it holds.
        y: Values where it does not.

    Returns:
        The selected elements; index vectors in a list without `x` and `y`.

    Raises:
        ValueError: If only one of `x` and `y` is passed.

    Example:
        >>> tf.experimental.numpy.where([True, False], [1, 2], [10, 20]).numpy()
        array([ 1, 20])
    """
    condition = as_bools(condition)
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError(
            "where needs x and y together, or neither of them (for the indices of true elements)."
        )
    return arrays.where(condition, *promote(x, y))


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Select from the first choice whose condition holds, else `default`.

    Args:
        condlist: List of conditions.
        choicelist: List of as many arrays.
        default: The value where no condition holds.

    Returns:
        A tensor.

    Raises:
        ValueError: If the lists are empty or of different lengths.

    Example:
        >>> x = np.arange(4)
        >>> tf.experimental.numpy.select([x < 1, x > 2], [x, x * 10], -1).numpy()
        array([ 0, -1, -1, 30])
    """
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"select needs one choice per condition, received {len(condlist)} conditions and "
            f"{len(choicelist)} choices"
        )
    if not condlist:
        raise ValueError("condlist must be non-empty")
    *choices, result = promote(*choicelist, default)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        result = arrays.where(as_bools(condition), choice, result)
    return result


def ix_(*args: Any) -> list[Any]:
    """Create open mesh indices from sequences, one array per axis.

    Args:
        *args: Vectors of integers or booleans.

    Returns:
        A list of arrays that broadcast with each other.

    Raises:
        ValueError: For other arguments.

    Example:
        >>> [index.shape for index in tf.experimental.numpy.ix_([0, 1], [2])]
        [TensorShape([2, 1]), TensorShape([1, 1])]
    """
    result = []
    for i, arg in enumerate(args):
        a = asarray(arg)
        if a.shape.rank != 1:
            raise ValueError(
                f"ix_ needs vectors (rank 1), but argument {i} has rank {a.shape.rank}"
            )
        if not (a.dtype.is_bool or a.dtype.is_integer):
            raise ValueError(f"ix_ needs integers or booleans, received dtype {a.dtype.name}")
        positions = true_positions(a) if a.dtype.is_bool else a
        result.append(arrays.reshape(positions, [1] * i + [-1] + [1] * (len(args) - i - 1)))
    return result


# -- tensor[...] ---------------------------------------------------------------------------------


def numpy_get_item(tensor: TensorLike, key: Any) -> Any:
    """Return `tensor[key]`; `key` may contain integer arrays and masks."""
    if type(key) is int or type(key) is slice:
        return get_item(tensor, key)
    if (is_tensor(key) and key.dtype.is_bool) or _is_bool_array(key):
        return get_item(tensor, asarray(key))
    if key is True or key is False:
        raise ValueError("mask cannot be scalar.")
    entries = _entries(key)
    if all(_is_basic(entry) for entry in entries):
        return get_item(tensor, tuple(entries))
    return _advanced(tensor, entries)


def _is_bool_array(value: TensorLike) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == np.bool_


def _entries(key: Any) -> list[Any]:
    """Return the entries of a key; a list of sequences is read as a tuple, as in old NumPy."""
    if isinstance(key, list) and any(map(_is_no_scalar, key)):
        key = tuple(key)
    return [_entry(entry) for entry in (key if isinstance(key, tuple) else (key,))]


def _is_no_scalar(entry: Any) -> bool:
    if isinstance(entry, (list, tuple, slice, np.ndarray)) or entry is None or entry is Ellipsis:
        return True
    return is_tensor(entry) and entry.shape.rank != 0


def _entry(entry: Any) -> Any:
    """Convert an entry to a slice, `None`, `...`, a scalar index, an integer array or a mask."""
    if entry is None or entry is Ellipsis or isinstance(entry, slice):
        return entry
    if isinstance(entry, (int, np.integer)) and not isinstance(entry, bool):
        return int(entry)
    if isinstance(entry, (list, tuple)) and not len(entry):
        raise _not_an_index(entry)
    if isinstance(entry, (bool, np.bool_, list, tuple, np.ndarray)) or is_tensor(entry):
        array = asarray(entry)
        if array.dtype.is_integer or array.dtype.is_bool:
            return array
    raise _not_an_index(entry)


def _not_an_index(entry: Any) -> IndexError:
    return IndexError(
        "An array is indexed by integers, slices, `...`, None and arrays of integers or booleans, "
        f"received {entry!r}"
    )


def _is_basic(entry: Any) -> bool:
    """Whether one strided slice implements the entry."""
    return not is_tensor(entry) or (entry.shape.rank == 0 and not entry.dtype.is_bool)


def _advanced(tensor: TensorLike, entries: list[Any]) -> Any:
    """Apply slices, scalars and new axes first, then integer arrays to the remaining axes."""
    basic: list[Any] = []
    entries_by_axis: list[tuple[int, Any]] = []
    axis = 0
    for entry in _without_ellipsis(tensor, entries):
        if _is_basic(entry):
            basic.append(entry)
            axis += entry is None or isinstance(entry, slice)
            continue
        if entry.dtype.is_bool:
            if entry.shape.rank != 1:
                raise NotImplementedError(f"Need rank 1 for bool index {entry}")
            entry = true_positions(entry)
        basic.append(slice(None))
        entries_by_axis.append((axis, entry))
        axis += 1
    sliced = get_item(tensor, tuple(basic))
    return _gathered(sliced, [a for a, _ in entries_by_axis], [p for _, p in entries_by_axis])


def _without_ellipsis(tensor: TensorLike, entries: list[Any]) -> list[Any]:
    """Replace `...` by full slices."""
    at = next((i for i, entry in enumerate(entries) if entry is Ellipsis), None)
    if at is None:
        return entries
    consumed = sum(entry is not None for entry in entries) - 1
    missing = rank_of(asarray(tensor), "indexing with `...`") - consumed
    return [*entries[:at], *[slice(None)] * missing, *entries[at + 1 :]]


def _gathered(tensor: TensorLike, axes: list[int], positions: list[Any]) -> Any:
    """Gather elements at indices along several axes, which are broadcast together.

    Their axes stand where the first of `axes` was if those are neighbours, else in front.
    """
    dims = arrays.shape(tensor)
    indices = []
    for axis, position in zip(axes, positions, strict=True):
        size = cast(dims[axis], position.dtype)
        wrapped = tfm.add(position, size)
        indices.append(arrays.where(tfm.less(position, 0), wrapped, position))
    if len(axes) == 1:
        return arrays.gather(tensor, indices[0], axis=axes[0])
    indices = [cast(index, dtypes.int64) for index in indices]
    shared = arrays.shape(indices[0])
    for index in indices[1:]:
        shared = arrays.broadcast_dynamic_shape(shared, arrays.shape(index))
    coordinates = arrays.stack([arrays.broadcast_to(i, shared) for i in indices], axis=-1)
    front = moveaxis(tensor, axes, list(range(len(axes))))
    result = arrays.gather_nd(front, coordinates)
    first = axes[0]
    if not first or axes != list(range(first, first + len(axes))):
        return result
    new = len(coordinates.shape) - 1
    return moveaxis(result, list(range(new)), list(range(first, first + new)))


def _other_rank(arr: Any, index_array: Any) -> InvalidArgumentError:
    """Create the error for an array and indices of different ranks."""
    return InvalidArgumentError(
        None,
        None,
        f"`arr` and `indices` need the same number of axes. Received shapes {arr.shape} and "
        f"{index_array.shape}.",
    )
