"""Transpose, reverse, roll and bitcast tensors, and move blocks between axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.arrays.arguments import as_int, int_vector
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array import space_depth as blocks
from tapeflow._src.ops.array import transpose as ops
from tapeflow._src.ops.array.filling import zeros_like
from tapeflow._src.ops.array.ranges import range_
from tapeflow._src.ops.array.shape import rank, static_ints
from tapeflow._src.ops.array.stacking import pack, unpack
from tapeflow._src.ops.math.arithmetic import add_v2, floor_mod, sub


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Tensor:
    """Permute the axes of a tensor.

    Args:
        a: The tensor.
        perm: The order of the axes; reversed by default.
        conjugate: Whether to conjugate complex values.
        name: Name of the op in a graph.
    """
    tensor = convert(a)
    move = ops.conjugate_transpose if conjugate and tensor.dtype.is_complex else ops.transpose
    if perm is None:
        dims = tensor.static_shape
        if dims is None:
            return _backwards(move, tensor, name=name)
        perm = static_ints(tuple(reversed(range(len(dims)))))
    return move(tensor, int_vector(perm), name=name)


@scoped("transpose", names_result=True)
def _backwards(move: Any, tensor: Any, name: str | None = None) -> Any:
    """Reverse the order of the axes of a tensor of unknown rank."""
    count = rank(tensor)
    return move(tensor, sub(sub(count, 1), range_(0, count, 1)), name=name)


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """Reverse a tensor along the given axes."""
    return ops.reverse_v2(tensor, int_vector(axis), name=name)


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Reverse the first `seq_lengths[i]` steps of each slice along `batch_axis`."""
    return ops.reverse_sequence(
        input,
        seq_lengths,
        seq_dim=as_int(seq_axis, "seq_dim"),
        batch_dim=0 if batch_axis is None else as_int(batch_axis, "batch_dim"),
        name=name,
    )


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Shift the elements of a tensor cyclically along axes."""
    return ops.roll(input, int_vector(shift), int_vector(axis), name=name)


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """Reinterpret the bits of a tensor as another dtype.

    The last axis is added, removed or resized where the dtypes differ in size.
    """
    return ops.bitcast(input, type=dtypes.as_dtype(type), name=name)


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """Compute the inverse of a permutation."""
    return ops.invert_permutation(x, name=name)


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """Convert flat (row-major) indices to coordinates, one row per axis."""
    hint = next((v.dtype for v in (indices, dims) if hasattr(v, "dtype")), dtypes.int32)
    return ops.unravel_index(convert(indices, None, hint), convert(dims, None, hint), name=name)


# -- blocks -----------------------------------------------------------------------------------


def space_to_depth(
    input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Move blocks of `block_size × block_size` pixels into the channels."""
    return blocks.space_to_depth(input, block_size=block_size, data_format=data_format, name=name)


def depth_to_space(
    input: Any, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Move channels into blocks of `block_size × block_size` pixels."""
    return blocks.depth_to_space(input, block_size=block_size, data_format=data_format, name=name)


def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """Pad the spatial axes and move their blocks into the batch axis."""
    return blocks.space_to_batch_nd(input, int_vector(block_shape), paddings, name=name)


def space_to_batch_nd(
    input: Any, block_shape: Any, paddings: Any, name: str | None = None
) -> Tensor:
    """Pad the spatial axes and move their blocks into the batch axis."""
    return blocks.space_to_batch_nd(input, int_vector(block_shape), paddings, name=name)


def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Move parts of the batch axis into blocks of the spatial axes, and crop those."""
    return blocks.batch_to_space_nd(input, int_vector(block_shape), crops, name=name)


@scoped("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """Compute the smallest paddings that `space_to_batch` needs, and the crops that undo them."""
    sizes = convert(input_shape, None, dtypes.int32)
    block = convert(block_shape, sizes.dtype)
    if base_paddings is None:
        base_paddings = np.zeros((len(block.shape) and block.shape[0], 2), np.int32)
    before, after = unpack(convert(base_paddings, sizes.dtype), num=2, axis=1)
    extra = floor_mod(sub(block, floor_mod(add_v2(add_v2(sizes, before), after), block)), block)
    paddings = pack([before, add_v2(after, extra)], axis=1, name="paddings")
    crops = pack([zeros_like(before), extra], axis=1, name="crops")
    return paddings, crops
