"""Counts of right and wrong decisions, and the shares of right ones."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import ShapeLike
from tapeflow._src.keras.metrics.confusion import NEVER, Options, are_even, count, parse_thresholds
from tapeflow._src.keras.metrics.metric import Metric


class ThresholdMetric(Metric):
    """Base class of counts at thresholds; each of `_kinds` has a variable of its name."""

    _kinds: tuple[str, ...]

    def _tpf_keep(self, shape: ShapeLike) -> None:
        for kind in self._kinds:
            setattr(self, kind, self.add_variable(shape, "zeros", name=kind))

    def _take_up(
        self, y_true: Any, y_pred: Any, thresholds: Any, sample_weight: Any, options: Options
    ) -> None:
        variables = [getattr(self, kind) for kind in self._kinds]
        counts = count(y_true, y_pred, thresholds, sample_weight, variables[0].dtype, options)
        for kind, variable in zip(self._kinds, variables):
            variable.assign_add(getattr(counts, kind), read_value=False)


class _Count(ThresholdMetric):
    """The number of decisions of one kind."""

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.init_thresholds = thresholds
        self.thresholds = parse_thresholds(thresholds, 0.5)
        shape = (len(self.thresholds),)
        self.accumulator = self.add_variable(shape, "zeros", name="accumulator")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        options = Options(are_even(self.thresholds))
        dtype = self.accumulator.dtype
        counts = count(y_true, y_pred, self.thresholds, sample_weight, dtype, options)
        self.accumulator.assign_add(getattr(counts, self._kinds[0]), read_value=False)

    def result(self) -> Any:
        counts = tf.convert_to_tensor(self.accumulator)
        return counts[0] if len(self.thresholds) == 1 else counts

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "thresholds": self.init_thresholds}


class TruePositives(_Count):
    """Number of positive samples predicted as positive.

    Args:
        thresholds: Number between 0 and 1, or list of them: predictions above are positive. None is
            0.5. For a list, the result has one count for each.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.TruePositives()
        >>> metric.update_state([0, 1, 1, 1], [0.8, 0.9, 0.2, 0.7])
        >>> metric.result().numpy()
        np.float32(2.0)
    """

    _tpf_direction = "up"
    _kinds = ("true_positives",)


class FalsePositives(_Count):
    """Number of negative samples predicted as positive.

    Args:
        thresholds: Number between 0 and 1, or list of them: predictions above are positive. None is
            0.5. For a list, the result has one count for each.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.FalsePositives()
        >>> metric.update_state([0, 1, 1, 1], [0.8, 0.9, 0.2, 0.7])
        >>> metric.result().numpy()
        np.float32(1.0)
    """

    _tpf_direction = "down"
    _kinds = ("false_positives",)


class TrueNegatives(_Count):
    """Number of negative samples predicted as negative.

    Args:
        thresholds: Number between 0 and 1, or list of them: predictions above are positive. None is
            0.5. For a list, the result has one count for each.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.TrueNegatives()
        >>> metric.update_state([0, 1, 1, 1], [0.8, 0.9, 0.2, 0.7])
        >>> metric.result().numpy()
        np.float32(0.0)
    """

    _tpf_direction = "up"
    _kinds = ("true_negatives",)


class FalseNegatives(_Count):
    """Number of positive samples predicted as negative.

    Args:
        thresholds: Number between 0 and 1, or list of them: predictions above are positive. None is
            0.5. For a list, the result has one count for each.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.FalseNegatives()
        >>> metric.update_state([0, 1, 1, 1], [0.8, 0.9, 0.2, 0.7])
        >>> metric.result().numpy()
        np.float32(1.0)
    """

    _tpf_direction = "down"
    _kinds = ("false_negatives",)


class _Share(ThresholdMetric):
    """The share of true positives among those and decisions of another kind."""

    _tpf_direction = "up"

    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(dtype, name)
        self.init_thresholds = thresholds
        self.top_k = top_k
        self.class_id = class_id
        self.thresholds = parse_thresholds(thresholds, 0.5 if top_k is None else NEVER)
        self._tpf_keep((len(self.thresholds),))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        options = Options(are_even(self.thresholds), self.top_k, self.class_id)
        self._take_up(y_true, y_pred, self.thresholds, sample_weight, options)

    def result(self) -> Any:
        hits, others = (tf.convert_to_tensor(getattr(self, kind)) for kind in self._kinds)
        shares = tf.math.divide_no_nan(hits, hits + others)
        return shares[0] if len(self.thresholds) == 1 else shares

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "thresholds": self.init_thresholds,
            "top_k": self.top_k,
            "class_id": self.class_id,
        }


class Precision(_Share):
    """Precision: true positives over all predicted positives.

    Args:
        thresholds: Number between 0 and 1, or list of them: predictions above are positive. None is
            0.5, or no threshold with `top_k`.
        top_k: Number of the largest predictions of each sample that can be positive; None for all.
        class_id: Class (column) to restrict the metric to; None for all.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.Precision()
        >>> metric.update_state([0, 1, 1, 1], [0.9, 0.8, 0.1, 0.7])
        >>> metric.result().numpy().round(4)
        np.float32(0.6667)
    """

    _kinds = ("true_positives", "false_positives")


class Recall(_Share):
    """Recall: true positives over all actual positives.

    Args:
        thresholds: Number between 0 and 1, or list of them: predictions above are positive. None is
            0.5, or no threshold with `top_k`.
        top_k: Number of the largest predictions of each sample that can be positive; None for all.
        class_id: Class (column) to restrict the metric to; None for all.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.Recall()
        >>> metric.update_state([0, 1, 1, 1], [0.9, 0.8, 0.1, 0.7])
        >>> metric.result().numpy().round(4)
        np.float32(0.6667)
    """

    _kinds = ("true_positives", "false_negatives")
