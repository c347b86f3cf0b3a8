"""Other shapes and orders of the same elements."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import ShapeLike, TensorLike
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.ops import sparse
from tapeflow._src.keras.ops.axes import normalized, normalized_axes, sizes
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import to_tensor

_op = functools.partial(declare, family="numpy")


def _as_shape(newshape: Any) -> Any:
    """A shape as a tuple; tensors stay as they are."""
    if isinstance(newshape, KerasTensor) or tf.is_tensor(newshape):
        return newshape
    shape = tuple(newshape) if hasattr(newshape, "__iter__") else (newshape,)
    if sum(isinstance(size, int) and size == -1 for size in shape) > 1:
        raise ValueError(f"At most one size of a shape can be -1. Received: newshape={shape}")
    if any(isinstance(size, int) and size < -1 for size in shape):
        raise ValueError(
            f"The sizes of a shape are at least 0, or -1 for what is left over. Received: "
            f"newshape={shape}"
        )
    return shape


@_op(standardize={"newshape": _as_shape}, sparse=sparse.kept)
def reshape(x: TensorLike, newshape: Any) -> Any:
    """Returns the elements of `x` in another shape.

    Args:
        x: Tensor, or a value that converts to one. A sparse tensor stays sparse.
        newshape: The sizes; one of them may be -1 and is computed from the others. A single integer
            makes a vector.

    Returns:
        A tensor with the elements of `x` in the same order.

    Raises:
        ValueError: More than one size is -1, or one is below -1.

    Example:
        >>> tf.keras.ops.reshape([[1, 2, 3], [4, 5, 6]], (3, 2)).numpy()
        array([[1, 2],
               [3, 4],
               [5, 6]], dtype=int32)
        >>> tf.keras.ops.reshape([[1, 2], [3, 4]], -1).numpy()
        array([1, 2, 3, 4], dtype=int32)
    """
    x, shape = to_tensor(x), _as_shape(newshape)
    if isinstance(x, tf.SparseTensor):
        return tf.sparse.reshape(x, shape)
    return tf.reshape(x, shape)


@_op(sparse=sparse.kept)
def squeeze(x: Any, axis: Any = None) -> Any:
    """Removes axes of size 1: those named by `axis`, or all.

    Args:
        x: Tensor, or a value that converts to one. A sparse tensor stays sparse.
        axis: The axis, or a tuple of them; None removes every axis of size 1.

    Returns:
        A tensor with the elements of `x`.

    Raises:
        ValueError: An axis has another size.

    Example:
        >>> tf.keras.ops.squeeze(tf.ones((1, 3, 1))).shape
        TensorShape([3])
        >>> tf.keras.ops.squeeze(tf.ones((1, 3, 1)), axis=0).shape
        TensorShape([3, 1])
    """
    x = to_tensor(x)
    lengths = x.shape.as_list()
    if axis is None:
        axes = [number for number, size in enumerate(lengths) if size == 1]
    else:
        axes = sorted(normalized_axes(axis, len(lengths)))
        for number in axes:
            if lengths[number] != 1:
                raise ValueError(
                    f"Only axes of size 1 can be removed. Received: axis={axis} for a tensor of "
                    f"shape {tuple(lengths)}"
                )
    if isinstance(x, tf.SparseTensor):
        left = [number for number in range(len(lengths)) if number not in axes]
        return tf.sparse.reshape(x, tf.gather(x.dense_shape, left))
    return tf.squeeze(x, axis=axes) if axes else x


@_op(sparse=sparse.kept)
def transpose(x: Any, axes: Any = None) -> Any:
    """Permutes the axes; without `axes`, reverses their order.

    Args:
        x: Tensor, or a value that converts to one. A sparse tensor stays sparse.
        axes: For each axis of the result, the axis of `x` that it is.

    Returns:
        A tensor whose axis `i` is axis `axes[i]` of `x`.

    Raises:
        ValueError: `axes` is not a permutation.

    Example:
        >>> tf.keras.ops.transpose([[1, 2, 3], [4, 5, 6]]).numpy()
        array([[1, 4],
               [2, 5],
               [3, 6]], dtype=int32)
        >>> tf.keras.ops.transpose(tf.ones((2, 3, 4)), axes=(1, 2, 0)).shape
        TensorShape([3, 4, 2])
    """
    x = to_tensor(x)
    if axes is not None:
        axes = [normalized(axis, x.shape.rank) for axis in axes]
        if len(set(axes)) != x.shape.rank:
            raise ValueError(
                f"`axes` must name each axis once. Received: axes={axes} for a tensor of rank "
                f"{x.shape.rank}"
            )
    if isinstance(x, tf.SparseTensor):
        return tf.sparse.transpose(x, axes)
    return tf.transpose(x, axes)


@_op()
def ravel(x: TensorLike) -> Any:
    """Returns the elements of `x` as a vector.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A tensor of rank 1, in row-major order.

    Example:
        >>> tf.keras.ops.ravel([[1, 2], [3, 4]]).numpy()
        array([1, 2, 3, 4], dtype=int32)
    """
    return tf.reshape(to_tensor(x), [-1])


@_op(sparse=sparse.kept)
def expand_dims(x: Any, axis: Any) -> Any:
    """Inserts axes of size 1, at the positions that they have in the result.

    Args:
        x: Tensor, or a value that converts to one. A sparse tensor stays sparse.
        axis: A position in the result, or a tuple of them; negative ones count from its end.

    Returns:
        A tensor with the elements of `x`.

    Example:
        >>> tf.keras.ops.expand_dims([1, 2, 3], axis=-1).shape
        TensorShape([3, 1])
        >>> tf.keras.ops.expand_dims([1, 2, 3], axis=(0, 2)).shape
        TensorShape([1, 3, 1])
    """
    x = to_tensor(x)
    count = len(axis) if isinstance(axis, (list, tuple)) else 1
    for number in sorted(normalized_axes(axis, x.shape.rank + count)):
        if isinstance(x, tf.SparseTensor):
            shape = x.shape.as_list()
            x = tf.sparse.expand_dims(x, number)
            x.set_shape([*shape[:number], 1, *shape[number:]])
        else:
            x = tf.expand_dims(x, number)
    return x


@_op()
def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Moves axes to other positions; the others keep their order.

    Args:
        x: Tensor, or a value that converts to one.
        source: The axis, or several.
        destination: Where each of them goes.

    Returns:
        A transposed tensor.

    Raises:
        ValueError: `source` and `destination` differ in length, or an axis is out of range.

    Example:
        >>> tf.keras.ops.moveaxis(tf.ones((2, 3, 4)), 0, -1).shape
        TensorShape([3, 4, 2])
    """
    x = to_tensor(x)
    rank = x.shape.rank
    sources = normalized_axes(source, rank, "source")
    targets = normalized_axes(destination, rank, "destination")
    if len(sources) != len(targets):
        raise ValueError(
            f"`source` and `destination` must name equally many axes. Received: "
            f"source={source}, destination={destination}"
        )
    order = [number for number in range(rank) if number not in sources]
    for target, number in sorted(zip(targets, sources)):
        order.insert(target, number)
    return x if order == list(range(rank)) else tf.transpose(x, order)


@_op()
def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Exchanges two axes.

    Args:
        x: Tensor, or a value that converts to one.
        axis1: One axis.
        axis2: The other one.

    Returns:
        A transposed tensor.

    Example:
        >>> tf.keras.ops.swapaxes(tf.ones((2, 3, 4)), 0, 2).shape
        TensorShape([4, 3, 2])
    """
    x = to_tensor(x)
    order = list(range(x.shape.rank))
    first, second = normalized_axes((axis1, axis2), len(order))
    order[first], order[second] = second, first
    return tf.transpose(x, order)


@_op()
def broadcast_to(x: TensorLike, shape: ShapeLike) -> Any:
    """Repeats `x` to another shape by the rules of broadcasting.

    Args:
        x: Tensor, or a value that converts to one.
        shape: The shape of the result: sizes are compared from the last on, and `x` may have 1, or
            no axis at all, where it is repeated.

    Returns:
        A tensor of that shape.

    Example:
        >>> tf.keras.ops.broadcast_to([1, 2, 3], (2, 3)).numpy()
        array([[1, 2, 3],
               [1, 2, 3]], dtype=int32)
    """
    return tf.broadcast_to(to_tensor(x), shape)


@_op()
def tile(x: Any, repeats: Any) -> Any:
    """Repeats the whole of `x` along its axes.

    Args:
        x: Tensor, or a value that converts to one.
        repeats: How often, one number for each axis, aligned with the last ones; more numbers than
            axes add axes in front.

    Returns:
        A tensor whose sizes are those of `x`, multiplied.

    Example:
        >>> tf.keras.ops.tile([[1, 2]], 2).numpy()
        array([[1, 2, 1, 2]], dtype=int32)
        >>> tf.keras.ops.tile([1, 2], (2, 2)).numpy()
        array([[1, 2, 1, 2],
               [1, 2, 1, 2]], dtype=int32)
    """
    x = to_tensor(x)
    if tf.is_tensor(repeats):
        repeats = tf.unstack(tf.reshape(repeats, [-1]))
    times = list(repeats) if isinstance(repeats, (list, tuple)) else [repeats]
    times = [1] * (x.shape.rank - len(times)) + times
    missing = len(times) - x.shape.rank
    if missing > 0:
        x = tf.reshape(x, [1] * missing + sizes(x))
    return tf.tile(x, times)


@_op()
def repeat(x: Any, repeats: Any, axis: Any = None) -> Any:
    """Repeats each element along `axis`, or of the flattened tensor if it is None.

    Args:
        x: Tensor, or a value that converts to one.
        repeats: How often: one number for all elements, or one for each along `axis`.
        axis: The axis to repeat along; None flattens `x` first.

    Returns:
        A tensor in which copies of an element are neighbours; `tile` repeats the whole.

    Example:
        >>> tf.keras.ops.repeat([1, 2, 3], 2).numpy()
        array([1, 1, 2, 2, 3, 3], dtype=int32)
        >>> tf.keras.ops.repeat([[1, 2], [3, 4]], [1, 2], axis=0).numpy()
        array([[1, 2],
               [3, 4],
               [3, 4]], dtype=int32)
    """
    x = to_tensor(x)
    if isinstance(repeats, (list, tuple)) and len(repeats) == 1:
        repeats = repeats[0]
    repeated = tf.repeat(x, repeats, axis=axis)
    if not isinstance(repeats, (list, tuple)):
        return repeated
    shape = [None] if axis is None else x.shape.as_list()
    shape[0 if axis is None else axis] = sum(repeats)
    return tf.ensure_shape(repeated, shape)


@_op()
def flip(x: Any, axis: Any = None) -> Any:
    """Reverses the order of elements along axes, by default along all.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reverse; None reverses all.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.flip([[1, 2], [3, 4]]).numpy()
        array([[4, 3],
               [2, 1]], dtype=int32)
        >>> tf.keras.ops.flip([[1, 2], [3, 4]], axis=1).numpy()
        array([[2, 1],
               [4, 3]], dtype=int32)
    """
    x = to_tensor(x)
    rank = x.shape.rank
    return tf.reverse(x, list(range(rank)) if axis is None else normalized_axes(axis, rank))


@_op()
def fliplr(x: TensorLike) -> Any:
    """Reverses the order of columns, the second axis.

    Args:
        x: Tensor of at least two axes.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.fliplr([[1, 2], [3, 4]]).numpy()
        array([[2, 1],
               [4, 3]], dtype=int32)
    """
    return tf.reverse(to_tensor(x), [1])


@_op()
def flipud(x: TensorLike) -> Any:
    """Reverses the order of rows, the first axis.

    Args:
        x: Tensor of at least one axis.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.flipud([[1, 2], [3, 4]]).numpy()
        array([[3, 4],
               [1, 2]], dtype=int32)
    """
    return tf.reverse(to_tensor(x), [0])


@_op()
def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Shifts elements along axes; what leaves at the end enters at the start.

    Args:
        x: Tensor, or a value that converts to one.
        shift: By how many positions; negative numbers shift towards the start. A tuple has one for
            each axis.
        axis: Axis or axes; None shifts in the flattened tensor and restores the shape.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> tf.keras.ops.roll([1, 2, 3, 4], 1).numpy()
        array([4, 1, 2, 3], dtype=int32)
        >>> tf.keras.ops.roll([[1, 2], [3, 4]], 1, axis=0).numpy()
        array([[3, 4],
               [1, 2]], dtype=int32)
    """
    x = to_tensor(x)
    if isinstance(axis, (list, tuple)) and isinstance(shift, int):
        shift = [shift] * len(axis)
    if axis is not None:
        return tf.roll(x, shift, axis)
    rolled = tf.roll(tf.reshape(x, [-1]), shift, 0)
    return tf.ensure_shape(tf.reshape(rolled, tf.shape(x)), x.shape)


@_op(call=("array",))
def rot90(array: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Rotates by 90 degrees `k` times, from the first towards the second of two axes.

    Args:
        array: Tensor of at least two axes.
        k: Number of turns; negative ones turn the other way.
        axes: The plane of the rotation. By default rows and columns, and the turn is
            counter-clockwise.

    Returns:
        A tensor in which both axes are exchanged if `k` is odd.

    Raises:
        ValueError: `array` has fewer than two axes, or `axes` are not two different ones.

    Example:
        >>> tf.keras.ops.rot90([[1, 2], [3, 4]]).numpy()
        array([[2, 4],
               [1, 3]], dtype=int32)
    """
    array = to_tensor(array)
    rank = array.shape.rank
    if rank < 2:
        raise ValueError(
            f"`rot90` takes tensors of at least 2 axes. Received: array of shape {array.shape}"
        )
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError(f"`axes` must be two different axes. Received: axes={axes}")
    first, second = normalized_axes(tuple(axes), rank, "axes")
    turns = k % 4
    if turns == 2:
        return tf.reverse(array, [first, second])
    if turns == 0:
        return array
    order = list(range(rank))
    order[first], order[second] = second, first
    if turns == 1:
        return tf.transpose(tf.reverse(array, [second]), order)
    return tf.reverse(tf.transpose(array, order), [second])


@_op(call=("x", "constant_values"), keywords=("constant_values",))
def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Any:
    """Adds elements before and after those along each axis.

    Args:
        x: Tensor, or a value that converts to one.
        pad_width: Pairs (before, after), one for each axis or one for all; an integer for all ends
            alike.
        mode: "constant", "reflect" (mirrored without repeating the edge) or "symmetric" (with it).
        constant_values: Value of a constant padding; None is 0.

    Returns:
        A tensor of the dtype of `x`.

    Raises:
        ValueError: `constant_values` come with another mode.

    Example:
        >>> tf.keras.ops.pad([1, 2, 3], (1, 2)).numpy()
        array([0, 1, 2, 3, 0, 0], dtype=int32)
        >>> tf.keras.ops.pad([[1, 2], [3, 4]], ((0, 0), (1, 1)), constant_values=9).numpy()
        array([[9, 1, 2, 9],
               [9, 3, 4, 9]], dtype=int32)
        >>> tf.keras.ops.pad([1, 2, 3], 2, mode="reflect").numpy()
        array([3, 2, 1, 2, 3, 2, 1], dtype=int32)
    """
    x = to_tensor(x)
    if constant_values is not None and mode != "constant":
        raise ValueError(f"`constant_values` needs `mode='constant'`. Received: mode={mode!r}")
    rank = x.shape.rank
    widths = pad_width
    if isinstance(widths, int):
        widths = ((widths, widths),) * rank
    elif isinstance(widths, (list, tuple)) and len(widths) == 1 and rank != 1:
        widths = tuple(widths) * rank
    elif isinstance(widths, (list, tuple)) and len(widths) == 2 and isinstance(widths[0], int):
        widths = (tuple(widths),) * rank
    fill = to_tensor(0 if constant_values is None else constant_values, x.dtype)
    if x.dtype is tf.bool:
        padded = tf.pad(tf.cast(x, tf.uint8), widths, mode, tf.cast(fill, tf.uint8))
        return tf.cast(padded, tf.bool)
    return tf.pad(x, widths, mode.upper(), fill)


@_op()
def view(x: Any, dtype: Any = None) -> Any:
    """Reads the same bytes as elements of another dtype.

    The last axis becomes longer or shorter if their sizes differ.

    Args:
        x: Tensor, or a value that converts to one.
        dtype: The other dtype; None returns `x`. See `cast` to convert values.

    Returns:
        A tensor of that dtype.

    Raises:
        ValueError: The bytes of the last axis are not a multiple of the size of the dtype.

    Example:
        >>> tf.keras.ops.view(tf.constant([1.0, -2.0]), "int32").numpy()
        array([ 1065353216, -1073741824], dtype=int32)
        >>> tf.keras.ops.view(tf.constant([1, 256], tf.int32), "uint8").shape
        TensorShape([8])
    """
    x = to_tensor(x)
    if dtype is None:
        return x
    dtype = tf.as_dtype(standardize_dtype(dtype))
    old, new = x.dtype.size, dtype.size
    if old == new:
        return tf.bitcast(x, dtype)
    shape = sizes(x)
    if not shape or (isinstance(shape[-1], int) and shape[-1] * old % new):
        raise ValueError(
            f"The bytes of the last axis cannot be read as elements of dtype {dtype.name}. "
            f"Received: x of shape {x.shape} and dtype {x.dtype.name}"
        )
    if old > new:
        return tf.reshape(tf.bitcast(x, dtype), [*shape[:-1], shape[-1] * (old // new)])
    ratio = new // old
    return tf.bitcast(tf.reshape(x, [*shape[:-1], shape[-1] // ratio, ratio]), dtype)


@_op(output_spec=lambda self, x: KerasTensor((), "int32"))
def size(x: TensorLike) -> Any:
    """Returns the number of elements.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        A scalar `int32` tensor.

    Example:
        >>> tf.keras.ops.size([[1, 2, 3], [4, 5, 6]]).numpy()
        np.int32(6)
    """
    return tf.size(to_tensor(x))


@_op(output_spec=lambda self, x: KerasTensor((), "int32"))
def ndim(x: TensorLike) -> Any:
    """Returns the number of axes.

    Args:
        x: Tensor, or a value that converts to one.

    Returns:
        An integer; None for a tensor of unknown rank.

    Example:
        >>> tf.keras.ops.ndim([[1, 2, 3], [4, 5, 6]])
        2
    """
    return to_tensor(x).shape.rank
