"""`tf.make_tensor_proto` and `tf.make_ndarray`: convert values to TensorProto and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import FROM_NUMPY, as_dtype
from tapeflow._src.core.protos.values import tensor_from_proto, tensor_to_proto
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.eager.conversion import convert


def make_tensor_proto(
    values: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """Create a TensorProto from Python or NumPy values.

    Args:
        values: The values. A TensorProto is returned as it is.
        dtype: The dtype; inferred by default.
        shape: The shape; if it is larger, the last value stands for all that follow.
        verify_shape: Whether to raise TypeError if the values have another shape.
        allow_broadcast: Whether a larger shape may only be filled by a single value.

    Returns:
        A TensorProto message.

    Raises:
        ValueError: `values` is None, or does not fit into `shape`.
        TypeError: `values` is a symbolic tensor, or a check of the shape fails.

    Example:

        >>> proto = tf.make_tensor_proto([1, 2, 3], shape=(3, 1))
        >>> tf.make_ndarray(proto).tolist()
        [[1], [2], [3]]
    """
    if hasattr(values, "tensor_content"):
        return values
    if values is None:
        raise ValueError("None values not supported.")
    tensor = convert(values, dtype)
    array = tensor.static_value
    if array is None:
        raise TypeError(f"A symbolic tensor has no values to put into a message: {values!r}.")
    dims = array.shape if shape is None else tuple(TensorShape(shape).as_list())
    _check_shape(array, dims, verify_shape, allow_broadcast)
    tensor_dtype = FROM_NUMPY[array.dtype] if dtype is None else as_dtype(dtype)
    return tensor_to_proto(array, tensor_dtype, dims)


def _check_shape(array: np.ndarray, dims: Any, verify: bool, broadcast: bool) -> None:
    if dims == array.shape:
        return
    if verify or (broadcast and array.size > 1):
        raise TypeError(f"Expected Tensor's shape: {tuple(dims)}, but got {tuple(array.shape)}.")
    room = math.prod(dims)
    if array.size > room:
        raise ValueError(f"A shape of {room} elements has no room for {array.size} values.")


def make_ndarray(tensor: TensorLike) -> np.ndarray:
    """Create a NumPy array from a TensorProto.

    Args:
        tensor: A TensorProto message.

    Returns:
        A NumPy array that may be written to.

    Example:

        >>> tf.make_ndarray(tf.make_tensor_proto([[1.5, 2.5]]))
        array([[1.5, 2.5]], dtype=float32)
    """
    array = tensor_from_proto(tensor)
    return array if array.flags.writeable else array.copy()
