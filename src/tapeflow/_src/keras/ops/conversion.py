"""Tensors from other values, other dtypes, shapes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.ops import sparse as sparse_ops
from tapeflow._src.keras.ops.axes import sizes
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import to_tensor

_op = functools.partial(declare, family="core")


@_op(nested=True)
def convert_to_tensor(x: Any, dtype: Any = None, sparse: Any = None, ragged: Any = None) -> Any:
    """Converts `x` to a tensor, cast to `dtype`.

    Args:
        x: A number, an array, a tensor, a variable, or nested lists of them.
        dtype: Dtype of the result; None infers it. What has another one is cast.
        sparse: False makes sparse tensors dense; None and True keep them.
        ragged: False makes ragged tensors dense; None and True keep them.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.ops.convert_to_tensor([1, 2]).dtype
        tf.int32
        >>> tf.keras.ops.convert_to_tensor(np.arange(2), dtype="float32").numpy()
        array([0., 1.], dtype=float32)
    """
    if sparse is not None and not sparse and isinstance(x, tf.SparseTensor):
        x = sparse_ops.dense(x)
    if ragged is not None and not ragged and isinstance(x, tf.RaggedTensor):
        x = x.to_tensor()
    return to_tensor(x, None if dtype is None else standardize_dtype(dtype))


def convert_to_numpy(x: Any) -> Any:
    """Converts a tensor to a NumPy array; sparse and ragged ones become dense.

    Args:
        x: Tensor, variable or what NumPy converts.

    Returns:
        A NumPy array, a copy of the values.

    Example:
        >>> tf.keras.ops.convert_to_numpy(tf.constant([1, 2]))
        array([1, 2], dtype=int32)
    """
    if isinstance(x, tf.SparseTensor):
        x = sparse_ops.dense(x)
    elif isinstance(x, tf.RaggedTensor):
        x = x.to_tensor()
    elif isinstance(x, tf.IndexedSlices):
        x = tf.convert_to_tensor(x)
    return np.array(x)


def is_tensor(x: Any) -> bool:
    """Returns whether `x` is a tensor of values: eager, in a function, sparse or ragged.

    Args:
        x: Anything.

    Returns:
        A boolean; arrays and Python numbers are not tensors.

    Example:
        >>> tf.keras.ops.is_tensor(tf.ones(2)), tf.keras.ops.is_tensor(np.ones(2))
        (True, False)
    """
    return tf.is_tensor(x)


def shape(x: Any) -> Any:
    """Returns the shape as a tuple: numbers where they are known, scalar tensors elsewhere.

    Args:
        x: Tensor, KerasTensor or what converts to a tensor.

    Returns:
        A tuple. Sizes of a KerasTensor that are not known are None.

    Raises:
        ValueError: Not even the number of axes is known.

    Example:
        >>> tf.keras.ops.shape(tf.zeros((2, 3)))
        (2, 3)
        >>> tf.keras.ops.shape(keras.Input((None, 8)))
        (None, None, 8)
    """
    if isinstance(x, KerasTensor):
        return x.shape
    x = x if tf.is_tensor(x) else tf.convert_to_tensor(x)
    if x.shape.rank is None:
        raise ValueError(f"`shape` needs tensors of known rank. Received: {x}")
    if isinstance(x, tf.RaggedTensor):
        return tuple(x.shape.as_list())
    return tuple(sizes(x))


def dtype(x: Any) -> str:
    """Returns the name of the dtype.

    Args:
        x: Tensor, KerasTensor, variable or array.

    Returns:
        A string.

    Example:
        >>> tf.keras.ops.dtype(tf.zeros((2, 3)))
        'float32'
    """
    return standardize_dtype(x.dtype)


@_op(sparse=sparse_ops.unary)
def cast(x: TensorLike, dtype: DTypeLike) -> Any:
    """Converts elements to another dtype.

    Args:
        x: Tensor, or a value that converts to one. A sparse tensor stays sparse.
        dtype: The dtype, or its name.

    Returns:
        A tensor of the shape of `x`. Floats are cut off towards zero for integers; see
        `saturate_cast` for what is out of range.

    Example:
        >>> tf.keras.ops.cast([1.7, -2.9], "int32").numpy()
        array([ 1, -2], dtype=int32)
    """
    return tf.cast(x, standardize_dtype(dtype))


@_op()
def saturate_cast(x: Any, dtype: Any) -> Any:
    """Converts elements to another dtype; what it cannot hold becomes its nearest number.

    Args:
        x: Tensor, or a value that converts to one.
        dtype: The dtype, or its name.

    Returns:
        A tensor of the shape of `x`.

    Example:
        >>> tf.keras.ops.saturate_cast([-5.0, 99.9, 300.0], "uint8").numpy()
        array([  0,  99, 255], dtype=uint8)
    """
    x, target = to_tensor(x), tf.as_dtype(standardize_dtype(dtype))
    if target is tf.bool:
        if x.dtype is tf.bool:
            return x
        low = tf.constant(0, x.dtype)
        return tf.cast(tf.clip_by_value(x, low, tf.constant(1, x.dtype)), tf.bool)
    if x.dtype is tf.bool:
        return tf.cast(x, target)
    return tf.saturate_cast(x, target)


@_op(call=("variable",))
def stop_gradient(variable: Any) -> Any:
    """Returns the value, as a constant for gradients.

    Args:
        variable: Tensor, or a variable.

    Returns:
        A tensor of the same value.

    Example:
        >>> x = tf.Variable(2.0)
        >>> with tf.GradientTape() as tape:
        ...     y = x * tf.keras.ops.stop_gradient(x)
        >>> tape.gradient(y, x).numpy()
        np.float32(2.0)
    """
    return tf.stop_gradient(variable)


@_op()
def unstack(x: TensorLike, num: int | None = None, axis: int = 0) -> Any:
    """Returns the slices along an axis as a list.

    Args:
        x: Tensor, or a value that converts to one.
        num: Number of slices; needed only where the size of the axis is not known.
        axis: The axis to take apart.

    Returns:
        A list of tensors of one axis less.

    Example:
        >>> [part.numpy() for part in tf.keras.ops.unstack([[1, 2], [3, 4]], axis=1)]
        [array([1, 3], dtype=int32), array([2, 4], dtype=int32)]
    """
    return tf.unstack(to_tensor(x), num=num, axis=axis)


def _scatter_spec(self: Any, indices: Any, values: Any) -> Any:
    return KerasTensor(self.shape, values.dtype)


def _updated_spec(self: Any, inputs: Any, *rest: Any) -> Any:
    return KerasTensor(inputs.shape, inputs.dtype)


@_op(call=("indices", "values"), output_spec=_scatter_spec)
def scatter(indices: TensorLike, values: TensorLike, shape: ShapeLike) -> Any:
    """Returns a tensor of zeros with values added at indices.

    Args:
        indices: Integers of shape (n, k): each row is the index of an element or slice.
        values: Tensor of shape (n, ...); values of the same index add up.
        shape: Shape of the result.

    Returns:
        A tensor of the dtype of `values`.

    Example:
        >>> tf.keras.ops.scatter([[0], [2], [0]], [1, 2, 10], (4,)).numpy()
        array([11,  0,  2,  0], dtype=int32)
    """
    return tf.scatter_nd(to_tensor(indices), to_tensor(values), shape)


_REDUCTIONS: dict[Any, Callable[..., Any]] = {
    None: tf.tensor_scatter_nd_update,
    "add": tf.tensor_scatter_nd_add,
    "max": tf.tensor_scatter_nd_max,
    "min": tf.tensor_scatter_nd_min,
}


def _lower(reduction: Any) -> Any:
    reduction = reduction if reduction is None else reduction.lower()
    if reduction not in _REDUCTIONS and reduction != "mul":
        raise ValueError(
            f"`reduction` must be None, 'add', 'max', 'min' or 'mul'. Received: "
            f"reduction={reduction!r}"
        )
    return reduction


@_op(
    call=("inputs", "indices", "updates"),
    standardize={"reduction": _lower},
    output_spec=_updated_spec,
)
def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: Any = None) -> Any:
    """Returns `inputs` with the elements or slices at `indices` updated.

    Args:
        inputs: Tensor, or a value that converts to one.
        indices: Integers of shape (n, k): each row is the index of an element or slice.
        updates: Tensor of shape (n, ...), cast to the dtype of `inputs`.
        reduction: How to combine updates with previous values: None replaces them; or "add", "max",
            "min", "mul".

    Returns:
        A tensor of the shape and dtype of `inputs`, which stays as it is.

    Raises:
        ValueError: `reduction` has another value.

    Example:
        >>> tf.keras.ops.scatter_update([1, 2, 3], [[0], [2]], [10, 30]).numpy()
        array([10,  2, 30], dtype=int32)
        >>> tf.keras.ops.scatter_update([1, 2, 3], [[0], [0]], [10, 10], reduction="add").numpy()
        array([21,  2,  3], dtype=int32)
    """
    inputs, indices = to_tensor(inputs), to_tensor(indices)
    updates = to_tensor(updates, inputs.dtype)
    reduction = _lower(reduction)
    if reduction == "mul":
        return _multiplied(inputs, indices, updates)
    return _REDUCTIONS[reduction](inputs, indices, updates)


def _multiplied(inputs: Any, indices: Any, updates: Any) -> Any:
    def step(number: Any, result: Any) -> Any:
        place = indices[number : number + 1]
        product = tf.gather_nd(result, place) * updates[number : number + 1]
        return number + 1, tf.tensor_scatter_nd_update(result, place, product)

    count = tf.shape(indices)[0]
    return tf.while_loop(lambda number, _: number < count, step, (tf.constant(0), inputs))[1]


def _starts(start_indices: Any) -> Any:
    if isinstance(start_indices, (list, tuple)):
        return tf.stack([to_tensor(index, "int32") for index in start_indices])
    return to_tensor(start_indices, "int32")


@_op(call=("inputs", "start_indices"), nested=True)
def slice(inputs: TensorLike, start_indices: Any, shape: ShapeLike) -> Any:
    """Returns the part of `inputs` of this shape that begins at `start_indices`.

    Args:
        inputs: Tensor, or a value that converts to one.
        start_indices: One index for each axis; numbers or scalar tensors.
        shape: Sizes of the part; -1 is up to the end.

    Returns:
        A tensor of that shape.

    Example:
        >>> tf.keras.ops.slice([[1, 2, 3], [4, 5, 6]], (0, 1), (2, 2)).numpy()
        array([[2, 3],
               [5, 6]], dtype=int32)
    """
    return tf.slice(to_tensor(inputs), _starts(start_indices), shape)


@_op(call=("inputs", "start_indices", "updates"), nested=True, output_spec=_updated_spec)
def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Any:
    """Returns `inputs` with the part that begins at `start_indices` replaced by `updates`.

    A part that would reach over the end is moved back.

    Args:
        inputs: Tensor, or a value that converts to one.
        start_indices: One index for each axis; numbers or scalar tensors.
        updates: Tensor with as many axes as `inputs`, cast to its dtype.

    Returns:
        A tensor of the shape and dtype of `inputs`, which stays as it is.

    Example:
        >>> tf.keras.ops.slice_update([[1, 2, 3], [4, 5, 6]], (0, 1), [[0, 0]]).numpy()
        array([[1, 0, 0],
               [4, 5, 6]], dtype=int32)
    """
    inputs, updates, starts = to_tensor(inputs), to_tensor(updates), _starts(start_indices)
    updates = tf.cast(updates, inputs.dtype)
    lengths = tf.shape(updates)
    starts = tf.clip_by_value(starts, 0, tf.shape(inputs) - lengths)
    rank = inputs.shape.rank
    if not rank:
        return updates
    axes = [tf.range(lengths[number]) + starts[number] for number in range(rank)]
    positions = tf.stack(tf.meshgrid(*axes, indexing="ij"), -1)
    return tf.tensor_scatter_nd_update(inputs, positions, updates)
