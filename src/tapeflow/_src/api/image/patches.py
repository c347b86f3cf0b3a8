"""Extract patches and glimpses of images and volumes."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.image import patches as image_patches
from tapeflow._src.ops.image.glimpse import extract_glimpse_v2


def extract_patches(
    images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None
) -> Tensor:
    """Extract patches of images and flatten each into the last axis.

    Args:
        images: `[batch, height, width, channels]`.
        sizes: The window, `[1, rows, columns, 1]`.
        strides: The distance between windows, `[1, rows, columns, 1]`.
        rates: The dilation of windows, `[1, rows, columns, 1]`.
        padding: "VALID" or "SAME".
        name: Name of the op in a graph.
    """
    return image_patches.extract_image_patches(
        images, ksizes=sizes, strides=strides, rates=rates, padding=padding, name=name
    )


def extract_volume_patches(
    input: Any, ksizes: Any, strides: Any, padding: str, name: str | None = None
) -> Tensor:
    """Extract patches of volumes and flatten each into the last axis."""
    return image_patches.extract_volume_patches(
        input, ksizes=ksizes, strides=strides, padding=padding, name=name
    )


def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """Extract a window of each image at its offset, filled with noise outside of the image."""
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
