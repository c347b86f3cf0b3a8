"""`tf.nn`: dropout with stateful, stateless or custom random numbers."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

from tapeflow._src.api.random.stateful import op_seeds
from tapeflow._src.api.random.stateless import stateless_uniform
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.composite import Composite
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.ops.array.common import shape, shape_of
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.arithmetic import real_div
from tapeflow._src.ops.math.comparison import greater_equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.random.stateful import random_uniform


@scoped("dropout")
def dropout(
    x: TensorLike,
    rate: TensorLike,
    noise_shape: Any = None,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Set a fraction `rate` of the elements to 0 and scale up the others by `1 / (1 - rate)`.

    The expected value of each element stays the same. It always drops: layers skip it outside of
    training.

    Args:
        x: The tensor, floating-point.
        rate: The probability that an element is dropped, in [0, 1); a number or a scalar tensor.
        noise_shape: The shape of the random mask, broadcast to `x`: along an axis of size 1, all
            elements are dropped together. None entries take the size of `x`.
        seed: An op seed.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ValueError: `rate` is out of range, or `x` is not floating-point.

    Example:

        >>> x = tf.nn.dropout(tf.ones((1000,)), rate=0.5)
        >>> sorted(set(x.numpy().tolist()))
        [0.0, 2.0]
        >>> tf.nn.dropout(tf.ones((2, 3)), rate=0.0).numpy().tolist()
        [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """

    def draw(shape: ShapeLike, dtype: DTypeLike) -> Any:
        return _uniform(shape, dtype, seed)

    return _drop(x, rate, noise_shape, draw)


@scoped("random_uniform")
def _uniform(shape: ShapeLike, dtype: DTypeLike, seed: Any) -> Any:
    return random_uniform(shape, dtype=dtype, **op_seeds(seed))


@scoped("stateless_dropout")
def stateless_dropout(
    x: TensorLike,
    rate: TensorLike,
    seed: Any,
    rng_alg: Any = None,
    noise_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """Apply dropout determined by `seed`: the same call drops the same elements.

    Args:
        x: The tensor, floating-point.
        rate: The probability that an element is dropped, in [0, 1); a number or a scalar tensor.
        seed: Two integers, as a list or a tensor of shape `[2]`.
        rng_alg: "philox", "threefry" or "auto_select" (the default).
        noise_shape: The shape of the random mask, broadcast to `x`.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ValueError: `rate` is out of range, or `x` is not floating-point.

    Example:

        >>> drop = tf.nn.experimental.stateless_dropout
        >>> first, second = (drop(tf.ones((100,)), rate=0.5, seed=[1, 2]) for _ in range(2))
        >>> bool(tf.reduce_all(first == second))
        True
    """
    algorithm = "auto_select" if rng_alg is None else rng_alg

    def draw(shape: ShapeLike, dtype: DTypeLike) -> Any:
        return stateless_uniform(shape, seed, dtype=dtype, alg=algorithm)

    return _drop(x, rate, noise_shape, draw)


@scoped("general_dropout")
def general_dropout(
    x: TensorLike,
    rate: TensorLike,
    uniform_sampler: Any,
    noise_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Apply dropout with numbers in [0, 1) from a function.

    Args:
        x: The tensor, floating-point.
        rate: The probability that an element is dropped, in [0, 1); a number or a scalar tensor.
        uniform_sampler: A function that is called with `shape=` and `dtype=` and returns uniform
            numbers. Elements whose number is below `rate` are dropped.
        noise_shape: The shape of the random mask, broadcast to `x`.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ValueError: `rate` is out of range, or `x` is not floating-point.

    Example:

        >>> def sampler(shape, dtype):
        ...     return tf.constant([0.1, 0.9, 0.6, 0.2], dtype)
        >>> tf.nn.experimental.general_dropout(tf.ones((4,)), 0.5, sampler).numpy().tolist()
        [0.0, 2.0, 2.0, 0.0]
    """
    return _drop(x, rate, noise_shape, uniform_sampler)


def _drop(x: Any, rate: Any, noise_shape: Any, draw: Callable[..., Any]) -> Any:
    is_static = isinstance(rate, Real)
    if is_static and not 0 <= rate < 1:
        raise ValueError(
            f"`rate` must be in the range [0, 1): the fraction of elements to drop; received {rate}"
        )
    x = dispatch.operand(x)
    if isinstance(x, Composite):
        if noise_shape is not None:
            raise ValueError(f"noise_shape is not supported for a {type(x).__name__} x.")
        return x._map_values(lambda values: _drop(values, rate, None, draw))
    if not x.dtype.is_floating:
        raise ValueError(
            f"dropout scales x, so its dtype must be floating-point; received {x.dtype.name}: use "
            "tf.cast."
        )
    if is_static and rate == 0:
        # No numbers are drawn, as in TF: those after this call stay the same.
        return x
    if is_static:
        threshold = scalar(float(rate), x)
        scale = scalar(1 / (1 - float(rate)), x)
    else:
        threshold = _scalar_rate(rate, x)
        scale = real_div(scalar(1, x), scalar(1, x) - threshold)
    noise = draw(shape=_noise_shape(x, noise_shape), dtype=x.dtype)
    mask = greater_equal(noise, threshold)
    return select_v2(mask, x * scale, scalar(0, x))


def _scalar_rate(rate: Any, x: Any) -> Any:
    if rate is None or isinstance(rate, (str, bytes)):
        raise ValueError(f"`rate` must be a number or a scalar tensor, received {rate!r}")
    rate = dispatch.convert(rate, None, x.dtype)
    if len(rate.shape):
        raise ValueError(f"`rate` must be a scalar tensor. Received: rate.shape={rate.shape}")
    if rate.dtype is not x.dtype:
        raise ValueError(
            f"`rate` must have the dtype of x, {x.dtype.name}, received {rate.dtype.name}: use "
            "tf.cast."
        )
    return rate


def _noise_shape(x: Any, noise_shape: Any) -> Any:
    """Return the shape of the mask; a None entry is the size of `x`."""
    if noise_shape is None:
        return shape_of(x)
    if isinstance(noise_shape, TensorShape):
        noise_shape = noise_shape.as_list()
    if isinstance(noise_shape, (list, tuple)) and any(n is None for n in noise_shape):
        if len(noise_shape) != len(x.shape):
            raise ValueError(
                f"`noise_shape` with sizes left open must have as many as `x` has axes. Received: "
                f"noise_shape={noise_shape} and x.shape={x.shape}"
            )
        sizes = shape(x)
        filled = [sizes[i] if n is None else n for i, n in enumerate(noise_shape)]
        return dispatch.convert(filled)
    return dispatch.convert(noise_shape, None, dtypes.int32)
