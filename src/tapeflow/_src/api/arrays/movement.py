"""Transpose, reverse, roll and bitcast tensors, and move blocks between axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.arrays.arguments import as_int, int_vector
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import Axis, ShapeLike, TensorLike
from tapeflow._src.ops.array import space_depth as blocks
from tapeflow._src.ops.array import transpose as ops
from tapeflow._src.ops.array.filling import zeros_like
from tapeflow._src.ops.array.ranges import range_
from tapeflow._src.ops.array.shape import rank, static_ints
from tapeflow._src.ops.array.stacking import pack, unpack
from tapeflow._src.ops.math.arithmetic import add_v2, floor_mod, sub


def transpose(
    a: TensorLike, perm: Any = None, conjugate: bool = False, name: str = "transpose"
) -> Tensor:
    """Permute the axes of a tensor.

    Axis `i` of the result is axis `perm[i]` of `a`. To swap only the last two axes of a batch of
    matrices, use `tf.linalg.matrix_transpose`.

    Args:
        a: The tensor.
        perm: The order of the axes; reversed by default.
        conjugate: Whether to conjugate complex values.
        name: Name of the op in a graph.

    Returns:
        A tensor with the same elements and permuted axes.

    Raises:
        InvalidArgumentError: `perm` is not a permutation of the axes.

    Example:

        >>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy().tolist()
        [[1, 4], [2, 5], [3, 6]]
        >>> tf.transpose(tf.zeros((2, 3, 4)), perm=[0, 2, 1]).shape
        TensorShape([2, 4, 3])
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
def _backwards(move: Any, tensor: TensorLike, name: str | None = None) -> Any:
    """Reverse the order of the axes of a tensor of unknown rank."""
    count = rank(tensor)
    return move(tensor, sub(sub(count, 1), range_(0, count, 1)), name=name)


def reverse(tensor: TensorLike, axis: Axis, name: str | None = None) -> Tensor:
    """Reverse a tensor along axes.

    Args:
        tensor: The tensor.
        axis: The axes to reverse, a list or an integer tensor of rank 1; none repeated.
        name: Name of the op in a graph.

    Returns:
        A tensor of the same shape.

    Example:

        >>> tf.reverse([[1, 2], [3, 4]], axis=[1]).numpy().tolist()
        [[2, 1], [4, 3]]
    """
    return ops.reverse_v2(tensor, int_vector(axis), name=name)


def reverse_sequence(
    input: TensorLike,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Reverse the first `seq_lengths[i]` steps of each slice along `batch_axis`.

    Steps after those keep their positions: padding at the end of a sequence stays there.

    Args:
        input: The tensor.
        seq_lengths: One integer per slice along `batch_axis`, none above the size of `seq_axis`.
        seq_axis: The axis of the steps; required.
        batch_axis: The axis of the sequences; the first by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of the same shape.

    Raises:
        TypeError: `seq_axis` is not an int.

    Example:

        >>> tf.reverse_sequence([[1, 2, 3, 0], [4, 5, 0, 0]], [3, 2], seq_axis=1).numpy().tolist()
        [[3, 2, 1, 0], [5, 4, 0, 0]]
    """
    return ops.reverse_sequence(
        input,
        seq_lengths,
        seq_dim=as_int(seq_axis, "seq_dim"),
        batch_dim=0 if batch_axis is None else as_int(batch_axis, "batch_dim"),
        name=name,
    )


def roll(input: TensorLike, shift: Any, axis: Axis, name: str | None = None) -> Tensor:
    """Shift the elements of a tensor cyclically along axes.

    Args:
        input: The tensor.
        shift: How far each axis is shifted, an int or one per entry of `axis`; positive towards
            larger indices.
        axis: The axes; one that is listed twice is shifted by the sum.
        name: Name of the op in a graph.

    Returns:
        A tensor of the same shape.

    Example:

        >>> tf.roll([0, 1, 2, 3, 4], shift=2, axis=0).numpy().tolist()
        [3, 4, 0, 1, 2]
        >>> tf.roll([[1, 2], [3, 4]], shift=[1, 1], axis=[0, 1]).numpy().tolist()
        [[4, 3], [2, 1]]
    """
    return ops.roll(input, int_vector(shift), int_vector(axis), name=name)


def bitcast(input: TensorLike, type: Any, name: str | None = None) -> Tensor:
    """Reinterpret the bits of a tensor as another dtype.

    Values are not converted; `tf.cast` does that. If the new dtype is smaller, a last axis holds
    the parts; if it is larger, the last axis must hold exactly the parts of one element and is
    removed.

    Args:
        input: A numeric tensor.
        type: The dtype to read the bits as.
        name: Name of the op in a graph.

    Returns:
        A tensor of dtype `type`.

    Raises:
        InvalidArgumentError: The last axis does not match the ratio of the sizes.

    Example:

        >>> tf.bitcast(tf.constant([1.0]), tf.int32).numpy().tolist()
        [1065353216]
        >>> tf.bitcast(tf.constant([258], tf.int32), tf.uint8).numpy().tolist()
        [[2, 1, 0, 0]]
    """
    return ops.bitcast(input, type=dtypes.as_dtype(type), name=name)


def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the inverse of a permutation.

    Args:
        x: Integers (int32 or int64) of rank 1: the numbers from 0 to `len(x) - 1` in any order.
        name: Name of the op in a graph.

    Returns:
        A tensor with `result[x[i]] == i`.

    Raises:
        InvalidArgumentError: A number is repeated or out of range.

    Example:

        >>> tf.math.invert_permutation([3, 0, 2, 1]).numpy().tolist()
        [1, 3, 2, 0]
    """
    return ops.invert_permutation(x, name=name)


def unravel_index(indices: TensorLike, dims: Any, name: str | None = None) -> Tensor:
    """Convert flat (row-major) indices to coordinates, one row per axis.

    Args:
        indices: Integers, of rank 0 or 1.
        dims: The shape that the indices refer to.
        name: Name of the op in a graph.

    Returns:
        An integer tensor of shape `[len(dims), *indices.shape]`.

    Raises:
        InvalidArgumentError: An index is out of range.

    Example:

        >>> tf.unravel_index([0, 5, 7], dims=[2, 4]).numpy().tolist()
        [[0, 1, 1], [0, 1, 3]]
    """
    hint = next((v.dtype for v in (indices, dims) if hasattr(v, "dtype")), dtypes.int32)
    return ops.unravel_index(convert(indices, None, hint), convert(dims, None, hint), name=name)


# -- blocks -----------------------------------------------------------------------------------


def space_to_depth(
    input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Move blocks of `block_size × block_size` pixels into the channels.

    Args:
        input: Images of rank 4, whose height and width are multiples of `block_size`.
        block_size: The side of a block, 2 or more.
        data_format: "NHWC", "NCHW" or "NCHW_VECT_C": the order of the axes.
        name: Name of the op in a graph.

    Returns:
        A tensor with height and width divided by `block_size` and `block_size²` times the channels.

    Raises:
        InvalidArgumentError: A side is not a multiple of `block_size`.

    Example:

        >>> x = tf.reshape(tf.range(16), (1, 4, 4, 1))
        >>> tf.nn.space_to_depth(x, 2)[0, 0].numpy().tolist()
        [[0, 1, 4, 5], [2, 3, 6, 7]]
    """
    return blocks.space_to_depth(input, block_size=block_size, data_format=data_format, name=name)


def depth_to_space(
    input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Move channels into blocks of `block_size × block_size` pixels.

    The inverse of `space_to_depth`; also known as pixel shuffle.

    Args:
        input: Images of rank 4, whose channels are a multiple of `block_size²`.
        block_size: The side of a block, 2 or more.
        data_format: "NHWC", "NCHW" or "NCHW_VECT_C": the order of the axes.
        name: Name of the op in a graph.

    Returns:
        A tensor with height and width multiplied by `block_size` and fewer channels.

    Example:

        >>> x = tf.reshape(tf.range(4), (1, 1, 1, 4))
        >>> tf.nn.depth_to_space(x, 2)[0, ..., 0].numpy().tolist()
        [[0, 1], [2, 3]]
    """
    return blocks.depth_to_space(input, block_size=block_size, data_format=data_format, name=name)


def space_to_batch(
    input: TensorLike, block_shape: Any, paddings: Any, name: str | None = None
) -> Tensor:
    """Pad the spatial axes and move their blocks into the batch axis.

    A convolution of the result equals one of `input` dilated by `block_shape`.

    Args:
        input: A tensor of shape `[batch, *spatial, ...]`.
        block_shape: The block size along each spatial axis.
        paddings: `[len(block_shape), 2]` integers: zeros before and after each spatial axis. The
            padded sizes must be multiples of the block sizes.
        name: Name of the op in a graph.

    Returns:
        A tensor with `prod(block_shape)` times the batch and spatial axes divided by the block.

    Example:

        >>> x = tf.reshape([1, 2, 3, 4], (1, 2, 2, 1))
        >>> tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]]).shape
        TensorShape([4, 1, 1, 1])
    """
    return blocks.space_to_batch_nd(input, int_vector(block_shape), paddings, name=name)


def space_to_batch_nd(
    input: TensorLike, block_shape: Any, paddings: Any, name: str | None = None
) -> Tensor:
    """Pad the spatial axes and move their blocks into the batch axis; same as `tf.space_to_batch`.

    Args:
        input: A tensor of shape `[batch, *spatial, ...]`.
        block_shape: The block size along each spatial axis.
        paddings: `[len(block_shape), 2]` integers: zeros before and after each spatial axis. The
            padded sizes must be multiples of the block sizes.
        name: Name of the op in a graph.

    Returns:
        A tensor with `prod(block_shape)` times the batch and spatial axes divided by the block.

    Example:

        >>> tf.space_to_batch_nd(tf.zeros((1, 3, 5)), [2], [[0, 1]]).shape
        TensorShape([2, 2, 5])
    """
    return blocks.space_to_batch_nd(input, int_vector(block_shape), paddings, name=name)


def batch_to_space(
    input: TensorLike, block_shape: Any, crops: Any, name: str | None = None
) -> Tensor:
    """Move parts of the batch axis into blocks of the spatial axes, and crop those.

    The inverse of `space_to_batch`.

    Args:
        input: A tensor of shape `[batch, *spatial, ...]`; `batch` is a multiple of
            `prod(block_shape)`.
        block_shape: The block size along each spatial axis.
        crops: `[len(block_shape), 2]` integers: how much to cut off before and after each spatial
            axis.
        name: Name of the op in a graph.

    Returns:
        A tensor with a batch smaller by `prod(block_shape)` and larger spatial axes.

    Example:

        >>> tf.batch_to_space(tf.zeros((8, 2, 2, 1)), [2, 2], [[0, 1], [0, 0]]).shape
        TensorShape([2, 3, 4, 1])
    """
    return blocks.batch_to_space_nd(input, int_vector(block_shape), crops, name=name)


@scoped("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: ShapeLike, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """Compute the smallest paddings that `space_to_batch` needs, and the crops that undo them.

    Args:
        input_shape: The sizes of the spatial axes.
        block_shape: The block size along each of them.
        base_paddings: Paddings to add in any case, `[len(block_shape), 2]`; zero by default.
        name: Name of the op in a graph.

    Returns:
        A tuple `(paddings, crops)` of int tensors of shape `[len(block_shape), 2]`.

    Example:

        >>> paddings, crops = tf.required_space_to_batch_paddings([5, 8], [2, 4])
        >>> paddings.numpy().tolist(), crops.numpy().tolist()
        ([[0, 1], [0, 0]], [[0, 1], [0, 0]])
    """
    sizes = convert(input_shape, None, dtypes.int32)
    block = convert(block_shape, sizes.dtype)
    if base_paddings is None:
        base_paddings = np.zeros((len(block.shape) and block.shape[0], 2), np.int32)
    before, after = unpack(convert(base_paddings, sizes.dtype), num=2, axis=1)
    extra = floor_mod(sub(block, floor_mod(add_v2(add_v2(sizes, before), after), block)), block)
    paddings = pack([before, add_v2(after, extra)], axis=1, name="paddings")
    crops = pack([zeros_like(before), extra], axis=1, name="crops")
    return paddings, crops
