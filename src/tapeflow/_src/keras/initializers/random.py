"""Initializers that draw values: the same ones each time, if the seed is an int."""

from __future__ import annotations

import math
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import standardize_dtype
from tapeflow._src.keras.initializers.initializer import Initializer
from tapeflow._src.keras.random.seed_generator import draw_seed, make_default_seed
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.registry import SEED
from tapeflow.keras.random import SeedGenerator, normal, truncated_normal
from tapeflow.keras.saving import serialize_keras_object


class RandomInitializer(Initializer):
    """Base class: holds the seed, drawn once if it is None."""

    def __init__(self, seed: Any = None) -> None:
        if isinstance(seed, dict):
            seed = read_object(seed, SEED)
        if seed is not None and not isinstance(seed, (int, SeedGenerator)):
            raise ValueError(
                f"{type(self).__name__}: `seed` must be an integer, a "
                f"`keras.random.SeedGenerator` or None. Received: {seed!r}"
            )
        self._given_seed = seed
        self.seed = make_default_seed() if seed is None else seed

    def get_config(self) -> dict[str, Any]:
        return {"seed": serialize_keras_object(self._given_seed)}


class RandomNormal(RandomInitializer):
    """Draws from a normal distribution.

    Args:
        mean: Mean of the distribution.
        stddev: Standard deviation.
        seed: Integer for the same values at each call, or `SeedGenerator` for others; None draws an
            integer when the initializer is created.

    Example:
        >>> initializer = tf.keras.initializers.RandomNormal(stddev=0.1, seed=1)
        >>> initializer((2, 3)).shape
        TensorShape([2, 3])
        >>> bool(tf.reduce_all(initializer((2, 3)) == initializer((2, 3))))
        True
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: Any = None) -> None:
        self.mean = mean
        self.stddev = stddev
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return normal(shape, self.mean, self.stddev, standardize_dtype(dtype), self.seed)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "mean": self.mean, "stddev": self.stddev}


class TruncatedNormal(RandomNormal):
    """Draws from a normal distribution, within two standard deviations of the mean.

    Args:
        mean: Mean of the distribution.
        stddev: Standard deviation before truncation.
        seed: Integer for the same values at each call, or `SeedGenerator` for others; None draws an
            integer when the initializer is created.

    Example:
        >>> values = tf.keras.initializers.TruncatedNormal(stddev=1.0, seed=1)((1000,))
        >>> bool(tf.reduce_max(tf.abs(values)) < 2.0)
        True
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return truncated_normal(shape, self.mean, self.stddev, standardize_dtype(dtype), self.seed)


class RandomUniform(RandomInitializer):
    """Draws from a uniform distribution.

    Args:
        minval: Lower limit.
        maxval: Upper limit, which is not drawn.
        seed: Integer for the same values at each call, or `SeedGenerator` for others; None draws an
            integer when the initializer is created.

    Example:
        >>> values = tf.keras.initializers.RandomUniform(0.0, 1.0, seed=1)((1000,))
        >>> bool(tf.reduce_all((0.0 <= values) & (values < 1.0)))
        True
    """

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: Any = None) -> None:
        self.minval = minval
        self.maxval = maxval
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return tf.random.stateless_uniform(
            shape,
            seed=draw_seed(self.seed),
            minval=self.minval,
            maxval=self.maxval,
            dtype=standardize_dtype(dtype),
        )

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "minval": self.minval, "maxval": self.maxval}


class Orthogonal(RandomInitializer):
    """Initializes with an orthogonal matrix times `gain`; all axes but the last form the rows.

    Rows, or columns if there are more rows, are orthogonal to each other.

    Args:
        gain: Factor of the matrix.
        seed: Integer for the same values at each call, or `SeedGenerator` for others; None draws an
            integer when the initializer is created.

    Example:
        >>> matrix = tf.keras.initializers.Orthogonal(seed=1)((3, 3))
        >>> np.abs(tf.matmul(matrix, matrix, transpose_a=True)).round(3)
        array([[1., 0., 0.],
               [0., 1., 0.],
               [0., 0., 1.]], dtype=float32)
    """

    def __init__(self, gain: float = 1.0, seed: Any = None) -> None:
        self.gain = gain
        super().__init__(seed)

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        if len(shape) < 2:
            raise ValueError(
                f"The {type(self).__name__} initializer needs a shape of rank 2 or more. "
                f"Received: shape={shape}"
            )
        rows, columns = math.prod(shape[:-1]), shape[-1]
        tall = (max(rows, columns), min(rows, columns))
        q, r = tf.linalg.qr(normal(tall, dtype=standardize_dtype(dtype), seed=self.seed))
        # With the signs of the diagonal all orthogonal matrices are equally likely.
        q = q * tf.sign(tf.linalg.diag_part(r))
        if rows < columns:
            q = tf.transpose(q)
        return self.gain * tf.reshape(q, shape)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "gain": self.gain}
