"""Cross-entropies of each sample, from probabilities or logits."""

from __future__ import annotations

import functools
from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import epsilon
from tapeflow._src.keras.losses.crossentropies import logits_of
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import to_tensor

_loss = functools.partial(declare, family="nn", call=("target", "output"))


def _clipped(probabilities: Any) -> Any:
    return tf.clip_by_value(probabilities, epsilon(), 1.0 - epsilon())


def _require_same_shape(target: Any, output: Any) -> None:
    if target.shape.rank != output.shape.rank or not target.shape.is_compatible_with(output.shape):
        raise ValueError(
            f"`target` and `output` differ in shape. Received: {target.shape} and {output.shape}"
        )


@_loss()
def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """Computes `-target * log(output) - (1 - target) * log(1 - output)` element-wise.

    `keras.losses.binary_crossentropy` averages it over the last axis.

    Args:
        target: Floating-point labels between 0 and 1.
        output: Probabilities, which are clipped to between `epsilon()` and `1 - epsilon()`, or
            logits.
        from_logits: Whether `output` are logits. The result of `keras.ops.sigmoid` is traced back
            to its logits in any case.

    Returns:
        A tensor of the shape of `output`.

    Raises:
        ValueError: The shapes differ.

    Example:
        >>> tf.keras.ops.binary_crossentropy([1.0, 0.0], [0.5, 0.25]).numpy().round(4)
        array([0.6931, 0.2877], dtype=float32)
    """
    target, output = to_tensor(target), to_tensor(output)
    _require_same_shape(target, output)
    output, from_logits = logits_of(output, from_logits, "Sigmoid", "binary_crossentropy")
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(target, output)
    output = _clipped(output)
    return -(target * tf.math.log(output) + (1 - target) * tf.math.log(1 - output))


@_loss()
def categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """Computes the cross-entropy of one-hot targets.

    Args:
        target: Probabilities of the classes, usually one-hot vectors.
        output: Probabilities, which are divided by their sum and clipped, or logits.
        from_logits: Whether `output` are logits. The result of `keras.ops.softmax` is traced back
            to its logits in any case.
        axis: The axis of the classes.

    Returns:
        A tensor of the shape of `output` without `axis`.

    Raises:
        ValueError: The shapes differ, or `target` is a scalar.

    Example:
        >>> tf.keras.ops.categorical_crossentropy([[0.0, 1.0]], [[0.25, 0.75]]).numpy().round(4)
        array([0.2877], dtype=float32)
    """
    target, output = to_tensor(target), to_tensor(output)
    if target.shape.rank == 0:
        raise ValueError("Targets need an axis for the classes. Received a scalar.")
    _require_same_shape(target, output)
    output, from_logits = logits_of(output, from_logits, "Softmax", "categorical_crossentropy")
    if from_logits:
        return tf.nn.softmax_cross_entropy_with_logits(target, output, axis=axis)
    shares = _clipped(output / tf.reduce_sum(output, axis, keepdims=True))
    return -tf.reduce_sum(target * tf.math.log(shares), axis)


@_loss()
def sparse_categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """Computes the cross-entropy of targets that are class indices.

    Args:
        target: Integers of the shape of `output` without its last axis, or with a last axis of size
            1.
        output: Probabilities, which are clipped, or logits.
        from_logits: Whether `output` are logits. The result of `keras.ops.softmax` is traced back
            to its logits in any case.
        axis: The axis of the classes, which must be the last one.

    Returns:
        A tensor of the shape of `output` without its last axis.

    Raises:
        ValueError: Shapes do not match, or `axis` is another one.

    Example:
        >>> tf.keras.ops.sparse_categorical_crossentropy([1], [[0.25, 0.75]]).numpy().round(4)
        array([0.2877], dtype=float32)
    """
    target, output = tf.cast(to_tensor(target), tf.int64), to_tensor(output)
    rank = output.shape.rank
    if rank == 0 or axis not in (-1, rank - 1):
        raise ValueError(
            f"The classes must be in the last axis of the output. Received: axis={axis}, shape "
            f"{output.shape}"
        )
    if target.shape.rank == rank and target.shape[-1] == 1:
        target = tf.squeeze(target, -1)
    if target.shape.rank != rank - 1 or not target.shape.is_compatible_with(output.shape[:-1]):
        raise ValueError(
            f"The target must have the shape of the output without its last axis. Received: "
            f"{target.shape} and {output.shape}"
        )
    name = "sparse_categorical_crossentropy"
    output, from_logits = logits_of(output, from_logits, "Softmax", name)
    if not from_logits:
        output = tf.math.log(_clipped(output))
    return tf.nn.sparse_softmax_cross_entropy_with_logits(target, output)
