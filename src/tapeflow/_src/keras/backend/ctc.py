"""Connectionist temporal classification: sequences labelled without alignment."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.backend.in_models import in_models
from tapeflow._src.keras.config import epsilon


def ctc_label_dense_to_sparse(labels: TensorLike, label_lengths: Any) -> Any:
    """Return rows of labels, each with a length, as a SparseTensor.

    Args:
        labels: Tensor of shape (batch, longest label).
        label_lengths: Number of labels of each row, of shape (batch,).

    Returns:
        A SparseTensor without the padding.

    Example:
        >>> tf.keras.backend.ctc_label_dense_to_sparse([[1, 2], [3, 0]], [2, 1]).values.numpy()
        array([1, 2, 3], dtype=int32)
    """
    labels = tf.convert_to_tensor(labels)
    inside = tf.sequence_mask(label_lengths, tf.shape(labels)[1])
    indices = tf.where(inside)
    return tf.SparseTensor(
        indices, tf.gather_nd(labels, indices), tf.shape(labels, out_type=tf.int64)
    )


def _log_probabilities(y_pred: TensorLike) -> Any:
    """Probabilities (batch, steps, classes) as time-major logarithms."""
    return tf.math.log(tf.transpose(y_pred, [1, 0, 2]) + epsilon())


@in_models
def ctc_batch_cost(
    y_true: TensorLike, y_pred: TensorLike, input_length: Any, label_length: Any
) -> Any:
    """Compute the CTC loss of each sample; the last class is the blank.

    Args:
        y_true: Labels of shape (batch, longest label).
        y_pred: Probabilities, the output of a softmax, of shape (batch, steps, classes).
        input_length: Number of steps of each sample, of shape (batch, 1).
        label_length: Number of labels of each sample, of shape (batch, 1).

    Returns:
        A tensor of shape (batch, 1).

    Example:
        >>> tf.keras.backend.ctc_batch_cost(
        ...     [[0, 1]], tf.fill((1, 3, 4), 0.25), [[3]], [[2]]
        ... ).numpy().round(4)
        array([[2.5494]], dtype=float32)
    """
    label_length = tf.cast(tf.squeeze(label_length, axis=-1), tf.int32)
    input_length = tf.cast(tf.squeeze(input_length, axis=-1), tf.int32)
    labels = tf.cast(ctc_label_dense_to_sparse(y_true, label_length), tf.int32)
    loss = tf.nn.ctc_loss(labels, _log_probabilities(y_pred), None, input_length, blank_index=-1)
    return tf.expand_dims(loss, 1)


@in_models
def ctc_decode(
    y_pred: TensorLike,
    input_length: Any,
    greedy: bool = True,
    beam_width: int = 100,
    top_paths: int = 1,
) -> Any:
    """Decode probabilities to labels.

    Args:
        y_pred: Probabilities of shape (batch, steps, classes); the last class is the blank.
        input_length: Number of steps of each sample, of shape (batch,).
        greedy: Whether to take the best class of each step, instead of a beam search.
        beam_width: Number of candidates of a beam search.
        top_paths: Number of results of a beam search.

    Returns:
        A tuple of a list of the labels of each path, dense and filled up with -1, and of the
        logarithms of their probabilities (of a greedy search, their negative sum of
        log-probabilities).

    Example:
        >>> labels, scores = tf.keras.backend.ctc_decode(tf.one_hot([[0, 0, 2, 1]], 3), [4])
        >>> labels[0].numpy()
        array([[ 0,  1, -1, -1]])
    """
    y_pred = tf.convert_to_tensor(y_pred)
    shape = tf.cast(tf.shape(y_pred)[:2], tf.int64)
    length = tf.cast(input_length, tf.int32)
    logits = _log_probabilities(y_pred)
    if greedy:
        decoded, log_probabilities = tf.nn.ctc_greedy_decoder(logits, length)
    else:
        # Unlike `tf.nn.ctc_beam_search_decoder`, Keras merges repeated labels of the output.
        *parts, log_probabilities = tf.raw_ops.CTCBeamSearchDecoder(
            inputs=logits,
            sequence_length=length,
            beam_width=beam_width,
            top_paths=top_paths,
            merge_repeated=True,
        )
        paths = zip(parts[:top_paths], parts[top_paths:])
        decoded = [tf.SparseTensor(indices, values, shape) for indices, values in paths]
    dense = [
        tf.sparse.to_dense(tf.SparseTensor(path.indices, path.values, shape), default_value=-1)
        for path in decoded
    ]
    return dense, log_probabilities
