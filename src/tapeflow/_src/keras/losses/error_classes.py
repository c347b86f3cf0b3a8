"""Regression and hinge losses as classes."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.losses.errors import (
    categorical_hinge,
    cosine_similarity,
    hinge,
    huber,
    log_cosh,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    poisson,
    squared_hinge,
)
from tapeflow._src.keras.losses.loss import Named


class MeanSquaredError(Named):
    """Mean squared error: `mean((y_true - y_pred) ** 2)`.

    Args:
        reduction: How losses of samples are combined; see `Loss`.
        name: Name of the loss.
        dtype: Dtype of the computation.

    >>> float(tf.keras.losses.MeanSquaredError()([[0.0, 1.0]], [[1.0, 1.0]]))
    0.5
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "mean_squared_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(mean_squared_error, reduction, name, dtype)


class MeanAbsoluteError(Named):
    """Mean absolute error: `mean(abs(y_true - y_pred))`.

    Args:
        reduction: How losses of samples are combined; see `Loss`.
        name: Name of the loss.
        dtype: Dtype of the computation.

    >>> float(tf.keras.losses.MeanAbsoluteError()([[0.0, 1.0]], [[3.0, 1.0]]))
    1.5
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "mean_absolute_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(mean_absolute_error, reduction, name, dtype)


class MeanAbsolutePercentageError(Named):
    """Mean absolute percentage error: `100 * mean(abs((y_true - y_pred) / y_true))`."""

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "mean_absolute_percentage_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(mean_absolute_percentage_error, reduction, name, dtype)


class MeanSquaredLogarithmicError(Named):
    """Mean squared logarithmic error: `mean((log(1 + y_true) - log(1 + y_pred)) ** 2)`."""

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "mean_squared_logarithmic_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(mean_squared_logarithmic_error, reduction, name, dtype)


class CosineSimilarity(Named):
    """Negative cosine similarity: -1 for vectors of equal direction, 1 for opposite ones.

    Args:
        axis: Axis of the vectors.
        reduction: How losses of samples are combined; see `Loss`.
        name: Name of the loss.
        dtype: Dtype of the computation.
    """

    def __init__(
        self,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "cosine_similarity",
        dtype: Any = None,
    ) -> None:
        super().__init__(cosine_similarity, reduction, name, dtype, axis=axis)


class Huber(Named):
    """Huber loss: quadratic for errors up to `delta`, linear beyond.

    Args:
        delta: Error at which the loss becomes linear.
        reduction: How losses of samples are combined; see `Loss`.
        name: Name of the loss.
        dtype: Dtype of the computation.
    """

    def __init__(
        self,
        delta: float = 1.0,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "huber_loss",
        dtype: Any = None,
    ) -> None:
        super().__init__(huber, reduction, name, dtype, delta=delta)


class LogCosh(Named):
    """Log-cosh loss: `mean(log(cosh(y_pred - y_true)))`."""

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "log_cosh",
        dtype: Any = None,
    ) -> None:
        super().__init__(log_cosh, reduction, name, dtype)


class Poisson(Named):
    """Poisson loss: `mean(y_pred - y_true * log(y_pred))`."""

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "poisson",
        dtype: Any = None,
    ) -> None:
        super().__init__(poisson, reduction, name, dtype)


class Hinge(Named):
    """Hinge loss: `mean(maximum(1 - y_true * y_pred, 0))`, for labels -1 and 1."""

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(hinge, reduction, name, dtype)


class SquaredHinge(Named):
    """Squared hinge loss: `mean(maximum(1 - y_true * y_pred, 0) ** 2)`, for labels -1 and 1."""

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "squared_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(squared_hinge, reduction, name, dtype)


class CategoricalHinge(Named):
    """Categorical hinge loss: margin between the true class and the best other class."""

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "categorical_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(categorical_hinge, reduction, name, dtype)
