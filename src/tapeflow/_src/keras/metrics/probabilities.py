"""How surprising labels are, given the predicted probabilities."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.losses import crossentropies as losses
from tapeflow._src.keras.metrics.means import Named


class KLDivergence(Named):
    """Mean Kullback-Leibler divergence."""

    _tpf_direction = "down"

    def __init__(self, name: str | None = "kl_divergence", dtype: Any = None) -> None:
        super().__init__(losses.kl_divergence, name, dtype)


class BinaryCrossentropy(Named):
    """Mean cross-entropy of binary labels."""

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
    """Mean cross-entropy of one-hot labels."""

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
    """Mean cross-entropy of integer labels."""

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
