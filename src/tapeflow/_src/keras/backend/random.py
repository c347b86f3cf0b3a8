"""Random values, drawn from TensorFlow's stateful streams."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.backend.in_models import in_models
from tapeflow._src.keras.backend.values import variable
from tapeflow._src.keras.config import floatx


def _seed(seed: int | None, below: int = 10_000_000) -> int:
    return int(np.random.randint(below)) if seed is None else seed


def random_normal(
    shape: ShapeLike,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: DTypeLike | None = None,
    seed: Any = None,
) -> Any:
    """Draw from a normal distribution.

    Args:
        shape: Shape of the result.
        mean: Mean.
        stddev: Standard deviation.
        dtype: Dtype of the result; None is `floatx()`.
        seed: Integer; None draws one from NumPy's random numbers.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.backend.random_normal((2, 3)).shape
        TensorShape([2, 3])
    """
    return tf.random.normal(shape, mean, stddev, dtype or floatx(), _seed(seed))


def random_uniform(
    shape: ShapeLike,
    minval: float = 0.0,
    maxval: float = 1.0,
    dtype: DTypeLike | None = None,
    seed: Any = None,
) -> Any:
    """Draw from `[minval, maxval)`, all numbers equally likely.

    Args:
        shape: Shape of the result.
        minval: Lower limit.
        maxval: Upper limit.
        dtype: Dtype of the result; None is `floatx()`.
        seed: Integer; None draws one from NumPy's random numbers.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.backend.random_uniform((2, 3)).shape
        TensorShape([2, 3])
    """
    return tf.random.uniform(shape, minval, maxval, dtype or floatx(), _seed(seed))


def truncated_normal(
    shape: ShapeLike,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: DTypeLike | None = None,
    seed: Any = None,
) -> Any:
    """Draw from a normal distribution, redrawing values beyond two standard deviations.

    Args:
        shape: Shape of the result.
        mean: Mean.
        stddev: Standard deviation before truncation.
        dtype: Dtype of the result; None is `floatx()`.
        seed: Integer; None draws one from NumPy's random numbers.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.backend.truncated_normal((2, 3), seed=1).shape
        TensorShape([2, 3])
    """
    return tf.random.truncated_normal(shape, mean, stddev, dtype or floatx(), _seed(seed))


def random_bernoulli(
    shape: ShapeLike, p: float = 0.0, dtype: DTypeLike | None = None, seed: Any = None
) -> Any:
    """Draw 1 with probability `p`, and 0 otherwise.

    Args:
        shape: Shape of the result.
        p: Probability of 1.
        dtype: Dtype of the result; None is `floatx()`.
        seed: Integer; None draws one from NumPy's random numbers.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.backend.random_bernoulli((3,), p=1.0).numpy()
        array([1., 1., 1.], dtype=float32)
    """
    dtype = dtype or floatx()
    drawn = tf.random.uniform(shape, dtype=dtype, seed=_seed(seed))
    return tf.cast(drawn <= p, dtype)


def random_binomial(
    shape: ShapeLike, p: float = 0.0, dtype: DTypeLike | None = None, seed: Any = None
) -> Any:
    """Draw from a Bernoulli distribution: a legacy name of `random_bernoulli`.

    Args:
        shape: Shape of the result.
        p: Probability of 1.
        dtype: Dtype of the result; None is `floatx()`.
        seed: Integer; None draws one from NumPy's random numbers.

    Returns:
        A tensor. The call raises a warning.
    """
    warn_user(
        "`K.random_binomial` draws single trials and is deprecated: call `K.random_bernoulli`."
    )
    return random_bernoulli(shape, p, dtype, seed)


def random_uniform_variable(
    shape: ShapeLike,
    low: float,
    high: float,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    seed: Any = None,
) -> Any:
    """Return a variable with values from `[low, high)`.

    Args:
        shape: Shape of the variable.
        low: Lower limit.
        high: Upper limit.
        dtype: Dtype of the result; None is `floatx()`.
        name: Name of the variable.
        seed: Integer; None draws one from NumPy's random numbers.

    Returns:
        A variable.

    Example:
        >>> tf.keras.backend.random_uniform_variable((2, 2), 0.0, 1.0).shape
        TensorShape([2, 2])
    """
    seed = _seed(seed, 10**9)
    return variable(tf.random.uniform(shape, low, high, dtype or floatx(), seed), dtype, name)


def random_normal_variable(
    shape: ShapeLike,
    mean: float,
    scale: float,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    seed: Any = None,
) -> Any:
    """Return a variable with values of a normal distribution.

    Args:
        shape: Shape of the variable.
        mean: Mean.
        scale: Standard deviation.
        dtype: Dtype of the result; None is `floatx()`.
        name: Name of the variable.
        seed: Integer; None draws one from NumPy's random numbers.

    Returns:
        A variable.

    Example:
        >>> tf.keras.backend.random_normal_variable((2, 2), 0.0, 1.0).shape
        TensorShape([2, 2])
    """
    seed = _seed(seed, 10**9)
    return variable(tf.random.normal(shape, mean, scale, dtype or floatx(), seed), dtype, name)


@in_models
def dropout(x: TensorLike, level: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Set a share of `x` to zero, and scale the others up to make up for it.

    Args:
        x: Floating-point tensor.
        level: Share of zeros, between 0 and 1.
        noise_shape: Shape of the mask, which broadcasts to that of `x`; None is that of `x`.
        seed: Integer; None draws one from NumPy's random numbers.

    Returns:
        A tensor like `x` in shape and dtype.

    Example:
        >>> tf.keras.backend.dropout(tf.ones((2, 3)), 0.5).shape
        TensorShape([2, 3])
    """
    return tf.nn.dropout(x, rate=level, noise_shape=noise_shape, seed=_seed(seed))
