"""Reductions: sums, means, extremes, and running sums."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis, DTypeLike, TensorLike
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.ops import sparse
from tapeflow._src.keras.ops.axes import normalized_axes, sizes
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import accumulated, floating, result_type, to_tensor

_op = functools.partial(declare, family="numpy", sparse=sparse.densified)
_kept = functools.partial(declare, family="numpy", sparse=sparse.kept)


def _boolean(x: TensorLike) -> Any:
    return to_tensor(x, "bool")


@_op()
def all(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Returns whether all elements along `axis` are true.

    Args:
        x: Tensor, or a value that converts to one; nonzero numbers count as true.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A boolean tensor; true where nothing is reduced.

    Example:
        >>> tf.keras.ops.all([[True, False], [True, True]], axis=1).numpy()
        array([False,  True])
    """
    return tf.reduce_all(_boolean(x), axis=axis, keepdims=keepdims)


@_op()
def any(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Returns whether any element along `axis` is true.

    Args:
        x: Tensor, or a value that converts to one; nonzero numbers count as true.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A boolean tensor; false where nothing is reduced.

    Example:
        >>> tf.keras.ops.any([[True, False], [False, False]], axis=1).numpy()
        array([ True, False])
    """
    return tf.reduce_any(_boolean(x), axis=axis, keepdims=keepdims)


@_kept()
def sum(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Sums elements along `axis`; small integers are added up as 32-bit ones.

    Args:
        x: Tensor, or a value that converts to one; a sparse tensor is summed to a sparse one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor of the dtype of `x`; booleans and integers below 32 bits become `int32`, unsigned
        ones `uint32`.

    Example:
        >>> x = [[1.0, 2.0], [3.0, 4.0]]
        >>> tf.keras.ops.sum(x).numpy()
        np.float32(10.0)
        >>> tf.keras.ops.sum(x, axis=0).numpy()
        array([4., 6.], dtype=float32)
        >>> tf.keras.ops.sum(x, axis=1, keepdims=True).numpy()
        array([[3.],
               [7.]], dtype=float32)
    """
    if isinstance(x, tf.SparseTensor):
        return _sparse_sum(x, axis, keepdims)
    return tf.reduce_sum(accumulated(x), axis=axis, keepdims=keepdims)


def _sparse_sum(x: Any, axis: Any, keepdims: bool) -> Any:
    x = sparse.with_values(x, accumulated(x.values))
    shape = x.shape.as_list()
    axes = range(len(shape)) if axis is None else normalized_axes(axis, len(shape))
    result = tf.sparse.reduce_sum(x, axis=axis, keepdims=keepdims, output_is_sparse=True)
    kept = [1 if number in axes else size for number, size in enumerate(shape)]
    left = [size for number, size in enumerate(shape) if number not in axes]
    result.set_shape(kept if keepdims else left)
    return result


def _sparse_mean(x: Any, axis: Any, keepdims: bool) -> Any:
    compute = result_type(x.dtype, "float32")
    total = _sparse_sum(tf.cast(x, compute), axis, keepdims)
    rank = x.shape.rank
    axes = list(range(rank)) if axis is None else list(normalized_axes(axis, rank))
    count = tf.reduce_prod(tf.gather(x.dense_shape, tf.constant(axes, tf.int32)))
    values = total.values / tf.cast(count, compute)
    floating = x.dtype.is_floating or x.dtype.is_complex
    return sparse.with_values(total, tf.cast(values, x.dtype) if floating else values)


@_op()
def prod(
    x: TensorLike, axis: Axis | None = None, keepdims: bool = False, dtype: DTypeLike | None = None
) -> Any:
    """Multiplies elements along `axis`.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.
        dtype: Dtype to multiply in; None is that of `x`, with at least 32 bits for integers.

    Returns:
        A tensor; 1 where nothing is reduced.

    Example:
        >>> tf.keras.ops.prod([[1, 2], [3, 4]], axis=1).numpy()
        array([ 2, 12], dtype=int32)
    """
    x = accumulated(x) if dtype is None else to_tensor(x, dtype)
    return tf.reduce_prod(x, axis=axis, keepdims=keepdims)


@_kept()
def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Computes the mean along `axis`; 16-bit numbers are added up in 32 bits.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor of the dtype of `x`; means of integers and booleans are floating-point.

    Example:
        >>> tf.keras.ops.mean([[1, 2], [3, 5]], axis=0).numpy()
        array([2. , 3.5], dtype=float32)
    """
    if isinstance(x, tf.SparseTensor):
        return _sparse_mean(x, axis, keepdims)
    x = to_tensor(x)
    dtype = x.dtype
    if dtype is tf.float32 or dtype is tf.float64 or dtype.is_complex:
        return tf.reduce_mean(x, axis=axis, keepdims=keepdims)
    compute = result_type(dtype, "float32")
    result = tf.reduce_mean(tf.cast(x, compute), axis=axis, keepdims=keepdims)
    return tf.cast(result, dtype) if dtype.is_floating else result


@_op(call=("x", "weights"), keywords=("weights",))
def average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    """Computes the mean along `axis`, weighted by `weights`.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to average along; None averages all elements.
        weights: Tensor of the shape of `x`, or a vector of the size of `axis`; None weights all
            elements alike.

    Returns:
        A floating-point tensor: the weighted sum divided by the sum of the weights.

    Example:
        >>> tf.keras.ops.average([1.0, 2.0, 4.0], weights=[1.0, 1.0, 2.0]).numpy()
        np.float32(2.75)
        >>> tf.keras.ops.average([[1.0, 2.0], [3.0, 4.0]], axis=1, weights=[3.0, 1.0]).numpy()
        array([1.25, 3.25], dtype=float32)
    """
    x = to_tensor(x)
    if weights is None:
        return tf.reduce_mean(tf.cast(x, result_type(x.dtype, float)), axis=axis)
    weights = to_tensor(weights)
    dtype = result_type(x.dtype, weights.dtype, float)
    x, weights = tf.cast(x, dtype), tf.cast(weights, dtype)
    if axis is None or x.shape.rank == weights.shape.rank:
        return tf.reduce_sum(x * weights, axis=axis) / tf.reduce_sum(weights, axis=axis)
    return tf.tensordot(x, weights, [[axis], [0]]) / tf.reduce_sum(weights)


@_op()
def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Computes the variance along `axis`, divided by the number of elements.

    It is the biased estimate (NumPy's `ddof=0`). Small floats are computed in `float32`.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A floating-point tensor; the variance of complex numbers is real.

    Example:
        >>> tf.keras.ops.var([1, 2, 3, 4]).numpy()
        np.float32(1.25)
    """
    x = to_tensor(x)
    wide = tf.cast(x, result_type(x.dtype, "float32"))
    result = tf.math.reduce_variance(wide, axis=axis, keepdims=keepdims)
    return tf.cast(result, result_type(x.dtype, float)) if not x.dtype.is_complex else result


@_op()
def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Computes the standard deviation along `axis`, the root of `var`.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A floating-point tensor; integers become `floatx()`.

    Example:
        >>> tf.keras.ops.std([[1.0, 3.0], [2.0, 2.0]], axis=1).numpy()
        array([1., 0.], dtype=float32)
    """
    x = to_tensor(x)
    if x.dtype.is_integer or x.dtype is tf.bool:
        x = tf.cast(x, floatx())
    return tf.math.reduce_std(x, axis=axis, keepdims=keepdims)


def _extreme(
    name: str, reduce: Any, pairwise: Any, x: Any, axis: Any, keepdims: bool, initial: Any
) -> Any:
    x = to_tensor(x)
    if initial is None and x.shape.num_elements() == 0:
        raise ValueError(
            f"`{name}` of no elements is not defined. Received: x of shape {x.shape}. Pass "
            f"`initial` for a result."
        )
    boolean = x.dtype is tf.bool
    result = reduce(tf.cast(x, tf.uint8) if boolean else x, axis=axis, keepdims=keepdims)
    if initial is not None:
        result = pairwise(result, to_tensor(initial, result.dtype))
    return tf.cast(result, tf.bool) if boolean else result


@_op()
def max(
    x: TensorLike, axis: Axis | None = None, keepdims: bool = False, initial: Any = None
) -> Any:
    """Returns the largest elements along `axis`.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.
        initial: Lower bound of the result, which makes the maximum of no elements defined.

    Returns:
        A tensor of the dtype of `x`. NaN, if there is any, wins; `nanmax` ignores it.

    Raises:
        ValueError: `x` has no elements and `initial` is None.

    Example:
        >>> tf.keras.ops.max([[1, 7], [5, 3]], axis=1).numpy()
        array([7, 5], dtype=int32)
        >>> tf.keras.ops.max([-2.0, -1.0], initial=0.0).numpy()
        np.float32(0.0)
    """
    return _extreme("max", tf.reduce_max, tf.maximum, x, axis, keepdims, initial)


@_op()
def min(
    x: TensorLike, axis: Axis | None = None, keepdims: bool = False, initial: Any = None
) -> Any:
    """Returns the smallest elements along `axis`.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.
        initial: Upper bound of the result, which makes the minimum of no elements defined.

    Returns:
        A tensor of the dtype of `x`. NaN, if there is any, wins; `nanmin` ignores it.

    Raises:
        ValueError: `x` has no elements and `initial` is None.

    Example:
        >>> tf.keras.ops.min([[1, 7], [5, 3]], axis=1).numpy()
        array([1, 3], dtype=int32)
    """
    return _extreme("min", tf.reduce_min, tf.minimum, x, axis, keepdims, initial)


@_op()
def amax(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Returns the largest elements along `axis`, as `max`.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor of the dtype of `x`.

    Example:
        >>> tf.keras.ops.amax([[1, 7], [5, 3]], axis=0).numpy()
        array([5, 7], dtype=int32)
    """
    return max(x, axis, keepdims)


@_op()
def amin(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Returns the smallest elements along `axis`, as `min`.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor of the dtype of `x`.

    Example:
        >>> tf.keras.ops.amin([[1, 7], [5, 3]], axis=0).numpy()
        array([1, 3], dtype=int32)
    """
    return min(x, axis, keepdims)


@_op()
def ptp(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Returns the largest minus the smallest elements along `axis`.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A tensor of the dtype of `x`: the range of values ("peak to peak").

    Example:
        >>> tf.keras.ops.ptp([[1, 7], [5, 3]], axis=1).numpy()
        array([6, 2], dtype=int32)
    """
    x = to_tensor(x)
    largest = tf.reduce_max(x, axis=axis, keepdims=keepdims)
    return largest - tf.reduce_min(x, axis=axis, keepdims=keepdims)


def _ordered_zeros(x: Any) -> Any:
    """`x` with -0.0 below 0.0, as its sign bit orders them."""
    if not x.dtype.is_floating:
        return x
    x = tf.cast(x, result_type(x.dtype, "float32"))
    smallest = 2.0**-126 if x.dtype is tf.float32 else 2.0**-1022
    negative = tf.equal(x, 0) & (tf.math.reciprocal(x) < 0)
    return tf.where(negative, tf.constant(-smallest, x.dtype), x)


def _position(search: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    x = to_tensor(x)
    if x.dtype is tf.bool:
        x = tf.cast(x, tf.uint8)
    searched = _ordered_zeros(x)
    if axis is None:
        searched = tf.reshape(searched, [-1])
    indices = search(searched, axis=0 if axis is None else axis, output_type=tf.int32)
    if not keepdims:
        return indices
    if axis is None:
        return tf.reshape(indices, [1] * x.shape.rank)
    return tf.expand_dims(indices, axis)


@_op()
def argmax(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Returns the indices of the largest elements along `axis`, or in the flattened tensor.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to search along; None searches the flattened tensor.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        An `int32` tensor: of equal elements, the first one. 0.0 counts as larger than -0.0.

    Example:
        >>> tf.keras.ops.argmax([[1, 7, 2], [5, 3, 5]], axis=1).numpy()
        array([1, 0], dtype=int32)
        >>> tf.keras.ops.argmax([[1, 7, 2], [5, 3, 5]]).numpy()
        np.int32(1)
    """
    return _position(tf.argmax, x, axis, keepdims)


@_op()
def argmin(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Returns the indices of the smallest elements along `axis`, or in the flattened tensor.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to search along; None searches the flattened tensor.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        An `int32` tensor: of equal elements, the first one. -0.0 counts as smaller than 0.0.

    Example:
        >>> tf.keras.ops.argmin([[1, 7, 2], [5, 3, 3]], axis=1).numpy()
        array([0, 1], dtype=int32)
    """
    return _position(tf.argmin, x, axis, keepdims)


@_op()
def count_nonzero(x: TensorLike, axis: Axis | None = None) -> Any:
    """Counts the elements along `axis` that are not 0.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.

    Returns:
        An `int32` tensor.

    Example:
        >>> tf.keras.ops.count_nonzero([[0, 1, 2], [0, 0, 3]], axis=1).numpy()
        array([2, 1], dtype=int32)
    """
    return tf.math.count_nonzero(to_tensor(x), axis=axis, dtype=tf.int32)


def _running(function: Any, x: Any, axis: Any, dtype: Any) -> Any:
    x = to_tensor(x, dtype)
    if x.dtype is tf.bool:
        x = tf.cast(x, tf.int32)
    if isinstance(axis, (list, tuple)) and len(axis) == 1:
        axis = axis[0]
    return function(tf.reshape(x, [-1]), 0) if axis is None else function(x, axis)


@_op()
def cumsum(x: TensorLike, axis: Axis | None = None, dtype: DTypeLike | None = None) -> Any:
    """Computes running sums along `axis`, or over the flattened tensor.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to add along; None flattens `x` first.
        dtype: Dtype to add in; None is that of `x`, with `int32` for booleans.

    Returns:
        A tensor of the shape of `x`, or a vector if `axis` is None.

    Example:
        >>> tf.keras.ops.cumsum([[1, 2], [3, 4]], axis=1).numpy()
        array([[1, 3],
               [3, 7]], dtype=int32)
        >>> tf.keras.ops.cumsum([[1, 2], [3, 4]]).numpy()
        array([ 1,  3,  6, 10], dtype=int32)
    """
    return _running(tf.cumsum, x, axis, dtype)


@_op()
def cumprod(x: TensorLike, axis: Axis | None = None, dtype: DTypeLike | None = None) -> Any:
    """Computes running products along `axis`, or over the flattened tensor.

    Args:
        x: Tensor, or a value that converts to one.
        axis: The axis to multiply along; None flattens `x` first.
        dtype: Dtype to multiply in; None is that of `x`, with `int32` for booleans.

    Returns:
        A tensor of the shape of `x`, or a vector if `axis` is None.

    Example:
        >>> tf.keras.ops.cumprod([1.0, 2.0, 3.0, 4.0]).numpy()
        array([ 1.,  2.,  6., 24.], dtype=float32)
    """
    return _running(tf.math.cumprod, x, axis, dtype)


@_op(call=("y",))
def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """Integrates `y` along `axis` with the trapezoidal rule.

    Args:
        y: The values of the integrand.
        x: The points at which `y` was taken: a vector, or a tensor that broadcasts with `y`. None
            for points that are `dx` apart.
        dx: Distance between points, if `x` is None.
        axis: The axis to integrate along.

    Returns:
        A floating-point tensor without that axis.

    Example:
        >>> tf.keras.ops.trapezoid([1.0, 2.0, 3.0]).numpy()
        np.float32(4.0)
        >>> tf.keras.ops.trapezoid([1.0, 2.0, 3.0], x=[0.0, 2.0, 6.0]).numpy()
        np.float32(13.0)
    """
    y = to_tensor(y)
    y = tf.cast(y, result_type(y.dtype, float))
    size = sizes(y)[axis]
    left = tf.gather(y, tf.range(size - 1), axis=axis)
    right = tf.gather(y, tf.range(1, size), axis=axis)
    heights = (left + right) / 2
    if x is None:
        return tf.reduce_sum(heights * to_tensor(dx, y.dtype), axis=axis)
    points = to_tensor(x, y.dtype)
    if points.shape.rank == 1:
        rank = y.shape.rank
        (place,) = normalized_axes(axis, rank)
        points = tf.reshape(points, [-1] + [1] * (rank - 1 - place))
        along = -(rank - place)
    else:
        along = axis
    size = sizes(points)[along]
    widths = tf.gather(points, tf.range(1, size), axis=along) - tf.gather(
        points, tf.range(size - 1), axis=along
    )
    return tf.reduce_sum(heights * widths, axis=axis)


@_op(call=("x",))
def corrcoef(x: Any) -> Any:
    """Computes the Pearson correlation coefficients of the rows of a matrix.

    Args:
        x: Tensor of shape (..., variables, observations). A vector counts as one variable.

    Returns:
        A tensor of shape (..., variables, variables) with values between -1 and 1; `int64` becomes
        `float64`.

    Example:
        >>> tf.keras.ops.corrcoef([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]]).numpy()
        array([[ 1., -1.],
               [-1.,  1.]], dtype=float32)
    """
    x = floating(x, int64="float64")
    if x.shape.rank == 0:
        return tf.constant(float("nan"), floatx())
    if x.shape.rank == 1:
        x = tf.expand_dims(x, 0)
        return tf.squeeze(_correlations(x), [0, 1])
    return _correlations(x)


def _correlations(x: Any) -> Any:
    centered = x - tf.reduce_mean(x, axis=-1, keepdims=True)
    count = tf.cast(tf.shape(x)[-1], x.dtype)
    covariance = tf.matmul(centered, centered, adjoint_b=True) / (count - 1)
    deviations = tf.sqrt(tf.math.real(tf.linalg.diag_part(covariance)))
    scale = tf.expand_dims(deviations, -1) * tf.expand_dims(deviations, -2)
    result = covariance / tf.cast(scale, covariance.dtype)
    if not result.dtype.is_complex:
        return tf.clip_by_value(result, -1.0, 1.0)
    parts = (tf.math.real(result), tf.math.imag(result))
    real, imaginary = (tf.clip_by_value(part, -1.0, 1.0) for part in parts)
    return tf.complex(real, imaginary)
