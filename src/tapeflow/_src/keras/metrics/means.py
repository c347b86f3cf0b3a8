"""Sums and means over all batches: of values, or of a function of labels and predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.generation import is_keras_2
from tapeflow._src.keras.layers.masks import get_mask
from tapeflow._src.keras.losses.reduction import same_rank
from tapeflow._src.keras.metrics.metric import Metric
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.registry import METRIC
from tapeflow.keras.saving import serialize_keras_object


def masked_weights(sample_weight: Any, mask: Any, dtype: Any) -> Any:
    """The weights of samples, zero where the mask leaves them out."""
    if mask is None:
        return sample_weight
    weights = tf.cast(mask, dtype)
    if sample_weight is None:
        return weights
    weights, sample_weight = same_rank(weights, tf.cast(sample_weight, dtype))
    return sample_weight * weights


def per_sample(
    values: Any, sample_weight: Any, reduce: Callable[..., Any], dtype: Any
) -> tuple[Any, Any]:
    """One weighted value for each sample, and its weight, if there are weights."""
    mask = get_mask(values)
    values = tf.cast(values, dtype)
    if sample_weight is not None:
        weights = tf.cast(sample_weight, dtype)
        weights = masked_weights(weights, mask, dtype)
        values, weights = same_rank(values, weights)
        rank = weights.shape.rank
        if values.shape.rank > rank:
            values = reduce(values, axis=list(range(rank, values.shape.rank)))
        if values.shape.rank < rank:
            # A function that averages by itself, over a masked output: each weight counts.
            values = tf.broadcast_to(values, tf.shape(weights))
        else:
            weights = tf.broadcast_to(weights, tf.shape(values))
        values = values * weights
        sample_weight = reduce(weights, axis=list(range(1, rank))) if rank > 1 else weights
    if values.shape.rank > 1:
        values = reduce(values, axis=list(range(1, values.shape.rank)))
    return values, sample_weight


class Sum(Metric):
    """Weighted sum of all values.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.Sum()
        >>> metric.update_state([1.0, 3.0])
        >>> metric.update_state([5.0], sample_weight=[0.5])
        >>> metric.result().numpy()
        np.float32(6.5)
    """

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", self.dtype, name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        values, _ = per_sample(values, sample_weight, tf.reduce_sum, self.dtype)
        self.total.assign_add(tf.reduce_sum(values), read_value=False)

    def result(self) -> Any:
        return tf.convert_to_tensor(self.total)


class Mean(Metric):
    """Weighted mean of all values.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.Mean()
        >>> metric.update_state([1.0, 3.0], sample_weight=[1.0, 0.0])
        >>> metric.result().numpy()
        np.float32(1.0)
    """

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", self.dtype, name="total")
        self.count = self.add_variable((), "zeros", self.dtype, name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        values, weights = per_sample(values, sample_weight, tf.reduce_mean, self.dtype)
        self.total.assign_add(tf.reduce_sum(values), read_value=False)
        if weights is not None:
            count = tf.reduce_sum(weights)
        else:
            count = tf.cast(tf.shape(values)[0] if values.shape.rank else 1, self.dtype)
        self.count.assign_add(count, read_value=False)

    def result(self) -> Any:
        return tf.math.divide_no_nan(self.total, self.count)


class MeanMetricWrapper(Mean):
    """Weighted mean of a function of labels and predictions.

    Args:
        fn: Function `fn(y_true, y_pred, **kwargs)` that returns a value per sample.
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.
        **kwargs: Passed to `fn`.

    Example:
        >>> metric = tf.keras.metrics.MeanMetricWrapper(tf.keras.losses.huber, delta=2.0)
        >>> metric.update_state([[0.0]], [[1.0]])
        >>> metric.result().numpy()
        np.float32(0.5)
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, dtype)
        self._fn = fn
        self._fn_kwargs = kwargs

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:  # type: ignore[override]
        mask = get_mask(y_pred)
        if is_keras_2():
            y_true, y_pred = tf.nest.map_structure(self._tpf_cast, (y_true, y_pred))
        values = self._fn(y_true, y_pred, **self._fn_kwargs)
        super().update_state(values, masked_weights(sample_weight, mask, self.dtype))

    def _tpf_cast(self, x: TensorLike) -> Any:
        """`x` in the dtype of the metric, unless it is text."""
        x = tf.convert_to_tensor(x)
        return x if x.dtype == tf.string else tf.cast(x, self.dtype)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "fn": serialize_keras_object(self._fn),
            **serialize_keras_object(self._fn_kwargs),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Metric:
        return cls(**(read_object(config, METRIC, required=False) if "fn" in config else config))


class Named(MeanMetricWrapper):
    """A mean of Keras' own: its arguments are those of its function, and its config has them."""

    def get_config(self) -> dict[str, Any]:
        return {**Metric.get_config(self), **self._fn_kwargs}

    def __getattr__(self, name: str) -> Any:
        kwargs = self.__dict__.get("_fn_kwargs", {})
        if name in kwargs:
            return kwargs[name]
        return super().__getattr__(name)
