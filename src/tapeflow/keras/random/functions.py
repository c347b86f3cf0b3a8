"""Random values that depend on a seed alone: an int gives the same ones each time."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.keras.config import floatx
from tapeflow.keras.random.seed_generator import draw_seed


def normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Values of a normal distribution."""
    return tf.random.stateless_normal(
        shape, seed=draw_seed(seed), mean=mean, stddev=stddev, dtype=dtype or floatx()
    )


def uniform(
    shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Values between `minval` and `maxval`, which is not among them."""
    dtype = tf.as_dtype(dtype or floatx())
    if not dtype.is_floating:
        raise ValueError(
            f"`keras.random.uniform` draws floats: use `keras.random.randint` for integers. "
            f"Received: dtype={dtype.name}"
        )
    return tf.random.stateless_uniform(
        shape, seed=draw_seed(seed), minval=minval, maxval=maxval, dtype=dtype
    )


def randint(shape: Any, minval: int, maxval: int, dtype: Any = "int32", seed: Any = None) -> Any:
    """Whole numbers from `minval` to `maxval`, which is not among them."""
    drawn = tf.as_dtype(dtype)
    intermediate = drawn if drawn in (tf.int32, tf.int64, tf.uint32, tf.uint64) else tf.int64
    found = tf.random.stateless_uniform(
        shape, seed=draw_seed(seed), minval=minval, maxval=maxval, dtype=intermediate
    )
    return tf.cast(found, drawn)


def truncated_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Values of a normal distribution that are not further than two deviations from the mean."""
    return tf.random.stateless_truncated_normal(
        shape, seed=draw_seed(seed), mean=mean, stddev=stddev, dtype=dtype or floatx()
    )


def dropout(inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Some of `inputs` replaced by zeros, the others scaled up to make up for them."""
    if rate == 1:
        return tf.zeros_like(inputs)
    if noise_shape is not None:
        known = tf.shape(inputs)
        noise_shape = [
            known[axis] if size is None else size for axis, size in enumerate(noise_shape)
        ]
    return tf.nn.experimental.stateless_dropout(
        inputs, rate=rate, noise_shape=noise_shape, seed=draw_seed(seed)
    )
