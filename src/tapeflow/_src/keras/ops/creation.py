"""New tensors: constants, ranges, matrices of patterns, windows."""

from __future__ import annotations

import functools
import math
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.keras.config import floatx, standardize_dtype
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import dtype_of, operand, result_type, to_tensor

_op = functools.partial(declare, family="numpy")
_spaced = functools.partial(_op, call=("start", "stop"))


@_op()
def array(x: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Converts `x` to a tensor.

    Args:
        x: A number, an array, a tensor, or nested lists of numbers.
        dtype: Dtype of the result; None infers it. Unlike `tf.convert_to_tensor`, it casts what has
            another one.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.ops.array([1, 2, 3]).numpy()
        array([1, 2, 3], dtype=int32)
        >>> tf.keras.ops.array([1, 2, 3], dtype="float32").numpy()
        array([1., 2., 3.], dtype=float32)
    """
    return to_tensor(x, None if dtype is None else standardize_dtype(dtype))


def zeros(shape: ShapeLike, dtype: DTypeLike | None = None) -> Any:
    """Returns a tensor of zeros, by default of dtype `floatx()`.

    Args:
        shape: The sizes.
        dtype: Dtype of the result.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.ops.zeros((2, 3)).numpy()
        array([[0., 0., 0.],
               [0., 0., 0.]], dtype=float32)
    """
    return tf.zeros(shape, standardize_dtype(dtype))


def ones(shape: ShapeLike, dtype: DTypeLike | None = None) -> Any:
    """Returns a tensor of ones, by default of dtype `floatx()`.

    Args:
        shape: The sizes.
        dtype: Dtype of the result.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.ops.ones((2, 2), dtype="int32").numpy()
        array([[1, 1],
               [1, 1]], dtype=int32)
    """
    return tf.ones(shape, standardize_dtype(dtype))


def empty(shape: ShapeLike, dtype: DTypeLike | None = None) -> Any:
    """Returns a tensor whose elements do not matter: zeros.

    Args:
        shape: The sizes.
        dtype: Dtype of the result; None is `floatx()`.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.ops.empty((2, 3)).shape
        TensorShape([2, 3])
    """
    return tf.zeros(shape, standardize_dtype(dtype))


@_op()
def zeros_like(x: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Returns zeros of the shape of `x`.

    Args:
        x: Tensor, or a value that converts to one.
        dtype: Dtype of the result; None is that of `x`.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.ops.zeros_like([1.5, 2.5]).numpy()
        array([0., 0.], dtype=float32)
    """
    return tf.zeros_like(to_tensor(x), dtype=dtype)


@_op()
def ones_like(x: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Returns ones of the shape of `x`.

    Args:
        x: Tensor, or a value that converts to one.
        dtype: Dtype of the result; None is that of `x`.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.ops.ones_like([1.5, 2.5], dtype="int32").numpy()
        array([1, 1], dtype=int32)
    """
    return tf.ones_like(to_tensor(x), dtype=dtype)


@_op()
def empty_like(x: TensorLike, dtype: DTypeLike | None = None) -> Any:
    """Returns a tensor of the shape of `x` whose elements do not matter: zeros.

    Args:
        x: Tensor, or a value that converts to one.
        dtype: Dtype of the result; None is that of `x`.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.ops.empty_like([1.5, 2.5]).shape
        TensorShape([2])
    """
    return tf.zeros_like(to_tensor(x), dtype=dtype)


@_op(call=("fill_value",))
def full(shape: ShapeLike, fill_value: Any, dtype: Any = None) -> Any:
    """Returns a tensor filled with `fill_value`, by default of dtype `floatx()`.

    Args:
        shape: The sizes.
        fill_value: A number, or a tensor that broadcasts to `shape`.
        dtype: Dtype of the result, whatever that of `fill_value`.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.ops.full((2, 2), 7).numpy()
        array([[7., 7.],
               [7., 7.]], dtype=float32)
        >>> tf.keras.ops.full((2, 3), [1, 2, 3], dtype="int32").numpy()
        array([[1, 2, 3],
               [1, 2, 3]], dtype=int32)
    """
    return tf.broadcast_to(to_tensor(fill_value, standardize_dtype(dtype)), shape)


@_op(call=("x", "fill_value"))
def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Returns a tensor of the shape of `x` filled with `fill_value`.

    Args:
        x: Tensor, or a value that converts to one.
        fill_value: A number, or a tensor that broadcasts to the shape of `x`.
        dtype: Dtype of the result; None is that of `x`.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.ops.full_like([1, 2, 3], 7).numpy()
        array([7, 7, 7], dtype=int32)
    """
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
def arange(
    start: TensorLike, stop: Any = None, step: Any = None, dtype: DTypeLike | None = None
) -> Any:
    """Returns numbers from `start`, or 0, to before `stop`, `step` apart.

    Args:
        start: The first number; the end, and 0 is the first number, if `stop` is None.
        stop: The end, which is not included.
        step: The difference of neighbours, which may be negative; None is 1.
        dtype: Dtype of the result; None promotes those of the arguments: integers for integers,
            else `floatx()`.

    Returns:
        A vector.

    Example:
        >>> tf.keras.ops.arange(3).numpy()
        array([0, 1, 2], dtype=int32)
        >>> tf.keras.ops.arange(1.0, 2.0, 0.25).numpy()
        array([1.  , 1.25, 1.5 , 1.75], dtype=float32)
        >>> tf.keras.ops.arange(5, 0, -2).numpy()
        array([5, 3, 1], dtype=int32)
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
    start: TensorLike,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Any:
    """Returns `num` evenly spaced numbers from `start` to `stop`.

    Args:
        start: The first number, or a tensor of first numbers.
        stop: The end, of a shape that broadcasts with that of `start`.
        num: How many numbers.
        endpoint: Whether `stop` is the last of them.
        retstep: Whether to return the distance between them, too.
        dtype: Dtype of the result; None is floating-point. Integers are rounded down.
        axis: Where the new axis is in the result, if `start` and `stop` are not scalars.

    Returns:
        A tensor, or a tuple of it and the distance.

    Raises:
        ValueError: `num` is negative.

    Example:
        >>> tf.keras.ops.linspace(0, 1, 5).numpy()
        array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32)
        >>> tf.keras.ops.linspace(0, 1, 4, endpoint=False).numpy()
        array([0.  , 0.25, 0.5 , 0.75], dtype=float32)
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
    start: TensorLike,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Any:
    """Returns `num` numbers from `base**start` to `base**stop`, evenly spaced as logarithms.

    Args:
        start: Exponent of the first number.
        stop: Exponent of the end.
        num: How many numbers.
        endpoint: Whether `base**stop` is the last of them.
        base: The base of the powers.
        dtype: Dtype of the result; None is floating-point. The exponents are computed in it, too.
        axis: Where the new axis is in the result, if `start` and `stop` are not scalars.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.ops.logspace(0, 3, 4).numpy()
        array([   1.,   10.,  100., 1000.], dtype=float32)
        >>> tf.keras.ops.logspace(0, 4, 5, base=2).numpy()
        array([ 1.,  2.,  4.,  8., 16.], dtype=float32)
    """
    exponents = linspace(start, stop, num, endpoint, dtype=dtype, axis=axis)
    return tf.pow(tf.cast(base, exponents.dtype), exponents)


@_spaced()
def geomspace(
    start: TensorLike,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Any:
    """Returns `num` numbers from `start` to `stop`, each the same multiple of the last.

    Args:
        start: The first number, not 0.
        stop: The end, not 0 and of the sign of `start`.
        num: How many numbers.
        endpoint: Whether `stop` is the last of them.
        dtype: Dtype to compute in; None is `floatx()`.
        axis: Where the new axis is in the result, if `start` and `stop` are not scalars.

    Returns:
        A tensor.

    Example:
        >>> tf.keras.ops.geomspace(1.0, 8.0, 4).numpy().round(3)
        array([1., 2., 4., 8.], dtype=float32)
    """
    compute = standardize_dtype(dtype)
    start, stop = to_tensor(start, compute), to_tensor(stop, compute)
    log_10 = tf.constant(math.log(10), compute)
    bounds = (tf.math.log(tf.abs(x)) / log_10 for x in (start, stop))
    return logspace(*bounds, num=num, endpoint=endpoint, dtype=dtype, axis=axis) * tf.sign(start)


def eye(N: Any, M: Any = None, k: int = 0, dtype: DTypeLike | None = None) -> Any:
    """Return a matrix that is 1 on the diagonal `k` and 0 outside of it.

    Args:
        N: Number of rows.
        M: Number of columns; None is `N`.
        k: Which diagonal: above the main one if positive, below it if negative.
        dtype: Dtype of the result; None is `floatx()`.

    Returns:
        A matrix.

    Raises:
        TypeError: `N` or `M` is not an integer.

    Example:
        >>> tf.keras.ops.eye(2).numpy()
        array([[1., 0.],
               [0., 1.]], dtype=float32)
        >>> tf.keras.ops.eye(2, 3, k=1).numpy()
        array([[0., 1., 0.],
               [0., 0., 1.]], dtype=float32)
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
    """Returns the identity matrix of size `n`.

    Args:
        n: Number of rows and columns.
        dtype: Dtype of the result; None is `floatx()`.

    Returns:
        A matrix.

    Example:
        >>> tf.keras.ops.identity(2).numpy()
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    return eye(n, dtype=dtype)


def tri(N: Any, M: Any = None, k: int = 0, dtype: DTypeLike | None = None) -> Any:
    """Returns a matrix of zeros above the diagonal `k` and ones elsewhere.

    Args:
        N: Number of rows.
        M: Number of columns; None is `N`.
        k: The last diagonal of ones: above the main one if positive, below it if negative.
        dtype: Dtype of the result; None is `floatx()`.

    Returns:
        A matrix.

    Example:
        >>> tf.keras.ops.tri(3).numpy()
        array([[1., 0., 0.],
               [1., 1., 0.],
               [1., 1., 1.]], dtype=float32)
    """
    columns = N if M is None else M
    offsets = tf.range(columns) - tf.expand_dims(tf.range(N), -1)
    return tf.cast(offsets <= tf.cast(k, offsets.dtype), standardize_dtype(dtype))


@_op()
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Returns the Vandermonde matrix of a vector: its powers as columns.

    Args:
        x: A vector.
        N: How many powers; None is as many as elements.
        increasing: Whether powers go up from 0, instead of down to 0.

    Returns:
        A matrix of one row per element, of the dtype of `x`.

    Raises:
        ValueError: `x` is not a vector, or `N` is negative.
        TypeError: `N` is not an integer, or `increasing` not a boolean.

    Example:
        >>> tf.keras.ops.vander([1.0, 2.0, 3.0]).numpy()
        array([[1., 1., 1.],
               [4., 2., 1.],
               [9., 3., 1.]], dtype=float32)
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


def _refuse_symbolic(name: str, x: TensorLike) -> None:
    if isinstance(x, KerasTensor):
        raise TypeError(
            f"`{name}` needs the number of points while the model is defined. Received: x={x}"
        )


def _cosines(name: str, x: TensorLike, *coefficients: float) -> Any:
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


def hamming(x: TensorLike) -> Any:
    """Returns a Hamming window of `x` points.

    Args:
        x: Number of points, known when a model is defined.

    Returns:
        A vector of dtype `floatx()`.

    Raises:
        TypeError: `x` is a KerasTensor.

    Example:
        >>> tf.keras.ops.hamming(5).numpy().round(4)
        array([0.08, 0.54, 1.  , 0.54, 0.08], dtype=float32)
    """
    return _cosines("hamming", x, 0.54, -0.46)


def hanning(x: TensorLike) -> Any:
    """Returns a Hann window of `x` points.

    Args:
        x: Number of points, known when a model is defined.

    Returns:
        A vector of dtype `floatx()`.

    Raises:
        TypeError: `x` is a KerasTensor.

    Example:
        >>> tf.keras.ops.hanning(5).numpy()
        array([0. , 0.5, 1. , 0.5, 0. ], dtype=float32)
    """
    return _cosines("hanning", x, 0.5, -0.5)


def blackman(x: TensorLike) -> Any:
    """Returns a Blackman window of `x` points.

    Args:
        x: Number of points, known when a model is defined.

    Returns:
        A vector of dtype `floatx()`.

    Raises:
        TypeError: `x` is a KerasTensor.

    Example:
        >>> abs(tf.keras.ops.blackman(5)).numpy().round(2)
        array([0.  , 0.34, 1.  , 0.34, 0.  ], dtype=float32)
    """
    return _cosines("blackman", x, 0.42, -0.5, 0.08)


def bartlett(x: TensorLike) -> Any:
    """Returns a Bartlett window of `x` points: a triangle.

    Args:
        x: Number of points, known when a model is defined.

    Returns:
        A vector of dtype `floatx()`.

    Raises:
        TypeError: `x` is a KerasTensor.

    Example:
        >>> tf.keras.ops.bartlett(5).numpy()
        array([0. , 0.5, 1. , 0.5, 0. ], dtype=float32)
    """
    _refuse_symbolic("bartlett", x)
    count = to_tensor(x, "int32")
    points = tf.cast(tf.range(count), floatx())
    last = tf.cast(count - 1, floatx())
    return 1 - tf.abs(tf.math.divide_no_nan(2 * points - last, last))


def kaiser(x: TensorLike, beta: float) -> Any:
    """Returns a Kaiser window of `x` points with the shape parameter `beta`.

    Args:
        x: Number of points, known when a model is defined.
        beta: 0 for a rectangle; larger values fall off faster towards the ends.

    Returns:
        A `float32` vector.

    Raises:
        TypeError: `x` is a KerasTensor.

    Example:
        >>> tf.keras.ops.kaiser(5, beta=0.0).numpy()
        array([1., 1., 1., 1., 1.], dtype=float32)
    """
    _refuse_symbolic("kaiser", x)
    return tf.signal.kaiser_window(to_tensor(x, "int32"), beta=beta)
