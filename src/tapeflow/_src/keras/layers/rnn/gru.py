"""`GRU`: gated recurrent unit layer and cell."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.internal.recurrent import gru_sequence
from tapeflow._src.keras.layers.convolutional.base import passed_on
from tapeflow._src.keras.layers.rnn.cell import RecurrentCell
from tapeflow._src.keras.layers.rnn.cell_layer import CellLayer, OfCell
from tapeflow._src.keras.layers.rnn.dropout_rnn_cell import gate_products
from tapeflow._src.keras.layers.rnn.fused import FusedLayer, projected, sequence_outputs
from tapeflow._src.keras.layers.weight_arguments import add_weight_for
from tapeflow.keras import activations


class GRUCell(RecurrentCell):
    """One time step of a gated recurrent unit (GRU), with an update and a reset gate.

    Args:
        units: Size of the output and of the state.
        activation: Activation of the candidate state.
        recurrent_activation: Activation of the gates.
        use_bias: Whether there is a bias.
        kernel_initializer: Initializer of the weights of the inputs.
        recurrent_initializer: Initializer of the weights of the state.
        bias_initializer: Initializer of the bias.
        kernel_regularizer: Penalty on the weights of the inputs.
        recurrent_regularizer: Penalty on the weights of the state.
        bias_regularizer: Penalty on the bias.
        kernel_constraint: Projection of the weights of the inputs after each optimizer step.
        recurrent_constraint: Projection of the weights of the state after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.
        dropout: Fraction of the inputs to drop in training.
        recurrent_dropout: Fraction of the state to drop in training.
        reset_after: Whether the reset gate applies after the product with the recurrent kernel,
            which then has its own bias.
        seed: Seed of dropout.

    Call arguments:
        inputs: Inputs of the step, of shape (batch, features).
        states: List of the states before the step.
        training: Whether dropout is active.

    Example:
        >>> cell = tf.keras.layers.GRUCell(4)
        >>> output, states = cell(tf.ones((2, 3)), [tf.zeros((2, 4))])
        >>> output.shape, len(states)
        (TensorShape([2, 4]), 1)
    """

    _gates = 3

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        reset_after: bool = True,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        arguments = passed_on(locals())
        del arguments["recurrent_activation"], arguments["reset_after"]
        super().__init__(**arguments)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.reset_after = reset_after

    def _add_bias(self, wide: int) -> Any:
        return add_weight_for(self, "bias", (2, wide) if self.reset_after else (wide,))

    def biases(self) -> tuple[Any, Any]:
        """Return the biases of the inputs and of the state; None where there is none."""
        if self.bias is None:
            return None, None
        bias = self.bias.value()
        return (bias[0], bias[1]) if self.reset_after else (bias, None)

    def call(self, inputs: Any, states: Any, training: Any = False) -> Any:
        """Compute one step.

        Args:
            inputs: Inputs of the step, of shape (batch, features).
            states: The state before the step, of shape (batch, units), or a list of it.
            training: Whether dropout is active.

        Returns:
            The output and the new state, in a list if `states` is one.
        """
        nested = isinstance(states, (list, tuple))
        before = states[0] if nested else states
        of_inputs, of_state = self.patterns(inputs, before, training)
        input_bias, state_bias = self.biases()
        x = gate_products(inputs, self.kernel.value(), of_inputs)
        x = x if input_bias is None else x + input_bias
        x_z, x_r, x_h = tf.split(x, 3, axis=1)
        kernel, units = self.recurrent_kernel.value(), self.units
        if self.reset_after:
            recurrent = gate_products(before, kernel, of_state)
            recurrent = recurrent if state_bias is None else recurrent + state_bias
            h_z, h_r, h_h = tf.split(recurrent, 3, axis=1)
            z, r = self.recurrent_activation(x_z + h_z), self.recurrent_activation(x_r + h_r)
            h_h = r * h_h
        else:
            of_gates = None if of_state is None else of_state[:2]
            gates = gate_products(before, kernel[:, : 2 * units], of_gates)
            h_z, h_r = tf.split(gates, 2, axis=1)
            z, r = self.recurrent_activation(x_z + h_z), self.recurrent_activation(x_r + h_r)
            h = before if of_state is None else before * of_state[2]
            h_h = tf.matmul(r * h, kernel[:, 2 * units :])
        new = z * before + (1 - z) * self.activation(x_h + h_h)
        return new, [new] if nested else new

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **self._config("recurrent_activation", "reset_after")}


class GRU(FusedLayer, CellLayer):
    """Gated recurrent unit layer (Cho et al., 2014).

    Inputs have the shape (batch, steps, features); outputs (batch, units), or (batch, steps, units)
    with `return_sequences`.

    Args:
        units: Size of the outputs.
        activation: Activation of the candidate state.
        recurrent_activation: Activation of the update and reset gates.
        use_bias: Whether there is a bias.
        kernel_initializer: Initializer of the weights of the inputs.
        recurrent_initializer: Initializer of the weights of the state.
        bias_initializer: Initializer of the bias.
        kernel_regularizer: Penalty on the weights of the inputs.
        recurrent_regularizer: Penalty on the weights of the state.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        kernel_constraint: Projection of the weights of the inputs after each optimizer step.
        recurrent_constraint: Projection of the weights of the state after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.
        dropout: Fraction of the inputs to drop in training.
        recurrent_dropout: Fraction of the state to drop in training.
        seed: Seed of dropout.
        return_sequences: Whether to return the outputs of all steps instead of the last.
        return_state: Whether to return the final states, too.
        go_backwards: Whether to process the steps in reverse.
        stateful: Whether each batch continues from the final states of the one before it.
        unroll: Whether to unroll the loop over the steps.
        reset_after: Whether the reset gate applies after the product with the recurrent kernel.
        use_cudnn: False to run step by step; otherwise one fused op is used where it applies.

    Call arguments:
        sequences: Tensor of shape (batch, steps, features), or a ragged tensor.
        initial_state: State, or list of states, before the first step; zeros if None.
        mask: Boolean tensor of shape (batch, steps); masked steps leave the states as they are.
        training: Whether dropout is active.

    Example:
        >>> layer = tf.keras.layers.GRU(4, return_sequences=True, return_state=True)
        >>> outputs, state = layer(tf.ones((2, 5, 8)))
        >>> outputs.shape, state.shape
        (TensorShape([2, 5, 4]), TensorShape([2, 4]))
    """

    _cell_class = GRUCell
    recurrent_activation = OfCell()
    reset_after = OfCell()

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        reset_after: bool = True,
        use_cudnn: Any = "auto",
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))

    def _fused(self, sequences: TensorLike, states: Any, mask: TensorLike, training: Any) -> Any:
        cell = self.cell
        input_bias, state_bias = cell.biases()
        x = projected(cell.dropped_sequence(sequences, training), cell.kernel.value(), input_bias)
        h, _, _ = gru_sequence(
            x,
            states[0],
            cell.recurrent_kernel.value(),
            tf.zeros((3 * cell.units,), x.dtype) if state_bias is None else state_bias,
            tf.zeros((0, 0), tf.bool) if mask is None else mask,
            reset_after=cell.reset_after,
            masked=mask is not None,
        )
        return sequence_outputs(h, mask, self.zero_output_for_mask), [h[-1]]
