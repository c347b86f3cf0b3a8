"""Extract patches and glimpses of images and volumes."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.image import patches as image_patches
from tapeflow._src.ops.image.glimpse import extract_glimpse_v2


def extract_patches(
    images: TensorLike, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None
) -> Tensor:
    """Extract patches of images and flatten each into the last axis.

    Args:
        images: `[batch, height, width, channels]`.
        sizes: The window, `[1, rows, columns, 1]`.
        strides: The distance between windows, `[1, rows, columns, 1]`.
        rates: The dilation of windows, `[1, rows, columns, 1]`.
        padding: "VALID" or "SAME".
        name: Name of the op in a graph.

    Returns:
        A tensor of shape (batch, rows, columns, patch_rows * patch_columns * channels).

    Example:
        >>> image = tf.reshape(tf.range(16), [1, 4, 4, 1])
        >>> tf.image.extract_patches(
        ...     image, sizes=[1, 2, 2, 1], strides=[1, 2, 2, 1], rates=[1, 1, 1, 1], padding="VALID"
        ... ).numpy()[0, 0]
        array([[0, 1, 4, 5],
               [2, 3, 6, 7]], dtype=int32)
    """
    return image_patches.extract_image_patches(
        images, ksizes=sizes, strides=strides, rates=rates, padding=padding, name=name
    )


def extract_volume_patches(
    input: TensorLike, ksizes: Any, strides: Any, padding: str, name: str | None = None
) -> Tensor:
    """Extract patches of volumes and flatten each into the last axis.

    Args:
        input: Tensor of shape (batch, planes, rows, columns, channels).
        ksizes: The window, `[1, planes, rows, columns, 1]`.
        strides: The distance between windows, in the same form.
        padding: "VALID" or "SAME".

    Returns:
        A tensor of rank 5 with one flattened patch per window.

    Example:
        >>> volume = tf.zeros([1, 4, 4, 4, 2])
        >>> tf.extract_volume_patches(volume, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID").shape
        TensorShape([1, 2, 2, 2, 16])
    """
    return image_patches.extract_volume_patches(
        input, ksizes=ksizes, strides=strides, padding=padding, name=name
    )


def extract_glimpse(
    input: TensorLike,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Extract a window of each image at its offset, filled with noise outside of the image.

    Args:
        input: A batch of shape (batch, height, width, channels).
        size: Height and width of the windows.
        offsets: Centre of each window, (batch, 2), as (y, x).
        centered: Whether (0, 0) is the centre of the image instead of its upper left corner.
        normalized: Whether offsets are fractions instead of pixels.
        noise: "uniform", "gaussian" or "zero".

    Returns:
        A tensor of shape (batch, glimpse_height, glimpse_width, channels).

    Example:
        >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
        >>> tf.image.extract_glimpse(image, [1, 1], [[0.0, 0.0]]).numpy().item()
        4.0
    """
    return extract_glimpse_v2(
        input,
        size,
        convert(offsets, float32),
        centered=centered,
        normalized=normalized,
        uniform_noise=False,
        noise=noise,
        name=name,
    )
