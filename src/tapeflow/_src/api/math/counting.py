"""Bincounts, histograms, confusion matrices and unique values."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.array.common import (
    fill,
    pack,
    reshape,
    scalar_int,
    shape_of,
    squeeze,
    static_ints,
)
from tapeflow._src.ops.array.gather_nd import scatter_nd
from tapeflow._src.ops.math import counting
from tapeflow._src.ops.math.arithmetic import add_v2, mul, sub, true_divide
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.extremes import maximum, minimum
from tapeflow._src.ops.math.reduction import max_
from tapeflow._src.ops.math.rounding import floor
from tapeflow._src.ops.sparse.counting import sparse_bincount


@scoped("bincount")
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """Count the occurrences of each integer.

    Args:
        arr: Non-negative integers, dense, ragged or sparse.
        weights: Weights to sum instead of counting, of the shape of `arr`.
        minlength: The least number of bins.
        maxlength: The largest number of bins; larger values are ignored.
        dtype: The dtype of the counts, unless there are weights.
        name: Name of the op in a graph.
        axis: None or 0 to count over all values, -1 to count each row.
        binary_output: Whether to return only whether a value occurs (0 or 1).

    Returns:
        A tensor of shape `[bins]`, or `[rows, bins]` for `axis=-1`.

    Example:

        >>> tf.math.bincount([1, 1, 3]).numpy().tolist()
        [0, 2, 0, 1]
        >>> tf.math.bincount([[0, 1], [1, 1]], axis=-1).numpy().tolist()
        [[1, 1], [0, 2]]
    """
    if weights is not None and binary_output:
        raise ValueError("binary_output and weights are mutually exclusive: pass one of them.")
    if axis not in (None, 0, -1):
        raise ValueError(f"bincount: axis must be None, 0 or -1, received {axis}.")
    sparse = isinstance(arr, SparseTensor)
    numbers = arr.values if sparse else dispatch.operand(arr)
    weights = weights.values if isinstance(weights, SparseTensor) else weights
    if numbers.dtype is not dtypes.int64:
        numbers = cast(numbers, DstT=dtypes.int32)
    if weights is None:
        weights = fill(static_ints((0,)), dispatch.convert(0, as_dtype(dtype)))
    else:
        weights = dispatch.operand(weights)
    flat = static_ints((-1,))
    size = _bins_needed(reshape(numbers, flat), minlength, maxlength)
    if sparse and axis == -1:
        return sparse_bincount(
            arr.indices,
            numbers,
            arr.dense_shape,
            size,
            weights,
            binary_output=bool(binary_output),
        )
    if axis != -1:
        numbers, weights = reshape(numbers, flat), reshape(weights, flat)
    return counting.dense_bincount(numbers, size, weights, binary_output=bool(binary_output))


def _bins_needed(numbers: Any, minlength: Any, maxlength: Any) -> Any:
    """Compute the number of bins: the maximum plus one, within the limits; 0 if empty."""
    zero, one = scalar(0, numbers), scalar(1, numbers)
    size = maximum(add_v2(max_(numbers, scalar_int(0)), one), zero)
    if minlength is not None:
        size = maximum(_as_size(minlength, numbers.dtype), size)
    if maxlength is not None:
        size = minimum(_as_size(maxlength, numbers.dtype), size)
    return size


def _as_size(length: Any, dtype: DTypeLike) -> Any:
    return cast(dispatch.convert(length, None, dtype), DstT=dtype)


def histogram_fixed_width(
    values: TensorLike,
    value_range: Any,
    nbins: Any = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Count the values in each of `nbins` equal bins of a range; outliers go to the ends.

    Args:
        values: A tensor of numbers.
        value_range: The two ends of the range, of the same dtype.
        nbins: The number of bins.
        dtype: The dtype of the counts: int32 or int64.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[nbins]`.

    Example:

        >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 9.0], [0.0, 5.0], nbins=5).numpy().tolist()
        [2, 1, 0, 0, 1]
    """
    return counting.histogram_fixed_width(
        values, value_range, nbins, dtype=as_dtype(dtype), name=name or "histogram_fixed_width"
    )


@scoped("histogram_fixed_width_bins")
def histogram_fixed_width_bins(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Return the bin index of each value among `nbins` equal bins of a range, as int32.

    Args:
        values: A tensor of numbers.
        value_range: The two ends of the range; values outside of it get the first or last bin.
        nbins: The number of bins.
        dtype: Accepted for compatibility and ignored.
        name: Name of the op in a graph.

    Returns:
        An int32 tensor of the shape of `values`.

    Raises:
        InvalidArgumentError: `nbins` is not positive.

    Example:

        >>> values = [-1.0, 0.0, 1.5, 9.0]
        >>> tf.histogram_fixed_width_bins(values, [0.0, 5.0], nbins=5).numpy().tolist()
        [0, 0, 1, 4]
    """
    values = dispatch.convert(values)
    limits = dispatch.convert(value_range, None, values.dtype)
    bins = dispatch.convert(nbins, dtypes.int32)
    if bins.static_value is not None and bins.static_value <= 0:
        raise InvalidArgumentError(None, None, f"nbins {int(bins.static_value)} must > 0")
    low, high = limits[0], limits[1]
    share = true_divide(sub(values, low), sub(high, low))
    count = cast(bins, DstT=values.dtype)
    position = floor(mul(count, share))
    inside = maximum(minimum(position, sub(count, scalar(1, count))), scalar(0, count))
    return cast(inside, DstT=dtypes.int32)


@scoped("confusion_matrix")
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Compute the confusion matrix: rows are labels, columns are predictions.

    Args:
        labels: The true classes, a vector of integers.
        predictions: The predicted classes.
        num_classes: The number of classes; by default one more than the largest class.
        weights: The weight of each pair; 1 by default.
        dtype: The dtype of the matrix.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[num_classes, num_classes]`.

    Raises:
        InvalidArgumentError: A class is negative, or not below `num_classes`.

    Example:

        >>> tf.math.confusion_matrix([1, 2, 2], [1, 0, 2]).numpy().tolist()
        [[0, 0, 0], [0, 1, 0], [1, 0, 1]]
    """
    labels, predictions = _same_rank(dispatch.convert(labels), dispatch.convert(predictions))
    labels = cast(labels, DstT=dtypes.int64)
    predictions = cast(predictions, DstT=dtypes.int64)
    flat = static_ints((-1,))
    if num_classes is None:
        both = add_v2(maximum(_largest(labels), _largest(predictions)), scalar(1, labels))
        count = maximum(both, scalar(0, both))
    else:
        count = cast(dispatch.convert(num_classes), DstT=dtypes.int64)
    for what, classes in (("labels", labels), ("predictions", predictions)):
        _check_classes(what, classes, count)
    if weights is None:
        counted = fill(shape_of(predictions), dispatch.convert(1, as_dtype(dtype)))
    else:
        counted = cast(dispatch.convert(weights), DstT=as_dtype(dtype))
        predictions.shape.assert_is_compatible_with(counted.shape)
    cells = pack([reshape(labels, flat), reshape(predictions, flat)], axis=1)
    return scatter_nd(cells, reshape(counted, flat), pack([count, count]))


def _largest(classes: Any) -> Any:
    return max_(reshape(classes, static_ints((-1,))), scalar_int(0))


def _same_rank(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Drop a last axis of size 1 that only one of them has."""
    if labels.static_shape is None or predictions.static_shape is None:
        return labels, predictions
    more = len(predictions.static_shape) - len(labels.static_shape)
    if more == 1 and predictions.static_shape[-1] in (None, 1):
        return labels, squeeze(predictions, axis=(-1,))
    if more == -1 and labels.static_shape[-1] in (None, 1):
        return squeeze(labels, axis=(-1,)), predictions
    return labels, predictions


def _check_classes(what: str, classes: Any, count: Any) -> None:
    """Raise for invalid static values, naming the argument; else the scatter detects them."""
    if classes.static_value is None or count.static_value is None:
        return
    if (classes.static_value < 0).any():
        raise InvalidArgumentError(
            None, None, f"`{what}` contains negative values: {classes.static_value}"
        )
    if (classes.static_value >= count.static_value).any():
        raise InvalidArgumentError(
            None,
            None,
            f"`{what}` out of bound: {classes.static_value} with {count.static_value} classes",
        )


def unique(x: TensorLike, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """Return the unique elements of a vector, and the index among them of each element.

    Elements are in the order of their first occurrence; they are not sorted.

    Args:
        x: A tensor of rank 1: numbers, booleans or strings.
        out_idx: The dtype of the indices: int32 or int64.
        name: Name of the op in a graph.

    Returns:
        A named tuple `(y, idx)` with `y[idx[i]] == x[i]`.

    Raises:
        InvalidArgumentError: `x` is not of rank 1.

    Example:

        >>> y, idx = tf.unique([5, 2, 5, 7, 2])
        >>> y.numpy().tolist(), idx.numpy().tolist()
        ([5, 2, 7], [0, 1, 0, 2, 1])
    """
    result = counting.unique(x, out_idx=as_dtype(out_idx), name=name)
    return counting.unique.result_type(*result)


def unique_with_counts(x: TensorLike, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """Return the unique elements of a vector with their counts, and the index of each element.

    Args:
        x: A tensor of rank 1: numbers, booleans or strings.
        out_idx: The dtype of the indices and counts: int32 or int64.
        name: Name of the op in a graph.

    Returns:
        A named tuple `(y, idx, count)`: as `tf.unique`, and how often each of `y` occurs.

    Raises:
        InvalidArgumentError: `x` is not of rank 1.

    Example:

        >>> y, idx, count = tf.unique_with_counts([5, 2, 5, 7, 2])
        >>> y.numpy().tolist(), count.numpy().tolist()
        ([5, 2, 7], [2, 2, 1])
    """
    result = counting.unique_with_counts(x, out_idx=as_dtype(out_idx), name=name)
    return counting.unique_with_counts.result_type(*result)
