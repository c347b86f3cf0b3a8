"""Random tensors from global state: `tf.random.uniform`, `normal`, `shuffle`, …

Results are determined by the global seed (`set_seed`) and the op's `seed`: with neither, they
differ in every run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dispatch, dtypes, random_state
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.ops.array.filling import zeros_like
from tapeflow._src.ops.math.arithmetic import add_v2, mul, real_div, sub
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.random import stateful as ops

_UNIFORM = (
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.int64,
)


def set_seed(seed: Any) -> None:
    """Set the global seed, on which later random ops depend, in their order.

    Inside a function being traced, it is the seed of that function's ops.

    Args:
        seed: An integer.

    Example:

        >>> tf.random.set_seed(7)
        >>> first = tf.random.uniform((3,))
        >>> tf.random.set_seed(7)
        >>> bool(tf.reduce_all(first == tf.random.uniform((3,))))
        True
    """
    source = _seed_source()
    if source is None:
        random_state.set_seed(seed)
    else:
        source.seed = seed


def _seed_source() -> Any:
    """Return what supplies seeds: the graph's, while tracing; None in eager mode."""
    return getattr(dispatch.state.mode, "seeds", None)


def op_seeds(seed: Any) -> dict[str, int]:
    """Return the attributes `seed` and `seed2` of an op called with `seed`."""
    first, second = random_state.seed_pair(seed, _seed_source())
    return {"seed": first, "seed2": second}


def shape_tensor(shape: ShapeLike) -> Any:
    """Convert a shape to a tensor: of its own dtype, int32 for an empty list."""
    empty = type(shape) in (list, tuple) and not shape
    return dispatch.convert(shape, dtypes.int32 if empty else None, None, "shape")


def require_dtype(dtype: DTypeLike, accepted: tuple[DType, ...]) -> DType:
    """Return `dtype`; raise ValueError for one that the function does not support."""
    chosen = as_dtype(dtype)
    if chosen not in accepted:
        raise ValueError(
            f"Expected a dtype of {', '.join(d.name for d in accepted)}, received {chosen.name}."
        )
    return chosen


def is_standard(mean: TensorLike, stddev: Any) -> bool:
    """Whether standard normal numbers need no scaling."""
    return type(mean) is float and type(stddev) is float and mean == 0.0 and stddev == 1.0


def scaled(
    numbers: Any, mean: TensorLike, stddev: Any, dtype: DTypeLike, name: str | None
) -> Tensor:
    """Scale standard normal `numbers` to another mean and standard deviation."""
    mean = dispatch.convert(mean, dtype, None, "mean")
    stddev = dispatch.convert(stddev, dtype, None, "stddev")
    return add_v2(mul(numbers, stddev), mean, name=name)


def require_float(dtype: DTypeLike, mean: TensorLike) -> DType:
    """Return `dtype` after checking that `mean` converts to it."""
    chosen = as_dtype(dtype)
    if not chosen.is_floating:
        dispatch.convert(mean, chosen)
    return chosen


@scoped("random_normal", names_result=True)
def normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Draw numbers from a normal distribution.

    Args:
        shape: How many numbers to draw, as a shape.
        mean: The mean; a number or a tensor that broadcasts to `shape`.
        stddev: The standard deviation; likewise.
        dtype: A floating-point dtype; float32 by default.
        seed: An op seed: with the global one (`tf.random.set_seed`) it determines the numbers.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `shape`.

    Example:

        >>> tf.random.normal((2, 3)).shape
        TensorShape([2, 3])
    """
    dtype = require_float(dtype, mean)
    shape, seeds = shape_tensor(shape), op_seeds(seed)
    if is_standard(mean, stddev):
        return ops.random_standard_normal(shape, dtype=dtype, name=name, **seeds)
    numbers = ops.random_standard_normal(shape, dtype=dtype, **seeds)
    return scaled(numbers, mean, stddev, dtype, name)


@scoped("truncated_normal", names_result=True)
def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Draw numbers from a normal distribution truncated at two standard deviations.

    Args:
        shape: How many numbers to draw, as a shape.
        mean: The mean; a number or a tensor that broadcasts to `shape`.
        stddev: The standard deviation; likewise.
        dtype: A floating-point dtype; float32 by default.
        seed: An op seed: with the global one (`tf.random.set_seed`) it determines the numbers.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `shape`.

    Example:

        >>> bool(tf.reduce_all(tf.abs(tf.random.truncated_normal((1000,))) <= 2.0))
        True
    """
    dtype = require_float(dtype, mean)
    shape, seeds = shape_tensor(shape), op_seeds(seed)
    if is_standard(mean, stddev):
        return ops.random_truncated_normal(shape, dtype=dtype, name=name, **seeds)
    numbers = ops.random_truncated_normal(shape, dtype=dtype, **seeds)
    return scaled(numbers, mean, stddev, dtype, name)


@scoped("random_uniform", names_result=True)
def uniform(
    shape: ShapeLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Draw uniform numbers in `[minval, maxval)`.

    Args:
        shape: How many numbers to draw, as a shape.
        minval: The lower bound, included; a number or a tensor that broadcasts to `shape`.
        maxval: The upper bound, excluded; 1 for floats by default, required for integers.
        dtype: A floating-point dtype, int32 or int64; float32 by default.
        seed: An op seed: with the global one (`tf.random.set_seed`) it determines the numbers.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `shape`.

    Raises:
        ValueError: Integers are drawn without `maxval`, or the dtype is another.

    Example:

        >>> x = tf.random.uniform((1000,), 1, 7, dtype=tf.int32)
        >>> int(tf.reduce_min(x)), int(tf.reduce_max(x))
        (1, 6)
    """
    dtype = require_dtype(dtype, _UNIFORM)
    if dtype.is_integer and maxval is None:
        raise ValueError(
            f"Integers need an upper bound: expected maxval, received None for dtype={dtype.name}."
        )
    maxval = 1 if maxval is None else maxval
    from_zero = type(minval) is int and minval == 0
    to_one = type(maxval) is int and maxval == 1
    if dtype.is_integer or not (from_zero and to_one):
        minval, maxval = bounds(minval, maxval, dtype)
    shape = shape_tensor(shape)
    if dtype.is_integer:
        return ops.random_uniform_int(shape, minval, maxval, name=name, **op_seeds(seed))
    numbers = ops.random_uniform(shape, dtype=dtype, **op_seeds(seed))
    if from_zero:
        return numbers if to_one else mul(numbers, maxval, name="Mul")
    return add_v2(mul(numbers, sub(maxval, minval)), minval, name=name)


def uniform_interval(minval: Any, maxval: Any, dtype: DType) -> tuple[Any, Any] | None:
    """Return the bounds of uniform numbers; None stands for all integers."""
    if not dtype.is_integer:
        return minval, 1 if maxval is None else maxval
    match sum(end is None for end in (minval, maxval)):
        case 0:
            return minval, maxval
        case 1:
            raise ValueError(
                f"Integers of dtype {dtype.name} need both minval and maxval, or neither: "
                f"received minval={minval} and maxval={maxval}."
            )
    return None


def bounds(minval: Any, maxval: Any, dtype: DType) -> tuple[Any, Any]:
    """Convert the bounds of uniform numbers to tensors."""
    return (
        dispatch.convert(minval, dtype, None, "min"),
        dispatch.convert(maxval, dtype, None, "max"),
    )


def shuffle(value: TensorLike, seed: Any = None, name: str | None = None) -> Tensor:
    """Shuffle a tensor along its first axis.

    Args:
        value: A tensor of rank 1 or more; rows stay whole.
        seed: An op seed: with the global one (`tf.random.set_seed`) it determines the numbers.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `value`.

    Example:

        >>> sorted(tf.random.shuffle([1, 2, 3]).numpy().tolist())
        [1, 2, 3]
    """
    return ops.random_shuffle(value, name=name, **op_seeds(seed))


@scoped("categorical")
def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: DTypeLike | None = None,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Draw class indices with probabilities `softmax(logits)`, `num_samples` for each row.

    Args:
        logits: `[batch, classes]` unnormalised log probabilities.
        num_samples: The number of draws per row.
        dtype: int64 (the default) or int32.
        seed: An op seed: with the global one (`tf.random.set_seed`) it determines the numbers.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[batch, num_samples]`.

    Raises:
        ValueError: The dtype is another.

    Example:

        >>> tf.random.categorical([[0.0, 1000.0]], 3).numpy().tolist()
        [[1, 1, 1]]
    """
    dtype = require_dtype(dtype or dtypes.int64, (dtypes.int32, dtypes.int64))
    return ops.multinomial(logits, num_samples, output_dtype=dtype, name=name, **op_seeds(seed))


@scoped("random_gamma")
def gamma(
    shape: ShapeLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Draw numbers from gamma distributions: `shape` of them for each pair of parameters.

    Args:
        shape: How many numbers per pair of parameters, as a shape.
        alpha: The shape parameter, positive.
        beta: The rate (inverse scale); 1 by default. Both broadcast.
        dtype: A floating-point dtype; float32 by default.
        seed: An op seed: with the global one (`tf.random.set_seed`) it determines the numbers.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[*shape, *parameters]`.

    Raises:
        ValueError: The dtype is not floating-point.

    Example:

        >>> tf.random.gamma((5,), alpha=[1.0, 2.0]).shape
        TensorShape([5, 2])
    """
    if not as_dtype(dtype).is_floating:
        raise ValueError(f"dtype must be floating, received {as_dtype(dtype)}.")
    shape = dispatch.convert(shape, dtypes.int32, None, "shape")
    alpha, beta = gamma_parameters(alpha, beta, dtype)
    return gamma_scaled(ops.random_gamma(shape, alpha, **op_seeds(seed)), beta, name)


def gamma_parameters(alpha: Any, beta: Any, dtype: Any) -> tuple[Any, Any]:
    """Broadcast `alpha` against the rates and return both."""
    alpha = dispatch.convert(alpha, dtype, None, "alpha")
    beta = dispatch.convert(1 if beta is None else beta, dtype, None, "beta")
    return (alpha if beta.static_shape == () else add_v2(alpha, zeros_like(beta))), beta


def gamma_scaled(numbers: Any, beta: TensorLike, name: str | None) -> Tensor:
    """Scale gamma numbers of rate 1 to rate `beta`, and keep them above zero."""
    tiny = np.finfo(numbers.dtype.np).tiny
    return maximum(dispatch.convert(tiny, numbers.dtype), real_div(numbers, beta), name=name)


@scoped("random_poisson")
def poisson(
    shape: ShapeLike,
    lam: Any,
    dtype: DTypeLike = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Draw numbers from Poisson distributions: `shape` of them for each rate `lam`.

    Args:
        shape: How many numbers per rate, as a shape.
        lam: The rates.
        dtype: The dtype of the result; float32 by default.
        seed: An op seed: with the global one (`tf.random.set_seed`) it determines the numbers.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[*shape, *lam.shape]`.

    Example:

        >>> tf.random.poisson((5,), lam=[1.0, 10.0]).shape
        TensorShape([5, 2])
    """
    shape = dispatch.convert(shape, dtypes.int32, None, "shape")
    return ops.random_poisson(shape, lam, dtype=as_dtype(dtype), name=name, **op_seeds(seed))
