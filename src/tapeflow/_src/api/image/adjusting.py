"""Adjust brightness, contrast, gamma, hue and saturation; standardise images."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.image.checks import as_image, float32_or_half, require
from tapeflow._src.api.image.conversion import convert_image_dtype
from tapeflow._src.api.math.casting import cast
from tapeflow._src.api.math.reduction import reduce_mean, reduce_prod, reduce_std
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scope_name, scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.fused import fused
from tapeflow._src.ops.array.shape import shape_of
from tapeflow._src.ops.image.color import adjust_contrast_v2
from tapeflow._src.ops.image.color import adjust_hue as adjust_hue_op
from tapeflow._src.ops.image.color import adjust_saturation as adjust_saturation_op
from tapeflow._src.ops.math.arithmetic import add_v2, mul, real_div, sub
from tapeflow._src.ops.math.elementwise import rsqrt
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.power import pow_


def _as_floats(image: Any) -> tuple[Any, Any]:
    """Convert an image to floats in [0, 1]; also return its dtype."""
    image = convert(image)
    floats = image if float32_or_half(image) else convert_image_dtype(image, dtypes.float32)
    return floats, image.dtype


@scoped("adjust_brightness")
@fused
def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """Add `delta` to every pixel, on a scale of [0, 1].

    Args:
        image: Images of any shape; integers are scaled to floats and back.
        delta: Scalar to add, usually in (-1, 1).

    Returns:
        A tensor of the shape and dtype of `image`; integers are clipped to their range.

    Example:
        >>> tf.image.adjust_brightness([0.25, 0.5], delta=0.25).numpy()
        array([0.5 , 0.75], dtype=float32)
    """
    floats, kind = _as_floats(image)
    moved = add_v2(floats, cast(delta, floats.dtype), name=scope_name())
    return convert_image_dtype(moved, kind, saturate=True)


@scoped("adjust_contrast")
@fused
def adjust_contrast(images: TensorLike, contrast_factor: Any) -> Tensor:
    """Scale the distance of each pixel from its channel's mean by `contrast_factor`.

    Args:
        images: Tensor of shape (..., height, width, channels).
        contrast_factor: Float scalar: 1 changes nothing, 0 leaves the mean.

    Returns:
        A tensor of the shape and dtype of `images`; integers are clipped to their range.

    Example:
        >>> image = tf.reshape([1.0, 2.0, 3.0, 6.0], [2, 2, 1])
        >>> tf.image.adjust_contrast(image, 2.0).numpy()[..., 0]
        array([[-1.,  1.],
               [ 3.,  9.]], dtype=float32)
    """
    floats, kind = _as_floats(images)
    factor = convert(contrast_factor, dtypes.float32)
    moved = adjust_contrast_v2(floats, factor, name=scope_name())
    return convert_image_dtype(moved, kind, saturate=True)


@scoped("adjust_gamma")
@fused
def adjust_gamma(image: TensorLike, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """Apply gamma correction: `gain * image ** gamma`.

    Args:
        image: Images of any shape; integers are scaled to floats in [0, 1] and back.
        gamma: Exponent, 0 or more: above 1 darkens, below 1 brightens.
        gain: Factor of the result.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: For a negative `gamma`.

    Example:
        >>> tf.image.adjust_gamma([0.5, 1.0], gamma=2.0).numpy()
        array([0.25, 1.  ], dtype=float32)
    """
    floats, kind = _as_floats(image)
    require(gamma >= 0, "`gamma` of adjust_gamma must be 0 or more.")
    raised = pow_(floats, convert(gamma, floats.dtype))
    return convert_image_dtype(mul(raised, convert(gain, floats.dtype)), kind, saturate=True)


@scoped("adjust_hue")
@fused
def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """Rotate the hue of RGB images by `delta`, a fraction of the full circle in [-1, 1].

    Args:
        image: RGB images, with 3 channels in the last axis.
        delta: Float scalar.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: If `delta` is outside of [-1, 1], checked eagerly.

    Example:
        >>> red = tf.constant([[[1.0, 0.0, 0.0]]])
        >>> tf.image.adjust_hue(red, 1 / 3).numpy().round(3)
        array([[[0., 1., 0.]]], dtype=float32)
    """
    if dispatch.state.mode is dispatch.base_mode() and not -1 <= delta <= 1:
        raise ValueError(f"delta must be in the interval [-1, 1], got {delta}")
    floats, kind = _as_floats(image)
    turned = adjust_hue_op(floats, convert(delta, dtypes.float32))
    return convert_image_dtype(turned, kind)


@scoped("adjust_saturation")
@fused
def adjust_saturation(image: TensorLike, saturation_factor: Any, name: str | None = None) -> Tensor:
    """Multiply the saturation of RGB images by `saturation_factor`.

    Args:
        image: RGB images, with 3 channels in the last axis.
        saturation_factor: Float scalar: 0 leaves grey, 1 changes nothing.

    Returns:
        A tensor of the shape and dtype of `image`.

    Example:
        >>> pixel = tf.constant([[[1.0, 0.5, 0.0]]])
        >>> tf.image.adjust_saturation(pixel, 0.5).numpy()
        array([[[1.  , 0.75, 0.5 ]]], dtype=float32)
    """
    floats, kind = _as_floats(image)
    changed = adjust_saturation_op(floats, convert(saturation_factor, dtypes.float32))
    return convert_image_dtype(changed, kind)


@scoped("per_image_standardization")
@fused
def per_image_standardization(image: TensorLike) -> Tensor:
    """Scale each image to mean 0 and variance 1; almost uniform images are not amplified.

    The divisor is at least `1 / sqrt(number of values)`.

    Args:
        image: Images, (..., height, width, channels).

    Returns:
        A float32 tensor of the same shape.

    Example:
        >>> image = tf.reshape([1.0, 2.0, 3.0, 4.0], [2, 2, 1])
        >>> float(tf.reduce_mean(tf.image.per_image_standardization(image)))
        0.0
    """
    image = cast(as_image(image), dtypes.float32)
    axes = [-1, -2, -3]
    deviation = reduce_std(image, axis=axes, keepdims=True)
    pixels = cast(reduce_prod(shape_of(image)[-3:]), dtypes.float32)
    centred = sub(image, reduce_mean(image, axis=axes, keepdims=True))
    return real_div(centred, maximum(deviation, rsqrt(pixels)), name=scope_name())
