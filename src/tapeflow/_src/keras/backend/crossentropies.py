"""Cross-entropies per sample, of probabilities or of logits.

An output of `softmax` or `sigmoid` remembers its logits: from them the result is exact.
"""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.backend.in_models import in_models
from tapeflow._src.keras.config import epsilon


def _logits_of(output: Any, from_logits: bool) -> tuple[Any, bool]:
    logits = getattr(output, "_keras_logits", None)
    if logits is None:
        return tf.convert_to_tensor(output), from_logits
    return tf.convert_to_tensor(logits), True


def _clipped(probabilities: Any) -> Any:
    small = tf.cast(epsilon(), probabilities.dtype)
    return tf.clip_by_value(probabilities, small, 1 - small)


def _shares(output: Any, axis: int) -> Any:
    return _clipped(output / tf.reduce_sum(output, axis, keepdims=True))


def _require_same_shape(target: Any, output: Any) -> None:
    if not target.shape.is_compatible_with(output.shape):
        raise ValueError(
            f"The shapes of target and output must be equal. Received: {target.shape} and "
            f"{output.shape}"
        )


@in_models
def categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """Compute the cross-entropy of one-hot targets.

    Args:
        target: One-hot labels, or probabilities of the classes.
        output: Predictions of the same shape.
        from_logits: Whether `output` holds logits instead of probabilities. The result of a softmax
            or sigmoid is traced back to its logits in any case.
        axis: Axis of the classes.

    Returns:
        The loss of each sample.

    Raises:
        ValueError: The shapes differ.

    Example:
        >>> tf.keras.backend.categorical_crossentropy(
        ...     [[0, 1]], tf.constant([[0.25, 0.75]])
        ... ).numpy().round(4)
        array([0.2877], dtype=float32)
    """
    output, from_logits = _logits_of(output, from_logits)
    target = tf.cast(target, output.dtype)
    _require_same_shape(target, output)
    if from_logits:
        return tf.nn.softmax_cross_entropy_with_logits(target, output, axis=axis)
    return -tf.reduce_sum(target * tf.math.log(_shares(output, axis)), axis)


@in_models
def categorical_focal_crossentropy(
    target: Any,
    output: Any,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    axis: int = -1,
) -> Any:
    """Compute the cross-entropy of one-hot targets with hard samples weighted more.

    Args:
        target: One-hot labels, or probabilities of the classes.
        output: Predictions of the same shape.
        alpha: Factor of the loss.
        gamma: Exponent of the focal factor `1 - p`.
        from_logits: Whether `output` holds logits instead of probabilities. The result of a softmax
            or sigmoid is traced back to its logits in any case.
        axis: Axis of the classes.

    Returns:
        The loss of each sample.

    Raises:
        ValueError: The shapes differ.

    Example:
        >>> target, output = tf.constant([[0.0, 1.0]]), tf.constant([[0.1, 0.9]])
        >>> tf.keras.backend.categorical_focal_crossentropy(target, output).numpy().round(4)
        array([0.0003], dtype=float32)
    """
    output, from_logits = _logits_of(output, from_logits)
    target = tf.cast(target, output.dtype)
    _require_same_shape(target, output)
    if from_logits:
        output = tf.nn.softmax(output, axis=axis)
    output = _shares(output, axis)
    factor = alpha * tf.pow(1.0 - output, gamma)
    return tf.reduce_sum(-target * tf.math.log(output) * factor, axis)


@in_models
def sparse_categorical_crossentropy(
    target: Any,
    output: Any,
    from_logits: bool = False,
    axis: int = -1,
    ignore_class: int | None = None,
) -> Any:
    """Compute the cross-entropy of targets that are class indices.

    Args:
        target: Class indices.
        output: Predictions, with an axis of classes more.
        from_logits: Whether `output` holds logits instead of probabilities. The result of a softmax
            or sigmoid is traced back to its logits in any case.
        axis: Axis of the classes.
        ignore_class: Label whose loss is 0; None for none.

    Returns:
        The loss of each sample.

    Example:
        >>> tf.keras.backend.sparse_categorical_crossentropy(
        ...     [1], tf.constant([[0.25, 0.75]])
        ... ).numpy().round(4)
        array([0.2877], dtype=float32)
    """
    target = tf.cast(target, tf.int64)
    output, from_logits = _logits_of(output, from_logits)
    if not from_logits:
        output = tf.math.log(_clipped(output))
    rank = output.shape.rank
    if axis % rank != rank - 1:
        others = [each for each in range(rank) if each != axis % rank]
        output = tf.transpose(output, [*others, axis % rank])
    if target.shape.rank != rank - 1:
        target = tf.reshape(target, [-1] if rank == 2 else tf.shape(output)[:-1])
    if ignore_class is None:
        return tf.nn.sparse_softmax_cross_entropy_with_logits(target, output)
    valid = target != ignore_class
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.where(valid, target, 0), output)
    result: Any = tf.where(valid, losses, tf.zeros_like(losses))
    result._keras_mask = valid
    return result


@in_models
def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """Compute the cross-entropy of each of independent targets between 0 and 1.

    Args:
        target: Labels between 0 and 1.
        output: Predictions of the same shape.
        from_logits: Whether `output` holds logits instead of probabilities. The result of a softmax
            or sigmoid is traced back to its logits in any case.

    Returns:
        The loss of each element; the losses of `keras.losses` average it.

    Example:
        >>> tf.keras.backend.binary_crossentropy(
        ...     tf.constant([0.0, 1.0]), tf.constant([0.25, 0.5])
        ... ).numpy().round(4)
        array([0.2877, 0.6931], dtype=float32)
    """
    target = tf.convert_to_tensor(target)
    output, from_logits = _logits_of(output, from_logits)
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(target, output)
    output = _clipped(output)
    hit = target * tf.math.log(output + epsilon())
    return -(hit + (1 - target) * tf.math.log(1 - output + epsilon()))


@in_models
def binary_focal_crossentropy(
    target: Any,
    output: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
) -> Any:
    """Compute the cross-entropy of independent targets with hard ones weighted more.

    Args:
        target: Labels between 0 and 1.
        output: Predictions of the same shape.
        apply_class_balancing: Whether to weight class 1 by `alpha` and class 0 by `1 - alpha`.
        alpha: Weight of class 1.
        gamma: Exponent of the focal factor `1 - p`.
        from_logits: Whether `output` holds logits instead of probabilities.

    Returns:
        The loss of each element.

    Example:
        >>> target, output = tf.constant([1.0, 0.0]), tf.constant([0.9, 0.2])
        >>> tf.keras.backend.binary_focal_crossentropy(target, output).numpy().round(4)
        array([0.0011, 0.0089], dtype=float32)
    """
    target = tf.convert_to_tensor(target)
    probability = tf.sigmoid(output) if from_logits else tf.convert_to_tensor(output)
    right = target * probability + (1 - target) * (1 - probability)
    loss = tf.pow(1.0 - right, gamma) * binary_crossentropy(target, output, from_logits)
    if apply_class_balancing:
        loss = (target * alpha + (1 - target) * (1 - alpha)) * loss
    return loss
