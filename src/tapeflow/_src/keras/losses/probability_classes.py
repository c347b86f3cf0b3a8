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
    """Kullback-Leibler divergence: `sum(y_true * log(y_true / y_pred))`.

    Both are probabilities along the last axis, and are clipped to at least `epsilon()`.

    Args:
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> tf.keras.losses.KLDivergence()([[0.5, 0.5]], [[0.25, 0.75]]).numpy().round(4)
        np.float32(0.1438)
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "kl_divergence",
        dtype: Any = None,
    ) -> None:
        super().__init__(kl_divergence, reduction, name, dtype)


class BinaryCrossentropy(Named):
    """Cross-entropy of binary labels.

    Predictions may be probabilities, such as of a sigmoid, or logits.

    Args:
        from_logits: Whether predictions are logits instead of probabilities.
        label_smoothing: Moves labels towards 0.5 by this fraction.
        axis: Axis of the mean over outputs.
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> loss = tf.keras.losses.BinaryCrossentropy()
        >>> loss([[0.0], [1.0]], [[0.25], [0.5]]).numpy().round(4)
        np.float32(0.4904)
        >>> tf.keras.losses.BinaryCrossentropy(from_logits=True)([[1.0]], [[0.0]]).numpy().round(4)
        np.float32(0.6931)
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
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> loss = tf.keras.losses.BinaryFocalCrossentropy(gamma=2.0)
        >>> loss([[0.0], [1.0]], [[0.25], [0.5]]).numpy().round(4)
        np.float32(0.0956)
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

    For class indices instead of one-hot labels see `SparseCategoricalCrossentropy`.

    Args:
        from_logits: Whether predictions are logits instead of probabilities.
        label_smoothing: Moves labels towards the uniform distribution by this fraction.
        axis: Axis of the classes.
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> loss = tf.keras.losses.CategoricalCrossentropy()
        >>> loss([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
        np.float32(0.6931)
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
    """Focal loss of one-hot labels: down-weights well classified examples.

    Args:
        alpha: Weight of the classes: one number, or one for each.
        gamma: Exponent of the focal factor; with 0 only `alpha` is left.
        from_logits: Whether predictions are logits instead of probabilities.
        label_smoothing: Moves labels towards the uniform distribution by this fraction.
        axis: Axis of the classes.
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> loss = tf.keras.losses.CategoricalFocalCrossentropy()
        >>> loss([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4)
        np.float32(0.0433)
    """

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

    For one-hot labels instead of class indices see `CategoricalCrossentropy`.

    Args:
        from_logits: Whether predictions are logits instead of probabilities.
        ignore_class: Label that does not contribute to the loss, such as -1 for padding.
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        axis: Axis of the classes, which must be the last one.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        >>> loss([1], [[0.0, 0.0]]).numpy().round(4)
        np.float32(0.6931)
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
    """Generalized cross-entropy, robust to noisy labels: `(1 - p ** q) / q`.

    Labels are class indices, and `p` is the predicted probability of the label.

    Args:
        q: Number between 0 and 1: the nearer to 1, the less wrong labels weigh.
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> tf.keras.losses.CategoricalGeneralizedCrossEntropy()([1], [[0.75, 0.25]]).numpy()
        np.float32(1.0)
    """

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
    """Dice loss: one minus twice the overlap over the sum of both areas.

    Args:
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        axis: Axes to sum over; None sums over all, so that the batch has one loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> loss = tf.keras.losses.Dice(axis=(1, 2, 3), reduction="none")
        >>> masks = tf.ones((2, 4, 4, 1))
        >>> loss(masks, masks).numpy()
        array([0., 0.], dtype=float32)
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "dice",
        axis: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(dice, reduction, name, dtype, axis=axis)


class Tversky(Named):
    """Tversky loss: Dice with weights for labels that are missed and for predictions beyond them.

    Args:
        alpha: Weight of labels that are missed.
        beta: Weight of predictions beyond the labels.
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        axis: Axes to sum over; None sums over all, so that the batch has one loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> loss = tf.keras.losses.Tversky(alpha=0.3, beta=0.7)
        >>> loss([[1.0, 1.0, 0.0, 0.0]], [[1.0, 0.0, 0.0, 0.0]]).numpy().round(4)
        np.float32(0.2308)
    """

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
    """Circle loss for metric learning: pulls embeddings of one label together, others apart.

    Labels are integers of shape (batch,), predictions normalized embeddings of shape (batch,
    features).

    Args:
        gamma: Scale of the similarities.
        margin: How far similarities are to be from their limits.
        remove_diagonal: Whether to leave out the pairs of an embedding with itself.
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> embeddings = tf.math.l2_normalize(tf.constant([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]), 1)
        >>> tf.keras.losses.Circle(gamma=10.0)([0, 0, 1], embeddings).numpy().round(4)
        np.float32(2.496)
    """

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
    """Connectionist temporal classification loss for sequences of labels.

    Labels are integers of shape (batch, longest target), filled up with 0, the blank; predictions
    are logits of shape (batch, steps, classes).

    Args:
        reduction: How losses of samples are combined: "sum_over_batch_size" (the mean), "sum",
            "mean_with_sample_weight", or "none" for one per sample.
        name: Name of the loss.
        dtype: Dtype of the computation; None is `floatx()`.

    Example:
        >>> tf.keras.losses.CTC()([[1, 2]], tf.zeros((1, 3, 4))).numpy().round(4)
        np.float32(2.5494)
    """

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "ctc",
        dtype: Any = None,
    ) -> None:
        super().__init__(ctc, reduction, name, dtype)
