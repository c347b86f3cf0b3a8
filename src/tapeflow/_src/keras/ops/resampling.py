"""Images scaled and moved by separable kernels, their edges, and their similarity."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, TensorLike
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.ops.images import image_op, images_of, one_of
from tapeflow._src.keras.ops.layouts import channels_last
from tapeflow._src.keras.ops.promotion import result_type, to_tensor


def _linear(x: Any) -> Any:
    return tf.maximum(1 - x, tf.zeros((), x.dtype))


def _cubic(x: Any) -> Any:
    near = ((1.5 * x - 2.5) * x) * x + 1.0
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return tf.where(x >= 2.0, tf.zeros_like(x), tf.where(x >= 1.0, far, near))


def _lanczos(radius: float) -> Callable[[Any], Any]:
    def kernel(x: Any) -> Any:
        waves = radius * tf.sin(math.pi * x) * tf.sin(math.pi * x / radius)
        square = tf.where(x != 0, math.pi**2 * tf.square(x), tf.ones_like(x))
        inner = tf.where(x > 1e-3, waves / square, tf.ones_like(x))
        return tf.where(x > radius, tf.zeros_like(x), inner)

    return kernel


_KERNELS = {
    **dict.fromkeys(("linear", "bilinear", "trilinear"), _linear),
    **dict.fromkeys(("cubic", "bicubic", "tricubic"), _cubic),
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
}
# Sums of weights below are taken for zero.
_SMALL = 1000.0 * float(np.finfo("float32").eps)


def _weights(
    inputs: Any, outputs: Any, scale: Any, translation: Any, kernel: Any, antialias: bool
) -> Any:
    """The share of each input position (rows) in each output position (columns)."""
    dtype = scale.dtype
    inverse = 1.0 / scale
    spread = tf.maximum(inverse, tf.ones((), dtype)) if antialias else 1.0
    sources = (tf.cast(tf.range(outputs), dtype) + 0.5 - translation) * inverse - 0.5
    distance = tf.abs(sources - tf.cast(tf.range(inputs), dtype)[:, None]) / spread
    weights = kernel(distance)
    total = tf.reduce_sum(weights, axis=0, keepdims=True)
    divisor = tf.where(total != 0, total, tf.ones_like(total))
    weights = tf.where(tf.abs(total) > _SMALL, weights / divisor, tf.zeros_like(weights))
    inside = (sources >= -0.5) & (sources <= tf.cast(inputs, dtype) - 0.5)
    return tf.where(inside, weights, tf.zeros_like(weights))


def _output_spec(
    operation: Any, images: Any, output_shape: Any, scale: Any, translation: Any
) -> Any:
    return KerasTensor(output_shape, images.dtype)


@image_op(
    "ScaleAndTranslate",
    call=("images", "output_shape", "scale", "translation"),
    output_spec=_output_spec,
)
def scale_and_translate(
    images: Any,
    output_shape: Any,
    scale: Any,
    translation: Any,
    spatial_dims: Any,
    method: str,
    antialias: bool = True,
) -> Any:
    """Scales and moves images along some axes.

    Args:
        images: Tensor, or a value that converts to one; integers are rounded and limited to their
            previous range.
        output_shape: The whole shape of the result.
        scale: A factor for each of `spatial_dims`.
        translation: A shift in pixels of the output for each of them.
        spatial_dims: The axes to scale and move along.
        method: "linear", "cubic", "lanczos3" or "lanczos5".
        antialias: Whether to widen the kernel where images become smaller.

    Returns:
        A tensor of shape `output_shape` and of the dtype of `images`; 0 where nothing of the image
        is.

    Raises:
        ValueError: `method` has another value.

    Example:
        >>> x = tf.reshape(tf.range(4.0), (4, 1))
        >>> y = tf.keras.ops.image.scale_and_translate(x, (8, 1), [2.0], [0.0], (0,), "linear")
        >>> y.numpy().ravel()
        array([0.  , 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3.  ], dtype=float32)
    """
    one_of("method", method, tuple(_KERNELS))
    images, scale, translation = to_tensor(images), to_tensor(scale), to_tensor(translation)
    dtype = result_type(scale.dtype, translation.dtype)
    scale, translation = tf.cast(scale, dtype), tf.cast(translation, dtype)
    output = tf.cast(images, tf.float32) if images.dtype.is_integer else images
    rank = images.shape.rank
    for number, axis in enumerate(spatial_dims):
        axis %= rank
        sizes = tf.shape(images)[axis], output_shape[axis]
        factors = (scale[number], translation[number])
        weights = _weights(*sizes, *factors, _KERNELS[method], antialias)
        summed = tf.tensordot(output, tf.cast(weights, output.dtype), [[axis], [0]])
        order = list(range(rank - 1))
        order.insert(axis, rank - 1)
        output = tf.transpose(summed, order)
    if images.dtype.is_integer and spatial_dims:
        limits = tf.reduce_min(images), tf.reduce_max(images)
        low, high = (tf.cast(each, output.dtype) for each in limits)
        output = tf.cast(tf.clip_by_value(tf.round(output), low, high), images.dtype)
    return output


@image_op("SobelEdges")
def sobel_edges(images: Any, data_format: str | None = None) -> Any:
    """Computes the vertical and horizontal changes of images, in a new last axis.

    Args:
        images: A batch of images (4 axes).
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of the shape of `images` and a last axis of size 2: changes along height, along
        width.

    Raises:
        ValueError: `images` does not have 4 axes.

    Example:
        >>> tf.keras.ops.image.sobel_edges(tf.ones((1, 5, 5, 3))).shape
        TensorShape([1, 5, 5, 3, 2])
    """
    first = standardize_data_format(data_format) == "channels_first"
    images = to_tensor(images)
    if images.shape.rank != 4:
        raise ValueError(f"Expected a batch of images, with 4 axes. Received shape {images.shape}")
    edges = tf.image.sobel_edges(channels_last(images) if first else images)
    return tf.transpose(edges, (0, 3, 1, 2, 4)) if first else edges


def _window(size: int, sigma: float, dtype: DTypeLike) -> Any:
    x = tf.cast(tf.range(size), dtype) - (size - 1) / 2.0
    weights = tf.exp(-tf.square(x) / (2.0 * sigma**2))
    weights = weights / tf.reduce_sum(weights)
    return (weights[:, None] * weights)[..., None, None]


@image_op("SSIM", call=("image1", "image2"))
def ssim(
    image1: Any,
    image2: Any,
    max_val: float = 1.0,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    data_format: str | None = None,
) -> Any:
    """Computes the structural similarity of images: 1 for equal ones.

    Args:
        image1: An image (3 axes) or a batch (4 axes).
        image2: Images of the same shape.
        max_val: The largest value that pixels can have.
        filter_size: Side of the Gaussian window.
        filter_sigma: Standard deviation of the window.
        k1: Keeps the division by means from zero.
        k2: Keeps the division by variances from zero.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A number for each image, averaged over channels, of the dtype of `image1`.

    Example:
        >>> x = tf.random.uniform((2, 16, 16, 3))
        >>> tf.keras.ops.image.ssim(x, x).numpy().round(4)
        array([1., 1.], dtype=float32)
    """
    first, second = images_of(image1), images_of(image2)
    original = first.dtype
    compute = result_type(original, float)
    alone = first.shape.rank == 3
    is_first = standardize_data_format(data_format) == "channels_first"
    window = _window(filter_size, filter_sigma, compute)

    def planes(images: Any) -> Any:
        """Each channel as an image of its own."""
        images = tf.cast(images[None] if alone else images, compute)
        images = images if is_first else tf.transpose(images, (0, 3, 1, 2))
        sizes = tf.shape(images)
        return tf.reshape(images, [-1, sizes[2], sizes[3], 1]), sizes[:2]

    def smooth(x: TensorLike) -> Any:
        return tf.nn.convolution(x, window, padding="VALID")

    (x, sizes), (y, _) = planes(first), planes(second)
    mean_x, mean_y = smooth(x), smooth(y)
    squares, product = tf.square(mean_x) + tf.square(mean_y), mean_x * mean_y
    variances = smooth(tf.square(x)) + smooth(tf.square(y)) - squares
    covariance = smooth(x * y) - product
    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    similarity = (2 * product + c1) * (2 * covariance + c2)
    similarity = similarity / ((squares + c1) * (variances + c2))
    result = tf.reduce_mean(tf.reshape(tf.reduce_mean(similarity, [1, 2, 3]), sizes), -1)
    return tf.cast(result[0] if alone else result, original)
