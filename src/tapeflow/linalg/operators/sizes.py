"""How operators that are given by sizes alone read and use them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.arrays.shapes import broadcast_to
from tapeflow.core import dtypes
from tapeflow.core.dispatch import convert
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.shape import TensorShape


def row_count(value: Any, name: str, proper: bool) -> int:
    """A number of rows or columns."""
    tensor = convert(value)
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {tensor}")
    if tensor._static is None:
        raise ValueError(f"Argument {name} must be known when the operator is made.")
    if tensor.shape.rank != 0:
        raise ValueError(f"Argument {name} must be a 0-D Tensor.  Found: {value}")
    count = int(tensor._static)
    if count < 0:
        if proper:
            raise InvalidArgumentError(
                None, None, f"Argument {name} must be non-negative, got {count}."
            )
        raise ValueError(f"Argument {name} must be non-negative.  Found: {count}")
    return count


def batch_sizes(batch_shape: Any) -> list[int]:
    """The shape of a batch, given as a list, a `TensorShape`, a tensor, or not at all."""
    if batch_shape is None:
        return []
    if isinstance(batch_shape, TensorShape):
        return known_sizes(batch_shape)
    if isinstance(batch_shape, (list, tuple)) and not batch_shape:
        return []
    sizes = convert(batch_shape, None, dtypes.int32)
    if not sizes.dtype.is_integer:
        raise TypeError(f"Argument batch_shape must be integer type.  Found: {sizes}")
    if sizes._static is None:
        raise ValueError("Argument batch_shape must be known when the operator is made.")
    if sizes.shape.rank != 1:
        raise ValueError(f"Argument batch_shape must be a 1-D Tensor.  Found: {batch_shape}")
    found = [int(size) for size in sizes._static]
    if min(found, default=0) < 0:
        raise ValueError(f"Argument batch_shape must be non-negative.  Found: {batch_shape}")
    return found


def known_sizes(shape: TensorShape) -> list[int]:
    """The sizes of a shape, all of which must be known."""
    sizes = [size for size in shape if size is not None]
    if len(sizes) != len(shape):
        raise ValueError(f"A batch shape must be known when an operator is made, got {shape}.")
    return sizes


def repeated(x: Any, batch: list[int]) -> Any:
    """Matrices broadcast against a batch shape."""
    mine = x.shape.as_list()[:-2]
    wanted = list(np.broadcast_shapes(tuple(mine), tuple(batch)))
    return x if wanted == mine else broadcast_to(x, [*wanted, *x.shape.as_list()[-2:]])
