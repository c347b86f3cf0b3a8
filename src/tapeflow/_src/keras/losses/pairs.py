"""Losses of sequences and of pairs of samples."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.masks import set_mask


def ctc(y_true: Any, y_pred: Any) -> Any:
    """Compute the CTC loss of label sequences; label 0 is blank and pads short sequences."""
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


def _same_and_other(labels: Any, others: Any, remove_diagonal: bool) -> tuple[Any, Any]:
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
    y_true: Any,
    y_pred: Any,
    ref_labels: Any = None,
    ref_embeddings: Any = None,
    remove_diagonal: bool = True,
    gamma: float = 80,
    margin: float = 0.4,
) -> Any:
    """Compute the circle loss of embeddings: those of one label together, others apart."""
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
