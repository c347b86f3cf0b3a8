"""Colour space conversions; the last axis holds the channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.debugging.comparisons import Assert
from tapeflow._src.api.image.conversion import convert_image_dtype
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import expand_dims, scalar_int, shape_of
from tapeflow._src.ops.image import color as image_color
from tapeflow._src.ops.math.comparison import equal
from tapeflow.linalg import tensordot

# How bright red, green and blue appear.
_GRAY = [0.2989, 0.587, 0.114]
_RGB_TO_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
_YIQ_TO_RGB = [
    [1.0, 1.0, 1.0],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]
_RGB_TO_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_YUV_TO_RGB = [
    [1.0, 1.0, 1.0],
    [0.0, -0.394642334, 2.03206185],
    [1.13988303, -0.58062185, 0.0],
]


def _mixed(images: Any, matrix: list[list[float]]) -> Any:
    images = convert(images)
    weights = convert(np.array(matrix), images.dtype)
    if images.static_shape is None:
        raise ValueError("'images' contains no shape.")
    return tensordot(images, weights, axes=[[len(images.static_shape) - 1], [0]])


def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Convert RGB images to YIQ.

    Args:
        images: Floats in [0, 1] with 3 channels in the last axis.

    Returns:
        A tensor in the shape and dtype of the input.

    Raises:
        ValueError: For images of unknown rank.

    Example:
        >>> tf.image.rgb_to_yiq([[[1.0, 1.0, 1.0]]]).numpy().round(3) + 0.0
        array([[[1., 0., 0.]]], dtype=float32)
    """
    return _mixed(images, _RGB_TO_YIQ)


def yiq_to_rgb(images: TensorLike) -> Tensor:
    """Convert YIQ images to RGB.

    Args:
        images: Floats with 3 channels in the last axis.

    Returns:
        A tensor in the shape and dtype of the input.

    Raises:
        ValueError: For images of unknown rank.

    Example:
        >>> tf.image.yiq_to_rgb([[[0.5, 0.0, 0.0]]]).numpy()
        array([[[0.5, 0.5, 0.5]]], dtype=float32)
    """
    return _mixed(images, _YIQ_TO_RGB)


def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Convert RGB images to YUV.

    Args:
        images: Floats in [0, 1] with 3 channels in the last axis.

    Returns:
        A tensor in the shape and dtype of the input.

    Raises:
        ValueError: For images of unknown rank.

    Example:
        >>> tf.image.rgb_to_yuv([[[1.0, 0.0, 0.0]]]).numpy().round(3)
        array([[[ 0.299, -0.147,  0.615]]], dtype=float32)
    """
    return _mixed(images, _RGB_TO_YUV)


def yuv_to_rgb(images: TensorLike) -> Tensor:
    """Convert YUV images to RGB.

    Args:
        images: Floats with 3 channels in the last axis.

    Returns:
        A tensor in the shape and dtype of the input.

    Raises:
        ValueError: For images of unknown rank.

    Example:
        >>> tf.image.yuv_to_rgb([[[0.5, 0.0, 0.0]]]).numpy()
        array([[[0.5, 0.5, 0.5]]], dtype=float32)
    """
    return _mixed(images, _YUV_TO_RGB)


def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Convert RGB images in [0, 1] to HSV.

    Args:
        images: Floats in [0, 1] with 3 channels in the last axis.

    Returns:
        Hue, saturation and value, each in [0, 1], in the last axis.

    Example:
        >>> tf.image.rgb_to_hsv([[[0.0, 1.0, 0.0]]]).numpy().round(3)
        array([[[0.333, 1.   , 1.   ]]], dtype=float32)
    """
    return image_color.rgb_to_hsv(images, name=name)


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Convert HSV images in [0, 1] to RGB.

    Args:
        images: Floats in [0, 1]: hue, saturation and value in the last axis.

    Returns:
        A tensor in the shape and dtype of the input.

    Example:
        >>> tf.image.hsv_to_rgb([[[0.0, 1.0, 1.0]]]).numpy()
        array([[[1., 0., 0.]]], dtype=float32)
    """
    return image_color.hsv_to_rgb(images, name=name)


@scoped("rgb_to_grayscale", names_result=True)
def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """Convert RGB images to greyscale (luma), with one channel.

    Args:
        images: Floats in [0, 1] or integers, with 3 channels in the last axis.

    Returns:
        A tensor of the same dtype, with 1 channel.

    Example:
        >>> tf.image.rgb_to_grayscale([[[255, 255, 255], [0, 0, 0]]]).shape
        TensorShape([1, 2, 1])
    """
    images = convert(images)
    floats = convert_image_dtype(images, float32)
    gray = tensordot(floats, convert(_GRAY, float32), axes=[[-1], [-1]])
    return convert_image_dtype(expand_dims(gray, scalar_int(-1)), images.dtype, name=name)


@scoped("grayscale_to_rgb", names_result=True)
def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Convert greyscale images to RGB by repeating the channel.

    Args:
        images: Tensor with 1 channel in the last axis.

    Returns:
        A tensor with 3 channels.

    Raises:
        ValueError: If the last axis does not have the size 1.

    Example:
        >>> tf.image.grayscale_to_rgb([[[1], [2]]]).numpy()
        array([[[1, 1, 1],
                [2, 2, 2]]], dtype=int32)
    """
    images = convert(images)
    dims = images.static_shape
    if dims is not None:
        if len(dims) < 2:
            raise ValueError(
                f"A gray image has at least 2 dimensions, the last of them its 1 channel. Received "
                f"the shape {images.shape}"
            )
        if dims[-1] not in (None, 1):
            raise ValueError(
                f"A gray image must have 1 channel, in its last dimension. Received the shape "
                f"{images.shape}"
            )
    if dims is None or dims[-1] is None:
        message = "A gray image must have 1 channel, in its last dimension."
        Assert(equal(shape_of(images)[-1], 1), [message])
    rgb = concat_v2([images] * 3, scalar_int(-1), name=name)
    if dims is not None:
        rgb.set_shape([*dims[:-1], 3])
    return rgb
