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
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> loss = tf.keras.losses.MeanSquaredError()
        >>> loss([[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 0.0]]).numpy()
        np.float32(0.5)
        >>> loss([[0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 0.0]], sample_weight=[1, 0]).numpy()
        np.float32(0.25)
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
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> tf.keras.losses.MeanAbsoluteError()([[0.0, 1.0]], [[3.0, 1.0]]).numpy()
        np.float32(1.5)
        >>> loss = tf.keras.losses.MeanAbsoluteError(reduction="none")
        >>> loss([[0.0, 1.0], [1.0, 1.0]], [[3.0, 1.0], [1.0, 2.0]]).numpy()
        array([1.5, 0.5], dtype=float32)
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "mean_absolute_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(mean_absolute_error, reduction, name, dtype)


class MeanAbsolutePercentageError(Named):
    """Mean absolute percentage error: `100 * mean(abs((y_true - y_pred) / y_true))`.

    Labels near 0 make it large: they count as `epsilon()` at least.

    Args:
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> tf.keras.losses.MeanAbsolutePercentageError()([[2.0, 4.0]], [[1.0, 5.0]]).numpy()
        np.float32(37.5)
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "mean_absolute_percentage_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(mean_absolute_percentage_error, reduction, name, dtype)


class MeanSquaredLogarithmicError(Named):
    """Mean squared logarithmic error: `mean((log(1 + y_true) - log(1 + y_pred)) ** 2)`.

    It compares ratios rather than differences; negative values count as 0.

    Args:
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> tf.keras.losses.MeanSquaredLogarithmicError()(
        ...     [[0.0, 1.0]], [[1.0, 1.0]]
        ... ).numpy().round(4)
        np.float32(0.2402)
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "mean_squared_logarithmic_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(mean_squared_logarithmic_error, reduction, name, dtype)


class CosineSimilarity(Named):
    """Negative cosine similarity: -1 for vectors of equal direction, 1 for opposite ones.

    To minimize it is to make directions equal, whatever the lengths; a zero vector has similarity
    0.

    Args:
        axis: Axis of the vectors.
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> loss = tf.keras.losses.CosineSimilarity()
        >>> loss([[0.0, 1.0], [1.0, 0.0]], [[0.0, 9.0], [0.0, 2.0]]).numpy()
        np.float32(-0.5)
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
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> tf.keras.losses.Huber(delta=1.0)([[0.0, 0.0]], [[0.5, 3.0]]).numpy()
        np.float32(1.3125)
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
    """Log-cosh loss: `mean(log(cosh(y_pred - y_true)))`.

    Quadratic for small errors, linear for large ones, and smooth.

    Args:
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> tf.keras.losses.LogCosh()([[0.0, 0.0]], [[1.0, -2.0]]).numpy().round(4)
        np.float32(0.8794)
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "log_cosh",
        dtype: Any = None,
    ) -> None:
        super().__init__(log_cosh, reduction, name, dtype)


class Poisson(Named):
    """Poisson loss: `mean(y_pred - y_true * log(y_pred))`.

    The negative log-likelihood of counts `y_true` with expected values `y_pred`, without its
    constant.

    Args:
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> tf.keras.losses.Poisson()([[0.0, 2.0]], [[1.0, 2.0]]).numpy().round(4)
        np.float32(0.8069)
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "poisson",
        dtype: Any = None,
    ) -> None:
        super().__init__(poisson, reduction, name, dtype)


class Hinge(Named):
    """Hinge loss: `mean(maximum(1 - y_true * y_pred, 0))`, for labels -1 and 1.

    Labels that all are 0 or 1 are taken as -1 and 1.

    Args:
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> tf.keras.losses.Hinge()([[0, 1]], [[-2.0, 0.5]]).numpy()
        np.float32(0.25)
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(hinge, reduction, name, dtype)


class SquaredHinge(Named):
    """Squared hinge loss: `mean(maximum(1 - y_true * y_pred, 0) ** 2)`, for labels -1 and 1.

    Labels that all are 0 or 1 are taken as -1 and 1.

    Args:
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> tf.keras.losses.SquaredHinge()([[0, 1]], [[-2.0, 0.5]]).numpy()
        np.float32(0.125)
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "squared_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(squared_hinge, reduction, name, dtype)


class CategoricalHinge(Named):
    """Categorical hinge loss: margin between the true class and the best other class.

    Labels are one-hot vectors; the loss is `maximum(1 + best other - true, 0)`.

    Args:
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> tf.keras.losses.CategoricalHinge()([[0, 1, 0]], [[0.2, 0.5, 0.1]]).numpy()
        np.float32(0.7)
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "categorical_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(categorical_hinge, reduction, name, dtype)
