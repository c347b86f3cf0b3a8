"""Variables, constants, and what is known of a tensor without computing."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.backend.in_models import in_models
from tapeflow._src.keras.config import floatx, standardize_dtype
from tapeflow._src.keras.keras_tensor import KerasTensor


def variable(value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None) -> Any:
    """Return a `tf.Variable` with an initial value; a sparse matrix becomes a SparseTensor.

    >>> K = tf.keras.backend
    >>> K.variable([1.0, 2.0]).dtype
    tf.float32
    """
    dtype = floatx() if dtype is None else dtype
    if hasattr(value, "tocoo"):
        matrix = value.tocoo()
        indices = np.stack([matrix.row, matrix.col], axis=1).astype("int64")
        return tf.SparseTensor(indices, matrix.data, matrix.shape)
    return tf.Variable(value, dtype=tf.as_dtype(dtype), name=name, constraint=constraint)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Any:
    """Return a constant tensor, in `floatx()` unless `dtype` is given."""
    return tf.constant(value, dtype=dtype or floatx(), shape=shape, name=name or "Const")


def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return a variable of zeros."""
    return _filled(tf.zeros, shape, dtype, name)


def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return a variable of ones."""
    return _filled(tf.ones, shape, dtype, name)


def _filled(function: Any, shape: Any, dtype: Any, name: str | None) -> Any:
    with tf.init_scope():
        dtype = tf.as_dtype(dtype or floatx())
        value = function(shape, dtype)
        # As Keras 2 has it: nothing can be stored in an empty variable, so it is a tensor.
        return variable(value, dtype, name) if all(value.shape.as_list()) else value


def eye(size: int, dtype: Any = None, name: str | None = None) -> Any:
    """Return a variable that holds an identity matrix."""
    dtype = tf.as_dtype(dtype or floatx())
    return variable(tf.eye(size, dtype=dtype), dtype, name)


@in_models
def zeros_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return zeros of the shape of `x`."""
    return tf.zeros_like(x, dtype=dtype)


@in_models
def ones_like(x: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return ones of the shape of `x`."""
    return tf.ones_like(x, dtype=dtype)


def cast_to_floatx(x: Any) -> Any:
    """Cast to `floatx()`: a tensor to a tensor, anything else to a NumPy array."""
    if isinstance(x, (tf.Tensor, tf.Variable, tf.SparseTensor)):
        return tf.cast(x, floatx())
    return np.asarray(x, tf.as_dtype(floatx()).as_numpy_dtype)


def is_float_dtype(dtype: Any) -> bool:
    """Return whether a dtype is one of floating-point numbers."""
    return "float" in standardize_dtype(dtype)


def is_int_dtype(dtype: Any) -> bool:
    """Return whether a dtype is one of integers."""
    return "int" in standardize_dtype(dtype)


def is_sparse(tensor: Any) -> bool:
    """Return whether a tensor, or what a KerasTensor stands for, is sparse."""
    if isinstance(tensor, KerasTensor):
        return tensor.sparse
    return isinstance(tensor, tf.SparseTensor)


@in_models
def to_dense(tensor: Any) -> Any:
    """Return a sparse tensor as a dense one, and others as they are."""
    return tf.sparse.to_dense(tensor) if is_sparse(tensor) else tensor


def int_shape(x: Any) -> tuple[int | None, ...] | None:
    """Return the static shape as a tuple, with None for unknown sizes; None for unknown rank.

    >>> tf.keras.backend.int_shape(tf.keras.Input((3, None)))
    (None, 3, None)
    """
    shape = x.shape
    if isinstance(shape, tuple):
        return shape
    return None if shape.rank is None else tuple(shape.as_list())


def ndim(x: Any) -> int | None:
    """Return the number of axes."""
    shape = int_shape(x)
    return None if shape is None else len(shape)


def dtype(x: Any) -> str:
    """Return the name of the dtype of a tensor or variable."""
    return standardize_dtype(x.dtype)


def count_params(x: Any) -> int:
    """Return the number of elements of a variable."""
    return math.prod(size or 0 for size in int_shape(x) or ())


def get_value(x: Any) -> Any:
    """Return the value of a variable or tensor as a NumPy array; other values as they are."""
    return x.numpy() if tf.is_tensor(x) or isinstance(x, tf.Variable) else x


def batch_get_value(tensors: Any) -> list[Any]:
    """Return the values of several variables as NumPy arrays."""
    if not tf.executing_eagerly():
        raise RuntimeError(
            "K.batch_get_value needs values, and inside a `tf.function` there are none while it is "
            "traced. Call it outside."
        )
    return [x.numpy() for x in tensors]


def set_value(x: Any, value: Any) -> None:
    """Assign a value, converted to its dtype, to a variable."""
    x.assign(np.asarray(value, tf.as_dtype(x.dtype).as_numpy_dtype))


def batch_set_value(tuples: Any) -> None:
    """Assign values to variables, given as pairs of a variable and its value."""
    for x, value in tuples:
        set_value(x, value)


def eval(x: Any) -> Any:
    """Return the value of a variable or tensor, a sparse one as a dense array."""
    return get_value(to_dense(x))


def update(x: Any, new_x: Any) -> Any:
    """Assign `new_x` to the variable `x`."""
    return x.assign(new_x)


def update_add(x: Any, increment: Any) -> Any:
    """Add to the variable `x`."""
    return x.assign_add(increment)


def update_sub(x: Any, decrement: Any) -> Any:
    """Subtract from the variable `x`."""
    return x.assign_sub(decrement)


def moving_average_update(x: Any, value: Any, momentum: Any) -> Any:
    """Set the variable `x` to `x * momentum + value * (1 - momentum)`."""
    rest = 1 - tf.cast(momentum, x.dtype)
    return x.assign_sub((x - tf.cast(value, x.dtype)) * rest)


def manual_variable_initialization(value: bool) -> None:
    """Check that `value` is false: variables are initialized as they are created."""
    if value:
        raise NotImplementedError(
            "Variables have a value from the moment they are created: they cannot be initialized "
            "later. Remove the call of `manual_variable_initialization(True)`."
        )


@in_models
def print_tensor(x: Any, message: str = "", summarize: int = 3) -> Any:
    """Print `message` and the value of `x` whenever it is computed, and return `x`."""
    tf.print(message, x, output_stream=sys.stdout, summarize=summarize)
    return tf.identity(x)
