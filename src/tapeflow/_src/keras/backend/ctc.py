"""Connectionist temporal classification: sequences labelled without alignment."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.backend.in_models import in_models
from tapeflow._src.keras.config import epsilon


def ctc_label_dense_to_sparse(labels: Any, label_lengths: Any) -> Any:
    """Return rows of labels, each with a length, as a SparseTensor."""
    labels = tf.convert_to_tensor(labels)
    inside = tf.sequence_mask(label_lengths, tf.shape(labels)[1])
    indices = tf.where(inside)
    return tf.SparseTensor(
        indices, tf.gather_nd(labels, indices), tf.shape(labels, out_type=tf.int64)
    )


def _log_probabilities(y_pred: Any) -> Any:
    """Probabilities (batch, steps, classes) as time-major logarithms."""
    return tf.math.log(tf.transpose(y_pred, [1, 0, 2]) + epsilon())


@in_models
def ctc_batch_cost(y_true: Any, y_pred: Any, input_length: Any, label_length: Any) -> Any:
    """CTC loss of each sample, (batch, 1); the last class is the blank.

    Args:
        y_true: (batch, longest label): the labels.
        y_pred: (batch, steps, classes): probabilities, the output of a softmax.
        input_length: (batch, 1): the number of steps of each sample.
        label_length: (batch, 1): the number of labels of each sample.
    """
    label_length = tf.cast(tf.squeeze(label_length, axis=-1), tf.int32)
    input_length = tf.cast(tf.squeeze(input_length, axis=-1), tf.int32)
    labels = tf.cast(ctc_label_dense_to_sparse(y_true, label_length), tf.int32)
    loss = tf.nn.ctc_loss(labels, _log_probabilities(y_pred), None, input_length, blank_index=-1)
    return tf.expand_dims(loss, 1)


@in_models
def ctc_decode(
    y_pred: Any,
    input_length: Any,
    greedy: bool = True,
    beam_width: int = 100,
    top_paths: int = 1,
) -> Any:
    """Decode probabilities (batch, steps, classes) to labels.

    Returns:
        The labels of each of the best paths, dense and filled up with -1, and the logarithms of
        their probabilities (of a greedy search, their negative sum of log-probabilities).
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
