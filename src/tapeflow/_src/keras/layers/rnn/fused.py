"""Fused kernels: whole sequences in one op, for the default activations."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.arguments import as_numbers_of
from tapeflow._src.keras.layers.rnn.rnn import RNN
from tapeflow._src.keras.scopes import calls
from tapeflow.keras import activations


class FusedLayer(RNN):
    """A layer whose steps are one op (`_fused`), unless something asks for them one by one.

    That is another activation than tanh and sigmoid, dropout for each gate by itself, `unroll`,
    `use_cudnn=False`, or a graph for a file, for TensorFlow has no such op. The op computes the
    same values in less time: inputs are projected in one product, and so is the gradient
    of the recurrent kernel.
    """

    def __init__(self, use_cudnn: Any = "auto", **arguments: Any) -> None:
        super().__init__(**arguments)
        if use_cudnn not in ("auto", True, False):
            raise ValueError(
                f"`use_cudnn` must be 'auto', True or False. Received: use_cudnn={use_cudnn!r}"
            )
        self.use_cudnn = use_cudnn

    def _is_fusible(self, sequences: Any, mask: Any, training: Any) -> bool:
        cell = self.cell
        return (
            cell.activation is activations.tanh
            and cell.recurrent_activation is activations.sigmoid
            and not self.unroll
            and self.use_cudnn is not False
            and not calls.portable
            and not (training and cell.dropout_mask_count and cell.drops())
            and isinstance(sequences, tf.Tensor)
            and sequences.shape[0] != 0
            and (mask is None or mask.shape.rank == 2)
        )

    def inner_loop(
        self, sequences: TensorLike, initial_state: Any, mask: TensorLike, training: Any = False
    ) -> Any:
        if not self._is_fusible(sequences, mask, training):
            return super().inner_loop(sequences, initial_state, mask, training)
        if self.go_backwards:
            sequences = tf.reverse(sequences, [0])
            mask = None if mask is None else tf.reverse(mask, [0])
        if mask is not None:
            mask = tf.cast(mask, tf.bool)
        outputs, states = self._fused(sequences, initial_state, mask, training)
        return outputs[-1], outputs, states

    def _fused(self, sequences: TensorLike, states: Any, mask: TensorLike, training: Any) -> Any:
        """All outputs and the last states, for time-major inputs."""
        raise NotImplementedError(f"{type(self).__name__} does not implement `_fused`.")


def projected(sequences: TensorLike, kernel: TensorLike, bias: Any) -> Any:
    """All steps of the inputs times the kernel, plus the bias."""
    x = tf.matmul(as_numbers_of(sequences, kernel), kernel)
    return x if bias is None else x + bias


def sequence_outputs(states: Any, mask: Any, zero_output_for_mask: bool) -> Any:
    """The outputs of all steps: the states, but zeros before the first step that counts.

    Or zeros at each step that does not count.
    """
    if mask is None:
        return states
    if not zero_output_for_mask:
        mask = tf.cumsum(tf.cast(mask, tf.int32)) > 0
    return tf.where(mask[:, :, tf.newaxis], states, tf.zeros_like(states))
