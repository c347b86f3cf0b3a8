"""Sums, means, extrema and differences along axes, with NumPy's names and dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow import math as tfm
from tapeflow._src.api.arrays import ones_like, reshape, where, zeros_like
from tapeflow._src.api.experimental.numpy.logic import as_bools
from tapeflow._src.api.experimental.numpy.promotion import (
    as_tensor_dtype,
    asarray,
    default_float,
    default_int,
    promote,
    recast,
    to_float,
)
from tapeflow._src.api.math.casting import cast
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.dtypes import DType
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.types import Axis, DTypeLike, TensorLike
from tapeflow.linalg import tensordot


def flat(a: TensorLike) -> Any:
    return reshape(a, [-1])


def _no_out(out: Any) -> None:
    if out is not None:
        raise ValueError("Setting out is not supported.")


def _reduce(
    compute: Callable[..., Any],
    a: Any,
    axis: Any,
    dtype: Any,
    keepdims: Any,
    widen: Callable[[DType], DType] | None = None,
) -> Any:
    """Apply `compute` along axes in `dtype`, by default what `widen` maps the input's to."""
    a = asarray(a, dtype)
    if dtype is None and widen is not None and (a.dtype.is_integer or a.dtype.is_bool):
        a = recast(a, widen(a.dtype))
    return compute(a, axis, bool(keepdims))


def _float_of(dtype: DType) -> DType:
    return default_float()


def sum(
    a: TensorLike, axis: Axis | None = None, dtype: DTypeLike | None = None, keepdims: Any = None
) -> Any:
    """Compute the sum; small integers and booleans are widened.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        dtype: The dtype of the result.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.sum([[1, 2], [3, 4]], axis=0).numpy()
        array([4, 6])
    """
    return _reduce(tfm.reduce_sum, a, axis, dtype, keepdims, default_int)


def prod(
    a: TensorLike, axis: Axis | None = None, dtype: DTypeLike | None = None, keepdims: Any = None
) -> Any:
    """Compute the product; small integers and booleans are widened.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        dtype: The dtype of the result.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.prod([2, 3, 4]).numpy()
        np.int64(24)
    """
    return _reduce(tfm.reduce_prod, a, axis, dtype, keepdims, default_int)


def mean(
    a: TensorLike,
    axis: Axis | None = None,
    dtype: DTypeLike | None = None,
    out: Any = None,
    keepdims: Any = None,
) -> Any:
    """Compute the mean; integers are converted to floats.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        dtype: The dtype of the result.
        out: Must be None.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.mean([1, 2, 3, 4]).numpy()
        np.float64(2.5)
    """
    _no_out(out)
    return _reduce(tfm.reduce_mean, a, axis, dtype, keepdims, _float_of)


def all(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Return whether all elements are nonzero.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A bool tensor.

    Example:
        >>> bool(tf.experimental.numpy.all([1, 0]))
        False

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A bool tensor.

    Example:
        >>> bool(tf.experimental.numpy.all([1, 0]))
        False
    """
    return tfm.reduce_all(as_bools(a), axis, bool(keepdims))


def any(a: TensorLike, axis: Axis | None = None, keepdims: Any = None) -> Any:
    """Return whether any element is nonzero.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A bool tensor.

    Example:
        >>> bool(tf.experimental.numpy.any([1, 0]))
        True

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A bool tensor.
    """
    return tfm.reduce_any(as_bools(a), axis, bool(keepdims))


def max(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Compute the largest element.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.max([[1, 5], [3, 4]], axis=1).numpy()
        array([5, 4])
    """
    a = asarray(a)
    return (tfm.reduce_any if a.dtype.is_bool else tfm.reduce_max)(a, axis, bool(keepdims))


def min(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Compute the smallest element.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.min([[1, 2], [3, 0]], axis=1).numpy()
        array([1, 0])
    """
    a = asarray(a)
    return (tfm.reduce_all if a.dtype.is_bool else tfm.reduce_min)(a, axis, bool(keepdims))


def amax(a: TensorLike, axis: Axis | None = None, out: Any = None, keepdims: Any = None) -> Any:
    """Compute the largest element.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        out: Must be None.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.amax([[1, 2], [3, 0]], axis=0).numpy()
        array([3, 2])
    """
    _no_out(out)
    return max(a, axis, keepdims)


def amin(a: TensorLike, axis: Axis | None = None, out: Any = None, keepdims: Any = None) -> Any:
    """Compute the smallest element.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        out: Must be None.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.amin([[1, 2], [3, 0]], axis=0).numpy()
        array([1, 0])
    """
    _no_out(out)
    return min(a, axis, keepdims)


def ptp(a: TensorLike, axis: Axis | None = None, keepdims: Any = None) -> Any:
    """Compute the range of values: maximum minus minimum.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.ptp([4.0, 1.0, 9.0]).numpy()
        np.float64(8.0)
    """
    return tfm.subtract(max(a, axis, keepdims), min(a, axis, keepdims))


def var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: Any = None,
) -> Any:
    """Compute the variance with divisor `n - ddof`; integers are converted to floats.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        dtype: The dtype of the result.
        out: Must be None.
        ddof: What is subtracted from the number of elements.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.var([1, 2, 3, 4]).numpy()
        np.float64(1.25)
    """
    _no_out(out)
    a = to_float(a)
    target = a.dtype.real_dtype if dtype is None else as_tensor_dtype(dtype)
    away = tfm.subtract(a, tfm.reduce_mean(a, axis, True))
    if a.dtype.is_complex:
        away = tfm.abs(away)
    squares = tfm.square(away)
    if not ddof:
        return cast(tfm.reduce_mean(squares, axis, bool(keepdims)), target)
    total = tfm.reduce_sum(squares, axis, bool(keepdims))
    count = tfm.reduce_sum(ones_like(squares), axis, bool(keepdims))
    return cast(tfm.divide(total, tfm.subtract(count, convert(ddof, count.dtype))), target)


def std(a: TensorLike, axis: Axis | None = None, keepdims: Any = None) -> Any:
    """Compute the standard deviation; integers are converted to floats.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.std([1.0, 3.0]).numpy()
        np.float64(1.0)
    """
    return tfm.sqrt(var(a, axis, keepdims=keepdims))


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """Compute the weighted mean; with `returned`, the sum of weights as well.

    Args:
        a: Array.
        axis: One axis; all by default.
        weights: Weights of the elements, or of the slices along `axis`; equal by default.
        returned: Whether to return the sum of the weights as well.

    Returns:
        A tensor, or a pair of tensors.

    Raises:
        ValueError: If `axis` is no int.

    Example:
        >>> tf.experimental.numpy.average([1, 2], weights=[3, 1]).numpy()
        np.float64(1.25)
    """
    if axis is not None and not isinstance(axis, int):
        raise ValueError(
            f"average: axis must be an int or None, received {axis!r} of type {type(axis).__name__}"
        )
    a = to_float(a)
    if weights is None:
        result = tfm.reduce_mean(a, axis)
        total = tfm.reduce_sum(ones_like(a), axis)
        return (result, total) if returned else result
    a, weights = promote(a, to_float(weights))
    if weights.shape.rank == 1 and a.shape.rank != 1 and axis is not None:
        weighted = tensordot(a, weights, [[axis], [0]])
        total = tfm.add(tfm.reduce_sum(weights), zeros_like(weighted))
    else:
        if not weights.shape.is_compatible_with(a.shape):
            raise InvalidArgumentError(
                None,
                None,
                f"The weights of average have the shape of the array, {a.shape}, or are as many "
                f"as it is long along `axis`. Received weights of shape {weights.shape}, "
                f"axis={axis}.",
            )
        weighted = tfm.reduce_sum(tfm.multiply(a, weights), axis)
        total = tfm.reduce_sum(weights, axis)
    result = tfm.divide(weighted, total)
    return (result, total) if returned else result


# -- ignoring NaN ------------------------------------------------------------------------------


def _nan_as(a: Any, value: int, dtype: Any) -> Any:
    a = asarray(a, dtype)
    if not (a.dtype.is_floating or a.dtype.is_complex):
        return a
    return where(tfm.is_nan(a), convert(value, a.dtype), a)


def nansum(
    a: TensorLike, axis: Axis | None = None, dtype: DTypeLike | None = None, keepdims: Any = False
) -> Any:
    """Compute the sum, ignoring NaN.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        dtype: The dtype of the result.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.nansum([1.0, np.nan, 3.0]).numpy()
        np.float64(4.0)
    """
    return sum(_nan_as(a, 0, dtype), axis, dtype, keepdims)


def nanprod(
    a: TensorLike, axis: Axis | None = None, dtype: DTypeLike | None = None, keepdims: Any = False
) -> Any:
    """Compute the product, ignoring NaN.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        dtype: The dtype of the result.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.nanprod([2.0, np.nan, 3.0]).numpy()
        np.float64(6.0)
    """
    return prod(_nan_as(a, 1, dtype), axis, dtype, keepdims)


def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Compute the mean, ignoring NaN; integers are converted to floats.

    Args:
        a: Array.
        axis: The axis, or axes; all by default.
        dtype: The dtype of the result.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.nanmean([1.0, np.nan, 3.0]).numpy()
        np.float64(2.0)
    """
    a = asarray(a)
    if not (a.dtype.is_floating or a.dtype.is_complex):
        return mean(a, axis, None, None, keepdims)
    numbers = tfm.logical_not(tfm.is_nan(a))
    total = nansum(a, axis, None, keepdims)
    if dtype is not None:
        total = to_float(cast(total, as_tensor_dtype(dtype)))
    return tfm.divide(total, tfm.reduce_sum(cast(numbers, total.dtype), axis, bool(keepdims)))


# -- cumulative sums, and indices --------------------------------------------------------------


def _running(compute: Callable[..., Any], a: Any, axis: Any, dtype: Any) -> Any:
    a = asarray(a, dtype)
    if dtype is None and a.dtype.is_integer and a.dtype.size < (wide := _wide_int()).size:
        a = cast(a, wide)
    if axis is None:
        a, axis = flat(a), 0
    return compute(a, axis)


def _wide_int() -> DType:
    return default_int(dtypes.int8)


def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Compute the cumulative sum.

    Args:
        a: Array.
        axis: The axis; None flattens the array.
        dtype: What elements are converted to first.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.cumsum([1, 2, 3]).numpy()
        array([1, 3, 6])
    """
    return _running(tfm.cumsum, a, axis, dtype)


def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """Compute the cumulative product.

    Args:
        a: Array.
        axis: The axis; None flattens the array.
        dtype: What elements are converted to first.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.cumprod([1, 2, 3]).numpy()
        array([1, 2, 6])
    """
    return _running(tfm.cumprod, a, axis, dtype)


def _arg_extreme(compute: Callable[..., Any], a: Any, axis: Any) -> Any:
    a = asarray(a)
    if a.dtype.is_bool:
        a = cast(a, dtypes.int8)
    if axis is None:
        a, axis = flat(a), 0
    return compute(a, axis)


def argmax(a: TensorLike, axis: Axis | None = None) -> Any:
    """Return the index of the first maximum.

    Args:
        a: Array.
        axis: The axis; None flattens the array.

    Returns:
        An integer tensor.

    Example:
        >>> int(tf.experimental.numpy.argmax([3, 9, 4]))
        1
    """
    return _arg_extreme(tfm.argmax, a, axis)


def argmin(a: TensorLike, axis: Axis | None = None) -> Any:
    """Return the index of the first minimum.

    Args:
        a: Array.
        axis: The axis; None flattens the array.

    Returns:
        An integer tensor.

    Example:
        >>> tf.experimental.numpy.argmin([3, 1, 2]).numpy()
        np.int64(1)
    """
    return _arg_extreme(tfm.argmin, a, axis)


def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Compute the `n`-th discrete difference; of booleans, whether neighbours differ.

    Args:
        a: Array.
        n: How often to take differences.
        axis: The axis.

    Returns:
        A tensor.

    Raises:
        ValueError: If `n` is negative.
        IndexError: If there is no such axis.

    Example:
        >>> tf.experimental.numpy.diff([1, 4, 9]).numpy()
        array([3, 5])
    """
    if n < 0:
        raise ValueError(f"diff: n must be 0 or more, received {n}")
    a = asarray(a)
    rank = a.shape.rank
    if rank is None:
        raise ValueError("diff needs an array whose number of axes is known.")
    if not -rank <= axis < rank:
        raise IndexError(f"diff along axis {axis} of an array with {rank} axes.")
    before = tuple(slice(None) for _ in range(axis % rank))
    compute = tfm.not_equal if a.dtype.is_bool else tfm.subtract
    for _ in range(n):
        a = compute(a[(*before, slice(1, None))], a[(*before, slice(None, -1))])
    return a
