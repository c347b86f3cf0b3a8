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


def _float_dtype(dtype: Any) -> Any:
    """Read a `dtype` argument; Python's `float` is the default float dtype."""
    return default_float() if dtype is float else as_tensor_dtype(dtype)


def _dims(shape: Any) -> Any:
    """Read a shape argument, which may be one number."""
    shape = shape if is_tensor(shape) else arrays.convert_to_tensor(shape, dtype_hint=dtypes.int32)
    return arrays.reshape(shape, [1]) if shape.shape.rank == 0 else shape


# -- from values -------------------------------------------------------------------------------


def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """Create an array from `val` with at least `ndmin` axes."""
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


def asanyarray(a: Any, dtype: Any = None) -> Any:
    """Convert `a` to an array."""
    return asarray(a, dtype)


def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """Convert `a` to an array with at least one axis."""
    return array(a, dtype, ndmin=1)


def copy(a: Any) -> Any:
    """Return a copy of `a`."""
    return array(a, copy=True)


# -- filled ------------------------------------------------------------------------------------


def zeros(shape: Any, dtype: Any = float) -> Any:
    """Create an array of zeros."""
    return arrays.zeros(_dims(shape), _float_dtype(dtype))


def ones(shape: Any, dtype: Any = float) -> Any:
    """Create an array of ones."""
    return arrays.ones(_dims(shape), _float_dtype(dtype))


def empty(shape: Any, dtype: Any = float) -> Any:
    """Create an array of zeros: there are no uninitialised arrays."""
    return zeros(shape, dtype)


def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Create an array of zeros with the shape of `a`."""
    a = asarray(a)
    return arrays.zeros_like(a, None if dtype is None else as_tensor_dtype(dtype))


def ones_like(a: Any, dtype: Any = None) -> Any:
    """Create ones in the shape of `a`."""
    a = asarray(a)
    return arrays.ones_like(a, None if dtype is None else as_tensor_dtype(dtype))


def empty_like(a: Any, dtype: Any = None) -> Any:
    """Create an array of zeros with the shape of `a`."""
    return zeros_like(a, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Fill an array of `shape` with `fill_value`, which is broadcast."""
    return arrays.broadcast_to(asarray(fill_value, dtype), _dims(shape))


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> Any:
    """Create an array with the shape and dtype of `a` filled with `fill_value`."""
    if order != "K":
        raise ValueError("Non-standard orders are not supported.")
    if not subok:
        raise ValueError("subok being False is not supported.")
    a = asarray(a)
    dims = arrays.shape(a) if shape is None else _dims(shape)
    return arrays.broadcast_to(asarray(fill_value, dtype or a.dtype), dims)


def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float) -> Any:
    """Create an N×M matrix of zeros but for ones on diagonal `k`."""
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
    """Create an identity matrix."""
    return eye(n, n, dtype=dtype)


def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    """Create an N×M matrix with ones on and below the `k`-th diagonal."""
    dtype = default_float() if dtype is None else as_tensor_dtype(dtype)
    rows = arrays.expand_dims(arrays.range(N), 1)
    columns = arrays.expand_dims(arrays.range(N if M is None else M), 0)
    return cast(tfm.less_equal(columns, tfm.add(rows, k)), dtype)


# -- ranges ------------------------------------------------------------------------------------


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Return evenly spaced values in `[start, stop)`; `arange(n)` starts at 0."""
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
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """Space `num` values evenly from `start` to `stop`.

    With `retstep`, the step as well.
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


def _floats(start: Any, stop: Any, preferred: Any) -> tuple[Any, ...]:
    """Convert both ends to one float dtype; Python ints do not widen it."""
    if preferred is not None and (preferred.is_floating or preferred.is_complex):
        return asarray(start, preferred), asarray(stop, preferred)
    target = result_type(start, stop, 0.0)
    if policy.prefer_float32 and not (is_tensor(start) or is_tensor(stop)):
        target = dtypes.float32
    return asarray(start, target), asarray(stop, target)


def _broadcast_pair(x: Any, y: Any) -> tuple[Any, Any]:
    dims = arrays.broadcast_dynamic_shape(arrays.shape(x), arrays.shape(y))
    return arrays.broadcast_to(x, dims), arrays.broadcast_to(y, dims)


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Return `base` to the power of `num` evenly spaced exponents."""
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
    """Return `num` values from `start` to `stop` in geometric progression."""
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
    """Return coordinate matrices from coordinate vectors."""
    sparse = kwargs.get("sparse", False)
    if sparse:
        raise ValueError(f"meshgrid returns dense arrays only, received sparse={sparse}.")
    copied = kwargs.get("copy", True)
    if not copied:
        raise ValueError(f"meshgrid always copies, received copy={copied}: leave it out.")
    indexing = kwargs.get("indexing", "xy")
    return arrays.meshgrid(*map(asarray, xi), indexing=indexing)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Create a Vandermonde matrix."""
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
