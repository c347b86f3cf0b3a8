"""`PyMetric`: a metric that is computed by Python code, outside of graphs, as in Keras 2."""

from __future__ import annotations

from typing import Any, Self

import tapeflow as tf
from tapeflow._src.keras.metrics.metric import Metric


class PyMetric(Metric):
    """A metric whose `update_state` and `result` run as Python code on values.

    A subclass defines `update_state(self, y_true, y_pred, sample_weight=None)`, `result(self)`,
    which returns a number, and `reset_state(self)`, which also sets the state at the beginning.

    Example:
        >>> class Longest(tf.keras.metrics.experimental.PyMetric):
        ...     def reset_state(self):
        ...         self.longest = 0
        ...     def update_state(self, y_true, y_pred, sample_weight=None):
        ...         self.longest = max(self.longest, len(y_pred.numpy()))
        ...     def result(self):
        ...         return self.longest
        >>> metric = Longest()
        >>> metric.update_state([1.0], [2.0])
        >>> float(metric.result())
        1.0
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        metric = super().__new__(cls)
        update, result = metric.update_state, metric.result

        def update_state(y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
            inputs = [y_true, y_pred, *([] if sample_weight is None else [sample_weight])]
            tf.py_function(update, inputs, [])

        # Not as attributes like others: they are no state.
        object.__setattr__(metric, "update_state", update_state)
        object.__setattr__(metric, "result", lambda: tf.py_function(result, [], metric.dtype))
        return metric

    def __init__(self, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        self.reset_state()
