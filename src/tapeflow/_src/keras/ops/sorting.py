"""Order: sorting, searching, distinct elements."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis, TensorLike
from tapeflow._src.keras.ops.axes import normalized
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import to_tensor

_op = functools.partial(declare, family="numpy")
_INT32_MAX = 2**31 - 1


@_op()
def sort(x: Any, axis: Any = -1) -> Any:
    """Sorts along `axis`, or the flattened tensor if it is None.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to sort along.

    Returns:
        A tensor in ascending order.

    Example:
        >>> tf.keras.ops.sort([[3, 1, 2], [9, 7, 8]]).numpy()
        array([[1, 2, 3],
               [7, 8, 9]], dtype=int32)
        >>> tf.keras.ops.sort([[3, 1], [2, 0]], axis=None).numpy()
        array([0, 1, 2, 3], dtype=int32)
    """
    x = to_tensor(x)
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    if x.dtype is tf.bool:
        return tf.cast(tf.sort(tf.cast(x, tf.int8), axis=axis), tf.bool)
    return tf.sort(x, axis=axis)


@_op()
def argsort(x: Any, axis: Any = -1) -> Any:
    """Returns the indices that sort `x` along `axis`, or flattened if it is None.

    The order is stable: equal elements stay in their order.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to sort along.

    Returns:
        An `int32` tensor for `take_along_axis`.

    Example:
        >>> tf.keras.ops.argsort([30, 10, 20]).numpy()
        array([1, 2, 0], dtype=int32)
    """
    x = to_tensor(x)
    if x.dtype is tf.bool:
        x = tf.cast(x, tf.uint8)
    if x.shape.rank == 0:
        return tf.zeros([1], tf.int32)
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    return tf.argsort(x, axis=axis, stable=True)


@_op()
def argpartition(x: TensorLike, kth: int, axis: Axis = -1) -> Any:
    """Returns indices in an order in which the `kth` element is where sorting would put it.

    All smaller elements come before it, all larger ones after it.

    Args:
        x: Tensor, or a value that converts to one.
        kth: Position that is settled; an integer.
        axis: The axis to sort along; None flattens `x` first.

    Returns:
        An `int32` tensor of indices. Here the whole order is sorted, which is one of the allowed
        ones.

    Raises:
        ValueError: `kth` is not an integer.

    Example:
        >>> tf.keras.ops.argpartition([30, 10, 20], 1).numpy()
        array([1, 2, 0], dtype=int32)
    """
    if not isinstance(kth, int):
        raise ValueError(f"`kth` must be one integer. Received: {kth!r}")
    return argsort(x, axis)


@_op("SearchSorted", call=("sorted_sequence", "values"))
def searchsorted(sorted_sequence: Any, values: Any, side: str = "left") -> Any:
    """Returns the indices at which values keep a sorted vector in order.

    Args:
        sorted_sequence: A vector in ascending order.
        values: Values to insert, a tensor of any shape.
        side: "left" for the first such index, "right" for the last.

    Returns:
        Indices of the shape of `values`: `int32`, or `int64` if the length of the vector is not
        known.

    Raises:
        ValueError: `sorted_sequence` is not a vector.

    Example:
        >>> tf.keras.ops.searchsorted([10, 20, 30], [5, 20, 35]).numpy()
        array([0, 1, 3], dtype=int32)
        >>> tf.keras.ops.searchsorted([10, 20, 30], [5, 20, 35], side="right").numpy()
        array([0, 2, 3], dtype=int32)
    """
    sequence, values = to_tensor(sorted_sequence), to_tensor(values)
    if sequence.shape.rank != 1:
        raise ValueError(
            f"`sorted_sequence` must be a vector; for more of them use "
            f"`keras.ops.vectorized_map`. Received: shape {sequence.shape}"
        )
    size = sequence.shape[0]
    out_type = tf.int32 if size is not None and size <= _INT32_MAX else tf.int64
    flat = tf.searchsorted(sequence, tf.reshape(values, [-1]), side=side, out_type=out_type)
    return tf.ensure_shape(tf.reshape(flat, tf.shape(values)), values.shape)


@_op()
def nonzero(x: Any) -> Any:
    """Returns where elements are not 0: one tensor of indices for each axis.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A tuple of `int32` vectors, which together index the elements in row-major order.

    Example:
        >>> [i.numpy() for i in tf.keras.ops.nonzero([[0, 5], [7, 0]])]
        [array([0, 1], dtype=int32), array([1, 0], dtype=int32)]
    """
    x = to_tensor(x)
    indices = tf.where(to_tensor(x, "bool"))
    return tuple(tf.unstack(tf.cast(indices, tf.int32), x.shape.rank, axis=1))


@_op()
def unique(
    x: Any,
    sorted: bool = True,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    size: int | None = None,
    fill_value: Any = None,
) -> Any:
    """Returns the distinct elements, or the distinct slices along `axis`.

    Args:
        x: Tensor, or a value that converts to one.
        sorted: Whether they are in ascending order, or in that of their first occurrence.
        return_index: Whether to return the indices of first occurrences.
        return_inverse: Whether to return the indices that restore `x`.
        return_counts: Whether to return the numbers of occurrences.
        axis: The axis whose slices are compared; None compares single elements.
        size: How many are returned: more are cut off, fewer are filled up.
        fill_value: Value to fill up with; None is 0.

    Returns:
        The distinct elements, or a tuple of them and of what else was requested, in the order of
        these arguments.

    Example:
        >>> tf.keras.ops.unique([3, 1, 3, 2]).numpy()
        array([1, 2, 3], dtype=int32)
        >>> values, counts = tf.keras.ops.unique([3, 1, 3, 2], return_counts=True)
        >>> counts.numpy()
        array([1, 1, 2], dtype=int32)
    """
    x = to_tensor(x)
    rows = tf.reshape(x, [-1]) if axis is None else x
    along = 0 if axis is None else normalized(axis, x.shape.rank)
    if rows.shape.rank == 1:
        counted = tf.unique_with_counts(rows)
    else:
        counted = tf.raw_ops.UniqueWithCountsV2(x=rows, axis=[along])
    values, inverse, counts = counted.y, counted.idx, counted.count
    number = tf.shape(values)[along]
    total = tf.range(tf.shape(rows)[along])
    first = tf.math.unsorted_segment_min(total, inverse, number)
    if sorted:
        order = _order_of_slices(values, along)
        values = tf.gather(values, order, axis=along)
        first, counts = tf.gather(first, order), tf.gather(counts, order)
        inverse = tf.gather(tf.math.invert_permutation(order), inverse)
    if size is not None:
        fill = tf.cast(0 if fill_value is None else fill_value, values.dtype)
        values = _of_size(values, along, size, fill)
        first = _of_size(first, 0, size, tf.constant(1, first.dtype))
        counts = _of_size(counts, 0, size, tf.constant(0, counts.dtype))
    if axis is None:
        inverse = tf.reshape(inverse, tf.shape(x))
    wanted = [(first, return_index), (inverse, return_inverse), (counts, return_counts)]
    results = [values, *(result for result, asked in wanted if asked)]
    return results[0] if len(results) == 1 else tuple(results)


def _order_of_slices(values: Any, axis: int) -> Any:
    """The order that sorts slices along an axis, by their first elements first."""
    if values.dtype is tf.bool:
        values = tf.cast(values, tf.uint8)
    if values.shape.rank == 1:
        return tf.argsort(values)
    others = [number for number in range(values.shape.rank) if number != axis]
    rows = tf.transpose(values, [axis, *others])
    rows = tf.reshape(rows, [tf.shape(rows)[0], -1])

    def by_column(column: Any, order: Any) -> Any:
        keys = tf.gather(rows[:, column], order)
        return column - 1, tf.gather(order, tf.argsort(keys, stable=True))

    last = tf.shape(rows)[1] - 1
    start = tf.range(tf.shape(rows)[0])
    return tf.while_loop(lambda column, _: column >= 0, by_column, (last, start))[1]


def _of_size(x: Any, axis: int, size: int, fill: Any) -> Any:
    """`x` cut off or filled up along an axis."""
    number = tf.shape(x)[axis]
    x = tf.gather(x, tf.range(tf.minimum(number, size)), axis=axis)
    widths = [[0, 0]] * axis + [[0, tf.maximum(size - number, 0)]]
    widths += [[0, 0]] * (x.shape.rank - len(widths))
    padded = tf.pad(x, widths, constant_values=fill)
    static = x.shape.as_list()
    return tf.ensure_shape(padded, [*static[:axis], size, *static[axis + 1 :]])
