"""Conversion and checks of arguments of `tf.sparse`."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.sparse_tensor import SparseTensor, SparseTensorValue
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.math.cast import cast


def as_sparse(value: TensorLike, what: str = "Input") -> SparseTensor:
    """Convert `value` to a sparse tensor; raise TypeError if it is not one."""
    value = of_parts(value)
    if not isinstance(value, SparseTensor):
        raise TypeError(f"{what} must be a SparseTensor, got {type(value).__name__}.")
    return value


def of_parts(value: TensorLike) -> Any:
    """Convert a `SparseTensorValue` to a sparse tensor; return anything else unchanged."""
    return SparseTensor.from_value(value) if isinstance(value, SparseTensorValue) else value


def all_sparse(values: TensorLike) -> list[SparseTensor]:
    """Convert a list to sparse tensors, or raise TypeError."""
    if not isinstance(values, (list, tuple)):
        raise TypeError(
            f"Expected several SparseTensors in a list. Received: {values!r} of type "
            f"{type(values).__name__}"
        )
    return [as_sparse(value, f"Input {i}") for i, value in enumerate(values)]


def parts_of(sparse: SparseTensor) -> tuple[Any, Any, Any]:
    """Return the indices, values and shape of a sparse tensor."""
    return sparse.indices, sparse.values, sparse.dense_shape


def int64_tensor(value: Any) -> Any:
    """Convert `value` to an int64 tensor."""
    tensor = dispatch.convert(value, None if hasattr(value, "dtype") else dtypes.int64)
    return tensor if tensor.dtype is dtypes.int64 else cast(tensor, DstT=dtypes.int64)
