"""`tensorflow.compiler.tf2xla.python.xla`: ops of XLA that libraries call by themselves."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays import (
    convert_to_tensor,
    meshgrid,
    range,
    shape,
    stack,
    tensor_scatter_nd_update,
    unstack,
)
from tapeflow._src.api.math.casting import cast
from tapeflow._src.api.math.clipping import clip_by_value
from tapeflow._src.core.dtypes import int32
from tapeflow._src.core.types import TensorLike


def dynamic_update_slice(x: TensorLike, updates: TensorLike, start_indices: Any) -> Any:
    """Return `x` with `updates` written from `start_indices` on, which are moved to fit in."""
    x = convert_to_tensor(x)
    updates = convert_to_tensor(updates, x.dtype)
    if updates.shape.rank == 0:
        return updates
    sizes = shape(updates)
    first = clip_by_value(cast(convert_to_tensor(start_indices), int32), 0, shape(x) - sizes)
    axes = [range(size) + start for size, start in zip(unstack(sizes), unstack(first))]
    return tensor_scatter_nd_update(x, stack(meshgrid(*axes, indexing="ij"), axis=-1), updates)
