"""Losses of sequences and of pairs of samples."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.masks import set_mask


def ctc(y_true: TensorLike, y_pred: TensorLike) -> Any:
    """Compute the CTC loss of label sequences; label 0 is blank and pads short sequences.

    Args:
        y_true: Integer labels of shape (batch, longest target).
        y_pred: Logits of shape (batch, steps, classes).

    Returns:
        A loss for each sample.

    Raises:
        ValueError: `y_true` does not have two axes, or `y_pred` three.

    Example:
        >>> tf.keras.losses.ctc([[1, 2]], tf.zeros((1, 3, 4))).numpy().round(4)
        array([2.5494], dtype=float32)
    """
    y_true, y_pred = tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred)
    if y_true.shape.rank != 2:
        raise ValueError(
            f"`ctc` expected integer labels of rank 2, (batch, labels). Received: "
            f"y_true.shape={y_true.shape}"
        )
    if y_pred.shape.rank != 3:
        raise ValueError(
            f"`ctc` expected logits of rank 3, (batch, steps, classes). Received: "
            f"y_pred.shape={y_pred.shape}"
        )
    dtype = y_pred.dtype
    labels = tf.cast(y_true, tf.int32)
    lengths = tf.reduce_sum(tf.cast(tf.not_equal(labels, 0), tf.int32), axis=-1)
    steps = tf.fill([tf.shape(y_pred)[0]], tf.shape(y_pred)[1])
    logits = tf.cast(y_pred, tf.float32)
    losses = tf.nn.ctc_loss(labels, logits, lengths, steps, logits_time_major=False, blank_index=0)
    return losses if dtype.size <= 4 else tf.cast(losses, dtype)


def _same_and_other(labels: TensorLike, others: Any, remove_diagonal: bool) -> tuple[Any, Any]:
    """Which pairs have the same label, and which not."""
    rows, columns = tf.reshape(labels, [-1, 1]), tf.reshape(others, [1, -1])
    same = tf.equal(rows, columns)
    differ = tf.logical_not(same)
    if remove_diagonal:
        count, width = tf.shape(rows)[0], tf.shape(columns)[1]
        itself = tf.range(count)[:, tf.newaxis] == tf.range(width)[tf.newaxis]
        same = tf.logical_and(same, tf.logical_not(itself))
    return same, differ


def circle(
    y_true: TensorLike,
    y_pred: TensorLike,
    ref_labels: Any = None,
    ref_embeddings: Any = None,
    remove_diagonal: bool = True,
    gamma: float = 80,
    margin: float = 0.4,
) -> Any:
    """Compute the circle loss of embeddings: those of one label together, others apart.

    Args:
        y_true: Integer labels of shape (batch,).
        y_pred: Normalized embeddings of shape (batch, features).
        ref_labels: Labels of the embeddings to compare with; None is `y_true`.
        ref_embeddings: Embeddings to compare with; None is `y_pred`.
        remove_diagonal: Whether to leave out the pairs of an embedding with itself.
        gamma: Scale of the similarities.
        margin: How far similarities are to be from their limits.

    Returns:
        A loss for each sample; those without any loss are masked, so that a mean leaves them out.

    Example:
        >>> embeddings = tf.math.l2_normalize(tf.constant([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]), 1)
        >>> tf.keras.losses.circle([0, 0, 1], embeddings, gamma=10.0).numpy().round(4)
        array([0.1839, 4.8082, 0.    ], dtype=float32)
    """
    y_pred, y_true = tf.convert_to_tensor(y_pred), tf.cast(y_true, tf.int32)
    others = y_pred if ref_embeddings is None else tf.convert_to_tensor(ref_embeddings)
    names = y_true if ref_labels is None else tf.cast(ref_labels, tf.int32)
    distances = tf.nn.relu(1 - tf.matmul(y_pred, others, transpose_b=True))
    same, differ = _same_and_other(y_true, names, remove_diagonal)
    zeros = tf.zeros_like(distances)
    near = tf.nn.relu(tf.where(same, margin + distances, zeros))
    far = tf.nn.relu(tf.where(differ, 1 + margin - distances, zeros))
    none = tf.fill(tf.shape(distances), tf.constant(float("-inf"), distances.dtype))
    pulled = tf.where(same, -gamma * near * (margin - distances), none)
    pushed = tf.where(differ, gamma * far * (1 - margin - distances), none)
    losses = tf.math.softplus(
        tf.reduce_logsumexp(pulled, axis=1) + tf.reduce_logsumexp(pushed, axis=1)
    )
    set_mask(losses, losses > 0)
    return losses
