"""Tensors from other values, other dtypes, shapes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
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
        sparse: False makes sparse tensors dense.
        ragged: False makes ragged tensors dense.
    """
    if sparse is not None and not sparse and isinstance(x, tf.SparseTensor):
        x = sparse_ops.dense(x)
    if ragged is not None and not ragged and isinstance(x, tf.RaggedTensor):
        x = x.to_tensor()
    return to_tensor(x, None if dtype is None else standardize_dtype(dtype))


def convert_to_numpy(x: Any) -> Any:
    """Converts a tensor to a NumPy array; sparse and ragged ones become dense."""
    if isinstance(x, tf.SparseTensor):
        x = sparse_ops.dense(x)
    elif isinstance(x, tf.RaggedTensor):
        x = x.to_tensor()
    elif isinstance(x, tf.IndexedSlices):
        x = tf.convert_to_tensor(x)
    return np.array(x)


def is_tensor(x: Any) -> bool:
    """Returns whether `x` is a tensor of values: eager, in a function, sparse or ragged."""
    return tf.is_tensor(x)


def shape(x: Any) -> Any:
    """Returns the shape as a tuple: numbers where they are known, scalar tensors elsewhere."""
    if isinstance(x, KerasTensor):
        return x.shape
    x = x if tf.is_tensor(x) else tf.convert_to_tensor(x)
    if x.shape.rank is None:
        raise ValueError(f"`shape` needs tensors of known rank. Received: {x}")
    if isinstance(x, tf.RaggedTensor):
        return tuple(x.shape.as_list())
    return tuple(sizes(x))


def dtype(x: Any) -> str:
    """Returns the name of the dtype."""
    return standardize_dtype(x.dtype)


@_op(sparse=sparse_ops.unary)
def cast(x: Any, dtype: Any) -> Any:
    """Converts elements to another dtype.

    >>> tf.keras.ops.cast([1.7, 2.0], "int32").numpy().tolist()
    [1, 2]
    """
    return tf.cast(x, standardize_dtype(dtype))


@_op()
def saturate_cast(x: Any, dtype: Any) -> Any:
    """Converts elements to another dtype; what it cannot hold becomes its nearest number."""
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
    """Returns the value, as a constant for gradients."""
    return tf.stop_gradient(variable)


@_op()
def unstack(x: Any, num: int | None = None, axis: int = 0) -> Any:
    """Returns the slices along an axis as a list."""
    return tf.unstack(to_tensor(x), num=num, axis=axis)


def _scatter_spec(self: Any, indices: Any, values: Any) -> Any:
    return KerasTensor(self.shape, values.dtype)


def _updated_spec(self: Any, inputs: Any, *rest: Any) -> Any:
    return KerasTensor(inputs.shape, inputs.dtype)


@_op(call=("indices", "values"), output_spec=_scatter_spec)
def scatter(indices: Any, values: Any, shape: Any) -> Any:
    """Returns a tensor of zeros with values added at indices."""
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
        reduction: How an update is combined with what is there: None replaces it, "add", "max",
            "min" and "mul" do what they say.
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
def slice(inputs: Any, start_indices: Any, shape: Any) -> Any:
    """Returns the part of `inputs` of this shape that begins at `start_indices`."""
    return tf.slice(to_tensor(inputs), _starts(start_indices), shape)


@_op(call=("inputs", "start_indices", "updates"), nested=True, output_spec=_updated_spec)
def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Any:
    """Returns `inputs` with the part that begins at `start_indices` replaced by `updates`.

    A part that would reach over the end is moved back.
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
