"""`R2Score`: how much of the variance of what was observed predictions explain."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.losses.reduction import same_rank
from tapeflow._src.keras.metrics.metric import Metric

_AGGREGATIONS = (None, "uniform_average", "variance_weighted_average")


class R2Score(Metric):
    """Coefficient of determination: one minus squared error over variance.

    Labels and predictions are of shape (batch, outputs). 1 is perfect, 0 as good as predicting the
    mean.

    Args:
        class_aggregation: How scores of outputs are combined: "uniform_average",
            "variance_weighted_average", or None for one per output.
        num_regressors: Number of independent variables, for the adjusted score; 0 does not adjust.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Raises:
        ValueError: An argument has another value.

    Example:
        >>> metric = tf.keras.metrics.R2Score()
        >>> metric.update_state([[1.0], [4.0], [3.0]], [[2.0], [4.0], [4.0]])
        >>> metric.result().numpy().round(4)
        np.float32(0.5714)
    """

    _tpf_direction = "up"

    def __init__(
        self,
        class_aggregation: str | None = "uniform_average",
        num_regressors: int = 0,
        name: str | None = "r2_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(dtype, name)
        if class_aggregation not in _AGGREGATIONS:
            raise ValueError(
                f"R2Score: `class_aggregation` must be one of {_AGGREGATIONS}. Received: "
                f"{class_aggregation!r}"
            )
        if num_regressors < 0:
            raise ValueError(
                f"R2Score: `num_regressors` must be 0 or more. Received: {num_regressors}"
            )
        self.class_aggregation = class_aggregation
        self.num_regressors = num_regressors
        self.num_samples = self.add_variable((), "zeros", name="num_samples")
        self._built = False

    def _build(self, y_true: Any, y_pred: Any) -> None:
        shapes = f"y_pred.shape={y_pred.shape} and y_true.shape={y_true.shape}"
        if y_pred.shape.rank != 2 or y_true.shape.rank != 2:
            raise ValueError(
                f"R2Score expected labels and predictions of rank 2, (batch, outputs). Received: "
                f"{shapes}"
            )
        if y_pred.shape[-1] is None or y_true.shape[-1] is None:
            raise ValueError(
                f"R2Score needs a known number of outputs, the last dimension. Received: {shapes}"
            )
        shape = (y_pred.shape[-1],)
        self.squared_sum = self.add_variable(shape, "zeros", name="squared_sum")
        self.sum = self.add_variable(shape, "zeros", name="sum")
        self.total_mse = self.add_variable(shape, "zeros", name="residual")
        self.count = self.add_variable(shape, "zeros", name="count")
        self._built = True

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        y_true, y_pred = same_rank(tf.cast(y_true, self.dtype), tf.cast(y_pred, self.dtype))
        if not self._built:
            self._build(y_true, y_pred)
        weights = tf.cast(1 if sample_weight is None else sample_weight, self.dtype)
        if weights.shape.rank == 1:
            weights = tf.expand_dims(weights, 1)
        weights = tf.broadcast_to(weights, tf.shape(y_true))
        weighted = y_true * weights
        self.sum.assign_add(tf.reduce_sum(weighted, axis=0))
        self.squared_sum.assign_add(tf.reduce_sum(y_true * weighted, axis=0))
        self.total_mse.assign_add(tf.reduce_sum(tf.square(y_true - y_pred) * weights, axis=0))
        self.count.assign_add(tf.reduce_sum(weights, axis=0))
        self.num_samples.assign_add(tf.cast(tf.size(y_true), self.num_samples.dtype))

    def result(self) -> Any:
        total = self.squared_sum - self.sum * (self.sum / self.count)
        scores = 1 - self.total_mse / total
        scores = tf.where(tf.math.is_inf(scores), tf.zeros_like(scores), scores)
        if self.class_aggregation == "uniform_average":
            scores = tf.reduce_mean(scores)
        elif self.class_aggregation == "variance_weighted_average":
            scores = tf.reduce_sum(total * scores) / tf.reduce_sum(total)
        return self._adjusted(scores) if self.num_regressors else scores

    def _adjusted(self, scores: Any) -> Any:
        spare = float(self.num_samples) - self.num_regressors - 1
        if spare > 0:
            return 1.0 - (1.0 - scores) * (self.num_samples - 1.0) / spare
        warn_user(
            f"R2Score '{self.name}' cannot be adjusted for num_regressors={self.num_regressors} "
            f"with {int(float(self.num_samples))} samples: at least {self.num_regressors + 2} are "
            f"needed. The result is not adjusted."
        )
        return scores

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "class_aggregation": self.class_aggregation,
            "num_regressors": self.num_regressors,
        }
