"""`tf.constant`, `tf.convert_to_tensor` and their kin: values from outside become tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.core import dispatch
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.shape import TensorShape
from tapeflow.core.tensor import Tensor
from tapeflow.ops.array import fill, reshape, static_ints


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Any:
    """`value` as a tensor: of `dtype` or an error, of `dtype_hint` if possible."""
    return dispatch.convert(value, dtype, dtype_hint, name)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Any:
    """A tensor of that value, reshaped to `shape`, or filled with a single value if it is one."""
    if isinstance(value, Tensor) and dtype is not None and value.dtype is not as_dtype(dtype):
        raise TypeError(
            f"Expected tensor {value} with dtype {as_dtype(dtype)!r}, but got dtype {value.dtype!r}."
        )
    tensor = dispatch.convert(value, dtype)
    if shape is None:
        return tensor
    dims = tuple(TensorShape(shape).as_list())
    if tensor._dims == dims:
        return tensor
    have, want = int(np.prod(tensor._dims)), int(np.prod(dims))
    if have == want:
        return reshape(tensor, static_ints(dims))
    if have == 1:
        return fill(static_ints(dims), reshape(tensor, static_ints(())))
    raise TypeError(
        f"Eager execution of tf.constant with unsupported shape. Tensor {tensor} has {have} "
        f"elements, but got `shape` {dims} with {want} elements."
    )
