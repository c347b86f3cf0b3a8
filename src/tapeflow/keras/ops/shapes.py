"""Other shapes and orders of the same elements."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow.keras.keras_tensor import KerasTensor
from tapeflow.keras.ops.axes import normalized, normalized_axes
from tapeflow.keras.ops.declaring import declare
from tapeflow.keras.ops.promotion import to_tensor

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


@_op(standardize={"newshape": _as_shape})
def reshape(x: Any, newshape: Any) -> Any:
    """Returns the elements of `x` in another shape.

    Args:
        newshape: The sizes; one of them may be -1 and is computed from the others.

    >>> tf.keras.ops.reshape([[1, 2], [3, 4]], (-1,))
    <tf.Tensor: shape=(4,), dtype=int32, numpy=array([1, 2, 3, 4], dtype=int32)>
    """
    x, shape = to_tensor(x), _as_shape(newshape)
    if isinstance(x, tf.SparseTensor):
        return tf.sparse.reshape(x, shape)
    return tf.reshape(x, shape)


@_op()
def squeeze(x: Any, axis: Any = None) -> Any:
    """Removes axes of size 1: those named by `axis`, or all."""
    x = to_tensor(x)
    sizes = x.shape.as_list()
    if axis is None:
        axes = [number for number, size in enumerate(sizes) if size == 1]
    else:
        axes = sorted(normalized_axes(axis, len(sizes)))
        for number in axes:
            if sizes[number] not in (1, None):
                raise ValueError(
                    f"Only axes of size 1 can be removed. Received: axis={axis} for a tensor of "
                    f"shape {tuple(sizes)}"
                )
    if isinstance(x, tf.SparseTensor):
        left = [number for number in range(len(sizes)) if number not in axes]
        return tf.sparse.reshape(x, tf.gather(x.dense_shape, left))
    return tf.squeeze(x, axis=axes) if axes else x


@_op()
def transpose(x: Any, axes: Any = None) -> Any:
    """Permutes the axes; without `axes`, reverses their order."""
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
