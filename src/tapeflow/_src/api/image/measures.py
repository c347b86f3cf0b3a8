"""Differences within and between images."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.arrays.creation import ones
from tapeflow._src.api.image.conversion import convert_image_dtype
from tapeflow._src.api.math.casting import cast
from tapeflow._src.api.math.elementwise import abs as absolute
from tapeflow._src.api.math.reduction import reduce_mean, reduce_sum
from tapeflow._src.api.nn.depthwise_convolution import depthwise_conv2d
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.eager.fused import fused
from tapeflow._src.ops.array.filling import zeros_like
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.padding import mirror_pad
from tapeflow._src.ops.array.shape import reshape, scalar_int, shape_of, static_ints
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.math.arithmetic import mul, sub
from tapeflow._src.ops.math.elementwise import log

# The change from row to row, and from column to column.
_SOBEL = np.array(
    [[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]]
).transpose(1, 2, 0)


@scoped("total_variation")
@fused
def total_variation(images: Any, name: str | None = None) -> Tensor:
    """Compute the total variation of each image: the sum of absolute neighbour differences.

    Args:
        images: One image of shape (height, width, channels), or a batch.

    Returns:
        A scalar, or a vector with one value per image.

    Raises:
        ValueError: If the rank is neither 3 nor 4.

    Example:
        >>> float(tf.image.total_variation([[[1.0], [3.0]], [[1.0], [2.0]]]))
        4.0
    """
    images = convert(images)
    rank = images.static_shape and len(images.static_shape)
    if rank == 3:
        down = images[1:, :, :] - images[:-1, :, :]
        along = images[:, 1:, :] - images[:, :-1, :]
        axes = None
    elif rank == 4:
        down = images[:, 1:, :, :] - images[:, :-1, :, :]
        along = images[:, :, 1:, :] - images[:, :, :-1, :]
        axes = [1, 2, 3]
    else:
        raise ValueError(
            f"total_variation: expected images with 3 or 4 dimensions. "
            f"Received: images of shape {images.shape}"
        )
    return reduce_sum(absolute(down), axis=axes) + reduce_sum(absolute(along), axis=axes)


def image_gradients(image: Any) -> Any:
    """Compute the vertical and horizontal differences (dy, dx), 0 at the last row and column.

    Args:
        image: A batch of shape (batch, height, width, channels).

    Returns:
        Two tensors in the shape and dtype of the input.

    Raises:
        ValueError: If the rank is not 4.

    Example:
        >>> image = tf.reshape([1.0, 2.0, 5.0, 9.0], [1, 2, 2, 1])
        >>> dy, dx = tf.image.image_gradients(image)
        >>> dy.numpy()[0, ..., 0], dx.numpy()[0, ..., 0]
        (array([[4., 7.],
               [0., 0.]], dtype=float32), array([[1., 0.],
               [4., 0.]], dtype=float32))
    """
    image = convert(image)
    if image.static_shape is None or len(image.static_shape) != 4:
        raise ValueError(
            f"image_gradients takes a batch of images, a tensor of rank 4. Received the shape "
            f"{image.shape}"
        )
    down = image[:, 1:, :, :] - image[:, :-1, :, :]
    along = image[:, :, 1:, :] - image[:, :, :-1, :]
    dy = concat_v2([down, zeros_like(image[:, :1])], scalar_int(1))
    dx = concat_v2([along, zeros_like(image[:, :, :1])], scalar_int(2))
    dy.set_shape(image.shape)
    dx.set_shape(image.shape)
    return dy, dx


def sobel_edges(image: Any) -> Tensor:
    """Compute vertical and horizontal Sobel edges.

    Args:
        image: A batch of shape (batch, height, width, channels).

    Returns:
        dy and dx, in a further last axis.

    Example:
        >>> tf.image.sobel_edges(tf.zeros([1, 4, 4, 3])).shape
        TensorShape([1, 4, 4, 3, 2])
    """
    image = convert(image)
    shape = shape_of(image)
    kernels = convert(_SOBEL[:, :, None, :], image.dtype)
    channels = image.static_shape[-1] if image.static_shape else None
    count = shape[-1] if channels is None else channels
    kernels = mul(kernels, _ones_for(count, image.dtype))
    widths = np.array([[0, 0], [1, 1], [1, 1], [0, 0]], np.int32)
    padded = mirror_pad(image, convert(widths), mode="REFLECT")
    edges = depthwise_conv2d(padded, kernels, [1, 1, 1, 1], "VALID")
    edges = reshape(edges, concat_v2([shape, static_ints((2,))], scalar_int(0)))
    if image.static_shape is not None:
        edges.set_shape([*image.static_shape, 2])
    return edges


def _ones_for(channels: Any, dtype: DTypeLike) -> Any:
    """Create ones `[channels, 1]`, to repeat a filter for each channel."""
    if isinstance(channels, int):
        return convert(np.ones((channels, 1)), dtype)
    return ones(pack([channels, 1]), dtype)


def compatible(first: Any, second: Any) -> None:
    """Check that two images agree in height, width and channels, and broadcast as batches."""
    a, b = first.static_shape, second.static_shape
    for dims in (a, b):
        if dims is not None and len(dims) < 3:
            raise ValueError(f"Shape {dims} must have rank at least 3")
    if a is None or b is None:
        return
    for i, (m, n) in enumerate(zip(reversed(a), reversed(b), strict=False)):
        same = None in (m, n) or m == n
        if not same and (i < 3 or 1 not in (m, n)):
            raise ValueError(f"Two images are not compatible: {first.shape} and {second.shape}")


def as_comparable(first: Any, second: Any, max_val: Any) -> tuple[Any, Any, Any]:
    """Convert two images and their dynamic range to floats."""
    first, second = convert(first), convert(second)
    compatible(first, second)
    limit = convert_image_dtype(cast(max_val, first.dtype), float32)
    return convert_image_dtype(first, float32), convert_image_dtype(second, float32), limit


@scoped("PSNR")
@fused
def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """Compute the PSNR (peak signal-to-noise ratio) of two images, in decibels.

    Args:
        a: An image or a batch.
        b: An image or a batch of the same shape.
        max_val: The dynamic range: the largest minus the smallest possible value.
        name: Name of the op in a graph.

    Returns:
        A float32 tensor with one value per image.

    Raises:
        ValueError: If the shapes do not fit.

    Example:
        >>> ones = tf.ones([4, 4, 1])
        >>> round(float(tf.image.psnr(ones, 0.9 * ones, max_val=1.0)), 3)
        20.0
    """
    a, b = convert(a), convert(b)
    limit = convert_image_dtype(cast(max_val, a.dtype), float32)
    difference = sub(convert_image_dtype(a, float32), convert_image_dtype(b, float32))
    compatible(a, b)
    error = reduce_mean(mul(difference, difference), axis=[-3, -2, -1])
    decibels = 20 * log(limit) / log(convert(10.0))
    return sub(decibels, np.float32(10 / np.log(10)) * log(error), name="psnr")
