"""Crop and pad images."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.image.checks import as_batch, as_image, require, sizes, unbatch
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import float64, int32
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.pad_slice import pad, slice_
from tapeflow._src.ops.array.shape import reshape, static_ints
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.math.arithmetic import mul, real_div, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.extremes import maximum, minimum


def _is_tensor(*values: Any) -> bool:
    return any(isinstance(v, Tensor) for v in values)


def _as_static_int(value: Any) -> Any:
    """Return a number as an int if its value is known statically, else unchanged."""
    if _is_tensor(value):
        static = value.static_value
        return value if static is None else int(static)
    return int(value)


def _greater(a: Any, b: Any) -> Any:
    return maximum(a, b) if _is_tensor(a, b) else max(a, b)


def _static_minimum(a: Any, b: Any) -> Any:
    return minimum(a, b) if _is_tensor(a, b) else min(a, b)


def _ints(*values: Any) -> Any:
    """Create a vector of numbers, some of which may be tensors."""
    if not _is_tensor(*values):
        return static_ints(tuple(int(v) for v in values))
    return pack([cast(v, DstT=int32) if _is_tensor(v) else convert(v, int32) for v in values])


@scoped("central_crop")
def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """Crop the central fraction of an image along height and width.

    Args:
        image: One image of rank 3, or a batch of rank 4.
        central_fraction: Fraction of each side to keep, in (0, 1].

    Returns:
        The crop, of the same dtype.

    Raises:
        ValueError: If the fraction is outside of (0, 1], or the rank is another.

    Example:
        >>> image = tf.reshape(tf.range(16), [4, 4, 1])
        >>> tf.image.central_crop(image, 0.5).numpy()[..., 0]
        array([[ 5,  6],
               [ 9, 10]], dtype=int32)
    """
    image = convert(image)
    static_fraction = central_fraction
    if _is_tensor(central_fraction):
        static_fraction = central_fraction.static_value
    if static_fraction is None:
        inside = (central_fraction > 0.0) & (central_fraction <= 1.0)
        require(inside, "central_fraction must be within (0, 1]")
    else:
        require(
            0.0 < static_fraction <= 1.0,
            f"central_fraction must be within (0, 1], got {static_fraction}",
        )
        if static_fraction == 1.0:
            return image
    as_image(image)
    rank = image.static_shape and len(image.static_shape)
    if rank not in (3, 4):
        raise ValueError(f"`image` must have rank 3, or 4 with a batch. Received the rank {rank}")
    dims = sizes(image, rank)
    starts, counts = [], []
    for size in dims[-3:-1]:
        start = _margin(
            size, central_fraction if static_fraction is None else float(static_fraction)
        )
        starts.append(start)
        counts.append(size - start * 2)
    batch = [0] * (rank - 3)
    middle = slice_(image, _ints(*batch, *starts, 0), _ints(*[-1 for _ in batch], *counts, -1))
    middle.set_shape([*image.static_shape[:-3], None, None, image.static_shape[-1]])
    return middle


def _margin(size: Any, fraction: Any) -> Any:
    """Compute the number of pixels removed at each end of an axis."""
    if not _is_tensor(size, fraction):
        return int((size - size * fraction) / 2)
    wide = cast(convert(size), DstT=float64)
    fraction = cast(convert(fraction), DstT=float64)
    return cast(real_div(sub(wide, mul(wide, fraction)), convert(2.0, float64)), DstT=int32)


@scoped("pad_to_bounding_box")
def pad_to_bounding_box(
    image: TensorLike, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Pad an image with zeros to `target_height × target_width`, at an offset.

    Args:
        image: One image, or several in a batch.
        offset_height: How many rows of zeros precede the image.
        offset_width: How many columns of zeros precede the image.
        target_height: The height of the result.
        target_width: The width of the result.

    Returns:
        The padded image or batch.

    Raises:
        ValueError: If an offset is negative, or the image does not fit.

    Example:
        >>> image = tf.ones([1, 2, 1], tf.int32)
        >>> tf.image.pad_to_bounding_box(image, 1, 0, 2, 3).numpy()[..., 0]
        array([[0, 0, 0],
               [1, 1, 0]], dtype=int32)
    """
    images, was_batch = as_batch(image)
    offset_height, offset_width, target_height, target_width = map(
        _as_static_int, (offset_height, offset_width, target_height, target_width)
    )
    _, height, width, _ = sizes(images)
    right = target_width - offset_width - width
    below = target_height - offset_height - height
    require(offset_height >= 0, "offset_height must be >= 0")
    require(offset_width >= 0, "offset_width must be >= 0")
    require(right >= 0, "width must be <= target - offset")
    require(below >= 0, "height must be <= target - offset")
    widths = _ints(0, 0, offset_height, below, offset_width, right, 0, 0)
    padded = pad(images, reshape(widths, static_ints((4, 2))))
    dims = images.static_shape or (None,) * 4
    static_sizes = [None if _is_tensor(n) else n for n in (target_height, target_width)]
    padded.set_shape([dims[0], *static_sizes, dims[3]])
    return unbatch(padded, was_batch)


@scoped("crop_to_bounding_box")
def crop_to_bounding_box(
    image: TensorLike, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """Crop a box from an image.

    Args:
        image: One image, or several in a batch.
        offset_height: The first row of the box.
        offset_width: The first column of the box.
        target_height: The height of the box.
        target_width: The width of the box.

    Returns:
        The crop, of the same dtype.

    Raises:
        ValueError: If the box is not inside of the image.

    Example:
        >>> image = tf.reshape(tf.range(9), [3, 3, 1])
        >>> tf.image.crop_to_bounding_box(image, 1, 0, 2, 2).numpy()[..., 0]
        array([[3, 4],
               [6, 7]], dtype=int32)
    """
    images, was_batch = as_batch(image)
    offset_height, offset_width, target_height, target_width = map(
        _as_static_int, (offset_height, offset_width, target_height, target_width)
    )
    _, height, width, _ = sizes(images)
    require(offset_width >= 0, "offset_width must be >= 0.")
    require(offset_height >= 0, "offset_height must be >= 0.")
    require(target_width > 0, "target_width must be > 0.")
    require(target_height > 0, "target_height must be > 0.")
    require(width >= target_width + offset_width, "width must be >= target + offset.")
    require(height >= target_height + offset_height, "height must be >= target + offset.")
    cropped = slice_(
        images,
        _ints(0, offset_height, offset_width, 0),
        _ints(-1, target_height, target_width, -1),
    )
    dims = images.static_shape or (None,) * 4
    static_sizes = [None if _is_tensor(n) else n for n in (target_height, target_width)]
    cropped.set_shape([dims[0], *static_sizes, dims[3]])
    return unbatch(cropped, was_batch)


@scoped("resize_image_with_crop_or_pad")
def resize_with_crop_or_pad(image: TensorLike, target_height: Any, target_width: Any) -> Tensor:
    """Crop centrally or pad with zeros to the target height and width.

    Args:
        image: One image, or several in a batch.
        target_height: The height of the result.
        target_width: The width of the result.

    Returns:
        The image or batch of that size.

    Raises:
        ValueError: If a size is not positive.

    Example:
        >>> image = tf.ones([4, 1, 1], tf.int32)
        >>> tf.image.resize_with_crop_or_pad(image, 2, 3).numpy()[..., 0]
        array([[0, 1, 0],
               [0, 1, 0]], dtype=int32)
    """
    images, was_batch = as_batch(image)
    target_height, target_width = _as_static_int(target_height), _as_static_int(target_width)
    require(target_width > 0, "target_width must be > 0.")
    require(target_height > 0, "target_height must be > 0.")
    _, height, width, _ = sizes(images)
    missing_height, missing_width = target_height - height, target_width - width
    cropped = crop_to_bounding_box(
        images,
        _greater(-missing_height // 2, 0),
        _greater(-missing_width // 2, 0),
        _static_minimum(target_height, height),
        _static_minimum(target_width, width),
    )
    resized = pad_to_bounding_box(
        cropped,
        _greater(missing_height // 2, 0),
        _greater(missing_width // 2, 0),
        target_height,
        target_width,
    )
    return unbatch(resized, was_batch)
