"""Decode and encode image files."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.image.conversion import convert_image_dtype
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.io import images as ops
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.strings.text import substr


def _contents(value: TensorLike) -> Any:
    return dispatch.convert(value, dtypes.string)


def _picture(value: TensorLike) -> Any:
    """Convert to an image tensor; Python numbers are uint8."""
    return dispatch.convert(value, None if hasattr(value, "dtype") else dtypes.uint8)


def decode_jpeg(
    contents: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1.0,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Decode a JPEG image to uint8 values, `[height, width, channels]`.

    Args:
        contents: The file, a string.
        channels: 1 (greyscale), 3 (RGB), or 0 for the number in the file.
        ratio: The downscaling factor: 1, 2, 4 or 8.
        fancy_upscaling: Whether chroma planes are upscaled smoothly.
        try_recover_truncated: Whether a truncated file is decoded as far as it goes.
        acceptable_fraction: The fraction of lines that a truncated file must have.
        dct_method: "", "INTEGER_FAST" or "INTEGER_ACCURATE".
        name: Name of the op in a graph.

    Returns:
        Pixels of dtype uint8, (height, width, channels).

    Example:
        >>> file = tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8))
        >>> tf.io.decode_jpeg(file).shape
        TensorShape([4, 6, 3])
    """
    return ops.decode_jpeg(
        _contents(contents),
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


def decode_and_crop_jpeg(
    contents: TensorLike,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1.0,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Decode part of a JPEG image.

    Args:
        contents: The file, a string.
        crop_window: `[top, left, height, width]`.
        channels: 1 (greyscale), 3 (RGB), or 0 for the number in the file.
        ratio: The downscaling factor: 1, 2, 4 or 8.
        fancy_upscaling: Whether chroma planes are upscaled smoothly.
        try_recover_truncated: Whether a truncated file is decoded as far as it goes.
        acceptable_fraction: The fraction of lines that a truncated file must have.
        dct_method: "", "INTEGER_FAST" or "INTEGER_ACCURATE".

    Returns:
        Pixels of dtype uint8, (height, width, channels).

    Example:
        >>> file = tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8))
        >>> tf.io.decode_and_crop_jpeg(file, [1, 2, 2, 3]).shape
        TensorShape([2, 3, 3])
    """
    return ops.decode_and_crop_jpeg(
        _contents(contents),
        dispatch.convert(crop_window, dtypes.int32),
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


def decode_png(
    contents: TensorLike,
    channels: int = 0,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
) -> Tensor:
    """Decode a PNG image.

    Args:
        contents: The file, a string.
        channels: 1 (greyscale), 2 (with alpha), 3 (RGB), 4 (RGBA), or 0 for the number in the file.
        dtype: `tf.uint8` or `tf.uint16`.

    Returns:
        Pixels, (height, width, channels).

    Raises:
        tf.errors.InvalidArgumentError: If it is no PNG file.

    Example:
        >>> file = tf.io.encode_png(tf.constant([[[0], [255]]], tf.uint8))
        >>> tf.io.decode_png(file).numpy()[..., 0]
        array([[  0, 255]], dtype=uint8)
    """
    return ops.decode_png(_contents(contents), channels=channels, dtype=as_dtype(dtype), name=name)


def decode_webp(
    contents: TensorLike,
    channels: int = 0,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
) -> Tensor:
    """Decode a WebP image.

    Args:
        contents: The file, a string.
        channels: 3 (RGB), 4 (RGBA), or 0 for the number in the file.
        dtype: What pixels are converted to.

    Returns:
        A tensor of shape (frames, height, width, channels).
    """
    return ops.decode_webp(_contents(contents), channels=channels, dtype=as_dtype(dtype), name=name)


def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """Decode a BMP image.

    Args:
        contents: The file, a string.
        channels: 1 (greyscale), 3 (RGB), 4 (RGBA), or 0 for the number in the file.

    Returns:
        Pixels of dtype uint8, (height, width, channels).
    """
    return ops.decode_bmp(_contents(contents), channels=channels, name=name)


def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """Decode the frames of a GIF.

    Args:
        contents: The file, a string.

    Returns:
        A uint8 tensor of shape (frames, height, width, 3).
    """
    return ops.decode_gif(_contents(contents), name=name)


@scoped("decode_image")
def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """Decode a JPEG, PNG, BMP or GIF image.

    Args:
        contents: The file, a string.
        channels: 1 (greyscale), 3 (RGB), 4 (RGBA), or 0 for the number in the file.
        dtype: The dtype of the result; values are scaled to its range.
        name: Name of the op in a graph.
        expand_animations: Whether a GIF has a leading axis of frames; if not, its first frame.

    Returns:
        A tensor of shape (height, width, channels), or (frames, height, width, 3) for a GIF.

    Raises:
        tf.errors.InvalidArgumentError: If the format is not recognised.

    Example:
        >>> file = tf.io.encode_png(tf.constant([[[0], [255]]], tf.uint8))
        >>> tf.io.decode_image(file, dtype=tf.float32).numpy()[..., 0]
        array([[0., 1.]], dtype=float32)
    """
    requested = as_dtype(dtype)
    direct = requested in (dtypes.uint8, dtypes.uint16, dtypes.float32)
    image = ops.decode_image(
        _contents(contents),
        channels=channels or 0,
        dtype=requested if direct else dtypes.uint16,
        expand_animations=expand_animations,
    )
    return image if direct else convert_image_dtype(image, requested)


def encode_jpeg(
    image: TensorLike,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """Encode an image as JPEG.

    Args:
        image: Pixels of dtype uint8, (height, width, channels).
        format: "", "grayscale" or "rgb"; by default that of the number of channels.
        quality: Quality from 0 to 100.
        progressive: Whether a viewer can show the image while it loads.
        optimize_size: Whether to spend time on a smaller file.
        chroma_downsampling: Whether colours are stored at half the resolution.
        density_unit: Unit of the densities: "in" or "cm".
        x_density: Horizontal pixels per unit.
        y_density: Vertical pixels per unit.
        xmp_metadata: XMP metadata to embed.

    Returns:
        A scalar string tensor: the file.

    Example:
        >>> file = tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8), quality=80)
        >>> bool(tf.io.is_jpeg(file))
        True
    """
    return ops.encode_jpeg(
        _picture(image),
        format=format,
        quality=quality,
        progressive=progressive,
        optimize_size=optimize_size,
        chroma_downsampling=chroma_downsampling,
        density_unit=density_unit,
        x_density=x_density,
        y_density=y_density,
        xmp_metadata=xmp_metadata,
        name=name,
    )


def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """Encode 8-bit or 16-bit images as PNG.

    Args:
        image: Pixels of dtype uint8 or uint16, (..., height, width, channels), 1 to 4 channels.
        compression: Level from 0 (fast) to 9 (small); -1 for the default.

    Returns:
        A string tensor of the files, without the last three axes.

    Example:
        >>> tf.io.encode_png(tf.zeros([2, 4, 4, 3], tf.uint8)).shape
        TensorShape([2])
    """
    return ops.encode_png(_picture(image), compression=compression, name=name)


def extract_jpeg_shape(
    contents: TensorLike, output_type: DTypeLike = dtypes.int32, name: str | None = None
) -> Tensor:
    """Read `[height, width, channels]` from the header of a JPEG file.

    Args:
        contents: The file, a string.
        output_type: Either int32 or int64.

    Returns:
        A vector of three integers.

    Example:
        >>> file = tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8))
        >>> tf.io.extract_jpeg_shape(file).numpy()
        array([4, 6, 3], dtype=int32)
    """
    return ops.extract_jpeg_shape(_contents(contents), output_type=as_dtype(output_type), name=name)


def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Return whether a string starts with the JPEG signature.

    Args:
        contents: The file, a string.

    Returns:
        A scalar bool tensor.

    Example:
        >>> bool(tf.io.is_jpeg(b"text"))
        False
    """
    return _begins_like_jpeg(contents, name, name=name)


@scoped("is_jpeg")
def _begins_like_jpeg(contents: TensorLike, op_name: str | None, name: str | None) -> Any:
    start = substr(_contents(contents), dispatch.convert(0), dispatch.convert(3))
    return equal(start, dispatch.convert(b"\xff\xd8\xff"), name=op_name)
