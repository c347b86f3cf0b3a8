"""Stateless random tensors: determined by their seed.

Seeds are two integers. `split` and `fold_in` derive new seeds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.random.algorithm import draw, draws_by_seed, key_counter_alg, seed_tensor
from tapeflow._src.api.random.stateful import (
    bounds,
    gamma_parameters,
    gamma_scaled,
    is_standard,
    require_dtype,
    require_float,
    scaled,
    shape_tensor,
    uniform_interval,
)
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.ops.array.pad_slice import pad_v2
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.math.arithmetic import add_v2, mul, sub
from tapeflow._src.ops.random import stateless as ops

_UNIFORM = (
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint32,
    dtypes.uint64,
)
# Integers that are drawn from their whole range only.
_ALWAYS_ALL = (dtypes.uint32, dtypes.uint64)
# Extends the seed from two integers to three, as the cipher expects.
_INDEX_SHUFFLE_SEED = 498247692


@scoped("stateless_random_uniform", names_result=True)
def stateless_uniform(
    shape: ShapeLike,
    seed: Any,
    minval: Any = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Draw uniform numbers in `[minval, maxval)`; any integer if both are None.

    Args:
        shape: How many numbers to draw, as a shape.
        seed: Two integers: the same ones yield the same numbers.
        minval: The lower bound, included.
        maxval: The upper bound, excluded; required for integers unless `minval` is None too.
        dtype: The dtype of the result.
        alg: "philox", "threefry" or "auto_select".
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `shape`.

    Raises:
        ValueError: The bounds or the dtype do not allow it.

    Example:

        >>> first = tf.random.stateless_uniform((3,), seed=[1, 2])
        >>> bool(tf.reduce_all(first == tf.random.stateless_uniform((3,), seed=[1, 2])))
        True
    """
    dtype = require_dtype(dtype, _UNIFORM)
    interval = uniform_interval(minval, maxval, dtype)
    if interval is not None and dtype in _ALWAYS_ALL:
        raise ValueError(
            f"Between minval and maxval only signed integers are drawn: expected dtype int32 or "
            f"int64, received {dtype.name}. With minval=maxval=None all of {dtype.name} is drawn."
        )
    shape = shape_tensor(shape)
    if dtype.is_floating and is_unit(interval) and draws_by_seed(alg):
        return ops.stateless_random_uniform(shape, seed_tensor(seed), dtype=dtype, name=name)
    key, counter, number = key_counter_alg(seed, alg)
    return uniform_from(shape, key, counter, number, interval, dtype, name)


def is_unit(interval: tuple[Any, Any] | None) -> bool:
    """Whether numbers from [0, 1) need no scaling."""
    return interval is not None and all(type(end) is int for end in interval) and interval == (0, 1)


def uniform_from(
    shape: Any,
    key: Any,
    counter: Any,
    alg: Any,
    interval: tuple[Any, Any] | None,
    dtype: Any,
    name: str | None,
) -> Tensor:
    """Draw uniform numbers for a key and counter; of all integers if `interval` is None."""
    if interval is None:
        return ops.stateless_random_uniform_full_int_v2(
            shape, key, counter, alg, dtype=dtype, name=name
        )
    low, high = bounds(*interval, dtype)
    if dtype.is_integer:
        return ops.stateless_random_uniform_int_v2(shape, key, counter, alg, low, high, name=name)
    if is_unit(interval):
        return ops.stateless_random_uniform_v2(shape, key, counter, alg, dtype=dtype, name=name)
    numbers = ops.stateless_random_uniform_v2(shape, key, counter, alg, dtype=dtype)
    return add_v2(mul(numbers, sub(high, low)), low, name=name)


@scoped("stateless_random_normal", names_result=True)
def stateless_normal(
    shape: ShapeLike,
    seed: Any,
    mean: TensorLike = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Draw numbers from a normal distribution, determined by `seed`.

    Args:
        shape: How many numbers to draw, as a shape.
        seed: Two integers: the same ones yield the same numbers.
        mean: The mean; a number or a tensor that broadcasts to `shape`.
        stddev: The standard deviation; likewise.
        dtype: A floating-point dtype; float32 by default.
        alg: "philox", "threefry" or "auto_select".
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `shape`.

    Example:

        >>> tf.random.stateless_normal((2,), seed=[1, 2]).shape
        TensorShape([2])
    """
    dtype = require_float(dtype, mean)
    shape, standard = shape_tensor(shape), is_standard(mean, stddev)
    by_seed, by_key = ops.stateless_random_normal, ops.stateless_random_normal_v2
    numbers: Tensor = draw(by_seed, by_key, shape, seed, alg, dtype, name if standard else None)
    return numbers if standard else scaled(numbers, mean, stddev, dtype, name)


@scoped("stateless_truncated_normal", names_result=True)
def stateless_truncated_normal(
    shape: ShapeLike,
    seed: Any,
    mean: TensorLike = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Draw numbers from a normal distribution truncated at two standard deviations.

    Args:
        shape: How many numbers to draw, as a shape.
        seed: Two integers: the same ones yield the same numbers.
        mean: The mean; a number or a tensor that broadcasts to `shape`.
        stddev: The standard deviation; likewise.
        dtype: A floating-point dtype; float32 by default.
        alg: "philox", "threefry" or "auto_select".
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `shape`.

    Example:

        >>> tf.random.stateless_truncated_normal((2,), seed=[1, 2]).shape
        TensorShape([2])
    """
    dtype = require_float(dtype, mean)
    shape, standard = shape_tensor(shape), is_standard(mean, stddev)
    by_seed, by_key = ops.stateless_truncated_normal, ops.stateless_truncated_normal_v2
    numbers: Tensor = draw(by_seed, by_key, shape, seed, alg, dtype, name if standard else None)
    return numbers if standard else scaled(numbers, mean, stddev, dtype, name)


@scoped("stateless_random_binomial")
def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: Any,
    probs: Any,
    output_dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Draw numbers from binomial distributions, determined by `seed`.

    Args:
        shape: How many numbers to draw, as a shape that ends with that of the parameters.
        seed: Two integers: the same ones yield the same numbers.
        counts: The numbers of trials.
        probs: The probabilities of success; both broadcast.
        output_dtype: The dtype of the result; int32 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `shape`.

    Example:

        >>> tf.random.stateless_binomial((4,), [1, 2], counts=10.0, probs=0.5).shape
        TensorShape([4])
    """
    shape = shape_tensor(shape)
    probs = dispatch.convert(probs, None, dtypes.float32, "probs")
    counts = dispatch.convert(counts, None, probs.dtype, "counts")
    return ops.stateless_random_binomial(
        shape, seed_tensor(seed), counts, probs, dtype=as_dtype(output_dtype), name=name
    )


@scoped("stateless_random_gamma")
def stateless_gamma(
    shape: ShapeLike,
    seed: Any,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Draw numbers from gamma distributions, determined by `seed`.

    Args:
        shape: How many numbers to draw, as a shape that ends with that of the parameters.
        seed: Two integers: the same ones yield the same numbers.
        alpha: The shape parameter, positive.
        beta: The rate (inverse scale); 1 by default. Both broadcast.
        dtype: A floating-point dtype; float32 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `shape`.

    Example:

        >>> tf.random.stateless_gamma((5, 2), [1, 2], alpha=[1.0, 2.0]).shape
        TensorShape([5, 2])
    """
    shape = shape_tensor(shape)
    alpha, beta = gamma_parameters(alpha, beta, dtype)
    key_counter = key_counter_alg(seed, "auto_select")
    return gamma_scaled(ops.stateless_random_gamma_v3(shape, *key_counter, alpha), beta, name)


@scoped("stateless_random_poisson")
def stateless_poisson(
    shape: ShapeLike, seed: Any, lam: Any, dtype: DTypeLike = dtypes.int32, name: str | None = None
) -> Tensor:
    """Draw numbers from Poisson distributions, determined by `seed`.

    Args:
        shape: How many numbers to draw, as a shape that ends with that of the parameters.
        seed: Two integers: the same ones yield the same numbers.
        lam: The rates.
        dtype: The dtype of the result; int32 by default.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `shape`.

    Example:

        >>> tf.random.stateless_poisson((5, 2), [1, 2], lam=[1.0, 10.0]).shape
        TensorShape([5, 2])
    """
    return ops.stateless_random_poisson(
        shape_tensor(shape), seed_tensor(seed), lam, dtype=as_dtype(dtype), name=name
    )


@scoped("stateless_categorical")
def stateless_categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: Any,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Draw class indices with probabilities `softmax(logits)`, `num_samples` for each row.

    Args:
        logits: `[batch, classes]` unnormalised log probabilities.
        num_samples: The number of draws per row.
        seed: Two integers: the same ones yield the same numbers.
        dtype: int64 (the default) or int32.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[batch, num_samples]`.

    Raises:
        ValueError: The dtype is another.

    Example:

        >>> tf.random.stateless_categorical([[0.0, 1000.0]], 3, seed=[1, 2]).numpy().tolist()
        [[1, 1, 1]]
    """
    dtype = require_dtype(dtype or dtypes.int64, (dtypes.int32, dtypes.int64))
    return ops.stateless_multinomial(
        logits, num_samples, seed_tensor(seed), output_dtype=dtype, name=name
    )


@scoped("stateless_parameterized_truncated_normal")
def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    name: str | None = None,
) -> Tensor:
    """Draw normal numbers within bounds, determined by `seed`.

    Args:
        shape: How many numbers to draw, as a shape that ends with that of the parameters.
        seed: Two integers: the same ones yield the same numbers.
        means: The means before truncation.
        stddevs: The standard deviations before truncation.
        minvals: The lower bounds.
        maxvals: The upper bounds; all four broadcast.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `shape`.

    Example:

        >>> tf.random.stateless_parameterized_truncated_normal((3,), [1, 2]).shape
        TensorShape([3])
    """
    return ops.stateless_parameterized_truncated_normal(
        shape_tensor(shape), seed_tensor(seed), means, stddevs, minvals, maxvals, name=name
    )


def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Tensor:
    """Derive `num` new seeds, one per row.

    Args:
        seed: Two integers.
        num: How many.
        alg: "philox", "threefry" or "auto_select".

    Returns:
        An integer tensor of shape `[num, 2]`: use each seed once.

    Example:

        >>> tf.random.split([1, 2], num=3).shape
        TensorShape([3, 2])
    """
    seed = dispatch.convert(seed)
    return stateless_uniform([num, 2], seed, minval=None, maxval=None, dtype=seed.dtype, alg=alg)


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """Derive a new seed from `seed` and an integer, such as a step or a replica id.

    Args:
        seed: Two integers.
        data: An int32 or int64 scalar.
        alg: "philox", "threefry" or "auto_select".

    Returns:
        An integer tensor of shape `[2]`.

    Example:

        >>> tf.random.fold_in([1, 2], 7).shape
        TensorShape([2])
    """
    data = dispatch.convert(data)
    first = stateless_uniform([], seed, minval=None, maxval=None, dtype=data.dtype, alg=alg)
    return pack([first, data])


def index_shuffle(index: Any, seed: Any, max_index: Any) -> Tensor:
    """Permute [0, `max_index`] by `seed` and return where `index` goes.

    A shuffle without the memory for one: each index is computed by itself.

    Args:
        index: An index in [0, `max_index`], or a vector of them.
        seed: Two integers, or one pair for each index.
        max_index: The largest index.

    Returns:
        A tensor of the shape and dtype of `index`.

    Example:

        >>> [int(tf.random.experimental.index_shuffle(i, [1, 2], 3)) for i in range(4)]
        [2, 0, 1, 3]
    """
    seed = dispatch.convert(seed)
    rank = 1 if seed.static_shape is None else len(seed.static_shape)
    paddings = np.array([[1, 0]] + [[0, 0]] * (rank - 1), np.int32)
    seed = pad_v2(seed, paddings, dispatch.convert(_INDEX_SHUFFLE_SEED, seed.dtype))
    return ops.random_index_shuffle(index, seed, max_index, rounds=4)


@scoped("stateless_shuffle")
def stateless_shuffle(
    value: TensorLike, seed: Any, alg: Any = "auto_select", name: str | None = None
) -> Tensor:
    """Shuffle a tensor along its first axis, determined by `seed`.

    Args:
        value: A tensor of rank 1 or more; rows stay whole.
        seed: Two integers: the same ones yield the same numbers.
        alg: "philox", "threefry" or "auto_select".
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `value`.

    Example:

        >>> shuffled = tf.random.experimental.stateless_shuffle([1, 2, 3], seed=[1, 2])
        >>> sorted(shuffled.numpy().tolist())
        [1, 2, 3]
    """
    return ops.stateless_shuffle(value, *key_counter_alg(seed, alg), name=name)


def random_index_shuffle(
    index: Any, seed: Any, max_index: Any, rounds: int = 4, name: str | None = None
) -> Tensor:
    """Permute as `index_shuffle`, for a seed of three integers and a number of cipher rounds.

    Args:
        index: An index in [0, `max_index`], or a vector of them.
        seed: Three integers, or three for each index.
        max_index: The largest index.
        rounds: The number of rounds, even.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `index`.

    Example:
        >>> position = tf.random_index_shuffle(2, seed=[1, 2, 3], max_index=9)
        >>> 0 <= position.numpy() <= 9
        np.True_
    """
    return ops.random_index_shuffle(index, seed, max_index, rounds=rounds, name=name)
