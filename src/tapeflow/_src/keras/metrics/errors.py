"""How far predictions are from what was observed."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.config import epsilon
from tapeflow._src.keras.losses import errors as losses
from tapeflow._src.keras.losses.errors import aligned
from tapeflow._src.keras.losses.reduction import same_rank
from tapeflow._src.keras.metrics.means import Mean, Named


def _cosine(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Any:
    return -losses.cosine_similarity(y_true, y_pred, axis)


def _centered(x: TensorLike, axis: int) -> tuple[Any, Any]:
    mean = tf.reduce_mean(x, axis=axis, keepdims=True)
    return x - mean, mean


def pearson_correlation(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Any:
    """Compute the Pearson correlation along an axis.

    Args:
        y_true: Labels.
        y_pred: Predictions of the same shape.
        axis: The axis.

    Returns:
        A number between -1 and 1 for each pair of vectors; NaN where one of them is constant.

    Example:
        >>> tf.keras.metrics.pearson_correlation(
        ...     [[1.0, 2.0, 3.0]], [[6.0, 4.0, 2.0]]
        ... ).numpy().round(4)
        array([-1.], dtype=float32)
    """
    parts = [_centered(y, axis)[0] for y in aligned(y_true, y_pred)]
    scaled = [x / tf.math.reduce_std(x, axis=axis, keepdims=True) for x in parts]
    return tf.reduce_mean(scaled[0] * scaled[1], axis=axis)


def concordance_correlation(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Any:
    """Compute the concordance correlation along an axis, which also compares means and variances.

    Args:
        y_true: Labels.
        y_pred: Predictions of the same shape.
        axis: The axis.

    Returns:
        A number between -1 and 1 for each pair of vectors.

    Example:
        >>> tf.keras.metrics.concordance_correlation(
        ...     [[1.0, 2.0, 3.0]], [[2.0, 3.0, 4.0]]
        ... ).numpy().round(4)
        array([0.5714], dtype=float32)
    """
    y_true, y_pred = aligned(y_true, y_pred)
    (_, mean_true), (away, mean_pred) = _centered(y_true, axis), _centered(y_pred, axis)
    spreads = [tf.math.reduce_variance(y, axis=axis, keepdims=True) for y in (y_true, y_pred)]
    norm = spreads[0] + spreads[1] + tf.square(mean_true - mean_pred)
    common = (y_true - mean_pred) * away
    return tf.reduce_mean(2 * common / (norm + epsilon()), axis=axis)


class MeanSquaredError(Named):
    """Mean squared error of labels and predictions.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.MeanSquaredError()
        >>> metric.update_state([[0.0, 1.0], [0.0, 0.0]], [[2.0, 1.0], [0.0, 0.0]])
        >>> metric.result().numpy()
        np.float32(1.0)
    """

    _tpf_direction = "down"

    def __init__(self, name: str | None = "mean_squared_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_squared_error, name, dtype)


class RootMeanSquaredError(Mean):
    """Root of the mean squared error of all batches together.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.RootMeanSquaredError()
        >>> metric.update_state([0.0, 0.0], [3.0, 3.0])
        >>> metric.result().numpy()
        np.float32(3.0)
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
    """Mean absolute error of labels and predictions.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.MeanAbsoluteError()
        >>> metric.update_state([[0.0, 1.0], [0.0, 0.0]], [[2.0, 1.0], [0.0, 0.0]])
        >>> metric.result().numpy()
        np.float32(0.5)
    """

    _tpf_direction = "down"

    def __init__(self, name: str | None = "mean_absolute_error", dtype: Any = None) -> None:
        super().__init__(losses.mean_absolute_error, name, dtype)


class MeanAbsolutePercentageError(Named):
    """Mean absolute error in percent of the labels.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.MeanAbsolutePercentageError()
        >>> metric.update_state([[2.0, 4.0]], [[1.0, 5.0]])
        >>> metric.result().numpy()
        np.float32(37.5)
    """

    _tpf_direction = "down"

    def __init__(
        self, name: str | None = "mean_absolute_percentage_error", dtype: Any = None
    ) -> None:
        super().__init__(losses.mean_absolute_percentage_error, name, dtype)


class MeanSquaredLogarithmicError(Named):
    """Mean squared difference of `log(1 + y)` of labels and predictions.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.MeanSquaredLogarithmicError()
        >>> metric.update_state([[0.0, 1.0]], [[1.0, 1.0]])
        >>> metric.result().numpy().round(4)
        np.float32(0.2402)
    """

    _tpf_direction = "down"

    def __init__(
        self, name: str | None = "mean_squared_logarithmic_error", dtype: Any = None
    ) -> None:
        super().__init__(losses.mean_squared_logarithmic_error, name, dtype)


class CosineSimilarity(Named):
    """Mean cosine similarity: 1 for vectors of equal direction, -1 for opposite ones.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.
        axis: Axis of the vectors.

    Example:
        >>> metric = tf.keras.metrics.CosineSimilarity()
        >>> metric.update_state([[0.0, 1.0], [1.0, 0.0]], [[0.0, 9.0], [0.0, 2.0]])
        >>> metric.result().numpy()
        np.float32(0.5)
    """

    _tpf_direction = "up"

    def __init__(
        self, name: str | None = "cosine_similarity", dtype: Any = None, axis: int = -1
    ) -> None:
        super().__init__(_cosine, name, dtype, axis=axis)


class LogCoshError(Named):
    """Mean `log(cosh(error))`: quadratic for small errors, linear for large ones.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.LogCoshError()
        >>> metric.update_state([[0.0, 0.0]], [[1.0, -2.0]])
        >>> metric.result().numpy().round(4)
        np.float32(0.8794)
    """

    _tpf_direction = "down"

    def __init__(self, name: str | None = "logcosh", dtype: Any = None) -> None:
        super().__init__(losses.log_cosh, name, dtype)


class Poisson(Named):
    """Mean Poisson loss: `y_pred - y_true * log(y_pred)`.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.Poisson()
        >>> metric.update_state([[0.0, 2.0]], [[1.0, 2.0]])
        >>> metric.result().numpy().round(4)
        np.float32(0.8069)
    """

    _tpf_direction = "down"

    def __init__(self, name: str | None = "poisson", dtype: Any = None) -> None:
        super().__init__(losses.poisson, name, dtype)


class Hinge(Named):
    """Mean hinge loss, `maximum(1 - y_true * y_pred, 0)`, of labels -1 and 1 (or 0 and 1).

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.Hinge()
        >>> metric.update_state([[0, 1]], [[-2.0, 0.5]])
        >>> metric.result().numpy()
        np.float32(0.25)
    """

    _tpf_direction = "down"

    def __init__(self, name: str | None = "hinge", dtype: Any = None) -> None:
        super().__init__(losses.hinge, name, dtype)


class SquaredHinge(Named):
    """Mean squared hinge loss of labels -1 and 1 (or 0 and 1).

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.SquaredHinge()
        >>> metric.update_state([[0, 1]], [[-2.0, 0.5]])
        >>> metric.result().numpy()
        np.float32(0.125)
    """

    _tpf_direction = "down"

    def __init__(self, name: str | None = "squared_hinge", dtype: Any = None) -> None:
        super().__init__(losses.squared_hinge, name, dtype)


class CategoricalHinge(Named):
    """Mean hinge loss between the true class and the best other class of one-hot labels.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.CategoricalHinge()
        >>> metric.update_state([[0, 1, 0]], [[0.2, 0.5, 0.1]])
        >>> metric.result().numpy()
        np.float32(0.7)
    """

    _tpf_direction = "down"

    def __init__(self, name: str | None = "categorical_hinge", dtype: Any = None) -> None:
        super().__init__(losses.categorical_hinge, name, dtype)


class PearsonCorrelation(Named):
    """Pearson correlation of labels and predictions, from -1 to 1.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.
        axis: Axis to correlate along; of several vectors the mean is taken.

    Example:
        >>> metric = tf.keras.metrics.PearsonCorrelation()
        >>> metric.update_state([[1.0, 2.0, 3.0]], [[2.0, 4.0, 5.0]])
        >>> metric.result().numpy().round(4)
        np.float32(0.982)
    """

    _tpf_direction = "up"

    def __init__(
        self, name: str | None = "pearson_correlation", dtype: Any = None, axis: int = -1
    ) -> None:
        super().__init__(pearson_correlation, name, dtype, axis=axis)


class ConcordanceCorrelation(Named):
    """Concordance correlation coefficient of labels and predictions, from -1 to 1.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.
        axis: Axis to correlate along; of several vectors the mean is taken.

    Example:
        >>> metric = tf.keras.metrics.ConcordanceCorrelation()
        >>> metric.update_state([[1.0, 2.0, 3.0]], [[2.0, 3.0, 4.0]])
        >>> metric.result().numpy().round(4)
        np.float32(0.5714)
    """

    _tpf_direction = "up"

    def __init__(
        self, name: str | None = "concordance_correlation", dtype: Any = None, axis: int = -1
    ) -> None:
        super().__init__(concordance_correlation, name, dtype, axis=axis)
