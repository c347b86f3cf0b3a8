"""Dropout and noise layers, active in training only."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.random.seed_generator import SeedGenerator
from tapeflow.keras import random


class _Noisy(Layer):
    """Base class: holds the seed and checks that the rate lies between 0 and 1."""

    _tpf_has_no_weights = True

    def __init__(self, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seed = seed
        self.supports_masking = True

    def _set_rate(self, rate: Any) -> None:
        if not 0 <= rate <= 1:
            raise ValueError(
                f"{type(self).__name__}: `rate` is the fraction of values to drop, between 0 and "
                f"1. Received: rate={rate}"
            )
        self.rate = rate
        self._make_generator(rate > 0)

    def _make_generator(self, needed: bool) -> None:
        if needed:
            self.seed_generator = SeedGenerator(self.seed)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape


class Dropout(_Noisy):
    """Sets a random fraction of the inputs to zero in training.

    The others are scaled by `1 / (1 - rate)`. At inference the inputs are returned unchanged.

    Args:
        rate: Fraction of the inputs to drop, between 0 and 1.
        noise_shape: Shape of the random mask, broadcast to the inputs; None for their shape.
        seed: Seed of the random mask.

    >>> layer = tf.keras.layers.Dropout(0.5)
    >>> layer(tf.ones((1, 4)), training=False).numpy()
    array([[1., 1., 1., 1.]], dtype=float32)

    Call arguments:
        inputs: Tensor of any shape.
        training: Whether values are dropped.

    Raises:
        ValueError: `rate` does not lie between 0 and 1, or `noise_shape` is invalid.
    """

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed, **kwargs)
        self._set_rate(rate)
        if noise_shape is not None:
            noise_shape = _checked_noise_shape(noise_shape)
        self.noise_shape = noise_shape

    def call(self, inputs: Any, training: Any = False) -> Any:
        if training and self.rate > 0:
            noise_shape = self._noise_shape(inputs)
            return random.dropout(inputs, self.rate, noise_shape, seed=self.seed_generator)
        return inputs

    def _noise_shape(self, inputs: Any) -> Any:
        return self.noise_shape

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "rate": self.rate,
            "seed": self.seed,
            "noise_shape": self.noise_shape,
        }


def _checked_noise_shape(noise_shape: Any) -> tuple[int | None, ...]:
    if not isinstance(noise_shape, (tuple, list)):
        raise ValueError(
            f"`noise_shape` must be a tuple or list. Received: noise_shape={noise_shape} of type "
            f"{type(noise_shape)}"
        )
    for size in noise_shape:
        if size is not None and (not isinstance(size, int) or size <= 0):
            raise ValueError(
                f"Invalid value in `noise_shape`: its elements must be positive integers or "
                f"None. Received: noise_shape={noise_shape}"
            )
    return tuple(noise_shape)


class _SpatialDropout(Dropout):
    """Base class: drops whole feature maps."""

    def __init__(
        self, rate: float, seed: int | None = None, name: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__(rate, seed=seed, name=name, dtype=dtype)

    def get_config(self) -> dict[str, Any]:
        return {
            "rate": self.rate,
            "seed": self.seed,
            "name": self.name,
            "dtype": self.dtype,
        }


class SpatialDropout1D(_SpatialDropout):
    """Drops whole channels of sequences in training: `Dropout` with one mask for all steps.

    Inputs have the shape (batch, steps, channels).

    Args:
        rate: Fraction of the channels to drop, between 0 and 1.
        seed: Seed of the random mask.
        dtype: Dtype, or dtype policy, of the layer.

    Raises:
        ValueError: `rate` does not lie between 0 and 1.

    Example:
        >>> layer = tf.keras.layers.SpatialDropout1D(0.5)
        >>> x = layer(tf.ones((1, 3, 8)), training=True)
        >>> bool(tf.reduce_all(x[:, 0] == x[:, 2]))
        True
    """

    def __init__(
        self, rate: float, seed: int | None = None, name: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__(rate, seed=seed, name=name, dtype=dtype)
        self.input_spec = InputSpec(ndim=3)

    def _noise_shape(self, inputs: Any) -> Any:
        return (None, 1, None)


class _SpatialDropoutOfImages(_SpatialDropout):
    _axes: int

    def __init__(
        self,
        rate: float,
        data_format: str | None = None,
        seed: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(rate, seed=seed, name=name, dtype=dtype)
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self._axes + 2)

    def _noise_shape(self, inputs: Any) -> Any:
        ones = (1,) * self._axes
        first = self.data_format == "channels_first"
        return (None, None, *ones) if first else (None, *ones, None)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "data_format": self.data_format}


class SpatialDropout2D(_SpatialDropoutOfImages):
    """Drops whole feature maps of images in training.

    Inputs have the shape (batch, height, width, channels).

    Args:
        rate: Fraction of the feature maps to drop, between 0 and 1.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.
        seed: Seed of the random mask.
        dtype: Dtype, or dtype policy, of the layer.

    Raises:
        ValueError: `rate` does not lie between 0 and 1.

    Example:
        >>> tf.keras.layers.SpatialDropout2D(0.5)(tf.ones((1, 4, 4, 8)), training=True).shape
        TensorShape([1, 4, 4, 8])
    """

    _axes = 2


class SpatialDropout3D(_SpatialDropoutOfImages):
    """Drops whole feature maps of volumes in training.

    Inputs have the shape (batch, depth, height, width, channels).

    Args:
        rate: Fraction of the feature maps to drop, between 0 and 1.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.
        seed: Seed of the random mask.
        dtype: Dtype, or dtype policy, of the layer.

    Raises:
        ValueError: `rate` does not lie between 0 and 1.

    Example:
        >>> tf.keras.layers.SpatialDropout3D(0.5)(tf.ones((1, 4, 4, 4, 2)), training=True).shape
        TensorShape([1, 4, 4, 4, 2])
    """

    _axes = 3


class GaussianNoise(_Noisy):
    """Adds Gaussian noise of mean 0 in training.

    Args:
        stddev: Standard deviation of the noise.
        seed: Seed of the noise.

    Raises:
        ValueError: `stddev` is negative.

    Example:
        >>> layer = tf.keras.layers.GaussianNoise(0.1)
        >>> layer(tf.ones((1, 3)), training=False).numpy()
        array([[1., 1., 1.]], dtype=float32)
    """

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed, **kwargs)
        if not stddev >= 0:
            raise ValueError(
                f"GaussianNoise: `stddev` must be a number >= 0. Received: stddev={stddev}"
            )
        self.stddev = stddev
        self._make_generator(stddev > 0)

    def call(self, inputs: Any, training: Any = False) -> Any:
        if training and self.stddev > 0:
            return inputs + random.normal(
                tf.shape(inputs), 0.0, self.stddev, self.compute_dtype, seed=self.seed_generator
            )
        return inputs

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "stddev": self.stddev, "seed": self.seed}


class GaussianDropout(_Noisy):
    """Multiplies the inputs by Gaussian noise of mean 1 in training.

    Args:
        rate: Drop rate that the noise corresponds to: its deviation is `sqrt(rate / (1 - rate))`.
        seed: Seed of the noise.

    Raises:
        ValueError: `rate` does not lie between 0 and 1.

    Example:
        >>> layer = tf.keras.layers.GaussianDropout(0.5)
        >>> layer(tf.ones((1, 3)), training=False).numpy()
        array([[1., 1., 1.]], dtype=float32)
    """

    def __init__(self, rate: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(seed, **kwargs)
        self._set_rate(rate)

    def call(self, inputs: Any, training: Any = False) -> Any:
        if training and self.rate > 0:
            stddev = math.sqrt(self.rate / (1.0 - self.rate))
            return inputs * random.normal(
                tf.shape(inputs), 1.0, stddev, self.compute_dtype, seed=self.seed_generator
            )
        return inputs

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "rate": self.rate, "seed": self.seed}


class AlphaDropout(_Noisy):
    """Dropout for SELU networks: preserves mean and variance.

    Args:
        rate: Fraction of the inputs to drop.
        noise_shape: Shape of the random mask, broadcast to the inputs.
        seed: Seed of the random mask.

    Raises:
        ValueError: `rate` does not lie between 0 and 1, or `noise_shape` is invalid.

    Example:
        >>> layer = tf.keras.layers.AlphaDropout(0.5)
        >>> layer(tf.ones((1, 3)), training=False).numpy()
        array([[1., 1., 1.]], dtype=float32)
    """

    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed, **kwargs)
        self._set_rate(rate)
        self.noise_shape = None if noise_shape is None else _checked_noise_shape(noise_shape)

    def call(self, inputs: Any, training: Any = False) -> Any:
        if not training or self.rate <= 0:
            return inputs
        sizes = tf.shape(inputs)
        shape: Any = sizes
        if self.noise_shape is not None:
            shape = [sizes[i] if n is None else n for i, n in enumerate(self.noise_shape)]
        lowest = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946
        keep_mask = random.uniform(shape, seed=self.seed_generator) >= self.rate
        keep_mask = tf.cast(keep_mask, inputs.dtype)
        a = ((1 - self.rate) * (1 + self.rate * lowest**2)) ** -0.5
        b = -a * lowest * self.rate
        return a * (inputs * keep_mask + lowest * (1 - keep_mask)) + b

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "rate": self.rate,
            "seed": self.seed,
            "noise_shape": self.noise_shape,
        }
