"""Keras 2's means: element by element, and of errors relative to given values."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.losses.reduction import same_rank
from tapeflow._src.keras.metrics.means import Mean
from tapeflow._src.keras.metrics.metric import Metric


class MeanTensor(Metric):
    """The mean of all values, element by element: the result has the shape of the values.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.
        shape: Shape of the values; None takes that of the first ones.

    Example:
        >>> metric = tf.keras.metrics.MeanTensor()
        >>> metric.update_state([0.0, 1.0])
        >>> metric.update_state([4.0, 5.0])
        >>> metric.result().numpy()
        array([2., 3.], dtype=float32)
    """

    def __init__(
        self, name: str | None = "mean_tensor", dtype: Any = None, shape: Any = None
    ) -> None:
        super().__init__(dtype, name)
        self.total: Any = None
        self.count: Any = None
        if shape is not None:
            self._build(tuple(shape))

    def _build(self, shape: tuple[int, ...]) -> None:
        self.total = self.add_variable(shape, "zeros", self.dtype, name="total")
        self.count = self.add_variable(shape, "zeros", self.dtype, name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        values = tf.cast(values, self.dtype)
        if self.total is None:
            self._build(tuple(values.shape))
        if tuple(values.shape) != tuple(self.total.shape):
            raise ValueError(
                f"All values of a MeanTensor have one shape. Expected {tuple(self.total.shape)}, "
                f"that of the first ones. Received: {tuple(values.shape)}"
            )
        counts = tf.ones_like(values)
        if sample_weight is not None:
            weights = tf.cast(sample_weight, self.dtype)
            values, weights = same_rank(values, weights)
            counts = tf.broadcast_to(weights, tf.shape(values))
            values = values * counts
        self.total.assign_add(values, read_value=False)
        self.count.assign_add(counts, read_value=False)

    def result(self) -> Any:
        if self.total is None:
            raise ValueError(
                f"{type(self).__name__} '{self.name}' has no values yet: call "
                f"`update_state(values)` first."
            )
        return tf.math.divide_no_nan(
            tf.convert_to_tensor(self.total), tf.convert_to_tensor(self.count)
        )

    def reset_state(self) -> None:
        if self.total is not None:
            super().reset_state()


class MeanRelativeError(Mean):
    """Mean absolute error, each divided by the corresponding value of `normalizer`.

    Args:
        normalizer: Divisor of each error; the result is 0 where it is 0.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.MeanRelativeError(normalizer=[1.0, 4.0])
        >>> metric.update_state([1.0, 2.0], [2.0, 4.0])
        >>> metric.result().numpy()
        np.float32(0.75)
    """

    def __init__(self, normalizer: Any, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name or "mean_relative_error", dtype)
        self.normalizer = tf.cast(normalizer, self.dtype)

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        y_true, y_pred = tf.cast(y_true, self.dtype), tf.cast(y_pred, self.dtype)
        errors = tf.math.divide_no_nan(tf.abs(y_true - y_pred), self.normalizer)
        super().update_state(errors, sample_weight)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "normalizer": np.asarray(self.normalizer).tolist()}
