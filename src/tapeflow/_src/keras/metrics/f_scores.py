"""F-scores, which combine precision and recall by their harmonic mean."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import ShapeLike
from tapeflow._src.keras.config import epsilon
from tapeflow._src.keras.metrics.metric import Metric

_AVERAGES = (None, "micro", "macro", "weighted")


class FBetaScore(Metric):
    """F-beta score: harmonic mean of precision and `beta`-weighted recall.

    Labels are 0 and 1, of the shape of the predictions, (batch, classes).

    Args:
        average: None for one score per class, "micro" for one over all decisions, "macro" for the
            mean of the classes, or "weighted" for the mean weighted by their frequency.
        beta: Recall counts `beta` times as much as precision; a positive float.
        threshold: Predictions above it are positive; None for the largest one of each sample.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Raises:
        ValueError: An argument is out of range.

    Example:
        >>> metric = tf.keras.metrics.FBetaScore(beta=2.0, threshold=0.5)
        >>> metric.update_state([[1, 0], [1, 1], [0, 1]], [[0.9, 0.1], [0.2, 0.8], [0.6, 0.7]])
        >>> metric.result().numpy()
        array([0.5, 1. ], dtype=float32)
    """

    _tpf_direction = "up"

    def __init__(
        self,
        average: str | None = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str | None = "fbeta_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(dtype, name)
        _check(average, beta, threshold)
        self.average = average
        self.beta = beta
        self.threshold = threshold
        self.axis = None if average == "micro" else 0
        self._built = False

    def _build(self, y_true: Any, y_pred: Any) -> None:
        shapes = f"y_pred.shape={y_pred.shape} and y_true.shape={y_true.shape}"
        if y_pred.shape.rank != 2 or y_true.shape.rank != 2:
            raise ValueError(
                f"{type(self).__name__} expected labels and predictions of rank 2, (batch, "
                f"classes). Received: {shapes}"
            )
        if y_pred.shape[-1] is None or y_true.shape[-1] is None:
            raise ValueError(
                f"{type(self).__name__} needs a known number of classes, the last dimension. "
                f"Received: {shapes}"
            )
        shape = () if self.average == "micro" else (y_pred.shape[-1],)
        self.true_positives = self._zeros(shape, "true_positives")
        self.false_positives = self._zeros(shape, "false_positives")
        self.false_negatives = self._zeros(shape, "false_negatives")
        self.intermediate_weights = self._zeros(shape, "intermediate_weights")
        self._built = True

    def _zeros(self, shape: ShapeLike, name: str) -> Any:
        return self.add_variable(shape, "zeros", self.dtype, name=name)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        y_true, y_pred = tf.cast(y_true, self.dtype), tf.cast(y_pred, self.dtype)
        if not self._built:
            self._build(y_true, y_pred)
        if self.threshold is None:
            best = y_pred >= tf.reduce_max(y_pred, axis=-1, keepdims=True)
            chosen = tf.logical_and(best, tf.abs(y_pred) > 1e-9)
        else:
            chosen = y_pred > self.threshold
        chosen = tf.cast(chosen, self.dtype)
        for variable, counts in (
            (self.true_positives, chosen * y_true),
            (self.false_positives, chosen * (1 - y_true)),
            (self.false_negatives, (1 - chosen) * y_true),
            (self.intermediate_weights, y_true),
        ):
            if sample_weight is not None:
                counts = counts * tf.expand_dims(tf.cast(sample_weight, self.dtype), 1)
            variable.assign_add(tf.reduce_sum(counts, axis=self.axis))

    def result(self) -> Any:
        hits = tf.convert_to_tensor(self.true_positives)
        precision = hits / (hits + self.false_positives + epsilon())
        recall = hits / (hits + self.false_negatives + epsilon())
        share = self.beta**2
        scores = (1 + share) * (precision * recall / (share * precision + recall + epsilon()))
        if self.average == "weighted":
            weights = tf.convert_to_tensor(self.intermediate_weights)
            return tf.reduce_sum(scores * (weights / (tf.reduce_sum(weights) + epsilon())))
        return scores if self.average is None else tf.reduce_mean(scores)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "average": self.average,
            "beta": self.beta,
            "threshold": self.threshold,
        }


class F1Score(FBetaScore):
    """F1 score: harmonic mean of precision and recall.

    Args:
        average: None for one score per class, "micro" for one over all decisions, "macro" for the
            mean of the classes, or "weighted" for the mean weighted by their frequency.
        threshold: Predictions above it are positive; None for the largest one of each sample.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.F1Score(threshold=0.5)
        >>> metric.update_state([[1, 0], [1, 1], [0, 1]], [[0.9, 0.1], [0.2, 0.8], [0.6, 0.7]])
        >>> metric.result().numpy().round(4)
        array([0.5, 1. ], dtype=float32)
    """

    def __init__(
        self,
        average: str | None = None,
        threshold: float | None = None,
        name: str | None = "f1_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(average, 1.0, threshold, name, dtype)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["beta"]
        return config


def _check(average: Any, beta: Any, threshold: Any) -> None:
    if average not in _AVERAGES:
        raise ValueError(
            f"`average` must be one of {list(_AVERAGES)}. Received: average={average!r}"
        )
    for name, value in (("beta", beta), ("threshold", threshold)):
        if not isinstance(value, float) and (name, value) != ("threshold", None):
            raise ValueError(
                f"`{name}` must be a float. Received: {name}={value!r} of type "
                f"{type(value).__name__}"
            )
    if beta <= 0.0:
        raise ValueError(f"`beta` must be above 0. Received: beta={beta}")
    if threshold is not None and not 0.0 < threshold <= 1.0:
        raise ValueError(
            f"`threshold` must be in the interval (0, 1]. Received: threshold={threshold}"
        )
