"""JPEG compression noise. Needs Pillow, as all JPEG functions do."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.image.conversion import convert_image_dtype
from tapeflow._src.api.image.randomness import Draw, stateful_draw, stateless_draw
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.io.images import decode_jpeg, encode_jpeg_variable_quality


@scoped("adjust_jpeg_quality")
def adjust_jpeg_quality(
    image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None
) -> Tensor:
    """Encode an image as JPEG of a quality in [0, 100] and decode it again.

    Args:
        image: uint8 or float image of shape (height, width, channels), 1 or 3 channels.
        jpeg_quality: Integer scalar.
        dct_method: How to decode: "", "INTEGER_FAST" or "INTEGER_ACCURATE".

    Returns:
        A tensor of the shape and dtype of `image`.

    Example:
        >>> tf.image.adjust_jpeg_quality(tf.zeros([8, 8, 3], tf.uint8), 75).shape
        TensorShape([8, 8, 3])
    """
    image = convert(image)
    if not isinstance(jpeg_quality, Tensor):
        jpeg_quality = convert(jpeg_quality, dtypes.int32)
    pixels = convert_image_dtype(image, dtypes.uint8, saturate=True)
    file = encode_jpeg_variable_quality(pixels, jpeg_quality)
    channels = image.static_shape[-1] if image.static_shape else None
    again = decode_jpeg(file, channels=channels or 0, dct_method=dct_method)
    return convert_image_dtype(again, image.dtype, saturate=True)


def _adjust_by_chance(image: TensorLike, lowest: Any, highest: Any, draw: Draw) -> Any:
    if not (0 <= lowest <= 100 and 0 <= highest <= 100):
        raise ValueError(f"JPEG qualities are between 0 and 100. Received: {lowest} and {highest}")
    if lowest >= highest:
        raise ValueError(
            f"`min_jpeg_quality` must be less than `max_jpeg_quality`, got {lowest} and {highest}."
        )
    return adjust_jpeg_quality(image, draw([], lowest, highest, dtype=dtypes.int32))


def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: Any = None
) -> Tensor:
    """Encode an image as JPEG of a random quality and decode it again.

    Args:
        image: uint8 or float image of shape (height, width, channels).
        min_jpeg_quality: Lowest quality, 0 or more.
        max_jpeg_quality: Highest quality, at most 100 and not reached.
        seed: Op seed; see `tf.random.set_seed`.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: If the bounds are outside of [0, 100] or in the wrong order.

    Example:
        >>> tf.image.random_jpeg_quality(tf.zeros([8, 8, 3], tf.uint8), 60, 90).shape
        TensorShape([8, 8, 3])
    """
    return _adjust_by_chance(image, min_jpeg_quality, max_jpeg_quality, stateful_draw(seed))


def stateless_random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: Any
) -> Tensor:
    """Encode and decode an image as JPEG of a quality determined by `seed`.

    Args:
        image: uint8 or float image of shape (height, width, channels).
        min_jpeg_quality: Lowest quality, 0 or more.
        max_jpeg_quality: Highest quality, at most 100 and not reached.
        seed: Two integers.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: If the bounds are outside of [0, 100] or in the wrong order.

    Example:
        >>> image = tf.zeros([8, 8, 3], tf.uint8)
        >>> tf.image.stateless_random_jpeg_quality(image, 60, 90, seed=(1, 2)).shape
        TensorShape([8, 8, 3])
    """
    return _adjust_by_chance(image, min_jpeg_quality, max_jpeg_quality, stateless_draw(seed))
