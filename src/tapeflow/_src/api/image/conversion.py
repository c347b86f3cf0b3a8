"""Convert images between dtypes: floats in [0, 1], integers over their full range."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.math.arithmetic import multiply
from tapeflow._src.api.math.casting import cast, saturate_cast
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.eager.fused import fused
from tapeflow._src.ops.array.shape import identity
from tapeflow._src.ops.math.arithmetic import floor_div


def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """Convert an image to `dtype` and scale its values to the range of that dtype.

    Args:
        image: Floats in [0, 1] or integers over the range of their dtype.
        dtype: The dtype of the result.
        saturate: Whether to clip instead of overflow.
        name: Name of the op in a graph.

    Returns:
        A tensor of dtype `dtype` and of the same shape.

    Raises:
        AttributeError: If a dtype is neither an integer nor a floating-point one.

    Example:
        >>> tf.image.convert_image_dtype(np.array([0, 255], np.uint8), tf.float32).numpy()
        array([0., 1.], dtype=float32)
    """
    image = convert(image)
    target = as_dtype(dtype)
    for kind, what in ((target, "dtype"), (image.dtype, "image dtype")):
        if not kind.is_floating and not kind.is_integer:
            raise AttributeError(f"The {what} must be an integer or float dtype. Received: {kind}")
    if image.dtype is target:
        return identity(image, name=name)
    return _converted(image, target, saturate, name)


@scoped("convert_image", names_result=True)
@fused
def _converted(image: Any, target: Any, saturate: bool, name: str | None) -> Any:
    to = saturate_cast if saturate else cast
    if image.dtype.is_floating and target.is_floating:
        return cast(image, target, name)
    if image.dtype.is_integer and target.is_integer:
        return _between_integers(image, target, to, name)
    if image.dtype.is_integer:
        floats = cast(image, target)
        return multiply(floats, convert(1.0 / image.dtype.max, target), name=name)
    # Half a step more, so that each integer has an equal share of the range.
    return to(multiply(image, convert(target.max + 0.5, image.dtype)), target, name)


def _between_integers(image: Any, target: Any, to: Any, name: str | None) -> Any:
    highest, target_highest = int(image.dtype.max), int(target.max)
    if highest > target_highest:
        step = (highest + 1) // (target_highest + 1)
        return to(floor_div(image, convert(step, image.dtype)), target, name)
    step = (target_highest + 1) // (highest + 1)
    return multiply(to(image, target), convert(step, target), name=name)
