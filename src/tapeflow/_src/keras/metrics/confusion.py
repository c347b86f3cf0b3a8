"""Right and wrong decisions at thresholds: what is counted of labels and predictions.

A prediction above a threshold is a positive one. Many thresholds at even distances are counted by
sorting predictions into buckets; others by comparing each prediction with each threshold.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.config import epsilon
from tapeflow._src.keras.losses.reduction import same_rank

# Below every threshold.
NEVER = -1e10


class Counts(NamedTuple):
    """Decisions of each kind, for each threshold (and label)."""

    true_positives: Any
    false_positives: Any
    true_negatives: Any
    false_negatives: Any


def parse_thresholds(thresholds: Any, default: float) -> list[float]:
    """Thresholds as a list, each between 0 and 1."""
    if thresholds is None:
        return [default]
    values = list(thresholds) if isinstance(thresholds, (list, tuple)) else [thresholds]
    wrong = [t for t in values if t is None or t < 0 or t > 1]
    if wrong:
        raise ValueError(f"Threshold values must be in [0, 1]. Received: {wrong}")
    return values


def even_thresholds(count: int) -> list[float]:
    """The thresholds between 0 and 1 that make them `count` at even distances."""
    return [index / (count - 1) for index in range(1, count - 1)]


def are_even(thresholds: Any) -> bool:
    """Whether thresholds go from 0 to 1 at even distances."""
    count = len(thresholds)
    if count < 3:
        return False
    even = np.arange(count, dtype=np.float32) / (count - 1)
    return bool(np.allclose(thresholds, even, atol=epsilon()))


class Options(NamedTuple):
    """How decisions are counted."""

    even: bool = False
    top_k: int | None = None
    class_id: int | None = None
    multi_label: bool = False
    label_weights: Any = None


def count(
    y_true: Any, y_pred: Any, thresholds: Any, sample_weight: Any, dtype: Any, options: Options
) -> Counts:
    """The decisions at each threshold."""
    y_true, y_pred = tf.cast(y_true, dtype), tf.cast(y_pred, dtype)
    y_pred, y_true = same_rank(y_pred, y_true)
    weights = _weights(sample_weight, y_true, dtype)
    if options.top_k is not None:
        y_pred = _only_best(y_pred, options.top_k)
    if options.class_id is not None:
        y_true, y_pred = (_of_class(y, options.class_id) for y in (y_true, y_pred))
    if options.label_weights is not None:
        weights = weights * tf.cast(options.label_weights, dtype)
    weights = tf.broadcast_to(weights, tf.shape(y_pred))
    labels = tf.cast(tf.cast(y_true, tf.bool), dtype)
    parts = (labels * weights, (1.0 - labels) * weights, y_pred)
    if not options.multi_label:
        parts = tuple(tf.reshape(part, [-1]) for part in parts)  # type: ignore[assignment]
    positive = _by_buckets if options.even else _by_comparison
    hits, alarms = positive(*parts, thresholds)
    right, wrong = (tf.reduce_sum(part, axis=0) for part in parts[:2])
    return Counts(hits, alarms, wrong - alarms, right - hits)


def _weights(sample_weight: Any, y_true: Any, dtype: Any) -> Any:
    if sample_weight is None:
        return tf.ones([], dtype)
    weights = tf.expand_dims(tf.cast(sample_weight, dtype), -1)
    if weights.shape.rank == y_true.shape.rank + 1 and weights.shape[-1] == 1:
        weights = tf.squeeze(weights, -1)
    return weights


def _of_class(y: Any, class_id: int) -> Any:
    if y.shape.rank == 1:
        raise ValueError(
            f"`class_id` selects a column, so labels and predictions must have rank 2, (batch, "
            f"classes). Received a tensor of shape {y.shape}"
        )
    return y[..., class_id, tf.newaxis]


def _only_best(y_pred: Any, k: int) -> Any:
    """Predictions, of which all but the `k` best of each row are never positive."""
    _, best = tf.math.top_k(y_pred, k)
    chosen = tf.reduce_sum(tf.one_hot(best, tf.shape(y_pred)[-1], dtype=y_pred.dtype), axis=-2)
    return y_pred * chosen + NEVER * (1 - chosen)


def _by_comparison(right: Any, wrong: Any, y_pred: Any, thresholds: Any) -> tuple[Any, Any]:
    limits = tf.constant(thresholds, y_pred.dtype)
    limits = tf.reshape(limits, [-1] + [1] * y_pred.shape.rank)
    above = tf.cast(y_pred > limits, y_pred.dtype)
    return tf.reduce_sum(right * above, axis=1), tf.reduce_sum(wrong * above, axis=1)


def _by_buckets(right: Any, wrong: Any, y_pred: Any, thresholds: Any) -> tuple[Any, Any]:
    """A prediction is above all thresholds up to its bucket: sums from the last bucket on."""
    size = len(thresholds)
    buckets = tf.math.ceil(tf.clip_by_value(y_pred, 0.0, 1.0) * (size - 1)) - 1
    if thresholds[0] < 0.0 or thresholds[-1] > 1.0:
        # The first threshold lies below zero: all predictions are above it.
        buckets = tf.nn.relu(buckets)
    segments = tf.cast(buckets, tf.int32)
    if y_pred.shape.rank == 1:
        sums = [tf.math.unsorted_segment_sum(part, segments, size) for part in (right, wrong)]
    else:
        width = y_pred.shape[1]
        # Each label has buckets of its own.
        segments = segments * width + tf.range(width)
        sums = [
            tf.reshape(tf.math.unsorted_segment_sum(part, segments, size * width), [size, width])
            for part in (right, wrong)
        ]
    hits, alarms = (tf.cumsum(part, axis=0, reverse=True) for part in sums)
    return hits, alarms
