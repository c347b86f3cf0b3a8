"""Means over many batches: of values, of errors, and of right predictions."""

from __future__ import annotations

from typing import Any

from tapeflow import math
from tapeflow._src.api import arrays
from tapeflow._src.api.math.casting import cast
from tapeflow._src.compat.v1.metrics.streaming import (
    add,
    aligned,
    counter,
    mean_of,
    metric,
    weights_of,
)
from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import float32, float64
from tapeflow._src.core.types import TensorLike


@metric
def mean(values: TensorLike, weights: Any = None) -> tuple[Any, Any]:
    """Return the mean of all values."""
    return mean_of(values, weights)


@metric
def mean_tensor(values: Any, weights: Any = None) -> tuple[Any, Any]:
    """Return the mean of each element over all batches."""
    values = cast(dispatch.convert(values), float32)
    total, count = (counter(name, values.shape) for name in ("total_tensor", "count_tensor"))
    present = arrays.ones_like(values) if weights is None else weights_of(values, weights)
    update = math.divide_no_nan(add(total, math.multiply(values, present)), add(count, present))
    return math.divide_no_nan(total.read_value(), count.read_value()), update


@metric
def accuracy(labels: Any, predictions: Any, weights: Any = None) -> tuple[Any, Any]:
    """Return how many predictions are the labels."""
    labels, predictions, weights = aligned(labels, predictions, weights)
    return mean_of(math.equal(cast(predictions, labels.dtype), labels), weights)


def _floats(labels: TensorLike, predictions: TensorLike, weights: Any) -> tuple[Any, Any, Any]:
    labels, predictions, weights = aligned(labels, predictions, weights)
    return cast(labels, float32), cast(predictions, float32), weights


@metric
def mean_absolute_error(
    labels: TensorLike, predictions: TensorLike, weights: Any = None
) -> tuple[Any, Any]:
    """Return the mean of `|predictions - labels|`."""
    labels, predictions, weights = _floats(labels, predictions, weights)
    return mean_of(math.abs(math.subtract(predictions, labels)), weights)


@metric
def mean_squared_error(
    labels: TensorLike, predictions: TensorLike, weights: Any = None
) -> tuple[Any, Any]:
    """Return the mean of `(predictions - labels) ** 2`."""
    labels, predictions, weights = _floats(labels, predictions, weights)
    return mean_of(math.squared_difference(predictions, labels), weights)


@metric
def root_mean_squared_error(
    labels: TensorLike, predictions: TensorLike, weights: Any = None
) -> tuple[Any, Any]:
    """Return the square root of the mean of `(predictions - labels) ** 2`."""
    labels, predictions, weights = _floats(labels, predictions, weights)
    value, update = mean_of(math.squared_difference(predictions, labels), weights)
    return math.sqrt(value), math.sqrt(update)


@metric
def mean_relative_error(
    labels: TensorLike, predictions: TensorLike, normalizer: Any, weights: Any = None
) -> tuple[Any, Any]:
    """Return the mean of `|predictions - labels| / normalizer`, 0 where the normalizer is."""
    labels, predictions, weights = _floats(labels, predictions, weights)
    normalizer = cast(aligned(normalizer, predictions)[0], float32)
    errors = math.abs(math.subtract(predictions, labels))
    return mean_of(math.divide_no_nan(errors, normalizer), weights)


@metric
def mean_cosine_distance(
    labels: TensorLike, predictions: TensorLike, dim: int, weights: Any = None
) -> tuple[Any, Any]:
    """Compute 1 minus the mean product of unit vectors along axis `dim`."""
    labels, predictions, _ = _floats(labels, predictions, None)
    products = math.reduce_sum(math.multiply(predictions, labels), dim, keepdims=True)
    value, update = mean_of(products, weights)
    return math.subtract(1.0, value), math.subtract(1.0, update)


@metric
def percentage_below(values: TensorLike, threshold: Any, weights: Any = None) -> tuple[Any, Any]:
    """Return the share of values below a threshold, from 0 to 1."""
    return mean_of(math.less(dispatch.convert(values), threshold), weights)


# -- by class --------------------------------------------------------------------------------------


@metric
def mean_per_class_accuracy(
    labels: TensorLike, predictions: TensorLike, num_classes: int, weights: Any = None
) -> tuple[Any, Any]:
    """Return the mean over classes of how many predictions are the labels."""
    labels, predictions, weights = aligned(labels, predictions, weights)
    labels = arrays.reshape(labels, [-1])
    right = cast(math.equal(cast(arrays.reshape(predictions, [-1]), labels.dtype), labels), float32)
    present = arrays.ones_like(right)
    if weights is not None:
        present = math.multiply(present, arrays.reshape(weights, [-1]))
    classes = arrays.one_hot(labels, num_classes)
    total, count = counter("total", [num_classes]), counter("count", [num_classes])
    rows = arrays.expand_dims(present, 1) * classes
    totals = add(total, math.reduce_sum(rows, 0))
    counts = add(count, math.reduce_sum(rows * arrays.expand_dims(right, 1), 0))
    value = math.reduce_mean(math.divide_no_nan(count.read_value(), total.read_value()))
    return value, math.divide_no_nan(counts, totals)


@metric
def mean_iou(
    labels: TensorLike, predictions: TensorLike, num_classes: int, weights: Any = None
) -> tuple[Any, Any]:
    """Return the mean over classes of intersection over union."""
    labels, predictions, weights = aligned(labels, predictions, weights)
    flat = [
        None if each is None else arrays.reshape(each, [-1])
        for each in (labels, predictions, weights)
    ]
    counts = math.confusion_matrix(flat[0], flat[1], num_classes, flat[2], dtype=float64)
    matrix = counter("total_confusion_matrix", [num_classes, num_classes], float64)
    update = add(matrix, counts)
    total = cast(matrix.read_value(), float32)
    right = arrays.reshape(
        math.reduce_sum(math.multiply(total, arrays.one_hot(range(num_classes), num_classes)), 1),
        [num_classes],
    )
    union = math.reduce_sum(total, 0) + math.reduce_sum(total, 1) - right
    present = math.reduce_sum(cast(math.not_equal(union, 0.0), float32))
    return math.divide_no_nan(math.reduce_sum(math.divide_no_nan(right, union)), present), update
