"""Counts of right and wrong decisions over many batches, and what follows from them."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from tapeflow import math
from tapeflow._src.api import arrays
from tapeflow._src.api.math.casting import cast
from tapeflow._src.compat.v1.metrics.streaming import add, aligned, counter, metric, metric_with
from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.types import ShapeLike, TensorLike

_EPSILON = 1e-7
# Of the names of a count: whether the label, and whether the prediction, is true.
_SIDES = {
    "true_positives": (True, True),
    "false_positives": (False, True),
    "false_negatives": (True, False),
    "true_negatives": (False, False),
}


class _Counts(NamedTuple):
    """Four counts, each of one number or of one for each threshold."""

    true_positives: Any
    false_positives: Any
    false_negatives: Any
    true_negatives: Any


def _count(name: str, labels: Any, predictions: Any, weights: Any, shape: Any) -> tuple[Any, Any]:
    """Return a count so far, and what it is after a batch; one for each row of predictions."""
    label, prediction = _SIDES[name]
    hits = math.logical_and(
        labels if label else math.logical_not(labels),
        predictions if prediction else math.logical_not(predictions),
    )
    hits = cast(hits, float32)
    if weights is not None:
        hits = math.multiply(hits, weights)
    variable = counter(name, shape)
    axes = list(range(len(shape), hits.shape.rank)) if hits.shape.rank is not None else None
    return variable.read_value(), add(variable, math.reduce_sum(hits, axes))


def _decisions(labels: TensorLike, predictions: TensorLike, weights: Any) -> tuple[Any, Any, Any]:
    labels, predictions, weights = aligned(labels, predictions, weights)
    return cast(labels, dtypes.bool), cast(predictions, dtypes.bool), weights


def _at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Any, weights: Any
) -> tuple[Any, Any, Any]:
    """Return labels, decisions and weights as rows, one for each threshold."""
    labels, predictions, weights = aligned(labels, predictions, weights)
    if weights is not None:
        weights = math.multiply(weights, arrays.ones_like(cast(predictions, float32)))
        weights = arrays.reshape(weights, [1, -1])
    limits = arrays.reshape(arrays.constant(list(thresholds), float32), [-1, 1])
    scores = arrays.reshape(cast(predictions, float32), [1, -1])
    labels = arrays.reshape(cast(labels, dtypes.bool), [1, -1])
    return labels, math.greater(scores, limits), weights


def _all_counts(rows: tuple[Any, Any, Any], shape: ShapeLike) -> tuple[_Counts, _Counts]:
    pairs = [_count(name, *rows, shape) for name in _SIDES]
    return _Counts(*(now for now, _ in pairs)), _Counts(*(after for _, after in pairs))


# -- counts ----------------------------------------------------------------------------------------


@metric
def true_positives(
    labels: TensorLike, predictions: TensorLike, weights: Any = None
) -> tuple[Any, Any]:
    """Return how many labels and predictions are both true."""
    return _count("true_positives", *_decisions(labels, predictions, weights), ())


@metric
def false_positives(
    labels: TensorLike, predictions: TensorLike, weights: Any = None
) -> tuple[Any, Any]:
    """Return how many predictions are true where the label is not."""
    return _count("false_positives", *_decisions(labels, predictions, weights), ())


@metric
def false_negatives(
    labels: TensorLike, predictions: TensorLike, weights: Any = None
) -> tuple[Any, Any]:
    """Return how many predictions are false where the label is true."""
    return _count("false_negatives", *_decisions(labels, predictions, weights), ())


@metric
def true_negatives(
    labels: TensorLike, predictions: TensorLike, weights: Any = None
) -> tuple[Any, Any]:
    """Return how many labels and predictions are both false."""
    return _count("true_negatives", *_decisions(labels, predictions, weights), ())


def _count_at(
    name: str, labels: TensorLike, predictions: TensorLike, thresholds: Any, weights: Any
) -> tuple[Any, Any]:
    rows = _at_thresholds(labels, predictions, thresholds, weights)
    return _count(name, *rows, (len(thresholds),))


@metric
def true_positives_at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Any, weights: Any = None
) -> tuple[Any, Any]:
    """Return how many scores of true labels are above each threshold."""
    return _count_at("true_positives", labels, predictions, thresholds, weights)


@metric
def false_positives_at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Any, weights: Any = None
) -> tuple[Any, Any]:
    """Return how many scores of false labels are above each threshold."""
    return _count_at("false_positives", labels, predictions, thresholds, weights)


@metric
def false_negatives_at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Any, weights: Any = None
) -> tuple[Any, Any]:
    """Return how many scores of true labels are not above each threshold."""
    return _count_at("false_negatives", labels, predictions, thresholds, weights)


@metric
def true_negatives_at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Any, weights: Any = None
) -> tuple[Any, Any]:
    """Return how many scores of false labels are not above each threshold."""
    return _count_at("true_negatives", labels, predictions, thresholds, weights)


# -- ratios ----------------------------------------------------------------------------------------


def _ratio(
    name: str, other: str, rows: tuple[Any, Any, Any], shape: ShapeLike, epsilon: float
) -> Any:
    """Return the share of one count among two, so far and after a batch."""
    hits, misses = (_count(each, *rows, shape) for each in (name, other))
    now, after = (math.divide_no_nan(hit, hit + miss + epsilon) for hit, miss in zip(hits, misses))
    return now, after


@metric
def precision(labels: TensorLike, predictions: TensorLike, weights: Any = None) -> tuple[Any, Any]:
    """Return how many of the true predictions have true labels."""
    rows = _decisions(labels, predictions, weights)
    return _ratio("true_positives", "false_positives", rows, (), 0.0)


@metric
def recall(labels: TensorLike, predictions: TensorLike, weights: Any = None) -> tuple[Any, Any]:
    """Return how many of the true labels have true predictions."""
    rows = _decisions(labels, predictions, weights)
    return _ratio("true_positives", "false_negatives", rows, (), 0.0)


@metric
def precision_at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Any, weights: Any = None
) -> tuple[Any, Any]:
    """Return how many scores above each threshold have true labels."""
    rows = _at_thresholds(labels, predictions, thresholds, weights)
    return _ratio("true_positives", "false_positives", rows, (len(thresholds),), _EPSILON)


@metric
def recall_at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Any, weights: Any = None
) -> tuple[Any, Any]:
    """Return how many true labels have scores above each threshold."""
    rows = _at_thresholds(labels, predictions, thresholds, weights)
    return _ratio("true_positives", "false_negatives", rows, (len(thresholds),), _EPSILON)


# -- curves ----------------------------------------------------------------------------------------


def _even_thresholds(count: int) -> list[float]:
    """Return thresholds from just below 0 to just above 1."""
    inner = [(i + 1) / (count - 1) for i in range(count - 2)]
    return [-_EPSILON, *inner, 1.0 + _EPSILON]


@functools.partial(
    metric_with,
    {
        "metrics_collections": "num_thresholds",
        "updates_collections": "metrics_collections",
        "name": "curve",
    },
)
def auc(
    labels: TensorLike,
    predictions: TensorLike,
    weights: Any = None,
    num_thresholds: int = 200,
    curve: str = "ROC",
    summation_method: str = "trapezoidal",
    thresholds: Any = None,
) -> tuple[Any, Any]:
    """Return the area under a curve, approximated at thresholds.

    Args:
        labels: What is true.
        predictions: Scores from 0 to 1.
        weights: Weights that broadcast to the labels, or None.
        num_thresholds: How many thresholds there are.
        curve: "ROC" or "PR".
        summation_method: "trapezoidal", "minoring" or "majoring".
        thresholds: The inner thresholds, in order, or None for evenly spaced ones.
    """
    if curve not in ("ROC", "PR"):
        raise ValueError(f"auc: expected `curve` 'ROC' or 'PR'. Received: {curve!r}")
    heights = {"trapezoidal": _middle, "minoring": math.minimum, "majoring": math.maximum}
    if summation_method not in heights:
        raise ValueError(
            f"auc: expected `summation_method` to be one of {sorted(heights)}. Received: "
            f"{summation_method!r}"
        )
    limits = (
        _even_thresholds(num_thresholds)
        if thresholds is None
        else [-_EPSILON, *thresholds, 1.0 + _EPSILON]
    )
    rows = _at_thresholds(labels, predictions, limits, weights)
    now, after = _all_counts(rows, (len(limits),))
    height = heights[summation_method]
    return _area(now, curve, height), _area(after, curve, height)


def _middle(a: Any, b: Any) -> Any:
    return (a + b) / 2.0


def _area(counts: _Counts, curve: str, height: Any) -> Any:
    epsilon = 1e-6
    hits, wrong = counts.true_positives, counts.false_positives
    recalls = (hits + epsilon) / (hits + counts.false_negatives + epsilon)
    if curve == "ROC":
        x, y = wrong / (wrong + counts.true_negatives + epsilon), recalls
    else:
        x, y = recalls, (hits + epsilon) / (hits + wrong + epsilon)
    return math.reduce_sum((x[:-1] - x[1:]) * height(y[:-1], y[1:]))


@metric
def sensitivity_at_specificity(
    labels: TensorLike,
    predictions: TensorLike,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
) -> tuple[Any, Any]:
    """Return the recall at the threshold whose specificity is nearest to a given one."""

    def value(counts: _Counts) -> Any:
        negatives = counts.true_negatives + counts.false_positives + _EPSILON
        distances = math.abs(counts.true_negatives / negatives - specificity)
        recalls = counts.true_positives / (
            counts.true_positives + counts.false_negatives + _EPSILON
        )
        return arrays.gather(recalls, math.argmin(distances, 0))

    return _at_best(labels, predictions, "specificity", specificity, weights, num_thresholds, value)


@metric
def specificity_at_sensitivity(
    labels: TensorLike,
    predictions: TensorLike,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
) -> tuple[Any, Any]:
    """Return the specificity at the last threshold whose recall is nearest to a given one."""

    def value(counts: _Counts) -> Any:
        positives = counts.true_positives + counts.false_negatives + _EPSILON
        distances = math.abs(counts.true_positives / positives - sensitivity)
        last = num_thresholds - 1 - math.argmin(arrays.reverse(distances, [0]), 0)
        negatives = counts.true_negatives + counts.false_positives + _EPSILON
        return arrays.gather(counts.true_negatives / negatives, last)

    return _at_best(labels, predictions, "sensitivity", sensitivity, weights, num_thresholds, value)


def _at_best(
    labels: TensorLike,
    predictions: TensorLike,
    what: str,
    level: float,
    weights: Any,
    num_thresholds: int,
    value: Any,
) -> tuple[Any, Any]:
    if not 0 <= level <= 1:
        raise ValueError(f"`{what}` must be from 0 to 1. Received: {level}")
    rows = _at_thresholds(labels, predictions, _even_thresholds(num_thresholds), weights)
    now, after = _all_counts(rows, (num_thresholds,))
    return value(now), value(after)
