"""Colours, sizes, borders and patches of images, alone or in a batch."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.ops.convolutions import conv
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.layouts import channels_first, channels_last
from tapeflow._src.keras.ops.promotion import result_type, to_tensor

image_op = functools.partial(
    declare,
    family="image",
    call=("images",),
    standardize={"data_format": standardize_data_format},
)
INTERPOLATIONS = ("bilinear", "nearest", "lanczos3", "lanczos5", "bicubic", "area")


def images_of(images: TensorLike) -> Any:
    """Images as a tensor with three or four axes."""
    images = to_tensor(images)
    require_image_axes(images)
    return images


def one_of(name: str, value: TensorLike, choices: tuple[str, ...]) -> None:
    """Raise ValueError unless `value` is among `choices`."""
    if value not in choices:
        raise ValueError(f"`{name}` must be one of {choices}. Received: {name}={value!r}")


def on_batch(function: Callable[[Any], Any], images: Any, data_format: str | None) -> Any:
    """Apply a function to images as a batch with their channels last."""
    first = standardize_data_format(data_format) == "channels_first"
    images = images_of(images)
    alone = images.shape.rank == 3
    batch = images[None] if alone else images
    result = function(channels_last(batch) if first else batch)
    result = channels_first(result) if first else result
    return result[0] if alone else result


def spatial_axes(data_format: str | None) -> tuple[int, int]:
    """The axes of height and width, counted from the end."""
    return (-3, -2) if standardize_data_format(data_format) == "channels_last" else (-2, -1)


def _channels(images: Any, data_format: str | None) -> int | None:
    last = standardize_data_format(data_format) == "channels_last"
    return images.shape[-1 if last else -3]


@image_op("RGBToGrayscale")
def rgb_to_grayscale(images: Any, data_format: str | None = None) -> Any:
    """Computes the brightness of colours, with one channel.

    Args:
        images: An image (3 axes) or a batch (4 axes) with 3 channels. With 1 channel, it is
            returned.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of the dtype of `images` with 1 channel.

    Raises:
        ValueError: `images` has another number of axes or channels.

    Example:
        >>> tf.keras.ops.image.rgb_to_grayscale(tf.ones((4, 6, 3))).shape
        TensorShape([4, 6, 1])
    """
    images = images_of(images)
    channels = _channels(images, data_format)
    if channels not in (1, 3, None):
        raise ValueError(
            f"Expected images with three channels, or one already. Received shape {images.shape}"
        )
    if channels == 1:
        return tf.identity(images)
    axis = -1 if standardize_data_format(data_format) == "channels_last" else -3
    compute = result_type(images.dtype, float)
    weights = tf.constant([0.2989, 0.5870, 0.1140], compute)
    gray = tf.tensordot(tf.cast(images, compute), weights, [[axis], [0]])
    return tf.cast(tf.expand_dims(gray, axis), images.dtype)


def _colours(function: Callable[[Any], Any], images: Any, data_format: str | None) -> Any:
    images = images_of(images)
    if not images.dtype.is_floating:
        raise ValueError(f"Colours must be floats from 0 to 1. Received: {images.dtype.name}")
    if _channels(images, data_format) not in (3, None):
        raise ValueError(f"Expected images with three channels. Received shape {images.shape}")
    return on_batch(function, images, data_format)


@image_op("RGBToHSV")
def rgb_to_hsv(images: TensorLike, data_format: str | None = None) -> Any:
    """Converts red, green and blue to hue, saturation and value.

    Args:
        images: An image (3 axes) or a batch (4 axes), floating-point between 0 and 1.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of the same shape, with values between 0 and 1.

    Raises:
        ValueError: `images` are not floats, or have another number of axes or channels.

    Example:
        >>> tf.keras.ops.image.rgb_to_hsv([[[1.0, 0.0, 0.0]]]).numpy()
        array([[[0., 1., 1.]]], dtype=float32)
    """
    return _colours(tf.image.rgb_to_hsv, images, data_format)


@image_op("HSVToRGB")
def hsv_to_rgb(images: TensorLike, data_format: str | None = None) -> Any:
    """Converts hue, saturation and value to red, green and blue.

    Args:
        images: An image (3 axes) or a batch (4 axes), floating-point between 0 and 1.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of the same shape, with values between 0 and 1.

    Raises:
        ValueError: `images` are not floats, or have another number of axes or channels.

    Example:
        >>> tf.keras.ops.image.hsv_to_rgb([[[0.0, 0.0, 0.5]]]).numpy()
        array([[[0.5, 0.5, 0.5]]], dtype=float32)
    """
    return _colours(tf.image.hsv_to_rgb, images, data_format)


def _truncated(value: TensorLike, divisor: Any) -> Any:
    """The quotient in float32, as Keras computes it, without its fraction."""
    return tf.cast(tf.cast(value, tf.float32) / divisor, tf.int32)


def _cropped_to_ratio(batch: Any, size: tuple[int, int]) -> Any:
    sizes = tf.shape(batch)
    height, width = sizes[1], sizes[2]
    rows = tf.maximum(tf.minimum(height, _truncated(width * size[0], size[1])), 1)
    columns = tf.maximum(tf.minimum(width, _truncated(height * size[1], size[0])), 1)
    top, left = _truncated(height - rows, 2), _truncated(width - columns, 2)
    return batch[:, top : top + rows, left : left + columns]


def _padded_to_ratio(batch: Any, size: tuple[int, int], fill_value: float) -> Any:
    sizes = tf.shape(batch)
    height, width = sizes[1], sizes[2]
    rows = tf.maximum(height, _truncated(width * size[0], size[1]))
    columns = tf.maximum(width, _truncated(height * size[1], size[0]))
    top, left = _truncated(rows - height, 2), _truncated(columns - width, 2)
    borders = [[0, 0], [top, top], [left, left], [0, 0]]
    return tf.pad(batch, borders, constant_values=tf.cast(fill_value, batch.dtype))


def require_image_axes(images: Any) -> None:
    if len(images.shape) not in (3, 4):
        raise ValueError(
            f"Expected an image, with 3 axes, or a batch of images, with 4. Received shape "
            f"{images.shape}"
        )


def _resize_spec(operation: Any, images: Any) -> Any:
    require_image_axes(images)
    shape = list(images.shape)
    for axis, size in zip(spatial_axes(operation.data_format), operation.size):
        shape[axis] = size
    return KerasTensor(shape, images.dtype)


@image_op(
    standardize={"data_format": standardize_data_format, "size": tuple}, output_spec=_resize_spec
)
def resize(
    images: Any,
    size: Any,
    interpolation: str = "bilinear",
    antialias: bool = False,
    crop_to_aspect_ratio: bool = False,
    pad_to_aspect_ratio: bool = False,
    fill_mode: str = "constant",
    fill_value: float = 0.0,
    data_format: str | None = None,
) -> Any:
    """Resizes images; integers are rounded.

    Args:
        images: An image (3 axes) or a batch (4 axes).
        size: Tuple (height, width).
        interpolation: "bilinear", "nearest", "bicubic", "lanczos3", "lanczos5" or "area".
        antialias: Whether to smooth where images become smaller.
        crop_to_aspect_ratio: Whether to crop images to the ratio of `size` before.
        pad_to_aspect_ratio: Whether to pad them to it.
        fill_mode: "constant", the only one.
        fill_value: Value to pad with.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of the dtype of `images`.

    Raises:
        ValueError: An argument has another value than these, or images are to be both cropped and
            padded.

    Example:
        >>> tf.keras.ops.image.resize(tf.zeros((4, 6, 3)), (2, 2)).shape
        TensorShape([2, 2, 3])
    """
    images = images_of(images)
    one_of("interpolation", interpolation, INTERPOLATIONS)
    one_of("fill_mode", fill_mode, ("constant",))
    if len(size) != 2 or min(size) <= 0:
        raise ValueError(f"`size` must be a positive height and width. Received: size={size}")
    if crop_to_aspect_ratio and pad_to_aspect_ratio:
        raise ValueError("Images are either cropped or padded to the aspect ratio, not both.")

    def resized(batch: Any) -> Any:
        if crop_to_aspect_ratio:
            batch = _cropped_to_ratio(batch, size)
        elif pad_to_aspect_ratio:
            batch = _padded_to_ratio(batch, size, fill_value)
        return tf.image.resize(batch, size, interpolation, antialias=antialias)

    result = on_batch(resized, images, data_format)
    if result.dtype == images.dtype:
        return result
    return tf.saturate_cast(tf.round(result) if images.dtype.is_integer else result, images.dtype)


def _two_of_three(**values: int | None) -> None:
    names = list(values)
    for three in (names[:3], names[3:]):
        if [values[name] for name in three].count(None) != 1:
            raise ValueError(
                f"Pass two of {three}: the third follows. Received: "
                f"{ {name: values[name] for name in three} }"
            )
    _require_no_negative(**values)


def _require_no_negative(**values: Any) -> None:
    for name, value in values.items():
        if isinstance(value, int) and value < 0:
            raise ValueError(f"`{name}` must not be negative. Received: {name}={value}")


def _sizes(images: Any, data_format: str | None) -> list[Any]:
    """Height and width, as numbers where they are known."""
    axes = spatial_axes(data_format)
    return [
        tf.shape(images)[axis] if images.shape[axis] is None else images.shape[axis]
        for axis in axes
    ]


def _in_layout(height: Any, width: Any, other: Any, images: Any, data_format: str | None) -> list:
    """Values for height and width, and `other` for the further axes."""
    last = standardize_data_format(data_format) == "channels_last"
    values = [height, width, other] if last else [other, height, width]
    return values if images.shape.rank == 3 else [other, *values]


def _with_targets(operation: Any, images: Any, sign: int, word: str) -> Any:
    """The shape of images with borders added (1) or removed (-1)."""
    shape = list(images.shape)
    pairs = (("top", "bottom", "target_height"), ("left", "right", "target_width"))
    for axis, (before, after, target) in zip(spatial_axes(operation.data_format), pairs):
        first, second = (getattr(operation, f"{side}_{word}") for side in (before, after))
        size, wanted = shape[axis], getattr(operation, target)
        if wanted is None:
            wanted = None if size is None else size + sign * (first + second)
        elif size is not None:
            border = sign * (wanted - size) - (second if first is None else first)
            _require_no_negative(**{f"{after if second is None else before}_{word}": border})
        _require_no_negative(**{target: wanted})
        shape[axis] = wanted
    return KerasTensor(shape, images.dtype)


def _pad_spec(operation: Any, images: TensorLike) -> Any:
    _check_borders(operation, images, "padding")
    return _with_targets(operation, images, 1, "padding")


def _crop_spec(operation: Any, images: TensorLike) -> Any:
    _check_borders(operation, images, "cropping")
    return _with_targets(operation, images, -1, "cropping")


def _check_borders(operation: Any, images: TensorLike, word: str) -> None:
    require_image_axes(images)
    rows = (f"top_{word}", f"bottom_{word}", "target_height")
    columns = (f"left_{word}", f"right_{word}", "target_width")
    _two_of_three(**{name: getattr(operation, name) for name in (*rows, *columns)})


@image_op(output_spec=_pad_spec)
def pad_images(
    images: TensorLike,
    top_padding: Any = None,
    left_padding: Any = None,
    bottom_padding: Any = None,
    right_padding: Any = None,
    target_height: Any = None,
    target_width: Any = None,
    data_format: str | None = None,
) -> Any:
    """Pads images with zeros.

    For each of height and width, pass two of the two borders and the target size: the third
    follows.

    Args:
        images: An image (3 axes) or a batch (4 axes).
        top_padding: Rows to add above.
        left_padding: Columns to add on the left.
        bottom_padding: Rows to add below.
        right_padding: Columns to add at the right edge.
        target_height: Height of the result.
        target_width: Width of the result.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of the dtype of `images`.

    Raises:
        ValueError: Not exactly two of three are passed, or a border would be negative.

    Example:
        >>> x = tf.ones((15, 25, 3))
        >>> tf.keras.ops.image.pad_images(x, 2, 3, target_height=20, target_width=30).shape
        TensorShape([20, 30, 3])
    """
    images = images_of(images)
    _two_of_three(
        top_padding=top_padding,
        bottom_padding=bottom_padding,
        target_height=target_height,
        left_padding=left_padding,
        right_padding=right_padding,
        target_width=target_width,
    )
    height, width = _sizes(images, data_format)
    if top_padding is None:
        top_padding = target_height - bottom_padding - height
    if bottom_padding is None:
        bottom_padding = target_height - top_padding - height
    if left_padding is None:
        left_padding = target_width - right_padding - width
    if right_padding is None:
        right_padding = target_width - left_padding - width
    _require_no_negative(top_padding=top_padding, bottom_padding=bottom_padding)
    _require_no_negative(left_padding=left_padding, right_padding=right_padding)
    borders = [top_padding, bottom_padding], [left_padding, right_padding]
    return tf.pad(images, _in_layout(*borders, [0, 0], images, data_format))


@image_op(output_spec=_crop_spec)
def crop_images(
    images: TensorLike,
    top_cropping: Any = None,
    left_cropping: Any = None,
    bottom_cropping: Any = None,
    right_cropping: Any = None,
    target_height: Any = None,
    target_width: Any = None,
    data_format: str | None = None,
) -> Any:
    """Crops images.

    For each of height and width, pass two of the two borders and the target size: the third
    follows.

    Args:
        images: An image (3 axes) or a batch (4 axes).
        top_cropping: Rows to remove above.
        left_cropping: Columns to remove on the left.
        bottom_cropping: Rows to remove below.
        right_cropping: Columns to remove on the right.
        target_height: Height of the result.
        target_width: Width of the result.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor of the dtype of `images`.

    Raises:
        ValueError: Not exactly two of three are passed, or a border would be negative.

    Example:
        >>> x = tf.ones((28, 28, 3))
        >>> tf.keras.ops.image.crop_images(x, 4, 4, target_height=20, target_width=20).shape
        TensorShape([20, 20, 3])
    """
    images = images_of(images)
    _two_of_three(
        top_cropping=top_cropping,
        bottom_cropping=bottom_cropping,
        target_height=target_height,
        left_cropping=left_cropping,
        right_cropping=right_cropping,
        target_width=target_width,
    )
    height, width = _sizes(images, data_format)
    if top_cropping is None:
        top_cropping = height - target_height - bottom_cropping
    if target_height is None:
        target_height = height - bottom_cropping - top_cropping
    if left_cropping is None:
        left_cropping = width - target_width - right_cropping
    if target_width is None:
        target_width = width - right_cropping - left_cropping
    _require_no_negative(top_cropping=top_cropping, target_height=target_height)
    _require_no_negative(left_cropping=left_cropping, target_width=target_width)
    begin = _in_layout(top_cropping, left_cropping, 0, images, data_format)
    size = _in_layout(target_height, target_width, -1, images, data_format)
    return tf.slice(images, begin, size)


@image_op("ExtractPatches")
def extract_patches(
    images: TensorLike,
    size: Any,
    strides: Any = None,
    dilation_rate: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
) -> Any:
    """Extracts patches of images, or of volumes if `size` has three numbers.

    Args:
        images: An image or a volume, or a batch of them.
        size: Height and width of a patch: an integer, or two; depth, height and width of volumes.
        strides: Distance of patches; None is `size`.
        dilation_rate: Distance of neighbours in a patch.
        padding: "valid" for whole patches only, "same" to pad with zeros.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor in which every position has one vector: all channels of the pixels of a patch.

    Raises:
        TypeError: `size` is neither an integer nor a tuple.
        ValueError: `size` or `strides` has the wrong length.

    Example:
        >>> tf.keras.ops.image.extract_patches(tf.ones((2, 20, 20, 3)), (5, 5)).shape
        TensorShape([2, 4, 4, 75])
    """
    if not isinstance(size, (int, tuple, list)):
        raise TypeError(f"`size` must be an int or a tuple. Received: {size!r}")
    window = (size, size) if isinstance(size, int) else tuple(size)
    if len(window) not in (2, 3):
        raise ValueError(f"`size` must have two or three numbers. Received: size={size}")
    return _patches(images, window, strides, dilation_rate, padding, data_format)


def _patches(
    images: Any, size: Any, strides: Any, dilation_rate: Any, padding: str, data_format: Any
) -> Any:
    images = to_tensor(images)
    alone = images.shape.rank == len(size) + 1
    strides = strides or size
    if not isinstance(strides, int) and len(strides) != len(size):
        raise ValueError(f"`strides` must have {len(size)} numbers. Received: strides={strides}")
    last = standardize_data_format(data_format) == "channels_last"
    channels = images.shape[-1 if last else -1 - len(size)]
    length = math.prod(size) * channels
    # A convolution whose kernels have one 1 each: its outputs are the pixels of the window.
    kernel = tf.reshape(tf.eye(length, dtype=images.dtype), (*size, channels, length))
    batch = images[None] if alone else images
    result = conv(batch, kernel, strides, padding, data_format, dilation_rate)
    return result[0] if alone else result


def extract_patches_3d(
    volumes: Any,
    size: Any,
    strides: Any = None,
    dilation_rate: Any = 1,
    padding: str = "valid",
    data_format: str | None = None,
) -> Any:
    """Extracts patches of volumes; see `extract_patches`.

    Args:
        volumes: A volume (4 axes) or a batch (5 axes).
        size: Side of a patch: an integer, or depth, height and width.
        strides: Distance of patches; None is `size`.
        dilation_rate: Distance of neighbours in a patch.
        padding: "valid" for whole patches only, "same" to pad with zeros.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.

    Returns:
        A tensor in which every position has one vector: all channels of the voxels of a patch.

    Raises:
        TypeError: `size` does not have three numbers.

    Example:
        >>> tf.keras.ops.image.extract_patches_3d(tf.ones((1, 8, 8, 8, 1)), 4).shape
        TensorShape([1, 2, 2, 2, 64])
    """
    size = (size,) * 3 if isinstance(size, int) else size
    if len(size) != 3:
        raise TypeError(f"`size` must be an int or three of them. Received: size={size}")
    return extract_patches(volumes, size, strides, dilation_rate, padding, data_format)
