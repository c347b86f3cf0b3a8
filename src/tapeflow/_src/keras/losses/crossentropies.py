"""Crossentropies and divergences of predicted probabilities."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import Axis, TensorLike
from tapeflow._src.internal.fused import fused
from tapeflow._src.internal.user_warnings import warn_user
from tapeflow._src.keras.config import epsilon
from tapeflow._src.keras.layers.masks import set_mask
from tapeflow._src.keras.losses.errors import tensors


def logits_of(output: Any, from_logits: bool, activation: str, function: str) -> tuple[Any, bool]:
    """The logits behind predictions, from which losses are computed more exactly.

    They are known where an activation returned the predictions; otherwise `output` is returned.
    """
    logits = getattr(output, "_keras_logits", None)
    if logits is None and hasattr(output, "graph") and output.op.type == activation:
        logits = output.op.inputs[0]
    if logits is None:
        return output, from_logits
    if from_logits:
        warn_user(
            f"`{function}` has from_logits=True, but the predictions already went through a "
            f"{activation.lower()}. The loss is computed from the values before it; remove the "
            f"activation of the last layer or from_logits=True."
        )
    return logits, True


def _inside(probabilities: Any) -> Any:
    """Probabilities clipped to where the logarithm is finite."""
    return tf.clip_by_value(probabilities, epsilon(), 1.0 - epsilon())


def _must_agree(target: Any, output: Any, function: str) -> None:
    if target.shape.rank != output.shape.rank:
        raise ValueError(
            f"`{function}` expected labels and predictions of the same rank. Received: "
            f"y_true.shape={target.shape}, y_pred.shape={output.shape}"
            f"{_label_hint(target, output, function)}"
        )
    if not target.shape.is_compatible_with(output.shape):
        raise ValueError(
            f"`{function}` expected labels and predictions of the same shape. Received: "
            f"y_true.shape={target.shape}, y_pred.shape={output.shape}"
            f"{_label_hint(target, output, function)}"
        )


def _label_hint(target: Any, output: Any, function: str) -> str:
    """The repair, where labels look like class indices or like the labels of two classes."""
    rank, classes = output.shape.rank, output.shape[-1] if output.shape.rank else None
    if target.shape.rank is None or rank is None or classes is None:
        return ""
    column = target.shape.rank == rank and target.shape[-1] == 1
    if not column and target.shape.rank != rank - 1:
        return ""
    if function == "binary_crossentropy" and classes == 1:
        return ". Reshape the labels: `y[:, tf.newaxis]`"
    return (
        f". Class indices need 'sparse_{function.replace('binary', 'categorical')}'; for "
        f"'{function}' convert them with `keras.utils.to_categorical(y, {classes})`"
    )


def _must_be_axis(axis: Axis) -> None:
    if isinstance(axis, bool):
        raise ValueError(f"`axis` is the index of an axis, not a bool. Received: axis={axis}")


def _warn_of_one_class(y_pred: Any, function: str) -> None:
    if y_pred.shape[-1] == 1:
        warn_user(
            f"`{function}` compares classes along the last axis, but y_pred.shape={y_pred.shape} "
            f"has only one class there: the loss is constant. For two classes with one "
            f"output use 'binary_crossentropy'.",
            SyntaxWarning,
        )


def _smoothed(y_true: Any, smoothing: float, share: Any) -> Any:
    return y_true * (1.0 - smoothing) + smoothing * share if smoothing else y_true


def _classes(y_true: Any) -> Any:
    return 1.0 / tf.cast(tf.shape(y_true)[-1], y_true.dtype)


def categorical_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Compute the cross-entropy of one-hot labels and predicted probabilities.

    Args:
        y_true: One-hot labels, or probabilities of the classes.
        y_pred: Predictions of the same shape; probabilities are divided by their sum along `axis`.
        from_logits: Whether `y_pred` holds logits instead of probabilities. The result of a softmax
            is traced back to its logits in any case.
        label_smoothing: Moves labels towards the uniform distribution by this fraction.
        axis: Axis of the classes.

    Returns:
        The loss of each sample.

    Raises:
        ValueError: Labels and predictions differ in shape, or `axis` is a boolean.

    Example:
        >>> tf.keras.losses.categorical_crossentropy([[0, 1]], [[0.25, 0.75]]).numpy().round(4)
        array([0.2877], dtype=float32)
    """
    _must_be_axis(axis)
    y_true, y_pred = tensors(y_true, y_pred)
    _warn_of_one_class(y_pred, "categorical_crossentropy")
    if label_smoothing:
        y_true = _smoothed(y_true, label_smoothing, _classes(y_true))
    _must_agree(y_true, y_pred, "categorical_crossentropy")
    y_pred, from_logits = logits_of(y_pred, from_logits, "Softmax", "categorical_crossentropy")
    if from_logits:
        return tf.nn.softmax_cross_entropy_with_logits(y_true, y_pred, axis=axis)
    shares = _inside(y_pred / tf.reduce_sum(y_pred, axis, keepdims=True))
    return -tf.reduce_sum(y_true * tf.math.log(shares), axis)


def categorical_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    alpha: Any = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Compute the categorical cross-entropy with well classified examples down-weighted.

    The loss of each class is multiplied by `alpha * (1 - p) ** gamma`, where `p` is its
    probability.

    Args:
        y_true: One-hot labels, or probabilities of the classes.
        y_pred: Predictions of the same shape.
        alpha: Weight of the classes: one number, or one for each.
        gamma: Exponent of the focal factor; with 0 only `alpha` is left.
        from_logits: Whether `y_pred` holds logits instead of probabilities.
        label_smoothing: Moves labels towards the uniform distribution by this fraction.
        axis: Axis of the classes.

    Returns:
        The loss of each sample.

    Raises:
        ValueError: `axis` is a boolean.

    Example:
        >>> tf.keras.losses.categorical_focal_crossentropy(
        ...     [[0, 1]], [[0.25, 0.75]]
        ... ).numpy().round(4)
        array([0.0045], dtype=float32)
    """
    _must_be_axis(axis)
    y_true, y_pred = tensors(y_true, y_pred)
    _warn_of_one_class(y_pred, "categorical_focal_crossentropy")
    if label_smoothing:
        y_true = _smoothed(y_true, label_smoothing, _classes(y_true))
    if from_logits:
        y_pred = tf.nn.softmax(y_pred, axis=axis)
    shares = _inside(y_pred / tf.reduce_sum(y_pred, axis=axis, keepdims=True))
    weights = tf.pow(1.0 - shares, gamma) * tf.cast(alpha, shares.dtype)
    return tf.reduce_sum(weights * -y_true * tf.math.log(shares), axis=axis)


def sparse_categorical_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    from_logits: bool = False,
    ignore_class: int | None = None,
    axis: int = -1,
) -> Any:
    """Compute the cross-entropy of integer labels and predicted probabilities.

    Args:
        y_true: Class indices, of the shape of `y_pred` without its last axis (or with 1 there).
        y_pred: Predictions, with an axis of classes more.
        from_logits: Whether `y_pred` holds logits instead of probabilities. The result of a softmax
            is traced back to its logits in any case.
        ignore_class: Label that does not contribute to the loss, such as -1 for padding.
        axis: Axis of the classes, which must be the last one.

    Returns:
        The loss of each sample; 0 for ignored ones, which a mean leaves out.

    Raises:
        ValueError: The shapes do not match, or `axis` is another one.

    Example:
        >>> tf.keras.losses.sparse_categorical_crossentropy(
        ...     [1, 0], [[0.25, 0.75], [0.5, 0.5]]
        ... ).numpy().round(4)
        array([0.2877, 0.6931], dtype=float32)
    """
    y_true, y_pred = tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred)
    _must_be_last(axis, y_pred)
    if y_true.shape.rank == y_pred.shape.rank and y_true.shape[-1] == 1:
        y_true = tf.squeeze(y_true, axis=-1)
    _must_be_numbers(y_true, y_pred)
    counts = None
    if ignore_class is not None:
        counts = tf.not_equal(y_true, tf.cast(ignore_class, y_true.dtype))
        y_true = tf.where(counts, y_true, tf.zeros_like(y_true))
        y_pred = tf.where(tf.expand_dims(counts, axis), y_pred, tf.zeros_like(y_pred))
    y_pred, from_logits = logits_of(
        y_pred, from_logits, "Softmax", "sparse_categorical_crossentropy"
    )
    if not from_logits:
        y_pred = tf.math.log(_inside(y_pred))
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.cast(y_true, tf.int64), y_pred)
    if counts is not None:
        losses = tf.where(counts, losses, tf.zeros_like(losses))
        set_mask(losses, counts)
    return losses


def _must_be_last(axis: int, y_pred: Any) -> None:
    if axis not in (-1, y_pred.shape.rank - 1):
        raise ValueError(
            f"`sparse_categorical_crossentropy` has the classes along the last axis: `axis` must "
            f"be -1. Received: axis={axis} for y_pred.shape={y_pred.shape}"
        )


def _must_be_numbers(target: Any, output: Any) -> None:
    if output.shape.rank == 0:
        raise ValueError(
            f"`sparse_categorical_crossentropy` needs predictions of rank 1 or more, with one "
            f"value for each class. Received: y_pred.shape={output.shape}"
        )
    if target.shape.rank != output.shape.rank - 1:
        hint = ""
        if target.shape.rank == output.shape.rank:
            hint = ". One-hot labels need 'categorical_crossentropy'"
        raise ValueError(
            f"`sparse_categorical_crossentropy` expected one class index for each row of "
            f"predictions. Received: y_true.shape={target.shape}, y_pred.shape={output.shape}{hint}"
        )
    if not target.shape.is_compatible_with(output.shape[:-1]):
        raise ValueError(
            f"`sparse_categorical_crossentropy` expected y_true.shape to be y_pred.shape without "
            f"the classes. Received: y_true.shape={target.shape}, y_pred.shape={output.shape}"
        )


def _of_two(target: Any, output: Any, from_logits: bool) -> Any:
    """The binary crossentropy of each element."""
    _must_agree(target, output, "binary_crossentropy")
    output, from_logits = logits_of(output, from_logits, "Sigmoid", "binary_crossentropy")
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(target, output)
    output = _inside(output)
    return -(target * tf.math.log(output) + (1 - target) * tf.math.log(1 - output))


def binary_crossentropy(
    y_true: TensorLike,
    y_pred: TensorLike,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Compute the binary cross-entropy of labels 0 and 1 and predicted probabilities.

    Args:
        y_true: Labels, 0 or 1.
        y_pred: Predictions of the same shape.
        from_logits: Whether `y_pred` holds logits instead of probabilities. The result of a sigmoid
            is traced back to its logits in any case.
        label_smoothing: Moves labels towards 0.5 by this fraction.
        axis: Axis of the mean.

    Returns:
        The loss of each sample.

    Raises:
        ValueError: Labels and predictions differ in shape.

    Example:
        >>> tf.keras.losses.binary_crossentropy([[0, 1]], [[0.25, 0.75]]).numpy().round(4)
        array([0.2877], dtype=float32)
    """
    y_true, y_pred = tensors(y_true, y_pred)
    y_true = _smoothed(y_true, label_smoothing, 0.5)
    return tf.reduce_mean(_of_two(y_true, y_pred, from_logits), axis=axis)


def binary_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Compute the binary cross-entropy with well classified examples down-weighted.

    The loss is multiplied by `(1 - p) ** gamma`, where `p` is the probability of the right label.

    Args:
        y_true: Labels, 0 or 1.
        y_pred: Predictions of the same shape.
        apply_class_balancing: Whether to weight class 1 by `alpha` and class 0 by `1 - alpha`.
        alpha: Weight of class 1.
        gamma: Exponent of the focal factor; 0 is plain cross-entropy.
        from_logits: Whether `y_pred` holds logits instead of probabilities.
        label_smoothing: Moves labels towards 0.5 by this fraction.
        axis: Axis of the mean.

    Returns:
        The loss of each sample.

    Raises:
        ValueError: Labels and predictions differ in shape.

    Example:
        >>> tf.keras.losses.binary_focal_crossentropy([[0, 1]], [[0.25, 0.75]]).numpy().round(4)
        array([0.018], dtype=float32)
    """
    y_true, y_pred = tensors(y_true, y_pred)
    y_true = _smoothed(y_true, label_smoothing, 0.5)
    if from_logits:
        y_pred = tf.sigmoid(y_pred)
    hit = y_true * y_pred + (1 - y_true) * (1 - y_pred)
    losses = tf.pow(1.0 - hit, gamma) * _of_two(y_true, y_pred, False)
    if apply_class_balancing:
        losses = (y_true * alpha + (1 - y_true) * (1 - alpha)) * losses
    return tf.reduce_mean(losses, axis=axis)


def categorical_generalized_cross_entropy(y_true: TensorLike, y_pred: TensorLike, q: float) -> Any:
    """Compute the generalized cross-entropy: between cross-entropy (`q` near 0) and mean error.

    Args:
        y_true: Class indices, of shape (...).
        y_pred: Probabilities, of shape (..., classes).
        q: Number between 0 and 1: the nearer to 1, the less wrong labels weigh.

    Returns:
        `(1 - p ** q) / q` of the probability `p` of each label.

    Example:
        >>> tf.keras.losses.categorical_generalized_cross_entropy([1], [[0.75, 0.25]], 0.5).numpy()
        array([1.], dtype=float32)
    """
    y_pred = tf.convert_to_tensor(y_pred)
    labels = tf.one_hot(tf.cast(y_true, tf.int64), tf.shape(y_pred)[-1], dtype=y_pred.dtype)
    return (1 - tf.pow(tf.reduce_sum(y_pred * labels, axis=-1), q)) / q


@fused
def kl_divergence(y_true: TensorLike, y_pred: TensorLike) -> Any:
    """Compute the Kullback-Leibler divergence `sum(y_true * log(y_true / y_pred))`.

    Args:
        y_true: Probabilities along the last axis, clipped to at least `epsilon()`.
        y_pred: Probabilities of the same shape, clipped likewise.

    Returns:
        A loss for each sample, of the shape of `y_pred` without its last axis.

    Example:
        >>> tf.keras.losses.kl_divergence([[0.5, 0.5]], [[0.25, 0.75]]).numpy().round(4)
        array([0.1438], dtype=float32)
    """
    y_true, y_pred = (tf.clip_by_value(y, epsilon(), 1) for y in tensors(y_true, y_pred))
    return tf.reduce_sum(y_true * tf.math.log(y_true / y_pred), axis=-1)
