"""The losses of probabilities, overlaps, sequences and pairs as classes."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.losses.crossentropies import (
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    categorical_generalized_cross_entropy,
    kl_divergence,
    sparse_categorical_crossentropy,
)
from tapeflow._src.keras.losses.errors import dice, tversky
from tapeflow._src.keras.losses.loss import Named
from tapeflow._src.keras.losses.pairs import circle, ctc


class KLDivergence(Named):
    """Kullback-Leibler divergence: `sum(y_true * log(y_true / y_pred))`."""

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "kl_divergence",
        dtype: Any = None,
    ) -> None:
        super().__init__(kl_divergence, reduction, name, dtype)


class BinaryCrossentropy(Named):
    """Cross-entropy of binary labels.

    Args:
        from_logits: Whether predictions are logits instead of probabilities.
        label_smoothing: Moves labels towards 0.5 by this fraction.
        axis: Axis of the mean over outputs.
        reduction: How losses of samples are combined; see `Loss`.
        name: Name of the loss.
        dtype: Dtype of the computation.

    >>> loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    >>> round(float(loss([[1.0]], [[0.0]])), 3)
    0.693
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            binary_crossentropy,
            reduction,
            name,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class BinaryFocalCrossentropy(Named):
    """Focal loss of binary labels: down-weights well classified examples (Lin et al., 2018).

    Args:
        apply_class_balancing: Whether to weight the classes by `alpha` and `1 - alpha`.
        alpha: Weight of class 1.
        gamma: Exponent of the focal factor; 0 is plain cross-entropy.
        from_logits: Whether predictions are logits instead of probabilities.
        label_smoothing: Moves labels towards 0.5 by this fraction.
        axis: Axis of the mean over outputs.
        reduction: How losses of samples are combined; see `Loss`.
    """

    def __init__(
        self,
        apply_class_balancing: bool = False,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "binary_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            binary_focal_crossentropy,
            reduction,
            name,
            dtype,
            apply_class_balancing=apply_class_balancing,
            alpha=alpha,
            gamma=gamma,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class CategoricalCrossentropy(Named):
    """Cross-entropy of one-hot labels.

    Args:
        from_logits: Whether predictions are logits instead of probabilities.
        label_smoothing: Moves labels towards the uniform distribution by this fraction.
        axis: Axis of the classes.
        reduction: How losses of samples are combined; see `Loss`.
        name: Name of the loss.
        dtype: Dtype of the computation.

    >>> loss = tf.keras.losses.CategoricalCrossentropy()
    >>> round(float(loss([[0.0, 1.0]], [[0.5, 0.5]])), 3)
    0.693
    """

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            categorical_crossentropy,
            reduction,
            name,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class CategoricalFocalCrossentropy(Named):
    """Focal loss of one-hot labels: down-weights well classified examples."""

    def __init__(
        self,
        alpha: Any = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "categorical_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            categorical_focal_crossentropy,
            reduction,
            name,
            dtype,
            alpha=alpha,
            gamma=gamma,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class SparseCategoricalCrossentropy(Named):
    """Cross-entropy of integer labels.

    Args:
        from_logits: Whether predictions are logits instead of probabilities.
        ignore_class: Label that does not contribute to the loss, such as -1 for padding.
        reduction: How losses of samples are combined; see `Loss`.
        axis: Axis of the classes.
        name: Name of the loss.
        dtype: Dtype of the computation.

    >>> loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    >>> round(float(loss([1], [[0.0, 0.0]])), 3)
    0.693
    """

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: int | None = None,
        reduction: str | None = "sum_over_batch_size",
        axis: int = -1,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            sparse_categorical_crossentropy,
            reduction,
            name,
            dtype,
            from_logits=from_logits,
            ignore_class=ignore_class,
            axis=axis,
        )


class CategoricalGeneralizedCrossEntropy(Named):
    """Generalized cross-entropy, robust to noisy labels: `(1 - p ** q) / q`."""

    def __init__(
        self,
        q: float = 0.5,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "categorical_generalized_cross_entropy",
        dtype: Any = None,
    ) -> None:
        if not 0 < q < 1:
            raise ValueError(f"q must be in the interval (0, 1). Received: q={q}")
        super().__init__(categorical_generalized_cross_entropy, reduction, name, dtype, q=q)


class Dice(Named):
    """Dice loss: one minus twice the overlap over the sum of both areas."""

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "dice",
        axis: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(dice, reduction, name, dtype, axis=axis)


class Tversky(Named):
    """Tversky loss: Dice with weights `alpha` (false positives) and `beta` (false negatives)."""

    def __init__(
        self,
        alpha: float = 0.5,
        beta: float = 0.5,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "tversky",
        axis: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(tversky, reduction, name, dtype, alpha=alpha, beta=beta, axis=axis)


class Circle(Named):
    """Circle loss for metric learning: pulls embeddings of one label together, others apart."""

    def __init__(
        self,
        gamma: float = 80.0,
        margin: float = 0.4,
        remove_diagonal: bool = True,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "circle",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            circle,
            reduction,
            name,
            dtype,
            gamma=gamma,
            margin=margin,
            remove_diagonal=remove_diagonal,
        )


class CTC(Named):
    """Connectionist temporal classification loss for sequences of labels."""

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "ctc",
        dtype: Any = None,
    ) -> None:
        super().__init__(ctc, reduction, name, dtype)
