"""The best of one share that another one allows."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.metrics.confusion import Counts, Options, even_thresholds
from tapeflow._src.keras.metrics.counts import ThresholdMetric


def sensitivity(counts: Counts) -> Any:
    """The share of positive labels that were found: the recall."""
    hits = counts.true_positives
    return tf.math.divide_no_nan(hits, hits + counts.false_negatives)


def specificity(counts: Counts) -> Any:
    """The share of negative labels that were left alone."""
    left = counts.true_negatives
    return tf.math.divide_no_nan(left, left + counts.false_positives)


def precision(counts: Counts) -> Any:
    """The share of positive predictions that were right."""
    hits = counts.true_positives
    return tf.math.divide_no_nan(hits, hits + counts.false_positives)


class Tradeoff(ThresholdMetric):
    """The best value of `_wanted` at thresholds where `_given` is at least some value."""

    _tpf_direction = "up"
    _kinds = Counts._fields
    # The name of the argument that says how much is given.
    _argument: str

    def __init__(
        self,
        value: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        if not 0 <= value <= 1:
            raise ValueError(
                f"Argument `{self._argument}` must be in the range [0, 1]. Received: "
                f"{self._argument}={value}"
            )
        super().__init__(dtype, name)
        if num_thresholds <= 0:
            raise ValueError(
                f"{type(self).__name__}: `num_thresholds` must be 1 or more. Received: "
                f"num_thresholds={num_thresholds}"
            )
        setattr(self, self._argument, value)
        self.value = value
        self.num_thresholds = num_thresholds
        self.class_id = class_id
        single = num_thresholds == 1
        self.thresholds = [0.5] if single else [0.0, *even_thresholds(num_thresholds), 1.0]
        self._tpf_keep((len(self.thresholds),))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        options = Options(self.num_thresholds > 1, class_id=self.class_id)
        self._take_up(y_true, y_pred, self.thresholds, sample_weight, options)

    def _shares(self, counts: Counts) -> tuple[Any, Any]:
        """Return the constrained and the maximized quantity at each threshold."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it weighs.")

    def result(self) -> Any:
        counts = Counts(*(tf.convert_to_tensor(getattr(self, kind)) for kind in self._kinds))
        constrained, objective = self._shares(counts)
        return tf.reduce_max(
            tf.where(constrained >= self.value, objective, tf.zeros_like(objective))
        )

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "class_id": self.class_id,
            "num_thresholds": self.num_thresholds,
            self._argument: self.value,
        }


class SensitivityAtSpecificity(Tradeoff):
    """Best sensitivity with at least the specificity `specificity`.

    It is looked for at evenly spaced thresholds; 0 if none of them qualifies.

    Args:
        specificity: Lower bound between 0 and 1 of the share of negative samples predicted as
            negative.
        num_thresholds: Number of thresholds to try; with 1, it is 0.5.
        class_id: Class (column) to restrict the metric to; None for all.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.SensitivityAtSpecificity(0.5)
        >>> metric.update_state([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8])
        >>> metric.result().numpy()
        np.float32(0.5)
    """

    _argument = "specificity"

    def __init__(
        self,
        specificity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(specificity, num_thresholds, class_id, name, dtype)

    def _shares(self, counts: Counts) -> tuple[Any, Any]:
        return specificity(counts), sensitivity(counts)


class SpecificityAtSensitivity(Tradeoff):
    """Best specificity with at least the sensitivity `sensitivity`.

    It is looked for at evenly spaced thresholds; 0 if none of them qualifies.

    Args:
        sensitivity: Lower bound between 0 and 1 of the share of positive samples predicted as
            positive.
        num_thresholds: Number of thresholds to try; with 1, it is 0.5.
        class_id: Class (column) to restrict the metric to; None for all.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.SpecificityAtSensitivity(0.5)
        >>> metric.update_state([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8])
        >>> metric.result().numpy().round(4)
        np.float32(0.6667)
    """

    _argument = "sensitivity"

    def __init__(
        self,
        sensitivity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(sensitivity, num_thresholds, class_id, name, dtype)

    def _shares(self, counts: Counts) -> tuple[Any, Any]:
        return sensitivity(counts), specificity(counts)


class PrecisionAtRecall(Tradeoff):
    """Best precision with at least the recall `recall`.

    It is looked for at evenly spaced thresholds; 0 if none of them qualifies.

    Args:
        recall: Lower bound between 0 and 1 of the share of positive samples predicted as positive.
        num_thresholds: Number of thresholds to try; with 1, it is 0.5.
        class_id: Class (column) to restrict the metric to; None for all.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.PrecisionAtRecall(0.5)
        >>> metric.update_state([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8])
        >>> metric.result().numpy()
        np.float32(0.5)
    """

    _argument = "recall"

    def __init__(
        self,
        recall: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(recall, num_thresholds, class_id, name, dtype)

    def _shares(self, counts: Counts) -> tuple[Any, Any]:
        return sensitivity(counts), precision(counts)


class RecallAtPrecision(Tradeoff):
    """Best recall with at least the precision `precision`.

    It is looked for at evenly spaced thresholds; 0 if none of them qualifies.

    Args:
        precision: Lower bound between 0 and 1 of the share of predicted positives that are right.
        num_thresholds: Number of thresholds to try; with 1, it is 0.5.
        class_id: Class (column) to restrict the metric to; None for all.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.RecallAtPrecision(0.5)
        >>> metric.update_state([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8])
        >>> metric.result().numpy()
        np.float32(1.0)
    """

    _argument = "precision"

    def __init__(
        self,
        precision: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(precision, num_thresholds, class_id, name, dtype)

    def _shares(self, counts: Counts) -> tuple[Any, Any]:
        return precision(counts), sensitivity(counts)
