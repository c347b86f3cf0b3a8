"""Random values that are a function of their seed: the same integer draws the same values."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import floatx, standardize_dtype
from tapeflow._src.keras.random.seed_generator import draw_seed


def normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Draw from a normal distribution.

    Args:
        shape: Shape of the result.
        mean: Mean of the distribution.
        stddev: Standard deviation.
        dtype: Floating-point dtype; None is `keras.config.floatx()`.
        seed: Integer for the same values each time, `SeedGenerator` for others at each call, or
            None for the generator that all such calls share.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.random.normal((2, 3), seed=1).shape
        TensorShape([2, 3])
        >>> seed = tf.keras.random.SeedGenerator(1)
        >>> drawn = [tf.keras.random.normal((3,), seed=seed) for _ in range(2)]
        >>> bool(tf.reduce_any(drawn[0] == drawn[1]))
        False
    """
    return tf.random.stateless_normal(
        shape, seed=draw_seed(seed), mean=mean, stddev=stddev, dtype=dtype or floatx()
    )


def uniform(
    shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Draw floating-point numbers from `[minval, maxval)`, all equally likely.

    Args:
        shape: Shape of the result.
        minval: Lower limit.
        maxval: Upper limit, which is not drawn.
        dtype: Floating-point dtype; None is `keras.config.floatx()`.
        seed: Integer for the same values each time, `SeedGenerator` for others at each call, or
            None for the generator that all such calls share.

    Returns:
        A tensor.

    Raises:
        ValueError: `dtype` is not floating-point.

    Example:
        >>> tf.keras.random.uniform((2, 3), seed=1).shape
        TensorShape([2, 3])
    """
    dtype = tf.as_dtype(standardize_dtype(dtype))
    if not dtype.is_floating:
        raise ValueError(
            f"`keras.random.uniform` draws floats: use `keras.random.randint` for integers. "
            f"Received: dtype={dtype.name}"
        )
    return tf.random.stateless_uniform(
        shape, seed=draw_seed(seed), minval=minval, maxval=maxval, dtype=dtype
    )


def randint(shape: Any, minval: int, maxval: int, dtype: Any = "int32", seed: Any = None) -> Any:
    """Draw integers from `[minval, maxval)`, all equally likely.

    Args:
        shape: Shape of the result.
        minval: Smallest integer.
        maxval: Upper limit, which is not drawn.
        dtype: Dtype of the result.
        seed: Integer for the same values each time, `SeedGenerator` for others at each call, or
            None for the generator that all such calls share.

    Returns:
        A tensor.

    Raises:
        ValueError: `dtype` is not one of integers.

    Example:
        >>> tf.keras.random.randint((5,), 3, 4, seed=1).numpy()
        array([3, 3, 3, 3, 3], dtype=int32)
    """
    name = standardize_dtype(dtype)
    if "int" not in name:
        raise ValueError(
            f"`keras.random.randint` draws integers: use `keras.random.uniform` for floats. "
            f"Received: dtype={name}"
        )
    values = tf.random.stateless_uniform(
        shape,
        seed=draw_seed(seed),
        minval=minval,
        maxval=maxval,
        dtype=name if name in ("int32", "int64") else "int64",
    )
    return tf.cast(values, name)


def truncated_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Draw from a normal distribution, redrawing values beyond two standard deviations.

    Args:
        shape: Shape of the result.
        mean: Mean of the distribution.
        stddev: Standard deviation before truncation.
        dtype: Floating-point dtype; None is `keras.config.floatx()`.
        seed: Integer for the same values each time, `SeedGenerator` for others at each call, or
            None for the generator that all such calls share.

    Returns:
        A tensor.

    Example:
        >>> bool(tf.reduce_max(tf.abs(tf.keras.random.truncated_normal((1000,), seed=1))) < 2.0)
        True
    """
    return tf.random.stateless_truncated_normal(
        shape, seed=draw_seed(seed), mean=mean, stddev=stddev, dtype=dtype or floatx()
    )


def categorical(logits: Any, num_samples: int, dtype: Any = "int32", seed: Any = None) -> Any:
    """Draw class indices.

    Args:
        logits: Unnormalized log-probabilities of the classes, of shape (batch, classes).
        num_samples: How many indices to draw for each row.
        dtype: Dtype of the indices.
        seed: Integer for the same values each time, `SeedGenerator` for others at each call, or
            None for the generator that all such calls share.

    Returns:
        A tensor of shape (batch, num_samples).

    Raises:
        ValueError: `logits` does not have two axes.

    Example:
        >>> tf.keras.random.categorical([[0.0, 100.0]], 3, seed=1).numpy()
        array([[1, 1, 1]], dtype=int32)
    """
    logits = tf.convert_to_tensor(logits)
    if logits.shape.rank != 2:
        raise ValueError(
            f"`logits` must have two axes, batch and classes. Received logits of shape "
            f"{logits.shape}"
        )
    return tf.cast(
        tf.random.stateless_categorical(logits, num_samples, seed=draw_seed(seed)), dtype
    )


def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Draw from gamma distributions with shape parameter `alpha` and scale 1.

    Args:
        shape: Shape of the result.
        alpha: Shape parameter: a number, or a tensor that broadcasts to `shape`.
        dtype: Floating-point dtype; None is `keras.config.floatx()`.
        seed: Integer for the same values each time, `SeedGenerator` for others at each call, or
            None for the generator that all such calls share.

    Returns:
        A tensor of positive numbers.

    Example:
        >>> tf.keras.random.gamma((2, 3), alpha=2.0, seed=1).shape
        TensorShape([2, 3])
    """
    dtype = standardize_dtype(dtype)
    return _gamma(shape, alpha, dtype, draw_seed(seed))


def _gamma(shape: Any, alpha: Any, dtype: str, seed: Any) -> Any:
    values = tf.random.stateless_gamma(shape, seed=seed, alpha=alpha, dtype=_drawn_in(dtype))
    return tf.cast(values, dtype)


def _drawn_in(dtype: str) -> str:
    """The dtype in which to draw: the gamma and binomial ops have no bfloat16."""
    return "float32" if dtype == "bfloat16" else dtype


def binomial(
    shape: Any, counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None
) -> Any:
    """Draw how many of `counts` trials succeed, each with one of `probabilities`.

    Args:
        shape: Shape of the result.
        counts: Numbers of trials, which broadcast to `shape`.
        probabilities: Probabilities of success, which broadcast to `shape`.
        dtype: Floating-point dtype; None is `keras.config.floatx()`.
        seed: Integer for the same values each time, `SeedGenerator` for others at each call, or
            None for the generator that all such calls share.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.random.binomial((3,), counts=10.0, probabilities=1.0, seed=1).numpy()
        array([10., 10., 10.], dtype=float32)
    """
    dtype = standardize_dtype(dtype)
    values = tf.random.stateless_binomial(
        shape,
        seed=draw_seed(seed),
        counts=counts,
        probs=probabilities,
        output_dtype=_drawn_in(dtype),
    )
    return tf.cast(values, dtype)


# As Keras has it: the second of the two gamma variables is drawn this far from the first.
_SECOND_SEED = 12


def beta(shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Draw from beta distributions.

    Args:
        shape: Shape of the result.
        alpha: First parameter, which broadcasts to `shape`.
        beta: Second parameter, which broadcasts to `shape`.
        dtype: Floating-point dtype; None is `keras.config.floatx()`.
        seed: Integer for the same values each time, `SeedGenerator` for others at each call, or
            None for the generator that all such calls share.

    Returns:
        A tensor of numbers between 0 and 1.

    Example:
        >>> tf.keras.random.beta((2, 3), alpha=1.0, beta=3.0, seed=1).shape
        TensorShape([2, 3])
    """
    dtype = standardize_dtype(dtype)
    first = draw_seed(seed)
    drawn = []
    for parameter, at in ((alpha, first), (beta, first + _SECOND_SEED)):
        parameter = tf.broadcast_to(tf.convert_to_tensor(parameter, _drawn_in(dtype)), shape)
        drawn.append(_gamma(shape, parameter, dtype, at))
    return drawn[0] / (drawn[0] + drawn[1])


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Any:
    """Permute the slices of `x` along one axis at random.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to permute.
        seed: Integer for the same values each time, `SeedGenerator` for others at each call, or
            None for the generator that all such calls share.

    Returns:
        A tensor of the shape and dtype of `x`.

    Example:
        >>> sorted(tf.keras.random.shuffle([1, 2, 3, 4], seed=1).numpy().tolist())
        [1, 2, 3, 4]
    """
    x = tf.convert_to_tensor(x)
    order = tf.argsort(tf.random.stateless_uniform([tf.shape(x)[axis]], seed=draw_seed(seed)))
    return tf.gather(x, order, axis=axis)


def dropout(inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Set a share `rate` of `inputs` to zero, and scale the others up by `1 / (1 - rate)`.

    Args:
        inputs: Floating-point tensor.
        rate: Share of zeros, between 0 and 1. 0 returns `inputs`, 1 zeros.
        noise_shape: Shape of the mask, which broadcasts to that of `inputs`; None, also for a
            single axis, is the size there.
        seed: Integer for the same values each time, `SeedGenerator` for others at each call, or
            None for the generator that all such calls share.

    Returns:
        A tensor of the shape and dtype of `inputs`.

    Example:
        >>> sorted(set(tf.keras.random.dropout(tf.ones(100), 0.5, seed=1).numpy().tolist()))
        [0.0, 2.0]
    """
    if rate == 1:
        return tf.zeros_like(inputs)
    if rate == 0:
        return inputs
    if noise_shape is not None:
        sizes = tf.shape(inputs)
        noise_shape = [
            sizes[axis] if size is None else size for axis, size in enumerate(noise_shape)
        ]
    return tf.nn.experimental.stateless_dropout(
        inputs, rate=rate, noise_shape=noise_shape, seed=draw_seed(seed)
    )
