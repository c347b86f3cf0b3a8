"""Order: sorting, searching, distinct elements."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.ops.axes import normalized
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import to_tensor

_op = functools.partial(declare, family="numpy")
_INT32_MAX = 2**31 - 1


@_op()
def sort(x: Any, axis: Any = -1) -> Any:
    """Sorts along `axis`, or the flattened tensor if it is None."""
    x = to_tensor(x)
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    if x.dtype is tf.bool:
        return tf.cast(tf.sort(tf.cast(x, tf.int8), axis=axis), tf.bool)
    return tf.sort(x, axis=axis)


@_op()
def argsort(x: Any, axis: Any = -1) -> Any:
    """Returns the indices that sort `x` along `axis`, or flattened if it is None."""
    x = to_tensor(x)
    if x.dtype is tf.bool:
        x = tf.cast(x, tf.uint8)
    if x.shape.rank == 0:
        return tf.zeros([1], tf.int32)
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    return tf.argsort(x, axis=axis, stable=True)


@_op()
def argpartition(x: Any, kth: int, axis: Any = -1) -> Any:
    """Returns indices in an order in which the `kth` element is where sorting would put it.

    All smaller elements come before it, all larger ones after it.
    """
    if not isinstance(kth, int):
        raise ValueError(f"`kth` must be one integer. Received: {kth!r}")
    return argsort(x, axis)


@_op("SearchSorted", call=("sorted_sequence", "values"))
def searchsorted(sorted_sequence: Any, values: Any, side: str = "left") -> Any:
    """Returns the indices at which values keep a sorted vector in order.

    Args:
        side: "left" for the first such index, "right" for the last.
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
    """Returns where elements are not 0: one tensor of indices for each axis."""
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
        sorted: Whether they are in ascending order, or in that of their first occurrence.
        return_index: Whether the indices of first occurrences are returned.
        return_inverse: Whether the indices that restore `x` are returned.
        return_counts: Whether the numbers of occurrences are returned.
        size: How many are returned: more are cut off, fewer are filled up with `fill_value`.
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
