"""Losses of probabilities: how surprising the labels are."""

from __future__ import annotations

import warnings
from typing import Any

import tapeflow as tf
from tapeflow.keras.config import epsilon
from tapeflow.keras.layers.masks import set_mask
from tapeflow.keras.losses.errors import tensors


def logits_of(output: Any, from_logits: bool, activation: str, function: str) -> tuple[Any, bool]:
    """What an activation was applied to, from which losses are computed more exactly.

    It is found where the activation gave the predictions; otherwise they are taken as they are.
    """
    logits = getattr(output, "_keras_logits", None)
    if logits is None and hasattr(output, "graph") and output.op.type == activation:
        logits = output.op.inputs[0]
    if logits is None:
        return output, from_logits
    if from_logits:
        warnings.warn(
            f"`{function}` received `from_logits=True`, but the `output` argument was produced by "
            f"a {activation} activation and thus does not represent logits. Was this intended?",
            stacklevel=4,
        )
    return logits, True


def _inside(probabilities: Any) -> Any:
    """Probabilities that have a logarithm."""
    return tf.clip_by_value(probabilities, epsilon(), 1.0 - epsilon())


def _must_agree(target: Any, output: Any) -> None:
    if target.shape.rank != output.shape.rank:
        raise ValueError(
            f"Arguments `target` and `output` must have the same rank (ndim). Received: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )
    if not target.shape.is_compatible_with(output.shape):
        raise ValueError(
            f"Arguments `target` and `output` must have the same shape. Received: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )


def _must_be_axis(axis: Any) -> None:
    if isinstance(axis, bool):
        raise ValueError(
            f"`axis` must be of type `int`. Received: axis={axis} of type {type(axis)}"
        )


def _warn_of_one_class(y_pred: Any, function: str) -> None:
    if y_pred.shape[-1] == 1:
        warnings.warn(
            f"In loss {function}, expected y_pred.shape to be (batch_size, num_classes) with "
            f"num_classes > 1. Received: y_pred.shape={y_pred.shape}. Consider using "
            f"'binary_crossentropy' if you only have 2 classes.",
            SyntaxWarning,
            stacklevel=4,
        )


def _smoothed(y_true: Any, smoothing: float, share: Any) -> Any:
    return y_true * (1.0 - smoothing) + smoothing * share if smoothing else y_true


def _classes(y_true: Any) -> Any:
    return 1.0 / tf.cast(tf.shape(y_true)[-1], y_true.dtype)


def categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Of labels that are shares of one."""
    _must_be_axis(axis)
    y_true, y_pred = tensors(y_true, y_pred)
    _warn_of_one_class(y_pred, "categorical_crossentropy")
    if label_smoothing:
        y_true = _smoothed(y_true, label_smoothing, _classes(y_true))
    _must_agree(y_true, y_pred)
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
    """`categorical_crossentropy` with less weight on what is predicted well already."""
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
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    ignore_class: int | None = None,
    axis: int = -1,
) -> Any:
    """Of labels that are the numbers of classes."""
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
        raise ValueError(f"Only axis=-1 is currently supported. Received: axis={axis}")


def _must_be_numbers(target: Any, output: Any) -> None:
    if output.shape.rank == 0:
        raise ValueError(
            f"Argument `output` must be at least rank 1. Received: output.shape={output.shape}"
        )
    if target.shape.rank != output.shape.rank - 1:
        raise ValueError(
            f"Argument `output` must have rank (ndim) `target.ndim - 1`. Received: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )
    if not target.shape.is_compatible_with(output.shape[:-1]):
        raise ValueError(
            f"Arguments `target` and `output` must have the same shape up until the last "
            f"dimension: target.shape={target.shape}, output.shape={output.shape}"
        )


def _of_two(target: Any, output: Any, from_logits: bool) -> Any:
    """The surprise of each label that is the probability of one of two classes."""
    _must_agree(target, output)
    output, from_logits = logits_of(output, from_logits, "Sigmoid", "binary_crossentropy")
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(target, output)
    output = _inside(output)
    return -(target * tf.math.log(output) + (1 - target) * tf.math.log(1 - output))


def binary_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Of labels that are the probability of one of two classes."""
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
    """`binary_crossentropy` with less weight on what is predicted well already."""
    y_true, y_pred = tensors(y_true, y_pred)
    y_true = _smoothed(y_true, label_smoothing, 0.5)
    if from_logits:
        y_pred = tf.sigmoid(y_pred)
    hit = y_true * y_pred + (1 - y_true) * (1 - y_pred)
    losses = tf.pow(1.0 - hit, gamma) * _of_two(y_true, y_pred, False)
    if apply_class_balancing:
        losses = (y_true * alpha + (1 - y_true) * (1 - alpha)) * losses
    return tf.reduce_mean(losses, axis=axis)


def categorical_generalized_cross_entropy(y_true: Any, y_pred: Any, q: float) -> Any:
    """Between the crossentropy (`q` near 0) and the mean error: it bears wrong labels."""
    y_pred = tf.convert_to_tensor(y_pred)
    labels = tf.one_hot(tf.cast(y_true, tf.int64), tf.shape(y_pred)[-1], dtype=y_pred.dtype)
    return (1 - tf.pow(tf.reduce_sum(y_pred * labels, axis=-1), q)) / q


def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """The sum of `y_true * log(y_true / y_pred)`."""
    y_true, y_pred = (tf.clip_by_value(y, epsilon(), 1) for y in tensors(y_true, y_pred))
    return tf.reduce_sum(y_true * tf.math.log(y_true / y_pred), axis=-1)
