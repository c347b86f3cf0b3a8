"""Checks of image shapes: static, or at run time where unknown."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.debugging.comparisons import Assert, assert_positive
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.shape import expand_dims, scalar_int, shape_of, squeeze
from tapeflow._src.ops.array.stacking import unpack


def require(condition: TensorLike, message: str) -> None:
    """Raise ValueError unless a bool `condition` holds; assert a tensor at run time."""
    if isinstance(condition, Tensor):
        Assert(condition, [message])
    elif not condition:
        raise ValueError(message)


def as_image(image: Any) -> Any:
    """Convert `image` to a tensor of rank 3 or more, whose last three axes are not empty."""
    image = convert(image)
    dims = image.static_shape
    if dims is None:
        return image
    if len(dims) < 3:
        raise ValueError(
            f"An image has at least 3 dimensions: height, width and channels. Received the shape "
            f"{image.shape}"
        )
    if 0 in dims[-3:]:
        raise ValueError(
            f"An image must not be empty: height, width and channels must be > 0. Received the "
            f"shape {image.shape}"
        )
    if None in dims[-3:]:
        assert_positive(shape_of(image)[-3:], "height, width and channels of an image must be > 0")
    return image


def rank_of(image: Any) -> int:
    """Return 3 for an image, 4 for a batch; an unknown rank counts as 3."""
    dims = image.static_shape
    if dims is None:
        return 3
    if len(dims) not in (3, 4):
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return len(dims)


def as_batch(image: Any) -> tuple[Any, bool]:
    """Return `image` as a batch, and whether it was one."""
    image = convert(image)
    if rank_of(image) == 4:
        return as_image(image), True
    batch = expand_dims(image, scalar_int(0))
    if image.static_shape is None:
        batch.set_shape([None] * 4)
    return as_image(batch), False


def unbatch(images: TensorLike, was_batch: bool) -> Any:
    """Undo `as_batch`."""
    return images if was_batch else squeeze(images, axis=(0,))


def sizes(images: Any, rank: int = 4) -> list[Any]:
    """Return the size of each axis: an int where known statically, else a scalar tensor."""
    dims = images.static_shape or (None,) * rank
    if None not in dims:
        return list(dims)
    computed = unpack(shape_of(images), num=len(dims))
    return [c if d is None else d for d, c in zip(dims, computed, strict=True)]


def float32_or_half(image: Any) -> bool:
    """Whether colours of this dtype are processed without conversion."""
    return image.dtype in (dtypes.float16, dtypes.float32)
