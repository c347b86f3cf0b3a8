"""Shapes of tensors, and the same elements in another shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.api.arrays.arguments import as_int, int_vector
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.composite import Dispatchable
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.shape import TensorShape, as_dims, broadcast_shapes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import Axis, DTypeLike, ShapeLike, TensorLike
from tapeflow._src.ops.array import broadcasting
from tapeflow._src.ops.array import shape as ops
from tapeflow._src.ops.indexed_slices import IndexedSlices


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """Reshape a tensor; one size may be -1 and is inferred.

    Elements keep their row-major order: use `tf.transpose` to permute axes.

    Args:
        tensor: The tensor.
        shape: The new sizes: a list, or integers in a tensor of rank 1. `[-1]` flattens, `[]`
            makes a scalar of a single element.
        name: Name of the op in a graph.

    Returns:
        A tensor with the same elements.

    Raises:
        InvalidArgumentError: The number of elements differs (ValueError while a graph is traced).

    Example:

        >>> tf.reshape([1, 2, 3, 4, 5, 6], [2, -1]).numpy().tolist()
        [[1, 2, 3], [4, 5, 6]]
        >>> tf.reshape([[1, 2], [3, 4]], [-1]).numpy().tolist()
        [1, 2, 3, 4]
    """
    return ops.reshape(tensor, int_vector(shape), name=name)


def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """Return the shape of a tensor as a 1-D tensor.

    `tensor.shape` is the static shape, in which sizes may be None inside of `tf.function`; this one
    holds the sizes at run time.

    Args:
        input: A tensor, a ragged or a sparse tensor.
        out_type: int32 (the default) or int64.
        name: Name of the op in a graph.

    Returns:
        An integer tensor of rank 1; a `DynamicRaggedShape` for a ragged tensor.

    Example:

        >>> tf.shape([[1, 2, 3], [4, 5, 6]])
        <tf.Tensor: shape=(2,), dtype=int32, numpy=array([2, 3], dtype=int32)>
    """
    out_type = dtypes.int32 if out_type is None else out_type
    if isinstance(input, IndexedSlices) and input.dense_shape is not None:
        return ops.identity(input.dense_shape, name=name or "Shape")
    dims = _static_dims(input)
    if dims is not None:
        return _constant(dims, out_type, name or "Shape")
    return ops.shape(input, out_type=out_type, name=name)


def _static_dims(input: TensorLike) -> tuple[int, ...] | None:
    """Return the static sizes of a symbolic tensor if all are known, else None."""
    if dispatch.state.mode is dispatch.base_mode() or not isinstance(input, Tensor):
        return None
    dims = input.static_shape
    return None if dims is None or None in dims else dims  # type: ignore[return-value]


def _constant(value: TensorLike, dtype: DTypeLike, name: str) -> Any:
    return convert(np.array(value, as_dtype(dtype).as_numpy_dtype), None, None, name)


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Any]:
    """Return the shapes of several tensors of one dtype.

    Args:
        input: A list of tensors.
        out_type: int32 or int64.
        name: Name of the op in a graph.

    Returns:
        A list of integer tensors of rank 1, one per tensor.

    Example:

        >>> [shape.numpy().tolist() for shape in tf.shape_n([[1, 2], [[3]]])]
        [[2], [1, 1]]
    """
    return list(ops.shape_n(list(input), out_type=out_type, name=name))


def size(input: TensorLike, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Return the number of elements of a tensor.

    Args:
        input: A tensor, a ragged or a sparse tensor.
        out_type: int32 (the default) or int64.
        name: Name of the op in a graph.

    Returns:
        An integer scalar tensor.

    Example:

        >>> tf.size([[1, 2, 3], [4, 5, 6]]).numpy()
        np.int32(6)
    """
    out_type = dtypes.int32 if out_type is None else out_type
    dims = _static_dims(input)
    if dims is not None:
        return _constant(math.prod(dims), out_type, name or "Size")
    return ops.size(input, out_type=out_type, name=name)


def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """Return the number of axes of a tensor.

    That is the length of its shape, not the rank of a matrix (`tf.linalg.matrix_rank`).

    Args:
        input: A tensor or a sparse tensor.
        name: Name of the op in a graph.

    Returns:
        An int32 scalar tensor.

    Example:

        >>> tf.rank([[1, 2], [3, 4]]).numpy()
        np.int32(2)
    """
    if dispatch.state.mode is dispatch.base_mode() or not isinstance(input, Tensor):
        return ops.rank(input, name=name)
    dims = input.static_shape
    if dims is None:
        return ops.rank(input, name=name)
    return _constant(len(dims), dtypes.int32, name or "Rank")


def expand_dims(input: TensorLike, axis: Axis, name: str | None = None) -> Tensor:
    """Insert an axis of size 1 at position `axis`.

    `tensor[tf.newaxis]` and `tensor[..., tf.newaxis]` do the same for the first and the last axis.

    Args:
        input: The tensor.
        axis: The position in the result; `-1` appends.
        name: Name of the op in a graph.

    Returns:
        A tensor with the same elements and one axis more.

    Raises:
        InvalidArgumentError: `axis` is outside of `[-rank - 1, rank]`.

    Example:

        >>> tf.expand_dims([1, 2], 0).numpy().tolist()
        [[1, 2]]
        >>> tf.expand_dims([1, 2], -1).numpy().tolist()
        [[1], [2]]
    """
    return ops.expand_dims(
        input, convert(axis, None if hasattr(axis, "dtype") else dtypes.int32), name=name
    )


def squeeze(input: TensorLike, axis: Axis | None = None, name: str | None = None) -> Tensor:
    """Remove the axes of size 1, or those listed in `axis`.

    Name the axes where sizes may vary: without `axis`, a batch of one loses its batch axis.

    Args:
        input: The tensor.
        axis: The axes to remove, one or several ints; all of size 1 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor with the same elements and fewer axes.

    Raises:
        InvalidArgumentError: A listed axis has another size than 1.

    Example:

        >>> tf.squeeze(tf.zeros((1, 3, 1))).shape
        TensorShape([3])
        >>> tf.squeeze(tf.zeros((1, 3, 1)), axis=[2]).shape
        TensorShape([1, 3])
    """
    if axis is None:
        axes: tuple[int, ...] = ()
    elif isinstance(axis, (list, tuple)):
        axes = tuple(as_int(at, "axis") for at in axis)
    else:
        axes = (as_int(axis, "axis"),)
    return ops.squeeze(input, axis=axes, name=name)


def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Return `x` after checking that its shape is compatible with `shape`.

    Unlike `set_shape`, which declares what the author knows, this checks when the graph runs; both
    refine the static shape.

    Args:
        x: The tensor.
        shape: The expected shape; None for sizes that may be anything.
        name: Name of the op in a graph.

    Returns:
        The values of `x`, with the more precise static shape.

    Raises:
        ValueError: The static shape is incompatible.
        InvalidArgumentError: The shape is incompatible when the op runs.

    Example:

        >>> tf.ensure_shape([[1, 2], [3, 4]], [None, 2]).shape
        TensorShape([2, 2])
    """
    return ops.ensure_shape(x, shape=TensorShape(shape), name=name)


def broadcast_to(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Broadcast a tensor to a shape.

    Shapes are aligned at the right; axes of size 1 and missing leading axes are repeated. Ops
    broadcast by themselves: this is for values that have to exist in full.

    Args:
        input: The tensor.
        shape: The shape of the result.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `shape`.

    Raises:
        InvalidArgumentError: The shapes do not match.

    Example:

        >>> tf.broadcast_to([1, 2, 3], [2, 3]).numpy().tolist()
        [[1, 2, 3], [1, 2, 3]]
    """
    return broadcasting.broadcast_to(input, int_vector(shape), name=name)


def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """Return the static shape that two shapes broadcast to.

    Args:
        shape_x: A `tf.TensorShape`; sizes may be unknown.
        shape_y: Another.

    Returns:
        A `tf.TensorShape`.

    Raises:
        ValueError: They are incompatible.

    Example:

        >>> tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([1, 3]))
        TensorShape([2, 3])
    """
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    try:
        return TensorShape(broadcast_shapes(as_dims(x), as_dims(y)))
    except ValueError:
        raise ValueError(
            f"Incompatible shapes {x} and {y}: aligned at the right, sizes must be equal or 1."
        ) from None


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """Return the shape, as a tensor, that two shape tensors broadcast to.

    Args:
        shape_x: An integer tensor of rank 1.
        shape_y: Another, of the same dtype.

    Returns:
        An integer tensor of rank 1.

    Raises:
        InvalidArgumentError: They are incompatible.

    Example:

        >>> tf.broadcast_dynamic_shape([2, 1], [1, 3]).numpy().tolist()
        [2, 3]
    """
    hint = next((s.dtype for s in (shape_x, shape_y) if hasattr(s, "dtype")), dtypes.int32)
    x, y = (
        each if isinstance(each, Dispatchable) else convert(each, None, hint)
        for each in (shape_x, shape_y)
    )
    return broadcasting.broadcast_args(x, y)


def identity(input: Any, name: str | None = None) -> Any:
    """Return a tensor with the same value.

    Of a variable it takes the value at this moment: later assignments do not change the result.

    Args:
        input: A tensor, a variable, a composite tensor or `tf.IndexedSlices`.
        name: Name of the op in a graph.

    Returns:
        A tensor of the same shape and dtype.

    Example:

        >>> variable = tf.Variable(1)
        >>> before = tf.identity(variable)
        >>> variable.assign_add(1).numpy(), before.numpy()
        (np.int32(2), np.int32(1))
    """
    if isinstance(input, IndexedSlices):
        parts = (input.values, input.indices, input.dense_shape)
        return IndexedSlices(*(None if part is None else ops.identity(part) for part in parts))
    return ops.identity(input, name=name)


def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """Return tensors with the same values.

    In a graph they are the results of one op, for which `tf.Graph.gradient_override_map` can name
    one gradient for all.

    Args:
        input: A list of tensors, which may differ in shape and dtype.
        name: Name of the op in a graph.

    Returns:
        A list of tensors.

    Example:

        >>> [tensor.numpy() for tensor in tf.identity_n([1, 2.5])]
        [np.int32(1), np.float32(2.5)]
    """
    return list(ops.identity_n(list(input), name=name))


def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """Return the same value, through which no gradient flows.

    Gradients treat the result as a constant: targets in reinforcement learning, straight-through
    estimators (`x + tf.stop_gradient(rounded - x)`).

    Args:
        input: The tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor with the value of `input`.

    Example:

        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * tf.stop_gradient(x)
        >>> tape.gradient(y, x).numpy()
        np.float32(3.0)
    """
    return ops.stop_gradient(input, name=name)


def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """Return the same value, marked as never changing.

    Args:
        input: The tensor, or a variable that is not assigned to any more.
        name: Name of the op in a graph.

    Returns:
        A tensor with the value of `input`.

    Example:

        >>> tf.guarantee_const([1, 2]).numpy().tolist()
        [1, 2]
    """
    return ops.guarantee_const(input, name=name)
