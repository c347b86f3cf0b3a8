"""Base class of image layers: kinds of inputs, random factors, boxes, value ranges.

A layer says what it draws at random in `get_random_transformation`, and what that means for
images in `transform_images`. Labels, boxes and masks are passed through by default.
"""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.random.seed_generator import SeedGenerator
from tapeflow._src.keras.utils.bounding_boxes.formats import convert_format
from tapeflow._src.keras.utils.bounding_boxes.geometry import clip_to_image_size
from tapeflow._src.keras.utils.bounding_boxes.validation import densify_bounding_boxes
from tapeflow.keras import random

Range = tuple[float, float]


class BaseImagePreprocessingLayer(Layer):
    """Base class of layers for images.

    Inputs are an image of rank 3, a batch of rank 4, or a dict with `"images"`, and perhaps
    `"labels"`, `"bounding_boxes"` and `"segmentation_masks"`, which are transformed along.

    A call without `training` runs as in training. A subclass draws what is random in
    `get_random_transformation`, and applies it in `transform_images` and its siblings.

    Args:
        factor: Range of a random factor: two numbers, or one for both directions.
        bounding_box_format: Format of boxes in dicts, such as `"xyxy"`.
        data_format: `"channels_last"` or `"channels_first"`.

    Raises:
        ValueError: The factor is out of range, or the layer has none.

    Example:
        >>> layer = tf.keras.layers.RandomFlip("horizontal", bounding_box_format="xyxy")
        >>> data = {"images": tf.ones((1, 4, 4, 3)), "labels": tf.constant([7])}
        >>> outputs = layer(data)
        >>> outputs["images"].shape, outputs["labels"].numpy()
        (TensorShape([1, 4, 4, 3]), array([7], dtype=int32))
    """

    _USE_BASE_FACTOR = True
    _FACTOR_BOUNDS: Range = (-1, 1)
    # The attributes that `get_config` lists.
    _settings: tuple[str, ...] = ()

    def __init__(
        self,
        factor: Any = None,
        bounding_box_format: str | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.bounding_box_format = bounding_box_format
        self.data_format = standardize_data_format(data_format)
        self._allow_non_tensor_positional_args = True
        if self._USE_BASE_FACTOR:
            self._set_factor(factor or 0.0)
        elif factor is not None:
            raise ValueError(f"{type(self).__name__} has no `factor`. Received: factor={factor}")

    # -- what subclasses define --------------------------------------------------------------

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        """Draw what is random about one call.

        Args:
            data: Images, or a dict with `"images"`.
            training: Whether the layer runs as in training; most layers draw nothing otherwise.
            seed: Seed, or seed generator; None for the layer's own.

        Returns:
            What `transform_images` and its siblings receive as `transformation`; None where nothing
            is random.
        """
        return None

    def transform_images(
        self, images: TensorLike, transformation: Any, training: bool = True
    ) -> Any:
        """Transform a batch of images.

        Args:
            images: Tensor of rank 4 in the layer's `data_format`.
            transformation: What `get_random_transformation` returned.
            training: Whether the layer runs as in training; most layers return images as they are
                otherwise.

        Returns:
            The transformed images.
        """
        raise NotImplementedError(f"{type(self).__name__} must define `transform_images`.")

    def transform_labels(
        self, labels: TensorLike, transformation: Any, training: bool = True
    ) -> Any:
        """Transform the labels of a batch.

        Args:
            labels: Tensor with the batch as first axis.
            transformation: What `get_random_transformation` returned.
            training: Whether the layer runs as in training.

        Returns:
            The labels; the same unless the layer mixes images.
        """
        return labels

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        """Transform the boxes of a batch.

        Args:
            bounding_boxes: Dict with `"boxes"` of shape (batch, number, 4), in the layer's
                `bounding_box_format`, and `"labels"` of shape (batch, number).
            transformation: What `get_random_transformation` returned.
            training: Whether the layer runs as in training.

        Returns:
            A dict of the same kind; boxes are clipped to the image.
        """
        return bounding_boxes

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any, training: bool = True
    ) -> Any:
        """Transform the segmentation masks of a batch.

        Args:
            segmentation_masks: Tensor with the axes of images; its channels are classes.
            transformation: What `get_random_transformation` returned.
            training: Whether the layer runs as in training.

        Returns:
            The transformed masks.
        """
        return segmentation_masks

    # -- single images -----------------------------------------------------------------------

    def transform_single_image(self, image: Any, transformation: Any, training: bool = True) -> Any:
        """Transform one image.

        Args:
            image: Tensor of rank 3.
            transformation: What `get_random_transformation` returned.
            training: Whether the layer runs as in training.

        Returns:
            The transformed image.
        """
        return self.transform_images(image[None], transformation, training=training)[0]

    def transform_single_label(self, label: Any, transformation: Any, training: bool = True) -> Any:
        """Transform the label of one image.

        Args:
            label: Tensor without a batch axis.
            transformation: What `get_random_transformation` returned.
            training: Whether the layer runs as in training.

        Returns:
            The transformed label.
        """
        return self.transform_labels(label[None], transformation, training=training)[0]

    def transform_single_bounding_box(
        self, bounding_box: Any, transformation: Any, training: bool = True
    ) -> Any:
        """Transform the boxes of one image.

        Args:
            bounding_box: Dict with `"boxes"` of shape (number, 4) and `"labels"` of shape
                (number,).
            transformation: What `get_random_transformation` returned.
            training: Whether the layer runs as in training.

        Returns:
            A dict of the same kind.
        """
        keys = ("boxes", "labels")
        batch = {k: v[None] if k in keys else v for k, v in bounding_box.items()}
        transformed = self.transform_bounding_boxes(batch, transformation, training=training)
        return {k: v[0] if k in keys else v for k, v in transformed.items()}

    def transform_single_segmentation_mask(
        self, segmentation_mask: Any, transformation: Any, training: bool = True
    ) -> Any:
        """Transform the segmentation mask of one image.

        Args:
            segmentation_mask: Tensor with the axes of an image.
            transformation: What `get_random_transformation` returned.
            training: Whether the layer runs as in training.

        Returns:
            The transformed mask.
        """
        masks = segmentation_mask[None]
        return self.transform_segmentation_masks(masks, transformation, training=training)[0]

    # -- calling -----------------------------------------------------------------------------

    def call(self, data: Any, training: Any = True) -> Any:
        """Transform images, and what a dict holds beside them.

        Args:
            data: Image of rank 3, batch of rank 4, or dict with `"images"`.
            training: Whether the layer runs as in training, which is the default.

        Returns:
            Images, or a dict with the keys of the input.

        Raises:
            ValueError: The rank of the images is another, or boxes come without a format.
        """
        images = tf.convert_to_tensor(images_of(data))
        rank = images.shape.rank
        if rank not in (3, 4):
            raise ValueError(
                f"{type(self).__name__}: expected an image of rank 3 or a batch of rank 4. "
                f"Received: data.shape={images.shape}"
            )
        random_inputs = {**data, "images": images} if isinstance(data, dict) else images
        transformation = self.get_random_transformation(random_inputs, training=training)
        kwargs = {"transformation": transformation, "training": training}
        single = rank == 3
        transform = self.transform_single_image if single else self.transform_images
        outputs = transform(images, **kwargs)
        if not isinstance(data, dict):
            return outputs
        return {**data, "images": outputs, **self._transformed_rest(data, single, kwargs)}

    def _transformed_rest(
        self, data: dict[str, Any], single: bool, kwargs: dict[str, Any]
    ) -> dict[str, Any]:
        """Transform what is in a dict beside the images."""
        transformed: dict[str, Any] = {}
        if "bounding_boxes" in data:
            if not self.bounding_box_format:
                raise ValueError(
                    f"{type(self).__name__} received 'bounding_boxes': pass their format to the "
                    f"layer, such as bounding_box_format='xyxy'."
                )
            boxes = densify_bounding_boxes(data["bounding_boxes"], is_batched=not single)
            transform: Any = (
                self.transform_single_bounding_box if single else self.transform_bounding_boxes
            )
            transformed["bounding_boxes"] = transform(boxes, **kwargs)
        if "labels" in data:
            transform = self.transform_single_label if single else self.transform_labels
            transformed["labels"] = transform(tf.convert_to_tensor(data["labels"]), **kwargs)
        if "segmentation_masks" in data:
            transform = (
                self.transform_single_segmentation_mask
                if single
                else self.transform_segmentation_masks
            )
            masks = tf.convert_to_tensor(data["segmentation_masks"])
            transformed["segmentation_masks"] = transform(masks, **kwargs)
        return transformed

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "data_format": self.data_format}
        if self.bounding_box_format is not None:
            config["bounding_box_format"] = self.bounding_box_format
        return {**config, **{name: getattr(self, name) for name in self._settings}}

    # -- tools -------------------------------------------------------------------------------

    def _set_factor(self, factor: Any) -> None:
        self.factor = factor_range(factor, self._FACTOR_BOUNDS)

    def _set_seed(self, seed: int | None) -> None:
        self.seed = seed
        self.generator = SeedGenerator(seed)

    def _uniform(
        self, shape: ShapeLike, limits: Any, seed: Any, dtype: DTypeLike = "float32"
    ) -> Any:
        """Draw between two limits, from the layer's own seeds if `seed` is None."""
        seed = self.generator if seed is None else seed
        return random.uniform(shape, limits[0], limits[1], dtype=dtype, seed=seed)

    def _chosen(self, data: Any, seed: Any) -> Any:
        """Draw which images are transformed, where the factor is the range of a probability."""
        shape = (batch_size(images_of(data)),)
        probability = self._uniform(shape, self.factor, seed)
        return self._uniform(shape, (0.0, 1.0), seed) < probability

    @property
    def _axes(self) -> tuple[int, int, int]:
        """The axes of height, width and channels."""
        return (-3, -2, -1) if self.data_format == "channels_last" else (-2, -1, -3)

    def _sizes(self, shape: Any) -> tuple[Any, Any]:
        """Return height and width from the shape of images."""
        return shape[self._axes[0]], shape[self._axes[1]]

    def _in_range(
        self, images: TensorLike, source: Any, target: Any, dtype: DTypeLike | None = None
    ) -> Any:
        """Map values of one range linearly to another."""
        if tuple(source) == tuple(target):
            return images
        images = tf.cast(images, dtype or self.compute_dtype)
        scaled = (images - source[0]) / (source[1] - source[0])
        return scaled * (target[1] - target[0]) + target[0]

    def _boxes_through(
        self, bounding_boxes: TensorLike, change: Any, height: Any, width: Any, within: str = "xyxy"
    ) -> Any:
        """Apply `change` to boxes in the format `within`, and clip them to the image."""
        own = self.bounding_box_format or "xyxy"
        boxes = convert_format(bounding_boxes, own, within, height, width)
        boxes = {**boxes, "boxes": change(boxes["boxes"])}
        boxes = clip_to_image_size(boxes, height, width, within)
        return convert_format(boxes, within, own, height, width)


def images_of(data: Any) -> Any:
    """Return the images of a dict, or what is an image itself."""
    return data["images"] if isinstance(data, dict) else data


def static_sizes(tensor: Any) -> tuple[Any, ...]:
    """Return the shape as integers, with tensors where a size is not known before the call."""
    shape = tensor.shape
    if all(size is not None for size in shape):
        return tuple(shape)
    dynamic = tf.shape(tensor)
    return tuple(dynamic[axis] if size is None else size for axis, size in enumerate(shape))


def batch_size(images: Any) -> Any:
    """Return the number of images; a single one counts as a batch."""
    return 1 if len(images.shape) == 3 else static_sizes(images)[0]


def factor_range(factor: Any, bounds: Range, name: str = "factor") -> Range:
    """Return two limits of a random factor; ValueError unless they overlap `bounds`."""
    if isinstance(factor, (tuple, list)) and len(factor) == 2:
        lower, upper = sorted(factor)
        if factor[0] <= bounds[1] and factor[1] >= bounds[0]:
            return lower, upper
    elif isinstance(factor, (int, float)) and bounds[0] <= factor <= bounds[1]:
        return max(-abs(factor), bounds[0]), abs(factor)
    raise ValueError(
        f"`{name}` must be a number or two numbers between {bounds[0]} and {bounds[1]}. "
        f"Received: {name}={factor}"
    )


def strict_range(factor: Any, bounds: Range, name: str, symmetric: bool = True) -> Range:
    """Return two limits of a factor; ValueError unless both lie within `bounds`."""
    values = factor if isinstance(factor, (tuple, list)) else (factor,)
    numbers = all(isinstance(value, (int, float)) for value in values)
    if not numbers or len(values) > 2 or not values or isinstance(factor, str):
        within = False
    else:
        within = all(bounds[0] <= value <= bounds[1] for value in values)
    if not within or (isinstance(factor, (tuple, list)) and len(values) != 2):
        raise ValueError(
            f"`{name}` must be a number or two numbers between {bounds[0]} and {bounds[1]}. "
            f"Received: {name}={factor}"
        )
    if len(values) == 2:
        lower, upper = sorted(values)
        return lower, upper
    return (-abs(factor), abs(factor)) if symmetric else (0, factor)


def value_limits(value_range: Any) -> list[Any]:
    """Return the limits of pixel values in order."""
    if not isinstance(value_range, (tuple, list)) or len(value_range) != 2:
        raise ValueError(f"`value_range` must be two numbers. Received: value_range={value_range}")
    return sorted(value_range)


def one_of(value: str, allowed: tuple[str, ...], name: str) -> str:
    """Return a word that must be among the allowed ones."""
    if value not in allowed:
        raise NotImplementedError(f"Unknown `{name}`: {value!r}. Expected one of {allowed}")
    return value


def per_image(values: TensorLike) -> Any:
    """Expand values of a batch by axes for height, width and channels."""
    return tf.reshape(values, (-1, 1, 1, 1))


def clipped(images: Any, value_range: Any) -> Any:
    """Clip values to their range."""
    low, high = (tf.cast(value, images.dtype) for value in value_range)
    return tf.clip_by_value(images, low, high)
