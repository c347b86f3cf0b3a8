"""Variables, constants, and what is known of a tensor without computing."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.keras.backend.in_models import in_models
from tapeflow._src.keras.config import floatx, standardize_dtype
from tapeflow._src.keras.keras_tensor import KerasTensor


def variable(value: Any, dtype: Any = None, name: str | None = None, constraint: Any = None) -> Any:
    """Return a `tf.Variable` with an initial value.

    Args:
        value: A number, an array or a tensor. A SciPy sparse matrix becomes a SparseTensor.
        dtype: Dtype of the result; None is `floatx()`.
        name: Name of the variable.
        constraint: Function that projects the value after each optimizer step.

    Returns:
        A variable.

    Example:
        >>> x = tf.keras.backend.variable([1.0, 2.0])
        >>> x.assign_add([1.0, 1.0]).numpy()
        array([2., 3.], dtype=float32)
    """
    dtype = floatx() if dtype is None else dtype
    if hasattr(value, "tocoo"):
        matrix = value.tocoo()
        indices = np.stack([matrix.row, matrix.col], axis=1).astype("int64")
        return tf.SparseTensor(indices, matrix.data, matrix.shape)
    return tf.Variable(value, dtype=tf.as_dtype(dtype), name=name, constraint=constraint)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Any:
    """Return a constant tensor.

    Args:
        value: A number, an array or nested lists.
        dtype: Dtype of the result; None is `floatx()`.
        shape: Shape to fill or reshape to; None is that of the value.
        name: Name of the op.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.backend.constant([1, 2]).numpy()
        array([1., 2.], dtype=float32)
    """
    return tf.constant(value, dtype=dtype or floatx(), shape=shape, name=name or "Const")


def zeros(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """Return a variable of zeros.

    Args:
        shape: The sizes.
        dtype: Dtype of the result; None is `floatx()`.
        name: Name of the variable.

    Returns:
        A variable; a tensor if it has no elements.

    Example:
        >>> tf.keras.backend.zeros((2, 2)).numpy()
        array([[0., 0.],
               [0., 0.]], dtype=float32)
    """
    return _filled(tf.zeros, shape, dtype, name)


def ones(shape: ShapeLike, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """Return a variable of ones.

    Args:
        shape: The sizes.
        dtype: Dtype of the result; None is `floatx()`.
        name: Name of the variable.

    Returns:
        A variable; a tensor if it has no elements.

    Example:
        >>> tf.keras.backend.ones((2, 2)).numpy()
        array([[1., 1.],
               [1., 1.]], dtype=float32)
    """
    return _filled(tf.ones, shape, dtype, name)


def _filled(function: Any, shape: Any, dtype: Any, name: str | None) -> Any:
    with tf.init_scope():
        dtype = tf.as_dtype(dtype or floatx())
        value = function(shape, dtype)
        # As Keras 2 has it: nothing can be stored in an empty variable, so it is a tensor.
        return variable(value, dtype, name) if all(value.shape.as_list()) else value


def eye(size: int, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """Return a variable that holds an identity matrix.

    Args:
        size: Number of rows and columns.
        dtype: Dtype of the result; None is `floatx()`.
        name: Name of the variable.

    Returns:
        A variable.

    Example:
        >>> tf.keras.backend.eye(2).numpy()
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    dtype = tf.as_dtype(dtype or floatx())
    return variable(tf.eye(size, dtype=dtype), dtype, name)


@in_models
def zeros_like(x: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """Return zeros of the shape of `x`.

    Args:
        x: Numbers: a tensor, a variable or an array.
        dtype: Dtype of the result; None is that of `x`.
        name: Accepted for Keras 2; not used.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.backend.zeros_like(tf.constant([3, 4])).numpy()
        array([0, 0], dtype=int32)
    """
    return tf.zeros_like(x, dtype=dtype)


@in_models
def ones_like(x: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """Return ones of the shape of `x`.

    Args:
        x: Numbers: a tensor, a variable or an array.
        dtype: Dtype of the result; None is that of `x`.
        name: Accepted for Keras 2; not used.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.backend.ones_like(tf.constant([3, 4])).numpy()
        array([1, 1], dtype=int32)
    """
    return tf.ones_like(x, dtype=dtype)


def cast_to_floatx(x: TensorLike) -> Any:
    """Cast to `floatx()`.

    Args:
        x: A tensor, an array or numbers.

    Returns:
        A tensor for a tensor or variable, else a NumPy array.

    Example:
        >>> tf.keras.backend.cast_to_floatx(np.array([1, 2]))
        array([1., 2.], dtype=float32)
    """
    if isinstance(x, (tf.Tensor, tf.Variable, tf.SparseTensor)):
        return tf.cast(x, floatx())
    return np.asarray(x, tf.as_dtype(floatx()).as_numpy_dtype)


def is_float_dtype(dtype: Any) -> bool:
    """Return whether a dtype is one of floating-point numbers.

    Args:
        dtype: A dtype, or its name.

    Returns:
        A boolean.

    Example:
        >>> tf.keras.backend.is_float_dtype("bfloat16")
        True
    """
    return "float" in standardize_dtype(dtype)


def is_int_dtype(dtype: Any) -> bool:
    """Return whether a dtype is one of integers.

    Args:
        dtype: A dtype, or its name.

    Returns:
        A boolean.

    Example:
        >>> tf.keras.backend.is_int_dtype("uint8")
        True
    """
    return "int" in standardize_dtype(dtype)


def is_sparse(tensor: TensorLike) -> bool:
    """Return whether a tensor, or the tensor that a KerasTensor stands for, is sparse.

    Args:
        tensor: A tensor or KerasTensor.

    Returns:
        A boolean.

    Example:
        >>> tf.keras.backend.is_sparse(tf.sparse.eye(2))
        True
    """
    if isinstance(tensor, KerasTensor):
        return tensor.sparse
    return isinstance(tensor, tf.SparseTensor)


@in_models
def to_dense(tensor: TensorLike) -> Any:
    """Return a sparse tensor as a dense one, and others as they are.

    Args:
        tensor: A tensor.

    Returns:
        A dense tensor.

    Example:
        >>> tf.keras.backend.to_dense(tf.sparse.eye(2)).numpy()
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    return tf.sparse.to_dense(tensor) if is_sparse(tensor) else tensor


def int_shape(x: Any) -> tuple[int | None, ...] | None:
    """Return the static shape as a tuple.

    Args:
        x: A tensor, variable or KerasTensor.

    Returns:
        A tuple with None for unknown sizes; None if not even the rank is known.

    Example:
        >>> tf.keras.backend.int_shape(tf.keras.Input((3, None)))
        (None, 3, None)
    """
    shape = x.shape
    if isinstance(shape, tuple):
        return shape
    return None if shape.rank is None else tuple(shape.as_list())


def ndim(x: TensorLike) -> int | None:
    """Return the number of axes.

    Args:
        x: A tensor, variable or KerasTensor.

    Returns:
        An integer; None if it is not known.

    Example:
        >>> tf.keras.backend.ndim(tf.zeros((2, 3)))
        2
    """
    shape = int_shape(x)
    return None if shape is None else len(shape)


def dtype(x: Any) -> str:
    """Return the dtype of a tensor as a string.

    Args:
        x: A tensor, variable or KerasTensor.

    Returns:
        A string.

    Example:
        >>> tf.keras.backend.dtype(tf.zeros((2, 3)))
        'float32'
    """
    return standardize_dtype(x.dtype)


def count_params(x: TensorLike) -> int:
    """Return the number of elements of a variable.

    Args:
        x: A tensor or variable of known shape.

    Returns:
        An integer; unknown sizes count as 0.

    Example:
        >>> tf.keras.backend.count_params(tf.zeros((2, 3)))
        6
    """
    return math.prod(size or 0 for size in int_shape(x) or ())


def get_value(x: Any) -> Any:
    """Return the value of a variable or tensor as a NumPy array.

    Args:
        x: A variable or tensor; anything else is returned as it is.

    Returns:
        An array.

    Example:
        >>> tf.keras.backend.get_value(tf.keras.backend.variable([1.0, 2.0]))
        array([1., 2.], dtype=float32)
    """
    return x.numpy() if tf.is_tensor(x) or isinstance(x, tf.Variable) else x


def batch_get_value(tensors: Any) -> list[Any]:
    """Return the values of several variables as NumPy arrays.

    Args:
        tensors: List of variables or tensors.

    Returns:
        A list of arrays.

    Raises:
        RuntimeError: It is called inside a `tf.function`.

    Example:
        >>> tf.keras.backend.batch_get_value(
        ...     [tf.keras.backend.variable([1.0]), tf.keras.backend.variable([2.0])]
        ... )
        [array([1.], dtype=float32), array([2.], dtype=float32)]
    """
    if not tf.executing_eagerly():
        raise RuntimeError(
            "K.batch_get_value needs values, and inside a `tf.function` there are none while it is "
            "traced. Call it outside."
        )
    return [x.numpy() for x in tensors]


def set_value(x: Any, value: Any) -> None:
    """Assign a value, converted to its dtype, to a variable.

    Args:
        x: The variable.
        value: Array or nested lists of its shape.

    Returns:
        None.

    Example:
        >>> x = tf.keras.backend.variable([1.0, 2.0])
        >>> tf.keras.backend.set_value(x, [3, 4])
        >>> x.numpy()
        array([3., 4.], dtype=float32)
    """
    x.assign(np.asarray(value, tf.as_dtype(x.dtype).as_numpy_dtype))


def batch_set_value(tuples: Any) -> None:
    """Assign values to several variables.

    Args:
        tuples: Pairs of a variable and its value.

    Returns:
        None.

    Example:
        >>> x, y = tf.keras.backend.variable(1.0), tf.keras.backend.variable(2.0)
        >>> tf.keras.backend.batch_set_value([(x, 5.0), (y, 6.0)])
        >>> float(x), float(y)
        (5.0, 6.0)
    """
    for x, value in tuples:
        set_value(x, value)


def eval(x: TensorLike) -> Any:
    """Return the value of a variable or tensor, a sparse one as a dense array.

    Args:
        x: A variable or tensor.

    Returns:
        A NumPy array.

    Example:
        >>> tf.keras.backend.eval(tf.sparse.eye(2))
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    return get_value(to_dense(x))


def update(x: Any, new_x: Any) -> Any:
    """Assign `new_x` to the variable `x`.

    Args:
        x: The variable.
        new_x: The value.

    Returns:
        The variable.

    Example:
        >>> x = tf.keras.backend.variable(1.0)
        >>> tf.keras.backend.update(x, 4.0).numpy()
        np.float32(4.0)
    """
    return x.assign(new_x)


def update_add(x: Any, increment: Any) -> Any:
    """Add `increment` to the variable `x`.

    Args:
        x: The variable.
        increment: A tensor of its shape.

    Returns:
        The variable.

    Example:
        >>> x = tf.keras.backend.variable(1.0)
        >>> tf.keras.backend.update_add(x, 4.0).numpy()
        np.float32(5.0)
    """
    return x.assign_add(increment)


def update_sub(x: Any, decrement: Any) -> Any:
    """Subtract `decrement` from the variable `x`.

    Args:
        x: The variable.
        decrement: A tensor of its shape.

    Returns:
        The variable.

    Example:
        >>> x = tf.keras.backend.variable(1.0)
        >>> tf.keras.backend.update_sub(x, 4.0).numpy()
        np.float32(-3.0)
    """
    return x.assign_sub(decrement)


def moving_average_update(x: Any, value: Any, momentum: Any) -> Any:
    """Set the variable `x` to `x * momentum + value * (1 - momentum)`.

    Args:
        x: The variable.
        value: The new observation.
        momentum: Weight of the previous value, between 0 and 1.

    Returns:
        The variable.

    Example:
        >>> x = tf.keras.backend.variable(0.0)
        >>> tf.keras.backend.moving_average_update(x, value=8.0, momentum=0.75).numpy()
        np.float32(2.0)
    """
    rest = 1 - tf.cast(momentum, x.dtype)
    return x.assign_sub((x - tf.cast(value, x.dtype)) * rest)


def manual_variable_initialization(value: bool) -> None:
    """Check that `value` is false: variables are initialized as they are created.

    Args:
        value: False; TensorFlow 1 allowed True.

    Returns:
        None.

    Raises:
        NotImplementedError: `value` is true.
    """
    if value:
        raise NotImplementedError(
            "Variables have a value from the moment they are created: they cannot be initialized "
            "later. Remove the call of `manual_variable_initialization(True)`."
        )


@in_models
def print_tensor(x: TensorLike, message: str = "", summarize: int = 3) -> Any:
    """Print `message` and the value of `x` whenever it is computed.

    Args:
        x: A tensor.
        message: Text before the value.
        summarize: How many elements at each end of an axis are printed; -1 for all.

    Returns:
        `x`.

    Example:
        >>> y = tf.keras.backend.print_tensor(tf.constant([1, 2]), "x is")
        x is [1 2]
    """
    tf.print(message, x, output_stream=sys.stdout, summarize=summarize)
    return tf.identity(x)
