"""How surprising labels are, given the predicted probabilities."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.losses import crossentropies as losses
from tapeflow._src.keras.metrics.means import Named


class KLDivergence(Named):
    """Mean Kullback-Leibler divergence of predicted from true probabilities.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.

    Example:
        >>> metric = tf.keras.metrics.KLDivergence()
        >>> metric.update_state([[0.5, 0.5]], [[0.25, 0.75]])
        >>> metric.result().numpy().round(4)
        np.float32(0.1438)
    """

    _tpf_direction = "down"

    def __init__(self, name: str | None = "kl_divergence", dtype: Any = None) -> None:
        super().__init__(losses.kl_divergence, name, dtype)


class BinaryCrossentropy(Named):
    """Mean cross-entropy of binary labels.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.
        from_logits: Whether predictions are logits instead of probabilities.
        label_smoothing: Moves labels towards the uniform distribution by this fraction.

    Example:
        >>> metric = tf.keras.metrics.BinaryCrossentropy()
        >>> metric.update_state([[0], [1]], [[0.25], [0.5]])
        >>> metric.result().numpy().round(4)
        np.float32(0.4904)
    """

    _tpf_direction = "down"

    def __init__(
        self,
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        super().__init__(
            losses.binary_crossentropy,
            name,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
        )


class CategoricalCrossentropy(Named):
    """Mean cross-entropy of one-hot labels.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.
        from_logits: Whether predictions are logits instead of probabilities.
        label_smoothing: Moves labels towards the uniform distribution by this fraction.
        axis: Axis of the classes.

    Example:
        >>> metric = tf.keras.metrics.CategoricalCrossentropy()
        >>> metric.update_state([[0, 1]], [[0.25, 0.75]])
        >>> metric.result().numpy().round(4)
        np.float32(0.2877)
    """

    _tpf_direction = "down"

    def __init__(
        self,
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
        axis: int = -1,
    ) -> None:
        super().__init__(
            losses.categorical_crossentropy,
            name,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class SparseCategoricalCrossentropy(Named):
    """Mean cross-entropy of integer labels.

    Args:
        name: Name of the metric.
        dtype: Dtype of the state and the result; None is `floatx()`.
        from_logits: Whether predictions are logits instead of probabilities.
        ignore_class: Label that does not count, such as -1 for padding.
        axis: Axis of the classes, which must be the last one.

    Example:
        >>> metric = tf.keras.metrics.SparseCategoricalCrossentropy()
        >>> metric.update_state([1], [[0.25, 0.75]])
        >>> metric.result().numpy().round(4)
        np.float32(0.2877)
    """

    _tpf_direction = "down"

    def __init__(
        self,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        ignore_class: int | None = None,
        axis: int = -1,
    ) -> None:
        super().__init__(
            losses.sparse_categorical_crossentropy,
            name,
            dtype,
            from_logits=from_logits,
            ignore_class=ignore_class,
            axis=axis,
        )
