"""Several augmentations in one: `RandAugment` and `AugMix`."""

from __future__ import annotations

import random as py_random
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.preprocessing.image.affine import (
    RandomRotation,
    RandomShear,
    RandomTranslation,
)
from tapeflow._src.keras.layers.preprocessing.image.base import BaseImagePreprocessingLayer, clipped
from tapeflow._src.keras.layers.preprocessing.image.colors import (
    RandomBrightness,
    RandomColorDegeneration,
    RandomContrast,
)
from tapeflow._src.keras.layers.preprocessing.image.filters import RandomSharpness
from tapeflow._src.keras.layers.preprocessing.image.tones import (
    AutoContrast,
    Equalization,
    RandomPosterization,
    Solarization,
)
from tapeflow.keras import random

_SHAPES = ("random_shear", "random_translation", "random_rotation")
_TONES = ("random_posterization", "solarization", "auto_contrast", "equalization")
_COLORS = (
    *("random_brightness", "random_color_degeneration", "random_contrast", "random_sharpness"),
)


class _Policy(BaseImagePreprocessingLayer):
    """Layers made of other augmentations."""

    _USE_BASE_FACTOR = False
    _FACTOR_BOUNDS = (0, 1)
    value_range: Any
    interpolation: str

    def _make_layers(self, names: tuple[str, ...], data_format: str | None, kwargs: Any) -> None:
        """Make the layers of these names, with one strength for all."""
        self._names = names
        factor = self.factor
        shared = {**kwargs, "data_format": data_format}
        seeded = {**shared, "seed": self.seed}
        sampled = {**seeded, "interpolation": self.interpolation}
        ranged = {**seeded, "value_range": self.value_range}
        values = {**shared, "value_range": self.value_range}
        makers: dict[str, Any] = {
            "random_shear": lambda: RandomShear(factor, factor, **sampled),
            "random_translation": lambda: RandomTranslation(factor, factor, **sampled),
            "random_rotation": lambda: RandomRotation(factor, **sampled),
            "random_posterization": lambda: RandomPosterization(
                max(1, int(8 * factor[1])), **ranged
            ),
            "solarization": lambda: Solarization(factor, factor, **ranged),
            "auto_contrast": lambda: AutoContrast(**values),
            "equalization": lambda: Equalization(**values),
            "random_brightness": lambda: RandomBrightness(factor, **ranged),
            "random_color_degeneration": lambda: RandomColorDegeneration(factor, **ranged),
            "random_contrast": lambda: RandomContrast(factor, **ranged),
            "random_sharpness": lambda: RandomSharpness(factor, **ranged),
        }
        for name in names:
            setattr(self, name, makers[name]())


class RandAugment(_Policy):
    """Applies some augmentations, drawn at random for a batch, in training (Cubuk et al., 2020).

    Args:
        value_range: Lowest and highest pixel value.
        num_ops: Number of augmentations applied one after the other.
        factor: Range of their strength, between 0 and 1; one number for its upper limit.
        interpolation: `"bilinear"` or `"nearest"`.
        seed: Seed of the random numbers; None for a new one.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` is not between 0 and 1.

    Example:
        >>> layer = tf.keras.layers.RandAugment(num_ops=2, factor=0.3)
        >>> layer(tf.ones((2, 8, 8, 3)), training=True).shape
        TensorShape([2, 8, 8, 3])
    """

    _settings = ("value_range", "num_ops", "factor", "interpolation", "seed")

    def __init__(
        self,
        value_range: Any = (0, 255),
        num_ops: int = 2,
        factor: Any = 0.5,
        interpolation: str = "bilinear",
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self.value_range, self.num_ops = value_range, num_ops
        self._set_factor(factor)
        self.interpolation = interpolation
        self._set_seed(seed)
        self._make_layers((*_SHAPES, *_COLORS, *_TONES), data_format, kwargs)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        count = len(self._names)
        return {
            "layer_idxes": random.randint((self.num_ops,), 0, count, seed=self.generator),
            "transforms": {
                name: getattr(self, name).get_random_transformation(
                    data, training=training, seed=self.generator
                )
                for name in self._names
            },
        }

    def _applied(self, method: str, values: Any, transformation: Any) -> Any:
        """Call a method of the chosen layers one after the other."""
        for step in range(self.num_ops):
            chosen = transformation["layer_idxes"][step]
            branches = [self._branch(name, method, values, transformation) for name in self._names]
            values = tf.switch_case(chosen, branches)
        return values

    def _branch(self, name: str, method: str, values: TensorLike, transformation: Any) -> Any:
        transform = getattr(getattr(self, name), method)
        drawn = transformation["transforms"][name]
        return lambda: _of_dtype(transform(values, drawn), values)

    def transform_images(
        self, images: TensorLike, transformation: Any, training: bool = True
    ) -> Any:
        images = tf.cast(images, self.compute_dtype)
        return self._applied("transform_images", images, transformation) if training else images

    def transform_bounding_boxes(
        self, bounding_boxes: Any, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return bounding_boxes
        boxes = {
            "boxes": tf.cast(bounding_boxes["boxes"], "float32"),
            "labels": tf.convert_to_tensor(bounding_boxes["labels"]),
        }
        return self._applied("transform_bounding_boxes", boxes, transformation)

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return segmentation_masks
        return self._applied("transform_segmentation_masks", segmentation_masks, transformation)


def _of_dtype(values: TensorLike, like: Any) -> Any:
    """Return values with the dtypes of others: all branches of a choice must agree."""
    return tf.nest.map_structure(lambda value, other: tf.cast(value, other.dtype), values, like)


class AugMix(_Policy):
    """Mixes each image with several chains of augmentations of it in training.

    See Hendrycks et al. (2020).

    Args:
        value_range: Lowest and highest pixel value.
        num_chains: Number of chains that are mixed.
        chain_depth: Largest number of augmentations of a chain.
        factor: Range of their strength, between 0 and 1; one number for its upper limit.
        alpha: Parameter of the Dirichlet and beta distributions of the weights.
        all_ops: Whether augmentations of color are used as well.
        interpolation: `"bilinear"` or `"nearest"`.
        seed: Seed of the random numbers; None for a new one.
        data_format: `"channels_last"` or `"channels_first"`; None for the global setting.
        **kwargs: Arguments of `Layer`, and `bounding_box_format` for dicts with boxes.

    Raises:
        ValueError: `factor` is not between 0 and 1.

    Example:
        >>> layer = tf.keras.layers.AugMix(num_chains=2, chain_depth=1)
        >>> layer(tf.ones((1, 8, 8, 3)), training=True).shape
        TensorShape([1, 8, 8, 3])
    """

    _settings = (
        *("value_range", "num_chains", "chain_depth", "factor", "alpha", "all_ops"),
        *("interpolation", "seed"),
    )

    def __init__(
        self,
        value_range: Any = (0, 255),
        num_chains: int = 3,
        chain_depth: int = 3,
        factor: Any = 0.3,
        alpha: float = 1.0,
        all_ops: bool = True,
        interpolation: str = "bilinear",
        seed: int | None = None,
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self.value_range = value_range
        self.num_chains, self.chain_depth = num_chains, chain_depth
        self._set_factor(factor)
        self.alpha, self.all_ops = alpha, all_ops
        self.interpolation = interpolation
        self._set_seed(seed)
        names = (*_SHAPES, *_TONES, *(_COLORS if all_ops else ()))
        self._make_layers(names, data_format, kwargs)

    def get_random_transformation(self, data: Any, training: bool = True, seed: Any = None) -> Any:
        if not training:
            return None
        seed = self.generator if seed is None else seed
        weights = random.gamma((self.num_chains,), self.alpha, seed=seed)
        return {
            "chain_mixing_weights": weights / tf.reduce_sum(weights, axis=-1, keepdims=True),
            "weight_sample": random.beta((), self.alpha, self.alpha, seed=seed),
            "chain_transforms": [self._chain(data) for _ in range(self.num_chains)],
        }

    def _chain(self, data: Any) -> list[dict[str, Any]]:
        """Draw the augmentations of a chain; one of the choices is none."""
        names = [py_random.choice((*self._names, None)) for _ in range(self.chain_depth)]
        return [
            {
                "layer_name": name,
                "transformation": getattr(self, name).get_random_transformation(
                    data, seed=self.generator
                ),
            }
            for name in names
            if name is not None
        ]

    def _mixed(self, method: str, values: TensorLike, transformation: Any) -> Any:
        values = tf.cast(values, self.compute_dtype)
        weights = tf.cast(transformation["chain_mixing_weights"], values.dtype)
        share = tf.cast(transformation["weight_sample"], values.dtype)
        mixed = tf.zeros_like(values)
        for number, chain in enumerate(transformation["chain_transforms"]):
            changed = values
            for step in chain:
                transform = getattr(getattr(self, step["layer_name"]), method)
                changed = tf.cast(transform(changed, step["transformation"]), values.dtype)
            mixed += changed * weights[number]
        return share * values + (1 - share) * mixed

    def transform_images(
        self, images: TensorLike, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return tf.cast(images, self.compute_dtype)
        return clipped(self._mixed("transform_images", images, transformation), self.value_range)

    def transform_segmentation_masks(
        self, segmentation_masks: Any, transformation: Any, training: bool = True
    ) -> Any:
        if not training:
            return segmentation_masks
        return self._mixed("transform_segmentation_masks", segmentation_masks, transformation)
