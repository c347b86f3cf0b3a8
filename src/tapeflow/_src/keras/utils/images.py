"""Images as Pillow objects, arrays and files."""

from __future__ import annotations

import io
import os
import pathlib
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.internal.files import replacing
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.config import floatx, standardize_data_format

pillow = LazyModule("PIL.Image", "images", install="pillow")
# Pillow's own name of each filter.
INTERPOLATIONS = ("nearest", "bilinear", "bicubic", "hamming", "box", "lanczos")
_MODES = {"grayscale": ("L", "I;16", "I"), "rgb": ("RGB",), "rgba": ("RGBA",)}


def array_to_img(
    x: Any, data_format: str | None = None, scale: bool = True, dtype: Any = None
) -> Any:
    """Convert an array of rank 3 to a Pillow image.

    Args:
        x: An array of shape (height, width, channels), or with channels first.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        scale: Whether to stretch the values to 0 … 255.
        dtype: Dtype of the computation; None is `floatx()`.

    Returns:
        A Pillow image, which needs `pillow`.

    Raises:
        ValueError: The rank is not 3, or there are not 1, 3 or 4 channels.

    Example:
        >>> tf.keras.utils.array_to_img(np.zeros((4, 6, 3))).size
        (6, 4)
    """
    array = np.asarray(x, dtype=dtype or floatx())
    if array.ndim != 3:
        raise ValueError(
            f"Expected one image: an array of rank 3. Received an array of shape {array.shape}"
        )
    if standardize_data_format(data_format) == "channels_first":
        array = array.transpose(1, 2, 0)
    if scale:
        array = array - array.min()
        largest = array.max()
        array = array / (largest if largest else 1) * 255
    channels = array.shape[2]
    if channels == 1:
        kind = "int32" if array.max() > 255 else "uint8"
        return pillow.fromarray(np.ascontiguousarray(array[:, :, 0].astype(kind)))
    if channels in (3, 4):
        return pillow.fromarray(np.ascontiguousarray(array.astype("uint8")))
    raise ValueError(
        f"Unsupported number of channels: expected 1, 3 or 4. Received: {channels} channels"
    )


def img_to_array(img: Any, data_format: str | None = None, dtype: Any = None) -> np.ndarray:
    """Convert a Pillow image to an array of rank 3.

    Args:
        img: A Pillow image.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        dtype: Dtype of the array; None is `floatx()`.

    Returns:
        An array with values from 0 to 255.

    Raises:
        ValueError: The image has another rank than 2 or 3.

    Example:
        >>> image = tf.keras.utils.array_to_img(np.zeros((4, 6, 3)))
        >>> tf.keras.utils.img_to_array(image).shape
        (4, 6, 3)
    """
    first = standardize_data_format(data_format) == "channels_first"
    array = np.asarray(img, dtype=dtype or floatx())
    if array.ndim == 2:
        return array[None] if first else array[:, :, None]
    if array.ndim == 3:
        return array.transpose(2, 0, 1) if first else array
    raise ValueError(
        f"Unsupported image shape: expected rank 2 or 3. Received an image of shape {array.shape}"
    )


def save_img(
    path: Any,
    x: TensorLike,
    data_format: str | None = None,
    file_format: str | None = None,
    scale: bool = True,
    **kwargs: Any,
) -> None:
    """Write an array as an image file.

    Args:
        path: The path, or a file object.
        x: An array of shape (height, width, channels), or with channels first.
        data_format: "channels_last" or "channels_first"; None is `image_data_format()`.
        file_format: Pillow's name of the format; None if it follows from the path.
        scale: Whether to stretch the values to 0 … 255.
        **kwargs: Arguments of `PIL.Image.Image.save`.

    Returns:
        None.

    Example:
        >>> tf.keras.utils.save_img("image.png", np.zeros((4, 6, 3)))
        >>> tf.keras.utils.load_img("image.png").size
        (6, 4)
    """
    if file_format is None and isinstance(path, (str, os.PathLike)):
        file_format = pathlib.Path(path).suffix[1:]
    file_format = file_format.lower() if file_format else None
    if file_format == "jpg":
        file_format = "jpeg"
    image = array_to_img(x, data_format=data_format, scale=scale)
    if image.mode == "RGBA" and file_format == "jpeg":
        warn_user("JPEG files have no alpha channel: the image is saved as RGB.")
        image = image.convert("RGB")
    if not isinstance(path, (str, os.PathLike)):
        image.save(path, format=file_format, **kwargs)
        return
    with replacing(os.fspath(path), create_folder=False) as file:
        image.save(file, format=file_format, **kwargs)


def load_img(
    path: Any,
    color_mode: str = "rgb",
    target_size: Any = None,
    interpolation: str = "nearest",
    keep_aspect_ratio: bool = False,
    *,
    grayscale: bool = False,
) -> Any:
    """Read an image file as a Pillow image.

    Args:
        path: the path, or an `io.BytesIO`.
        color_mode: `"grayscale"`, `"rgb"` or `"rgba"`.
        target_size: `(height, width)` to resize to; by default the image keeps its own size.
        interpolation: one of Pillow's filters, such as `"nearest"` or `"bilinear"`.
        keep_aspect_ratio: whether to crop the image to the proportions of `target_size` first.
        grayscale: the same as `color_mode="grayscale"` (Keras 2).

    Returns:
        A Pillow image; `img_to_array` converts it.

    Raises:
        TypeError: `path` is of another type.
        ValueError: `color_mode` or `interpolation` has another value.

    Example:
        >>> tf.keras.utils.save_img("image.png", np.zeros((4, 6, 3)))
        >>> tf.keras.utils.load_img("image.png", target_size=(8, 8)).size
        (8, 8)
    """
    if not isinstance(path, (io.BytesIO, str, bytes, pathlib.Path)):
        raise TypeError(
            f"`path` must be a path or an io.BytesIO. Received: {path!r} of type "
            f"{type(path).__name__}"
        )
    color_mode = "grayscale" if grayscale else color_mode
    if color_mode not in _MODES:
        raise ValueError(
            f"`color_mode` must be 'grayscale', 'rgb' or 'rgba'. Received: {color_mode!r}"
        )
    if isinstance(path, io.BytesIO):
        image = pillow.open(path)
    else:
        with open(path, "rb") as file:
            image = pillow.open(io.BytesIO(file.read()))
    modes = _MODES[color_mode]
    if image.mode not in modes:
        image = image.convert(modes[0])
    if target_size is None or image.size == (target_size[1], target_size[0]):
        return image
    box = centred_box(image.size, target_size) if keep_aspect_ratio else None
    return image.resize((target_size[1], target_size[0]), resampling(interpolation), box=box)


def resampling(interpolation: str) -> Any:
    """Return Pillow's filter of that name."""
    if interpolation not in INTERPOLATIONS:
        raise ValueError(
            f"`interpolation` must be one of {', '.join(INTERPOLATIONS)}. Received: "
            f"{interpolation!r}"
        )
    return pillow.Resampling[interpolation.upper()]


def centred_box(size: tuple[int, int], target_size: Any) -> tuple[int, int, int, int]:
    """Return the largest box in the middle of an image with the proportions of the target."""
    (width, height), (target_height, target_width) = size, target_size
    crop_height = min(height, width * target_height // target_width)
    crop_width = min(width, height * target_width // target_height)
    top, left = (height - crop_height) // 2, (width - crop_width) // 2
    return left, top, left + crop_width, top + crop_height


def smart_resize(
    x: TensorLike, size: Any, interpolation: str = "bilinear", data_format: str = "channels_last"
) -> Any:
    """Resize images without distortion: crop to the proportions of `size` first.

    Args:
        x: one image or a batch of them.
        size: `(height, width)`.
        interpolation: a method of `tf.image.resize`.
        data_format: `"channels_last"` or `"channels_first"`.

    Returns:
        An array for an array, otherwise a tensor of float32 (of the dtype of `x` for
        `"nearest"`).

    Example:
        >>> tf.keras.preprocessing.image.smart_resize(np.zeros((4, 8, 3)), (2, 2)).shape
        (2, 2, 3)
    """
    if len(size) != 2:
        raise ValueError(f"`size` must be (height, width). Received: size={size}")
    images = tf.convert_to_tensor(x)
    rank = images.shape.rank
    if rank is not None and rank not in (3, 4):
        raise ValueError(
            f"Expected images of rank 3, or of rank 4 with a batch axis. Received a tensor of "
            f"shape {images.shape}"
        )
    if data_format == "channels_first":
        images = _channels_moved(images, last=True)
    resized = tf.image.resize(_cropped(images, size), size, method=interpolation)
    if data_format == "channels_first":
        resized = _channels_moved(resized, last=False)
    return resized.numpy() if isinstance(x, np.ndarray) else resized


def _cropped(images: Any, size: Any) -> Any:
    """Cut the largest part with these proportions from the middle."""
    target_height, target_width = size
    shape = tf.shape(images)
    height, width = shape[-3], shape[-2]
    crop_height = _clipped(_divided(width * target_height, target_width), height)
    crop_width = _clipped(_divided(height * target_width, target_height), width)
    top, left = _divided(height - crop_height, 2), _divided(width - crop_width, 2)
    return images[..., top : top + crop_height, left : left + crop_width, :]


def _divided(value: Any, by: int) -> Any:
    return tf.cast(tf.cast(value, "float32") / by, "int32")


def _clipped(value: Any, largest: Any) -> Any:
    return tf.maximum(tf.minimum(largest, value), 1)


def _channels_moved(images: Any, last: bool) -> Any:
    batch = [0] if images.shape.rank == 4 else []
    start = len(batch)
    axes = (1, 2, 0) if last else (2, 0, 1)
    return tf.transpose(images, batch + [axis + start for axis in axes])
