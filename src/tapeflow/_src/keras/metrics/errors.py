"""How far predictions are from what was observed."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import epsilon
from tapeflow._src.keras.losses import errors as losses
from tapeflow._src.keras.losses.errors import aligned
from tapeflow._src.keras.losses.reduction import same_rank
from tapeflow._src.keras.metrics.means import Mean, Named


def _cosine(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    return -losses.cosine_similarity(y_true, y_pred, axis)


def _centered(x: Any, axis: int) -> tuple[Any, Any]:
    mean = tf.reduce_mean(x, axis=axis, keepdims=True)
    return x - mean, mean


def pearson_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Compute the Pearson correlation along an axis."""
    parts = [_centered(y, axis)[0] for y in aligned(y_true, y_pred)]
    scaled = [x / tf.math.reduce_std(x, axis=axis, keepdims=True) for x in parts]
    return tf.reduce_mean(scaled[0] * scaled[1], axis=axis)


def concordance_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Compute the concordance correlation, which also compares means and variances."""
    y_true, y_pred = aligned(y_true, y_pred)
    (_, mean_true), (away, mean_pred) = _centered(y_true, axis), _centered(y_pred, axis)
    spreads = [tf.math.reduce_variance(y, axis=axis, keepdims=True) for y in (y_true, y_pred)]
    norm = spreads[0] + spreads[1] + tf.square(mean_true - mean_pred)
    common = (y_true - mean_pred) * away
    return tf.reduce_mean(2 * common / (norm + epsilon()), axis=axis)


class MeanSquaredError(Named):
    """Mean squared error."""

    _tpf_direction = "down"

    def __init__(self, name: str | None = "mean_squared_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_squared_error, name, dtype)


class RootMeanSquaredError(Mean):
    """Root mean squared error.

    >>> metric = tf.keras.metrics.RootMeanSquaredError()
    >>> metric.update_state([0.0, 0.0], [3.0, 3.0])
    >>> float(metric.result())
    3.0
    """

    _tpf_direction = "down"

    def __init__(self, name: str | None = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:  # type: ignore[override]
        y_true, y_pred = same_rank(tf.cast(y_true, self.dtype), tf.cast(y_pred, self.dtype))
        super().update_state(tf.square(y_pred - y_true), sample_weight)

    def result(self) -> Any:
        return tf.sqrt(super().result())


class MeanAbsoluteError(Named):
    """Mean absolute error."""

    _tpf_direction = "down"

    def __init__(self, name: str | None = "mean_absolute_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_absolute_error, name, dtype)


class MeanAbsolutePercentageError(Named):
    """Mean absolute percentage error."""

    _tpf_direction = "down"

    def __init__(
        self, name: str | None = "mean_absolute_percentage_error", dtype: Any = None
    ) -> None:
        super().__init__(losses.mean_absolute_percentage_error, name, dtype)


class MeanSquaredLogarithmicError(Named):
    """Mean squared logarithmic error."""

    _tpf_direction = "down"

    def __init__(
        self, name: str | None = "mean_squared_logarithmic_error", dtype: Any = None
    ) -> None:
        super().__init__(losses.mean_squared_logarithmic_error, name, dtype)


class CosineSimilarity(Named):
    """Mean cosine similarity of labels and predictions."""

    _tpf_direction = "up"

    def __init__(
        self, name: str | None = "cosine_similarity", dtype: Any = None, axis: int = -1
    ) -> None:
        super().__init__(_cosine, name, dtype, axis=axis)


class LogCoshError(Named):
    """Mean log-cosh of the errors."""

    _tpf_direction = "down"

    def __init__(self, name: str | None = "logcosh", dtype: Any = None) -> None:
        super().__init__(losses.log_cosh, name, dtype)


class Poisson(Named):
    """Mean Poisson loss: `y_pred - y_true * log(y_pred)`."""

    _tpf_direction = "down"

    def __init__(self, name: str | None = "poisson", dtype: Any = None) -> None:
        super().__init__(losses.poisson, name, dtype)


class Hinge(Named):
    """Mean hinge loss."""

    _tpf_direction = "down"

    def __init__(self, name: str | None = "hinge", dtype: Any = None) -> None:
        super().__init__(losses.hinge, name, dtype)


class SquaredHinge(Named):
    """Mean squared hinge loss."""

    _tpf_direction = "down"

    def __init__(self, name: str | None = "squared_hinge", dtype: Any = None) -> None:
        super().__init__(losses.squared_hinge, name, dtype)


class CategoricalHinge(Named):
    """Mean categorical hinge loss."""

    _tpf_direction = "down"

    def __init__(self, name: str | None = "categorical_hinge", dtype: Any = None) -> None:
        super().__init__(losses.categorical_hinge, name, dtype)


class PearsonCorrelation(Named):
    """Pearson correlation of labels and predictions, from -1 to 1."""

    _tpf_direction = "up"

    def __init__(
        self, name: str | None = "pearson_correlation", dtype: Any = None, axis: int = -1
    ) -> None:
        super().__init__(pearson_correlation, name, dtype, axis=axis)


class ConcordanceCorrelation(Named):
    """Concordance correlation coefficient of labels and predictions, from -1 to 1."""

    _tpf_direction = "up"

    def __init__(
        self, name: str | None = "concordance_correlation", dtype: Any = None, axis: int = -1
    ) -> None:
        super().__init__(concordance_correlation, name, dtype, axis=axis)
