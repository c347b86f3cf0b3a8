"""Create arrays from shapes, numbers and ranges."""

from __future__ import annotations

import builtins
from typing import Any

from tapeflow import linalg
from tapeflow import math as tfm
from tapeflow._src.api import arrays
from tapeflow._src.api.experimental.numpy import weak
from tapeflow._src.api.experimental.numpy.manipulation import moveaxis
from tapeflow._src.api.experimental.numpy.promotion import (
    as_tensor_dtype,
    default_float,
    is_tensor,
    policy,
    result_type,
)
from tapeflow._src.api.experimental.numpy.promotion import asarray as asarray
from tapeflow._src.api.math.casting import cast
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.types import DTypeLike, ShapeLike, TensorLike


def _float_dtype(dtype: DTypeLike) -> Any:
    """Read a `dtype` argument; Python's `float` is the default float dtype."""
    return default_float() if dtype is float else as_tensor_dtype(dtype)


def _dims(shape: Any) -> Any:
    """Read a shape argument, which may be one number."""
    shape = shape if is_tensor(shape) else arrays.convert_to_tensor(shape, dtype_hint=dtypes.int32)
    return arrays.reshape(shape, [1]) if shape.shape.rank == 0 else shape


# -- from values -------------------------------------------------------------------------------


def array(val: Any, dtype: DTypeLike | None = None, copy: bool = True, ndmin: int = 0) -> Any:
    """Create an array from `val` with at least `ndmin` axes.

    Args:
        val: Tensors, arrays, numbers, or nested lists of them.
        dtype: The dtype; by default, the promoted one of the values.
        copy: Whether to copy.
        ndmin: Least number of axes; new ones come first.

    Returns:
        A tensor.

    Raises:
        ValueError: If `ndmin` is set and the number of axes is unknown.

    Example:
        >>> tf.experimental.numpy.array([1, 2], ndmin=2).numpy()
        array([[1, 2]])
    """
    result = asarray(val, dtype)
    if copy:
        result = arrays.identity(result)
    if not ndmin:
        return result
    rank = result.shape.rank
    if rank is None:
        raise ValueError("`ndmin` needs an array whose number of axes is known.")
    missing = ndmin - rank
    return arrays.reshape(result, [1] * missing + _sizes(result)) if missing > 0 else result


def _sizes(a: Any) -> list[Any]:
    """Return the sizes of the axes: ints, or tensors where unknown statically."""
    dynamic: Any = None if a.shape.is_fully_defined() else arrays.shape(a)
    return [dynamic[i] if size is None else size for i, size in enumerate(a.shape.as_list())]


def asanyarray(a: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Convert `a` to an array.

    Args:
        a: Tensors, arrays, numbers, or nested lists of them.
        dtype: The dtype; by default, the promoted one of the values.

    Returns:
        A tensor.
    """
    return asarray(a, dtype)


def ascontiguousarray(a: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Convert `a` to an array with at least one axis.

    Args:
        a: Tensors, arrays, numbers, or nested lists of them.
        dtype: The dtype; by default, the promoted one of the values.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.ascontiguousarray(5).numpy()
        array([5])
    """
    return array(a, dtype, ndmin=1)


def copy(a: TensorLike) -> Any:
    """Return a copy of `a`.

    Args:
        a: Array.

    Returns:
        A tensor of the same values.
    """
    return array(a, copy=True)


# -- filled ------------------------------------------------------------------------------------


def zeros(shape: Any, dtype: Any = float) -> Any:
    """Create an array of zeros.

    Args:
        shape: A size, or a sequence of sizes.
        dtype: The dtype; Python's `float` is float64, unless the process prefers float32.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.zeros([2, 2]).numpy()
        array([[0., 0.],
               [0., 0.]])
    """
    return arrays.zeros(_dims(shape), _float_dtype(dtype))


def ones(shape: Any, dtype: Any = float) -> Any:
    """Create an array of ones.

    Args:
        shape: A size, or a sequence of sizes.
        dtype: The dtype; Python's `float` is float64, unless the process prefers float32.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.ones(3, np.int32).numpy()
        array([1, 1, 1], dtype=int32)
    """
    return arrays.ones(_dims(shape), _float_dtype(dtype))


def empty(shape: ShapeLike, dtype: DTypeLike = float) -> Any:
    """Create an array of zeros: there are no uninitialised arrays.

    Args:
        shape: A size, or a sequence of sizes.
        dtype: The dtype; Python's `float` is float64, unless the process prefers float32.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.empty(2).numpy()
        array([0., 0.])
    """
    return zeros(shape, dtype)


def zeros_like(a: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Create an array of zeros with the shape of `a`.

    Args:
        a: Array.
        dtype: The dtype; that of `a` by default.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.zeros_like([1, 2]).numpy()
        array([0, 0])
    """
    a = asarray(a)
    return arrays.zeros_like(a, None if dtype is None else as_tensor_dtype(dtype))


def ones_like(a: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Create ones in the shape of `a`.

    Args:
        a: Array.
        dtype: The dtype; that of `a` by default.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.ones_like([1.5, 2.5]).numpy()
        array([1., 1.])
    """
    a = asarray(a)
    return arrays.ones_like(a, None if dtype is None else as_tensor_dtype(dtype))


def empty_like(a: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Create an array of zeros with the shape of `a`.

    Args:
        a: Array.
        dtype: The dtype; that of `a` by default.

    Returns:
        A tensor.
    """
    return zeros_like(a, dtype)


def full(shape: ShapeLike, fill_value: Any, dtype: DTypeLike | None = None) -> Any:
    """Fill an array of `shape` with `fill_value`, which is broadcast.

    Args:
        shape: A size, or a sequence of sizes.
        fill_value: The value, which is broadcast.
        dtype: The dtype; that of the value by default.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.full([2, 2], 7).numpy()
        array([[7, 7],
               [7, 7]])
    """
    return arrays.broadcast_to(asarray(fill_value, dtype), _dims(shape))


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> Any:
    """Create an array with the shape and dtype of `a` filled with `fill_value`.

    Args:
        a: Array.
        fill_value: The value, which is broadcast.
        dtype: The dtype; that of `a` by default.
        order: Must be "K".
        subok: Must be True.
        shape: Another shape.

    Returns:
        A tensor.

    Raises:
        ValueError: For another `order` or `subok`.

    Example:
        >>> tf.experimental.numpy.full_like([1, 2], 9).numpy()
        array([9, 9])
    """
    if order != "K":
        raise ValueError("Non-standard orders are not supported.")
    if not subok:
        raise ValueError("subok being False is not supported.")
    a = asarray(a)
    dims = arrays.shape(a) if shape is None else _dims(shape)
    return arrays.broadcast_to(asarray(fill_value, dtype or a.dtype), dims)


def eye(N: Any, M: Any = None, k: int = 0, dtype: DTypeLike = float) -> Any:
    """Create an N×M matrix of zeros but for ones on diagonal `k`.

    Args:
        N: Number of rows.
        M: Number of columns; N by default.
        k: The diagonal: above the main one if positive.
        dtype: The dtype; Python's `float` is float64, unless the process prefers float32.

    Returns:
        A matrix.

    Example:
        >>> tf.experimental.numpy.eye(2).numpy()
        array([[1., 0.],
               [0., 1.]])
    """
    dtype = _float_dtype(dtype)
    columns = N if M is None else M
    if k <= -N or k >= columns:
        return arrays.zeros([N, columns], dtype)
    if k == 0:
        return arrays.eye(N, columns, dtype=dtype)
    length = builtins.min(N, columns - k) if k > 0 else builtins.min(N + k, columns)
    ones_there = arrays.ones([length], dtype)
    return linalg.diag(ones_there, k=k, num_rows=N, num_cols=columns, padding_value=_zero(dtype))


def _zero(dtype: Any) -> Any:
    return dispatch.convert(False if dtype.is_bool else 0, dtype)


def identity(n: Any, dtype: Any = float) -> Any:
    """Create an identity matrix.

    Args:
        n: Number of rows and columns.
        dtype: The dtype; Python's `float` is float64, unless the process prefers float32.

    Returns:
        A matrix.

    Example:
        >>> tf.experimental.numpy.identity(2, np.int32).numpy()
        array([[1, 0],
               [0, 1]], dtype=int32)
    """
    return eye(n, n, dtype=dtype)


def tri(N: Any, M: Any = None, k: int = 0, dtype: DTypeLike | None = None) -> Any:
    """Create an N×M matrix with ones on and below the `k`-th diagonal.

    Args:
        N: Number of rows.
        M: Number of columns; N by default.
        k: The diagonal: above the main one if positive.
        dtype: The dtype; Python's `float` is float64, unless the process prefers float32.

    Returns:
        A matrix.

    Example:
        >>> tf.experimental.numpy.tri(3, dtype=np.int32).numpy()
        array([[1, 0, 0],
               [1, 1, 0],
               [1, 1, 1]], dtype=int32)
    """
    dtype = default_float() if dtype is None else as_tensor_dtype(dtype)
    rows = arrays.expand_dims(arrays.range(N), 1)
    columns = arrays.expand_dims(arrays.range(N if M is None else M), 0)
    return cast(tfm.less_equal(columns, tfm.add(rows, k)), dtype)


# -- ranges ------------------------------------------------------------------------------------


def arange(
    start: TensorLike, stop: Any = None, step: Any = 1, dtype: DTypeLike | None = None
) -> Any:
    """Return evenly spaced values in `[start, stop)`; `arange(n)` starts at 0.

    Args:
        start: The first value, or the bound if it is the only argument.
        stop: The bound, which is not reached.
        step: The distance of neighbours, not 0.
        dtype: The dtype; by default, the promoted one of the arguments.

    Returns:
        A vector.

    Raises:
        ValueError: If `step` is 0.

    Example:
        >>> tf.experimental.numpy.arange(2, 10, 3).numpy()
        array([2, 5, 8])
    """
    if not isinstance(step, bool) and not is_tensor(step) and step == 0:
        raise ValueError("step must be non-zero.")
    if dtype is not None:
        target = as_tensor_dtype(dtype)
    elif stop is None:
        target = result_type(start, step)
    else:
        target = result_type(start, step, stop)
    # There are ranges of real numbers only: those of others are counted in one and cast.
    counted = target if target in _COUNTED else dtypes.float64
    if stop is None:
        start, stop = 0, start
    ends = [asarray(value, counted) for value in (start, stop, step)]
    first, last, each = ends
    # There is nothing to count where the end lies behind: TensorFlow's ranges refuse that.
    forward = tfm.greater(each, _zero(counted))
    last = arrays.where(forward, tfm.maximum(first, last), tfm.minimum(first, last))
    result = cast(arrays.range(first, last, each), target)
    python = dtype is None and not builtins.any(map(is_tensor, (start, stop, step)))
    return weak.weaken(result) if python and weak.enabled() else result


_COUNTED = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def linspace(
    start: TensorLike,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike = float,
    axis: int = 0,
) -> Any:
    """Space `num` values evenly from `start` to `stop`.

    With `retstep`, the step as well.

    Args:
        start: The first value.
        stop: The last value, or the bound without `endpoint`.
        num: Number of values.
        endpoint: Whether `stop` is included.
        retstep: Whether to return the step as well.
        dtype: The dtype.
        axis: The axis of the values, where the ends are arrays.

    Returns:
        A tensor, or a pair of it and the step.

    Example:
        >>> tf.experimental.numpy.linspace(0, 1, 5).numpy()
        array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    preferred = None if dtype is float else as_tensor_dtype(dtype)
    start, stop = _floats(start, stop, preferred)
    start, stop = _broadcast_pair(start, stop)
    distance = tfm.subtract(stop, start)
    parts = num - 1 if endpoint else num
    if parts > 0:
        distance = tfm.divide(distance, dispatch.convert(parts, distance.dtype))
    if num <= 1:
        result = arrays.expand_dims(start, 0)[:num]
    else:
        last = stop if endpoint else tfm.subtract(stop, distance)
        result = arrays.linspace(start, last, num, axis=0)
    if axis != 0:
        result = moveaxis(result, 0, axis)
    if preferred is not None:
        result = cast(result, preferred)
    return (result, distance) if retstep else result


def _floats(start: TensorLike, stop: Any, preferred: Any) -> tuple[Any, ...]:
    """Convert both ends to one float dtype; Python ints do not widen it."""
    if preferred is not None and (preferred.is_floating or preferred.is_complex):
        return asarray(start, preferred), asarray(stop, preferred)
    target = result_type(start, stop, 0.0)
    if policy.prefer_float32 and not (is_tensor(start) or is_tensor(stop)):
        target = dtypes.float32
    return asarray(start, target), asarray(stop, target)


def _broadcast_pair(x: TensorLike, y: TensorLike) -> tuple[Any, Any]:
    dims = arrays.broadcast_dynamic_shape(arrays.shape(x), arrays.shape(y))
    return arrays.broadcast_to(x, dims), arrays.broadcast_to(y, dims)


def logspace(
    start: TensorLike,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Any:
    """Return `base` to the power of `num` evenly spaced exponents.

    Args:
        start: The first exponent.
        stop: The last exponent.
        num: Number of values.
        endpoint: Whether `stop` is included.
        base: The base.
        dtype: The dtype.
        axis: The axis of the values, where the ends are arrays.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.logspace(0, 2, 3).numpy()
        array([  1.,  10., 100.])
    """
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    result = tfm.pow(asarray(base, exponents.dtype), exponents)
    return result if dtype is None else cast(result, as_tensor_dtype(dtype))


def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Return `num` values from `start` to `stop` in geometric progression.

    Args:
        start: The first value, not 0.
        stop: The last value, not 0.
        num: Number of values.
        endpoint: Whether `stop` is included.
        dtype: The dtype.
        axis: The axis of the values, where the ends are arrays.

    Returns:
        A tensor.

    Example:
        >>> tf.experimental.numpy.geomspace(1, 8, 4).numpy().round(4)
        array([1., 2., 4., 8.])
    """
    start, stop = _floats(start, stop, None)
    start, stop = _broadcast_pair(start, stop)
    negative = tfm.logical_and(
        tfm.less(start, _zero(start.dtype)), tfm.less(stop, _zero(stop.dtype))
    )
    sign = arrays.where(negative, dispatch.convert(-1, start.dtype), asarray(1, start.dtype))
    exponents = linspace(
        tfm.log(tfm.multiply(sign, start)), tfm.log(tfm.multiply(sign, stop)), num, endpoint
    )
    result = tfm.multiply(sign, tfm.exp(exponents))
    if axis != 0:
        result = moveaxis(result, 0, axis)
    return result if dtype is None else cast(result, as_tensor_dtype(dtype))


def meshgrid(*xi: Any, **kwargs: Any) -> list[Any]:
    """Return coordinate matrices from coordinate vectors.

    Args:
        *xi: Vectors.
        **kwargs: `indexing`, "xy" or "ij"; `sparse` must be False and `copy` True.

    Returns:
        A list with one tensor per vector.

    Raises:
        ValueError: For another `sparse` or `copy`.

    Example:
        >>> x, y = tf.experimental.numpy.meshgrid([1, 2], [3, 4])
        >>> x.numpy()
        array([[1, 2],
               [1, 2]])
    """
    sparse = kwargs.get("sparse", False)
    if sparse:
        raise ValueError(f"meshgrid returns dense arrays only, received sparse={sparse}.")
    copied = kwargs.get("copy", True)
    if not copied:
        raise ValueError(f"meshgrid always copies, received copy={copied}: leave it out.")
    indexing = kwargs.get("indexing", "xy")
    return arrays.meshgrid(*map(asarray, xi), indexing=indexing)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Create a Vandermonde matrix.

    Args:
        x: Vector.
        N: Number of columns; the length of `x` by default.
        increasing: Whether powers increase from left to right.

    Returns:
        A matrix.

    Raises:
        ValueError: If `x` is no vector, or N is negative.

    Example:
        >>> tf.experimental.numpy.vander([1, 2, 3]).numpy()
        array([[1, 1, 1],
               [4, 2, 1],
               [9, 3, 1]])
    """
    x = asarray(x)
    if x.shape.rank != 1:
        raise ValueError(f"x must have one axis, received shape {x.shape}.")
    if N is None:
        columns: Any = arrays.size(x) if x.shape[0] is None else x.shape[0]
    elif N < 0:
        raise ValueError("N must be nonnegative")
    else:
        columns = N
    powers = arrays.range(columns)
    if not increasing:
        powers = arrays.reverse(powers, [0])
    return tfm.pow(arrays.expand_dims(x, 1), arrays.expand_dims(cast(powers, x.dtype), 0))
