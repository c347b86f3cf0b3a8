"""Structural similarity of images (Wang et al., 2004), at one or several scales."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow._src.api.arrays.creation import ones
from tapeflow._src.api.arrays.joining import pad
from tapeflow._src.api.debugging.comparisons import Assert
from tapeflow._src.api.image.measures import as_comparable
from tapeflow._src.api.math.reduction import reduce_all, reduce_mean, reduce_prod
from tapeflow._src.api.nn.depthwise_convolution import depthwise_conv2d
from tapeflow._src.api.nn.pooling import avg_pool2d
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.fused import fused
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import reshape, scalar_int, shape_of, static_ints
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.math.arithmetic import mul
from tapeflow._src.ops.math.comparison import greater_equal
from tapeflow._src.ops.math.elementwise import square
from tapeflow._src.ops.math.power import pow_
from tapeflow._src.ops.nn.activation import relu

_POWERS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def _window(size: int, sigma: float) -> np.ndarray:
    """Create a normalised Gaussian kernel `[size, size, 1, 1]`."""
    distance = np.arange(size, dtype=np.float32) - np.float32(size - 1) / 2
    exponent = np.square(distance) * np.float32(-0.5 / sigma**2)
    exponent = exponent[:, None] + exponent
    weights = np.exp(exponent - exponent.max())
    return (weights / weights.sum()).astype(np.float32)[:, :, None, None]


def _smoothing(images: Any, size: int, sigma: float) -> Callable[[Any], Any]:
    """Return a function that applies a Gaussian filter to images of that depth."""
    kernel = convert(_window(size, sigma))
    depth = images.static_shape[-1] if images.static_shape else None
    shape = [depth, 1] if depth is not None else pack([shape_of(images)[-1], 1])
    kernel = mul(kernel, ones(shape))

    def smooth(x: TensorLike) -> Any:
        outer = shape_of(x)
        flat = reshape(x, concat_v2([static_ints((-1,)), outer[-3:]], scalar_int(0)))
        means = depthwise_conv2d(flat, kernel, [1, 1, 1, 1], "VALID")
        return reshape(means, concat_v2([outer[:-3], shape_of(means)[1:]], scalar_int(0)))

    return smooth


def _compare(x: Any, y: Any, limit: Any, window: tuple[int, float], k1: float, k2: float) -> Any:
    """Compute the luminance and the contrast-structure terms of SSIM around each pixel."""
    size = window[0]
    for images in (x, y):
        space = shape_of(images)[-3:-1]
        enough = reduce_all(greater_equal(space, size))
        Assert(enough, ["Images are smaller than the filter:", space, size], summarize=8)
    smooth = _smoothing(x, *window)
    c1, c2 = square(k1 * limit), square(k2 * limit)
    mean_x, mean_y = smooth(x), smooth(y)
    product = mean_x * mean_y * 2.0
    squares = square(mean_x) + square(mean_y)
    luminance = (product + c1) / (squares + c1)
    covariance = smooth(x * y) * 2.0 - product
    variances = smooth(square(x) + square(y)) - squares
    return luminance, (covariance + c2) / (variances + c2)


@scoped("SSIM")
@fused
def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """Compute the structural similarity index (SSIM) of images, at most 1.

    Args:
        img1: An image or a batch.
        img2: An image or a batch of the same shape.
        max_val: The dynamic range: the largest minus the smallest possible value.
        filter_size: The size of the Gaussian window.
        filter_sigma: The width of the Gaussian window.
        k1: Stabilises the luminance term.
        k2: Stabilises the contrast term.
        return_index_map: Whether to return the index of each window instead of the mean.

    Returns:
        A tensor with one value per image, or a map of values.

    Raises:
        ValueError: If the shapes do not fit.
        tf.errors.InvalidArgumentError: If images are smaller than the filter.

    Example:
        >>> image = tf.random.stateless_uniform([16, 16, 1], seed=(1, 2))
        >>> round(float(tf.image.ssim(image, image, max_val=1.0)), 3)
        1.0
    """
    x, y, limit = as_comparable(img1, img2, max_val)
    luminance, structure = _compare(x, y, limit, (filter_size, filter_sigma), k1, k2)
    index = luminance * structure
    if not return_index_map:
        index = reduce_mean(index, axis=[-3, -2])
    return reduce_mean(index, axis=[-1])


@scoped("MS-SSIM")
def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: Any,
    power_factors: Any = _POWERS,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """Compute the multi-scale SSIM of images; each scale halves the previous one.

    Args:
        img1: An image or a batch.
        img2: An image or a batch of the same shape.
        max_val: The dynamic range: the largest minus the smallest possible value.
        power_factors: Exponent of each scale.
        filter_size: The size of the Gaussian window.
        filter_sigma: The width of the Gaussian window.
        k1: Stabilises the luminance term.
        k2: Stabilises the contrast term.

    Returns:
        A tensor with one value in [0, 1] per image.

    Raises:
        ValueError: If the shapes do not fit.
        tf.errors.InvalidArgumentError: If images of a scale are smaller than the filter.

    Example:
        >>> image = tf.random.stateless_uniform([1, 192, 192, 1], seed=(1, 2))
        >>> tf.image.ssim_multiscale(image, image, max_val=1.0).numpy().round(3)
        array([1.], dtype=float32)
    """
    x, y, limit = as_comparable(img1, img2, max_val)
    window = (filter_size, filter_sigma)

    @scoped("Scale")
    def factor_of(x: TensorLike, y: TensorLike, scale: int, name: str) -> tuple[Any, Any, Any]:
        """Downsample both images by one scale and compute their similarity there."""
        if scale:
            x, y = _halved(x), _halved(y)
        luminance, structure = _compare(x, y, limit, window, k1, k2)
        last = scale == len(power_factors) - 1
        map_ = luminance * structure if last else structure
        return x, y, relu(reduce_mean(map_, axis=[-3, -2]))

    factors = []
    for scale in range(len(power_factors)):
        x, y, factor = factor_of(x, y, scale, f"Scale{scale}")
        factors.append(factor)
    powers = convert(list(power_factors), factors[0].dtype)
    return reduce_mean(reduce_prod(pow_(pack(factors, axis=-1), powers), axis=[-1]), axis=[-1])


def _halved(images: TensorLike) -> Any:
    """Downsample images by 2; an odd row or column is repeated first."""
    shape = shape_of(images)
    flat = reshape(images, concat_v2([static_ints((-1,)), shape[-3:]], scalar_int(0)))
    missing = shape[-3:-1] % 2
    zero = scalar_int(0)
    widths = pack([zero, zero, zero, missing[0], zero, missing[1], zero, zero])
    flat = pad(flat, reshape(widths, static_ints((4, 2))), mode="SYMMETRIC")
    small = avg_pool2d(flat, 2, 2, "VALID")
    return reshape(small, concat_v2([shape[:-3], shape_of(small)[1:]], scalar_int(0)))
