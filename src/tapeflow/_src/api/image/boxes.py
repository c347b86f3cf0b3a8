"""Bounding boxes: crop, draw and sample them."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.random.algorithm import seed_tensor
from tapeflow._src.api.random.stateful import op_seeds
from tapeflow._src.core import random_state
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.image import bounding_boxes as image_boxes
from tapeflow._src.ops.image import sampling as image_sampling
from tapeflow._src.ops.image.crop import crop_and_resize as crop_and_resize_op


def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Crop boxes from images and resize the crops to one size.

    Args:
        image: `[batch, height, width, channels]`.
        boxes: `[boxes, 4]`: `[y1, x1, y2, x2]` as fractions of the height and width.
        box_indices: The image of each box.
        crop_size: The height and width of the crops.
        method: "bilinear" or "nearest".
        extrapolation_value: The value outside of the image.
        name: Name of the op in a graph.

    Returns:
        A float32 tensor of shape (boxes, crop_height, crop_width, channels).

    Example:
        >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        >>> box = [[0.0, 0.0, 1.0, 1.0]]
        >>> tf.image.crop_and_resize(image, box, [0], [2, 2]).numpy()[0, ..., 0]
        array([[ 0.,  3.],
               [12., 15.]], dtype=float32)
    """
    return crop_and_resize_op(
        image,
        convert(boxes, float32),
        box_indices,
        crop_size,
        method=method,
        extrapolation_value=extrapolation_value,
        name=name,
    )


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, colors: Any, name: str | None = None
) -> Tensor:
    """Draw the outlines of boxes into images.

    Args:
        images: `[batch, height, width, channels]`.
        boxes: `[batch, boxes, 4]`: `[y1, x1, y2, x2]` as fractions of the height and width.
        colors: `[colors, channels]`, used in turn.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `images`.

    Example:
        >>> image = tf.zeros([1, 3, 3, 1])
        >>> box = [[[0.0, 0.0, 1.0, 1.0]]]
        >>> tf.image.draw_bounding_boxes(image, box, [[1.0]]).numpy()[0, ..., 0]
        array([[1., 1., 1.],
               [1., 0., 1.],
               [1., 1., 1.]], dtype=float32)
    """
    boxes = convert(boxes, float32)
    if colors is None:
        return image_boxes.draw_bounding_boxes(images, boxes, name=name)
    return image_boxes.draw_bounding_boxes_v2(images, boxes, convert(colors, float32), name=name)


def _attributes(**attributes: Any) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}


def _call(
    op: Any, inputs: tuple[Any, ...], attributes: Any, op_name: str | None, name: str | None
) -> Any:
    """Execute an op in a name scope of the name that the op may have."""
    return op(*inputs, name=op_name, **attributes)


_sample = scoped("sample_distorted_bounding_box")(_call)
_sample_from_seed = scoped("stateless_sample_distorted_bounding_box")(_call)


def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: TensorLike,
    seed: int = 0,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """Sample a random crop that covers part of a bounding box.

    Args:
        image_size: The height, width and channels of the image.
        bounding_boxes: `[batch, boxes, 4]`: `[y1, x1, y2, x2]` as fractions of the image.
        seed: An op seed; 0 means none.
        min_object_covered: The least fraction of a box that the crop must cover.
        aspect_ratio_range: Bounds of width / height.
        area_range: Bounds of the fraction of the image's area.
        max_attempts: The number of attempts before the whole image is returned.
        use_image_if_no_bounding_boxes: Whether the image counts as the box if there is none.
        name: Name of the op in a graph.

    Returns:
        `begin` and `size` for `tf.slice`, and the crop as a box.

    Example:
        >>> begin, size, box = tf.image.sample_distorted_bounding_box(
        ...     [64, 64, 3], tf.constant([[[0.2, 0.2, 0.8, 0.8]]]), seed=1
        ... )
        >>> crop = tf.slice(tf.zeros([64, 64, 3]), begin, size)
        >>> crop.shape[-1], box.shape
        (3, TensorShape([1, 1, 4]))
    """
    if not seed and random_state.determinism_required():
        raise ValueError(
            f"With deterministic ops, sample_distorted_bounding_box needs a seed other than 0, "
            f"such as seed=1. Received: seed={seed}"
        )
    attributes = _attributes(
        aspect_ratio_range=aspect_ratio_range,
        area_range=area_range,
        max_attempts=max_attempts,
        use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
    )
    if seed:
        attributes.update(op_seeds(seed))
    inputs = image_size, convert(bounding_boxes, float32), convert(min_object_covered, float32)
    return _sample(image_sampling.sample_distorted_bounding_box_v2, inputs, attributes, name, name)


def stateless_sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: TensorLike,
    seed: Any,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """Sample a crop as `sample_distorted_bounding_box`, determined by `seed`.

    Args:
        image_size: The height, width and channels of the image.
        bounding_boxes: `[batch, boxes, 4]`: `[y1, x1, y2, x2]` as fractions of the image.
        seed: Two integers.
        min_object_covered: The least fraction of a box that the crop must cover.
        aspect_ratio_range: Bounds of width / height.
        area_range: Bounds of the fraction of the image's area.
        max_attempts: The number of attempts before the whole image is returned.
        use_image_if_no_bounding_boxes: Whether the image counts as the box if there is none.

    Returns:
        `begin` and `size` for `tf.slice`, and the crop as a box.

    Example:
        >>> begin, size, box = tf.image.stateless_sample_distorted_bounding_box(
        ...     [64, 64, 3], tf.constant([[[0.2, 0.2, 0.8, 0.8]]]), seed=(1, 2)
        ... )
        >>> begin.shape, size.shape, box.shape
        (TensorShape([3]), TensorShape([3]), TensorShape([1, 1, 4]))
    """
    attributes = _attributes(
        aspect_ratio_range=aspect_ratio_range,
        area_range=area_range,
        max_attempts=max_attempts,
        use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
    )
    inputs = image_size, convert(bounding_boxes, float32), convert(min_object_covered, float32)
    op = image_sampling.stateless_sample_distorted_bounding_box
    return _sample_from_seed(op, (*inputs, seed_tensor(seed)), attributes, name, name)
