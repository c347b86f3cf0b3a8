"""`tf.compat.v1.image`: images, with the resizing of TensorFlow 1, whose pixels have no centres."""

from __future__ import annotations

from typing import Any

from tapeflow import image as _image
from tapeflow._src.api.arrays import shape as _shape
from tapeflow._src.api.arrays import stack as _stack
from tapeflow._src.api.math import casting as _casting
from tapeflow._src.compat.v1.aliases import aliases as _aliases
from tapeflow._src.compat.v1.reordered import reordered as _reordered
from tapeflow._src.core import dtypes as _dtypes
from tapeflow._src.core.dispatch import convert as _convert
from tapeflow._src.ops.image import resize as _ops
from tapeflow.math import minimum as _minimum
from tapeflow.math import round as _round


class ResizeMethod:
    """The ways to resize."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_METHODS = ("bilinear", "nearest", "bicubic", "area")


def resize_bilinear(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:
    """Resize a batch by bilinear interpolation, as float32."""
    return _ops.resize_bilinear(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:
    """Resize a batch by taking the nearest pixel."""
    return _ops.resize_nearest_neighbor(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_bicubic(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> Any:
    """Resize a batch by bicubic interpolation, as float32."""
    return _ops.resize_bicubic(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_area(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None
) -> Any:
    """Resize a batch by the mean of the area that each pixel covers, as float32."""
    return _ops.resize_area(images, size, align_corners=align_corners, name=name)


_KERNELS = {
    "bilinear": resize_bilinear,
    "nearest": resize_nearest_neighbor,
    "bicubic": resize_bicubic,
    "area": resize_area,
}


def resize(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Any:
    """Resize images, one or a batch of them.

    An image that has the wanted size already keeps its dtype; others are float32 unless pixels
    are taken as they are.
    """
    images = _convert(images)
    kind = _METHODS[method] if isinstance(method, int) else method
    if kind not in _KERNELS:
        raise ValueError(f"Expected a method of {', '.join(_METHODS)}, received {method!r}.")
    rank = images.shape.rank
    if rank not in (3, 4):
        raise ValueError(f"Expected images of rank 3 or 4, received shape {images.shape}.")
    batch = images[None] if rank == 3 else images
    wanted = _convert(size, None, _dtypes.int32)
    if preserve_aspect_ratio:
        wanted = _fitting(batch, wanted)
    if wanted.static_value is not None and list(batch.shape[1:3]) == wanted.static_value.tolist():
        return images
    result = _KERNELS[kind](batch, wanted, align_corners, name)
    return result[0] if rank == 3 else result


resize_images = resize


def _fitting(batch: Any, size: Any) -> Any:
    """The largest size within `size` with the proportions of the images."""
    now = _casting.cast(_shape(batch)[1:3], _dtypes.float32)
    scales = _casting.cast(size, _dtypes.float32) / now
    scale = _minimum(scales[0], scales[1])
    return _casting.cast(_round(_stack([scale * now[0], scale * now[1]])), _dtypes.int32)


crop_and_resize = _reordered(
    _image.crop_and_resize,
    "image boxes box_ind crop_size method extrapolation_value name box_indices",
    {"box_ind": "box_indices"},
)


def draw_bounding_boxes(
    images: Any, boxes: Any, name: str | None = None, colors: Any = None
) -> Any:
    """Draw the outlines of boxes into images, in colours of their own or in those given."""
    return _image.draw_bounding_boxes(images, boxes, colors, name)


extract_patches = _reordered(_image.extract_patches, "images sizes strides rates padding name")
extract_image_patches = _reordered(
    _image.extract_patches,
    "images ksizes strides rates padding name sizes",
    {"ksizes": "sizes"},
)

__getattr__, __dir__ = _aliases(__name__, globals())
