"""Quantiles, percentiles, medians, histograms."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis, TensorLike
from tapeflow._src.keras.config import floatx
from tapeflow._src.keras.ops import sparse as _sparse
from tapeflow._src.keras.ops.axes import normalized_axes, sizes
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import result_type, to_tensor

_op = functools.partial(declare, family="numpy")
_quantile_op = functools.partial(_op, call=("x", "q"))
_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


def _rows(x: Any, axes: list[int]) -> Any:
    """`x` with the axes merged into a last one."""
    others = [number for number in range(x.shape.rank) if number not in axes]
    x = tf.transpose(x, others + axes)
    if len(axes) == 1:
        return x
    static = x.shape.as_list()
    merged = tf.reshape(x, [*sizes(x)[: len(others)], -1])
    return tf.ensure_shape(merged, [*static[: len(others)], merged.shape[-1]])


def _at_positions(ordered: Any, positions: TensorLike, method: str) -> Any:
    """Elements of sorted rows at positions between them, which each row has its own of."""

    def at(numbers: Any) -> Any:
        return tf.gather(ordered, tf.cast(numbers, tf.int32), batch_dims=ordered.shape.rank - 1)

    if method == "nearest":
        return at(tf.round(positions))
    low, high = tf.floor(positions), tf.math.ceil(positions)
    if method == "lower":
        return at(low)
    if method == "higher":
        return at(high)
    below, above = at(low), at(high)
    if method == "midpoint":
        return (below + above) / 2
    share = tf.cast(positions - low, ordered.dtype)
    return below * (1 - share) + above * share


def _quantile(x: Any, q: Any, axis: Any, method: str, keepdims: bool, skip_nan: bool) -> Any:
    if method not in _METHODS:
        raise ValueError(f"`method` must be one of {_METHODS}. Received: method={method!r}")
    x, q = to_tensor(x), to_tensor(q)
    x = tf.cast(x, result_type(x.dtype, float))
    rank = x.shape.rank
    axes = list(range(rank)) if axis is None else normalized_axes(axis, rank)
    rows = _rows(x, axes)
    nan = tf.math.is_nan(rows)
    filled = tf.where(nan, tf.constant(float("inf"), x.dtype), rows)
    ordered = tf.sort(filled, axis=-1)
    valid = tf.logical_not(nan) if skip_nan else tf.ones_like(nan)
    count = tf.reduce_sum(tf.cast(valid, tf.float64), axis=-1, keepdims=True)
    undefined = tf.reduce_all(nan, -1, True) if skip_nan else tf.reduce_any(nan, -1, True)
    wanted = tf.reshape(tf.cast(q, tf.float64), [-1])
    result = _at_positions(ordered, tf.maximum(count - 1, 0) * wanted, method)
    result = tf.where(undefined, tf.constant(float("nan"), x.dtype), result)
    # The quantiles, which are the last axis now, come first.
    left = rows.shape.rank - 1
    result = tf.transpose(result, [left, *range(left)])
    left_over = [n for n in range(rank) if keepdims or n not in axes]
    lengths, static = sizes(x), x.shape.as_list()
    target = [1 if n in axes else lengths[n] for n in left_over]
    known = [1 if n in axes else static[n] for n in left_over]
    result = tf.reshape(result, [*sizes(q), *target])
    return tf.ensure_shape(result, [*q.shape.as_list(), *known])


@_quantile_op()
def quantile(
    x: TensorLike, q: Any, axis: Axis | None = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Computes quantiles along `axis`.

    Args:
        x: Tensor, or a value that converts to one; integers become `floatx()`.
        q: Which, between 0 and 1; the axes of `q` come first in the result.
        axis: Axis or axes to reduce; None reduces all of them.
        method: How to interpolate between two elements: "linear", "lower", "higher", "midpoint" or
            "nearest".
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A floating-point tensor; NaN where any element is.

    Raises:
        ValueError: `method` has another value.

    Example:
        >>> tf.keras.ops.quantile([1.0, 2.0, 3.0], 0.25).numpy()
        np.float32(1.5)
        >>> tf.keras.ops.quantile([1.0, 2.0, 4.0], [0.5, 1.0]).numpy()
        array([2., 4.], dtype=float32)
    """
    return _quantile(x, q, axis, method, keepdims, skip_nan=False)


@_quantile_op()
def nanquantile(
    x: TensorLike, q: Any, axis: Axis | None = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Computes quantiles along `axis` without NaN, as `quantile`.

    Args:
        x: Tensor, or a value that converts to one; integers become `floatx()`.
        q: Which, between 0 and 1; the axes of `q` come first in the result.
        axis: Axis or axes to reduce; None reduces all of them.
        method: How to interpolate: "linear", "lower", "higher", "midpoint" or "nearest".
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A floating-point tensor; NaN where all elements are.

    Example:
        >>> tf.keras.ops.nanquantile([1.0, float("nan"), 3.0], 0.5).numpy()
        np.float32(2.0)
    """
    return _quantile(x, q, axis, method, keepdims, skip_nan=True)


def _hundredths(q: Any) -> Any:
    return to_tensor(q, floatx()) / 100


@_quantile_op()
def percentile(
    x: TensorLike, q: Any, axis: Axis | None = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Computes percentiles along `axis`: `quantile` with `q` between 0 and 100.

    Args:
        x: Tensor, or a value that converts to one; integers become `floatx()`.
        q: Which, between 0 and 100; the axes of `q` come first in the result.
        axis: Axis or axes to reduce; None reduces all of them.
        method: How to interpolate: "linear", "lower", "higher", "midpoint" or "nearest".
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A floating-point tensor; NaN where any element is.

    Example:
        >>> tf.keras.ops.percentile([1.0, 2.0, 3.0], [50, 100]).numpy()
        array([2., 3.], dtype=float32)
    """
    return _quantile(x, _hundredths(q), axis, method, keepdims, skip_nan=False)


@_quantile_op()
def nanpercentile(
    x: TensorLike, q: Any, axis: Axis | None = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """Computes percentiles along `axis` without NaN, as `percentile`.

    Args:
        x: Tensor, or a value that converts to one; integers become `floatx()`.
        q: Which, between 0 and 100; the axes of `q` come first in the result.
        axis: Axis or axes to reduce; None reduces all of them.
        method: How to interpolate: "linear", "lower", "higher", "midpoint" or "nearest".
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A floating-point tensor; NaN where all elements are.

    Example:
        >>> tf.keras.ops.nanpercentile([1.0, float("nan"), 3.0], 50).numpy()
        np.float32(2.0)
    """
    return _quantile(x, _hundredths(q), axis, method, keepdims, skip_nan=True)


@_op()
def median(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Computes the median along `axis`.

    The median of an even number of elements is the mean of the middle two.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A floating-point tensor; NaN where any element is.

    Example:
        >>> tf.keras.ops.median([[1, 9, 2], [4, 6, 5]], axis=1).numpy()
        array([2., 5.], dtype=float32)
    """
    return _quantile(x, 0.5, axis, "linear", keepdims, skip_nan=False)


@_op()
def nanmedian(x: TensorLike, axis: Axis | None = None, keepdims: bool = False) -> Any:
    """Computes the median along `axis` without NaN.

    Args:
        x: Tensor, or a value that converts to one.
        axis: Axis or axes to reduce; None reduces all of them.
        keepdims: Whether reduced axes stay, with size 1.

    Returns:
        A floating-point tensor; NaN where all elements are.

    Example:
        >>> tf.keras.ops.nanmedian([1.0, float("nan"), 3.0]).numpy()
        np.float32(2.0)
    """
    if axis in ((), []):
        return to_tensor(x)
    return _quantile(x, 0.5, axis, "linear", keepdims, skip_nan=True)


@_op()
def histogram(x: Any, bins: int = 10, range: Any = None) -> Any:
    """Counts the elements of a vector in bins of equal width.

    Args:
        x: A vector.
        bins: Number of bins.
        range: Tuple of the lower end of the first and the upper end of the last bin; None is the
            smallest and the largest element. Elements outside are not counted.

    Returns:
        A tuple of the counts and of the edges of the bins, of which there is one more; both of the
        dtype of `x`.

    Raises:
        TypeError: `bins` is not an integer.
        ValueError: `bins` is negative, `range` is not an ordered tuple, or `x` is not a vector.

    Example:
        >>> counts, edges = tf.keras.ops.histogram([1.0, 2.0, 2.5, 4.0], bins=3)
        >>> counts.numpy(), edges.numpy()
        (array([1., 2., 1.], dtype=float32), array([1., 2., 3., 4.], dtype=float32))
    """
    if not isinstance(bins, int):
        raise TypeError(f"`bins` must be an integer. Received: bins={bins!r}")
    if bins < 0:
        raise ValueError(f"`bins` must not be negative. Received: bins={bins}")
    if range and (not isinstance(range, tuple) or len(range) < 2 or range[1] < range[0]):
        raise ValueError(
            f"`range` must be a tuple of a lower and an upper end. Received: range={range}"
        )
    x = to_tensor(x)
    if x.shape.rank != 1:
        raise ValueError(f"`histogram` takes a vector. Received: x of shape {x.shape}")
    low, high = range or (tf.reduce_min(x), tf.reduce_max(x))
    low, high = tf.cast(low, x.dtype), tf.cast(high, x.dtype)
    counted = tf.cast((x >= low) & (x <= high), x.dtype)
    wide = x.dtype if x.dtype.is_floating else tf.float64
    edges = tf.cast(tf.linspace(tf.cast(low, wide), tf.cast(high, wide), bins + 1), x.dtype)
    places = tf.searchsorted(edges[1:-1], x, side="right")
    counts = tf.math.unsorted_segment_sum(counted, places, bins)
    return counts, edges


@_op()
def bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    """Counts how often each of the integers from 0 on occurs along the last axis.

    Args:
        x: Tensor of non-negative integers.
        weights: Weight of each element, of the shape of `x`; None is 1.
        minlength: How many integers are counted at least.
        sparse: Whether the result is a sparse tensor.

    Returns:
        Counts of shape (..., n), where n is the largest element plus 1, or `minlength` if that is
        more. They are `int32`, or of the dtype of the weights.

    Example:
        >>> tf.keras.ops.bincount([0, 1, 1, 3]).numpy()
        array([1, 2, 0, 1], dtype=int32)
        >>> tf.keras.ops.bincount([0, 1, 1], weights=[0.5, 1.0, 2.0]).numpy()
        array([0.5, 3. ], dtype=float32)
    """
    x = to_tensor(x)
    dtype = "int32"
    if weights is not None:
        weights = to_tensor(weights)
        dtype = result_type(x.dtype, weights.dtype)
        if weights.dtype.size < 4:
            weights = tf.cast(weights, tf.int32 if weights.dtype.is_integer else tf.float32)
    if x.dtype not in (tf.int32, tf.int64):
        x = tf.cast(x, tf.int32)
    if sparse or isinstance(x, tf.SparseTensor):
        sparse_counts = tf.sparse.bincount(x, weights=weights, minlength=minlength, axis=-1)
        return tf.cast(sparse_counts, dtype)
    counts = tf.math.bincount(x, weights=weights, minlength=minlength, axis=-1)
    return tf.cast(counts, dtype)


@_op(call=("x", "bins"), sparse=_sparse.unary)
def digitize(x: Any, bins: Any) -> Any:
    """Returns the index of the bin that each element belongs to.

    Args:
        x: Tensor, or a value that converts to one; it may be sparse or ragged.
        bins: The edges of the bins: a vector in ascending order.

    Returns:
        An `int32` tensor of the shape of `x`: 0 below the first edge, `len(bins)` from the last one
        on.

    Example:
        >>> tf.keras.ops.digitize([0.5, 1.0, 7.0], bins=[1.0, 5.0]).numpy()
        array([0, 1, 2], dtype=int32)
    """
    x = to_tensor(x)
    if isinstance(x, tf.RaggedTensor):
        return tf.ragged.map_flat_values(lambda values: digitize(values, bins), x)
    edges = to_tensor(bins)
    common = result_type(x.dtype, edges.dtype, "float32")
    flat = tf.reshape(tf.cast(x, common), [-1])
    places = tf.searchsorted(tf.cast(edges, common), flat, side="right")
    if x.shape.is_fully_defined():
        return tf.reshape(places, x.shape)
    return tf.ensure_shape(tf.reshape(places, tf.shape(x)), x.shape)
