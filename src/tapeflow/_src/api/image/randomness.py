"""Random image adjustments: from the global seed, or (`stateless_`) from a seed argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.api.debugging.comparisons import Assert
from tapeflow._src.api.image.adjusting import (
    adjust_brightness,
    adjust_contrast,
    adjust_hue,
    adjust_saturation,
)
from tapeflow._src.api.random.stateful import uniform
from tapeflow._src.api.random.stateless import stateless_uniform
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.ops.array.pad_slice import slice_
from tapeflow._src.ops.array.shape import shape, shape_of, static_ints
from tapeflow._src.ops.math.arithmetic import add_v2, floor_mod, sub
from tapeflow._src.ops.math.comparison import greater_equal
from tapeflow._src.ops.math.reduction import all_

# Draws numbers of a shape in [minval, maxval).
Draw = Callable[..., Any]


def stateful_draw(seed: Any) -> Draw:
    """Draw uniform numbers from the global state and an op seed."""
    return lambda shape, minval, maxval, **dtype: uniform(shape, minval, maxval, seed=seed, **dtype)


def stateless_draw(seed: Any) -> Draw:
    """Draw uniform numbers determined by a seed."""
    return lambda shape, minval, maxval, **dtype: stateless_uniform(
        shape, seed, minval, maxval, **dtype
    )


def _brightness(image: TensorLike, max_delta: Any, draw: Draw) -> Any:
    if max_delta < 0:
        raise ValueError(f"max_delta must be non-negative, got {max_delta}.")
    return adjust_brightness(image, draw([], -max_delta, max_delta))


def random_brightness(image: TensorLike, max_delta: Any, seed: Any = None) -> Tensor:
    """Adjust the brightness by a random delta in `[-max_delta, max_delta)`.

    Args:
        image: Images of any shape.
        max_delta: Non-negative bound, on a scale of [0, 1].
        seed: Op seed; see `tf.random.set_seed`.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: If `max_delta` is negative.

    Example:
        >>> tf.image.random_brightness(tf.zeros([2, 2, 3]), max_delta=0.2).shape
        TensorShape([2, 2, 3])
    """
    return _brightness(image, max_delta, stateful_draw(seed))


def stateless_random_brightness(image: TensorLike, max_delta: Any, seed: Any) -> Tensor:
    """Adjust the brightness by a delta in `[-max_delta, max_delta)` determined by `seed`.

    Args:
        image: Images of any shape.
        max_delta: Non-negative bound, on a scale of [0, 1].
        seed: Two integers.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: If `max_delta` is negative.

    Example:
        >>> tf.image.stateless_random_brightness(tf.zeros([2, 2, 3]), 0.2, seed=(1, 2)).shape
        TensorShape([2, 2, 3])
    """
    return _brightness(image, max_delta, stateless_draw(seed))


def _hue(image: TensorLike, max_delta: Any, draw: Draw) -> Any:
    if max_delta > 0.5:
        raise ValueError(f"max_delta must be <= 0.5, got {max_delta}.")
    if max_delta < 0:
        raise ValueError(f"max_delta must be non-negative, got {max_delta}.")
    return adjust_hue(image, draw([], -max_delta, max_delta))


def random_hue(image: TensorLike, max_delta: Any, seed: Any = None) -> Tensor:
    """Rotate the hue by a random delta in `[-max_delta, max_delta)`, a fraction of the circle.

    Args:
        image: RGB images.
        max_delta: Bound in [0, 0.5].
        seed: Op seed; see `tf.random.set_seed`.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: If `max_delta` is outside of [0, 0.5].

    Example:
        >>> tf.image.random_hue(tf.zeros([2, 2, 3]), max_delta=0.2).shape
        TensorShape([2, 2, 3])
    """
    return _hue(image, max_delta, stateful_draw(seed))


def stateless_random_hue(image: TensorLike, max_delta: Any, seed: Any) -> Tensor:
    """Rotate the hue by a delta in `[-max_delta, max_delta)` determined by `seed`.

    Args:
        image: RGB images.
        max_delta: Bound in [0, 0.5].
        seed: Two integers.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: If `max_delta` is outside of [0, 0.5].

    Example:
        >>> tf.image.stateless_random_hue(tf.zeros([2, 2, 3]), 0.2, seed=(1, 2)).shape
        TensorShape([2, 2, 3])
    """
    return _hue(image, max_delta, stateless_draw(seed))


def _factor(lower: Any, upper: Any, draw: Draw) -> Any:
    if upper <= lower:
        raise ValueError(f"upper must be > lower, got {upper} and {lower}.")
    if lower < 0:
        raise ValueError(f"lower must be non-negative, got {lower}.")
    return draw([], lower, upper)


def random_contrast(
    image: TensorLike, lower: TensorLike, upper: TensorLike, seed: Any = None
) -> Tensor:
    """Adjust the contrast by a random factor in `[lower, upper)`.

    Args:
        image: Tensor of shape (..., height, width, channels).
        lower: Least factor, 0 or more.
        upper: Bound of the factor, more than `lower`.
        seed: Op seed; see `tf.random.set_seed`.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: If the bounds are negative or in the wrong order.

    Example:
        >>> tf.image.random_contrast(tf.zeros([2, 2, 3]), 0.5, 1.5).shape
        TensorShape([2, 2, 3])
    """
    return adjust_contrast(image, _factor(lower, upper, stateful_draw(seed)))


def stateless_random_contrast(
    image: TensorLike, lower: TensorLike, upper: TensorLike, seed: Any
) -> Tensor:
    """Adjust the contrast by a factor in `[lower, upper)` determined by `seed`.

    Args:
        image: Tensor of shape (..., height, width, channels).
        lower: Least factor, 0 or more.
        upper: Bound of the factor, more than `lower`.
        seed: Two integers.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: If the bounds are negative or in the wrong order.

    Example:
        >>> tf.image.stateless_random_contrast(tf.zeros([2, 2, 3]), 0.5, 1.5, seed=(1, 2)).shape
        TensorShape([2, 2, 3])
    """
    return adjust_contrast(image, _factor(lower, upper, stateless_draw(seed)))


def random_saturation(
    image: TensorLike, lower: TensorLike, upper: TensorLike, seed: Any = None
) -> Tensor:
    """Adjust the saturation by a random factor in `[lower, upper)`.

    Args:
        image: RGB images.
        lower: Least factor, 0 or more.
        upper: Bound of the factor, more than `lower`.
        seed: Op seed; see `tf.random.set_seed`.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: If the bounds are negative or in the wrong order.

    Example:
        >>> tf.image.random_saturation(tf.zeros([2, 2, 3]), 0.5, 1.5).shape
        TensorShape([2, 2, 3])
    """
    return adjust_saturation(image, _factor(lower, upper, stateful_draw(seed)))


def stateless_random_saturation(
    image: TensorLike, lower: TensorLike, upper: TensorLike, seed: Any = None
) -> Tensor:
    """Adjust the saturation by a factor in `[lower, upper)` determined by `seed`.

    Args:
        image: RGB images.
        lower: Least factor, 0 or more.
        upper: Bound of the factor, more than `lower`.
        seed: Two integers.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: If the bounds are negative or in the wrong order.

    Example:
        >>> tf.image.stateless_random_saturation(tf.zeros([2, 2, 3]), 0.5, 1.5, seed=(1, 2)).shape
        TensorShape([2, 2, 3])
    """
    return adjust_saturation(image, _factor(lower, upper, stateless_draw(seed)))


@scoped("random_crop", names_result=True)
def _crop(value: TensorLike, size: Any, draw: Draw, name: str | None) -> Any:
    value = convert(value)
    size = convert(size, None, dtypes.int32)
    sizes = shape(value, out_type=size.dtype)
    fits = all_(greater_equal(sizes, size), static_ints((0,)))
    Assert(fits, ["Need value.shape >= size, got ", sizes, size], summarize=1000)
    limit = add_v2(sub(sizes, size), convert(1, size.dtype))
    numbers = draw(shape_of(sizes), None, size.dtype.max, dtype=size.dtype)
    return slice_(value, floor_mod(numbers, limit), size, name=name)


def random_crop(value: TensorLike, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """Crop a tensor to `size` at a random offset.

    Args:
        value: Tensor of any rank.
        size: Size of each axis of the crop, at most that of `value`.
        seed: Op seed; see `tf.random.set_seed`.

    Returns:
        A tensor of shape `size`.

    Raises:
        tf.errors.InvalidArgumentError: If the tensor is smaller than `size`.

    Example:
        >>> tf.image.random_crop(tf.zeros([8, 8, 3]), [4, 4, 3], seed=1).shape
        TensorShape([4, 4, 3])
    """

    def draw(shape: ShapeLike, minval: TensorLike, maxval: TensorLike, dtype: DTypeLike) -> Any:
        return uniform(shape, 0, maxval, dtype, seed)

    return _crop(value, size, draw, name)


def stateless_random_crop(
    value: TensorLike, size: Any, seed: Any, name: str | None = None
) -> Tensor:
    """Crop a tensor to `size` at an offset determined by `seed`.

    Args:
        value: Tensor of any rank.
        size: Size of each axis of the crop, at most that of `value`.
        seed: Two integers.

    Returns:
        A tensor of shape `size`.

    Raises:
        tf.errors.InvalidArgumentError: If the tensor is smaller than `size`.

    Example:
        >>> tf.image.stateless_random_crop(tf.zeros([8, 8, 3]), [4, 4, 3], seed=(1, 2)).shape
        TensorShape([4, 4, 3])
    """

    def draw(shape: ShapeLike, minval: TensorLike, maxval: TensorLike, dtype: DTypeLike) -> Any:
        return stateless_uniform(shape, seed, 0, maxval, dtype)

    return _crop(value, size, draw, name)
