"""New tensors: constants, ranges, matrices of patterns, windows."""

from __future__ import annotations

import functools
import math
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import floatx, standardize_dtype
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import dtype_of, operand, result_type, to_tensor

_op = functools.partial(declare, family="numpy")
_spaced = functools.partial(_op, call=("start", "stop"))


@_op()
def array(x: Any, dtype: Any = None) -> Any:
    """Converts `x` to a tensor."""
    return to_tensor(x, None if dtype is None else standardize_dtype(dtype))


def zeros(shape: Any, dtype: Any = None) -> Any:
    """Returns a tensor of zeros, by default of dtype `floatx()`."""
    return tf.zeros(shape, standardize_dtype(dtype))


def ones(shape: Any, dtype: Any = None) -> Any:
    """Returns a tensor of ones, by default of dtype `floatx()`."""
    return tf.ones(shape, standardize_dtype(dtype))


def empty(shape: Any, dtype: Any = None) -> Any:
    """Returns a tensor whose elements do not matter: zeros."""
    return tf.zeros(shape, standardize_dtype(dtype))


@_op()
def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Returns zeros of the shape of `x`."""
    return tf.zeros_like(to_tensor(x), dtype=dtype)


@_op()
def ones_like(x: Any, dtype: Any = None) -> Any:
    """Returns ones of the shape of `x`."""
    return tf.ones_like(to_tensor(x), dtype=dtype)


@_op()
def empty_like(x: Any, dtype: Any = None) -> Any:
    """Returns a tensor of the shape of `x` whose elements do not matter: zeros."""
    return tf.zeros_like(to_tensor(x), dtype=dtype)


@_op(call=("fill_value",))
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Returns a tensor filled with `fill_value`, by default of dtype `floatx()`."""
    return tf.broadcast_to(to_tensor(fill_value, standardize_dtype(dtype)), shape)


@_op(call=("x", "fill_value"))
def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Returns a tensor of the shape of `x` filled with `fill_value`."""
    x = to_tensor(x)
    fill = to_tensor(fill_value, result_type(dtype or x.dtype))
    return tf.ensure_shape(tf.broadcast_to(fill, tf.shape(x)), x.shape)


def _arange_spec(self: Any, start: Any, stop: Any = None, step: Any = None) -> Any:
    given = [x for x in (start, stop, step) if x is not None]
    dtype = self.dtype or result_type(*(getattr(x, "dtype", type(x)) for x in given))
    if any(isinstance(x, KerasTensor) for x in given):
        return KerasTensor((None,), dtype)
    first, last = (0, start) if stop is None else (start, stop)
    return KerasTensor((max(math.ceil((last - first) / (step or 1)), 0),), dtype)


@_op(call=("start", "stop", "step"), keywords=("step",), output_spec=_arange_spec)
def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """Returns numbers from `start`, or 0, to before `stop`, `step` apart.

    >>> tf.keras.ops.arange(3).numpy().tolist()
    [0, 1, 2]
    """
    if dtype is None:
        dtype = result_type(*(dtype_of(operand(x)) for x in (start, stop, step) if x is not None))
    dtype = standardize_dtype(dtype)
    step = 1 if step is None else step
    if stop is None:
        start, stop = 0, start
    kind = tf.as_dtype(dtype)
    compute = dtype if kind in (tf.int32, tf.int64, tf.float32, tf.float64) else "float32"
    bounds = (to_tensor(x, compute) for x in (start, stop, step))
    return tf.cast(tf.range(*bounds), dtype)


@_spaced()
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Returns `num` evenly spaced numbers from `start` to `stop`.

    Args:
        endpoint: Whether `stop` is the last of them.
        retstep: Whether the distance between them is returned, too.
    """
    if num < 0:
        raise ValueError(f"`num` must not be negative. Received: num={num}")
    num = int(num)
    start, stop = operand(start), operand(stop)
    if dtype is None:
        dtype = result_type(dtype_of(start), dtype_of(stop), float)
    dtype = tf.as_dtype(standardize_dtype(dtype))
    compute = dtype if dtype.is_floating else tf.float64
    start, stop = to_tensor(start, compute), to_tensor(stop, compute)
    parts = num - 1 if endpoint else num
    step = (stop - start) / parts if parts > 0 else tf.constant(float("nan"), compute)
    if num <= 1:
        values = tf.linspace(start, stop, num, axis=axis)
    else:
        last = stop if endpoint else stop - step
        values = tf.linspace(start, last, num, axis=axis)
    values = tf.cast(values if dtype.is_floating else tf.floor(values), dtype)
    return (
        (values, tf.cast(step, floatx()) if not dtype.is_floating else step) if retstep else values
    )


@_spaced()
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Returns `num` numbers from `base**start` to `base**stop`, evenly spaced as logarithms."""
    exponents = linspace(start, stop, num, endpoint, dtype=dtype, axis=axis)
    return tf.pow(tf.cast(base, exponents.dtype), exponents)


@_spaced()
def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Returns `num` numbers from `start` to `stop`, each the same multiple of the last."""
    compute = standardize_dtype(dtype)
    start, stop = to_tensor(start, compute), to_tensor(stop, compute)
    log_10 = tf.constant(math.log(10), compute)
    bounds = (tf.math.log(tf.abs(x)) / log_10 for x in (start, stop))
    return logspace(*bounds, num=num, endpoint=endpoint, dtype=dtype, axis=axis) * tf.sign(start)


def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    """Returns a matrix with ones on the diagonal `k` and zeros elsewhere.

    Args:
        N, M: The numbers of rows and columns; `M` is `N` by default.
    """
    for name, count in (("N", N), ("M", M)):
        if isinstance(count, float) or getattr(getattr(count, "dtype", None), "kind", "") == "f":
            raise TypeError(f"`{name}` must be an integer. Received: {name}={count!r}")
        if tf.is_tensor(count) and count.dtype.is_floating:
            raise TypeError(f"`{name}` must be an integer. Received: {name}={count!r}")
    columns = N if M is None else M
    offsets = tf.range(columns) - tf.expand_dims(tf.range(N), -1)
    return tf.cast(tf.equal(offsets, tf.cast(k, offsets.dtype)), standardize_dtype(dtype))


def identity(n: Any, dtype: Any = None) -> Any:
    """Returns the identity matrix of size `n`."""
    return eye(n, dtype=dtype)


def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Any:
    """Returns a matrix of zeros above the diagonal `k` and ones elsewhere."""
    columns = N if M is None else M
    offsets = tf.range(columns) - tf.expand_dims(tf.range(N), -1)
    return tf.cast(offsets <= tf.cast(k, offsets.dtype), standardize_dtype(dtype))


@_op()
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Returns the Vandermonde matrix of a vector: its powers as columns.

    Args:
        N: How many powers; by default as many as elements.
        increasing: Whether powers go up from 0, instead of down to 0.
    """
    x = to_tensor(x)
    if x.shape.rank != 1:
        raise ValueError(f"`vander` takes a vector. Received: x of shape {x.shape}")
    if N is not None and not isinstance(N, int):
        raise TypeError(f"`N` must be an integer. Received: N={N!r}")
    if N is not None and N < 0:
        raise ValueError(f"`N` must not be negative. Received: N={N}")
    if not isinstance(increasing, bool):
        raise TypeError(f"`increasing` must be a boolean. Received: {increasing!r}")
    count = N if N is not None else x.shape[0]
    if count is None:
        count = tf.shape(x)[0]
    powers = tf.range(count) if increasing else tf.range(count - 1, -1, -1)
    compute = result_type(x.dtype, "float32")
    columns = tf.pow(tf.expand_dims(tf.cast(x, compute), -1), tf.cast(powers, compute))
    return tf.cast(columns, result_type(x.dtype))


def _refuse_symbolic(name: str, x: Any) -> None:
    if isinstance(x, KerasTensor):
        raise TypeError(
            f"`{name}` needs the number of points while the model is defined. Received: x={x}"
        )


def _cosines(name: str, x: Any, *coefficients: float) -> Any:
    """A window that is a sum of cosines with these coefficients."""
    _refuse_symbolic(name, x)
    count = to_tensor(x, "int32")
    points = tf.cast(tf.range(count), floatx())
    last = tf.cast(tf.maximum(count - 1, 1), floatx())
    if tf.executing_eagerly() and int(count) == 1:
        return tf.ones([1], floatx())
    terms = [
        factor * tf.cos(2 * math.pi * number * points / last)
        for number, factor in enumerate(coefficients)
    ]
    return tf.add_n(terms)


def hamming(x: Any) -> Any:
    """Returns a Hamming window of `x` points."""
    return _cosines("hamming", x, 0.54, -0.46)


def hanning(x: Any) -> Any:
    """Returns a Hann window of `x` points."""
    return _cosines("hanning", x, 0.5, -0.5)


def blackman(x: Any) -> Any:
    """Returns a Blackman window of `x` points."""
    return _cosines("blackman", x, 0.42, -0.5, 0.08)


def bartlett(x: Any) -> Any:
    """Returns a Bartlett window of `x` points: a triangle."""
    _refuse_symbolic("bartlett", x)
    count = to_tensor(x, "int32")
    points = tf.cast(tf.range(count), floatx())
    last = tf.cast(count - 1, floatx())
    return 1 - tf.abs(tf.math.divide_no_nan(2 * points - last, last))


def kaiser(x: Any, beta: float) -> Any:
    """Returns a Kaiser window of `x` points with the shape parameter `beta`."""
    _refuse_symbolic("kaiser", x)
    return tf.signal.kaiser_window(to_tensor(x, "int32"), beta=beta)
