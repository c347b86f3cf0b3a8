"""Resize images."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.control_flow import map_fn
from tapeflow._src.api.image.checks import as_batch, require, sizes, unbatch
from tapeflow._src.api.image.cropping import pad_to_bounding_box
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import float32, int32
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.shape import expand_dims, scalar_int, shape_of, squeeze
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.image import resize as image_resize
from tapeflow._src.ops.math.arithmetic import mul, real_div, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.extremes import maximum, minimum
from tapeflow._src.ops.math.rounding import floor, round_


class ResizeMethod:
    """Interpolation methods of `tf.image.resize`.

    Example:
        >>> tf.image.ResizeMethod.BICUBIC
        'bicubic'
    """

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


_KERNELS = (
    ResizeMethod.LANCZOS3,
    ResizeMethod.LANCZOS5,
    ResizeMethod.GAUSSIAN,
    ResizeMethod.MITCHELLCUBIC,
)
# The kernels that the others stand for, where a smaller image is to be smooth.
_SMOOTH = {ResizeMethod.BILINEAR: "triangle", ResizeMethod.BICUBIC: "keyscubic"}
_PLAIN = {
    ResizeMethod.BILINEAR: image_resize.resize_bilinear,
    ResizeMethod.NEAREST_NEIGHBOR: image_resize.resize_nearest_neighbor,
    ResizeMethod.BICUBIC: image_resize.resize_bicubic,
}


@scoped("resize")
def resize(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Resize images to `size`.

    Args:
        images: An image or a batch of images, dense or ragged.
        size: The new height and width.
        method: A `ResizeMethod` or its name.
        preserve_aspect_ratio: Whether to fit images into `size` without changing their shape.
        antialias: Whether to filter when downsampling.
        name: Name of the op in a graph.

    Returns:
        Floats, or the dtype of `images` for nearest-neighbour interpolation and unchanged sizes.

    Raises:
        ValueError: If the rank is neither 3 nor 4, `size` is not two integers, or the method is
            unknown.

    Example:
        >>> image = tf.constant([[[0.0], [4.0]]])
        >>> tf.image.resize(image, [1, 4]).numpy()[..., 0]
        array([[0., 1., 3., 4.]], dtype=float32)
    """
    if isinstance(images, RaggedTensor):
        return _resize_ragged(images, size, method, preserve_aspect_ratio, antialias)
    images = convert(images)
    rank = images.static_shape and len(images.static_shape)
    if rank is None:
        raise ValueError("'images' contains no shape.")
    if rank not in (3, 4):
        raise ValueError(f"'images' must have either 3 or 4 dimensions, got shape {images.shape}.")
    if rank == 3:
        images = expand_dims(images, scalar_int(0))
    size = _checked_size(size)
    if preserve_aspect_ratio:
        size = _fitting_size(images, size)
    resized = _resize_batch(images, size, method, antialias)
    return squeeze(resized, axis=(0,)) if rank == 3 else resized


def _resize_ragged(images: Any, size: Any, method: Any, preserve: bool, antialias: bool) -> Any:
    """Resize images of different sizes one by one."""
    if images.shape.rank != 4:
        raise ValueError(
            f"Ragged images must have rank 4: batch, height, width and channels. Received rank "
            f"{images.shape.rank}"
        )
    size = _checked_size(size)
    area = [None, None] if size.static_value is None or preserve else size.static_value.tolist()
    kind = images.dtype if method == ResizeMethod.NEAREST_NEIGHBOR else float32

    def resized(image: TensorLike) -> Any:
        dense = image.to_tensor() if isinstance(image, RaggedTensor) else image
        return resize(dense, size, method, preserve, antialias)

    signature = TensorSpec([*area, images.shape[3]], kind)
    return map_fn(resized, images, fn_output_signature=signature)


def _checked_size(size: Any) -> Any:
    try:
        size = convert(size, int32)
    except (TypeError, ValueError):
        raise ValueError(
            f"`size` must be two integers, the new height and width. Received: {size!r}"
        ) from None
    if size.static_shape is not None and size.static_shape not in ((2,), (None,)):
        raise ValueError(
            f"`size` must have two elements, the new height and width. Received the shape "
            f"{size.shape}"
        )
    static_size = size.static_value
    if static_size is not None and min(static_size) < 0:
        raise ValueError(f"Dimension {min(static_size)} must be >= 0")
    return size


def _fitting_size(images: TensorLike, size: Any) -> Any:
    """Return the largest size within `size` that preserves the aspect ratio."""
    current = [cast(convert(n, int32), DstT=float32) for n in sizes(images)[1:3]]
    target = [cast(size[i], DstT=float32) for i in (0, 1)]
    factor = minimum(real_div(target[0], current[0]), real_div(target[1], current[1]))
    return pack([cast(round_(mul(factor, n)), DstT=int32) for n in current])


def _resize_batch(images: TensorLike, size: Any, method: Any, antialias: bool) -> Any:
    if method == ResizeMethod.AREA:
        return image_resize.resize_area(images, size)
    if method in _PLAIN and not (antialias and method in _SMOOTH):
        return _PLAIN[method](images, size, half_pixel_centers=True)
    if method not in _KERNELS and method not in _SMOOTH:
        raise ValueError(f"Resize method is not implemented: {method}")
    scale = real_div(cast(size, DstT=float32), cast(shape_of(images)[1:3], DstT=float32))
    return image_resize.scale_and_translate(
        images,
        size,
        scale,
        convert([0.0, 0.0]),
        kernel_type=_SMOOTH.get(method, method),
        antialias=antialias,
    )


@scoped("resize_image_with_pad")
def resize_with_pad(
    image: TensorLike,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """Resize images, preserving the aspect ratio, and pad with zeros to the target size.

    Args:
        image: One image, or several in a batch.
        target_height: The height of the result.
        target_width: The width of the result.
        method: A `ResizeMethod` or its name.
        antialias: Whether to filter when downsampling.

    Returns:
        The image or batch of that size; floats, except for nearest-neighbour interpolation.

    Raises:
        ValueError: If a size is not positive.

    Example:
        >>> tf.image.resize_with_pad(tf.ones([2, 1, 1]), 2, 3).numpy()[..., 0]
        array([[0., 1., 0.],
               [0., 1., 0.]], dtype=float32)
    """
    image, was_batch = as_batch(image)
    require(target_width > 0, "target_width must be > 0.")
    require(target_height > 0, "target_height must be > 0.")
    current = [cast(convert(n, int32), DstT=float32) for n in sizes(image)[1:3]]
    target = [cast(convert(n, int32), DstT=float32) for n in (target_height, target_width)]
    ratio = maximum(real_div(current[1], target[1]), real_div(current[0], target[0]))
    inner = [real_div(n, ratio) for n in current]
    new = pack([cast(floor(n), DstT=int32) for n in inner])
    top, left = (
        _plain(maximum(cast(floor(real_div(sub(w, n), convert(2.0))), DstT=int32), 0))
        for w, n in zip(target, inner, strict=True)
    )
    resized = resize(image, new, method, antialias=antialias)
    padded = pad_to_bounding_box(resized, top, left, target_height, target_width)
    return unbatch(padded, was_batch)


def _plain(number: Any) -> Any:
    """Return a number as an int where it is known statically."""
    static = number.static_value if isinstance(number, Tensor) else number
    return number if static is None else int(static)
