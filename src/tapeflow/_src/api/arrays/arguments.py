"""Read shapes, axes and sizes that the functions of `tf` receive as Python values."""

from __future__ import annotations

import operator
from typing import Any

from tapeflow._src.core import dtypes
from tapeflow._src.core.composite import Dispatchable
from tapeflow._src.core.dispatch import convert, operand
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import ShapeLike
from tapeflow._src.ops.array.shape import reshape, static_ints


def int_vector(value: Any) -> Any:
    """Return a list of ints as a cached constant tensor; leave anything else to the op."""
    if type(value) in (list, tuple) and all(type(item) is int for item in value):
        return static_ints(tuple(value))
    return value


def shape_tensor(shape: ShapeLike) -> Any:
    """Convert a list, a `TensorShape`, a tensor or a single size to a 1-D shape tensor."""
    if type(shape) is int:
        return static_ints((shape,))
    shape = int_vector(shape)
    if isinstance(shape, Tensor):
        return shape if shape.static_shape != () else reshape(shape, static_ints((-1,)))
    if isinstance(shape, TensorShape):
        return convert(shape)
    if isinstance(shape, Dispatchable):
        return shape
    if getattr(shape, "dtype", None) is not None:
        return shape_tensor(convert(shape))
    tensor = convert(shape, dtypes.int32)
    return shape_tensor(tensor) if tensor.static_shape == () else tensor


def must_be_integer(tensor: Any, value: Any, name: str) -> Any:
    """Return `tensor`; raise TypeError unless its dtype is an integer one."""
    if not tensor.dtype.is_integer:
        raise TypeError(
            f"`{name}` must hold integers, received dtype {tensor.dtype.name}: {value}."
        )
    return tensor


def as_int(value: Any, name: str) -> int:
    """Return an attribute that must be an int, which may be a NumPy integer."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"Expected int for argument '{name}' not {value!r}.") from None


def same_dtype(*values: Any) -> list[Any]:
    """Convert values to tensors of one dtype: that of the first tensor, else of the first value."""
    own_dtypes = [getattr(value, "dtype", None) for value in values]
    dtype: Any = None
    for dtype in own_dtypes:
        if type(dtype) is dtypes.DType:
            break
    else:
        dtype = None
    converted: list[Any] = []
    for value, own in zip(values, own_dtypes):
        if type(own) is dtypes.DType:
            tensor = operand(value)
        else:
            tensor = convert(value, dtype)
        dtype = tensor.dtype if dtype is None else dtype
        converted.append(tensor)
    return converted
