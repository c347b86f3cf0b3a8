"""`LSTM`: long short-term memory layer and cell."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, ShapeLike, TensorLike
from tapeflow._src.internal.recurrent import lstm_sequence
from tapeflow._src.keras.layers.convolutional.base import passed_on
from tapeflow._src.keras.layers.rnn.cell import RecurrentCell
from tapeflow._src.keras.layers.rnn.cell_layer import CellLayer, OfCell
from tapeflow._src.keras.layers.rnn.dropout_rnn_cell import gate_products
from tapeflow._src.keras.layers.rnn.fused import FusedLayer, projected, sequence_outputs
from tapeflow._src.keras.layers.weight_arguments import add_weight_for
from tapeflow.keras import activations
from tapeflow.keras.initializers import Ones


class LSTMCell(RecurrentCell):
    """One time step of an LSTM; the states are the output `h` and the cell state `c`.

    Args:
        units: Size of the output and of each state.
        activation: Activation of the candidate and of the cell state.
        recurrent_activation: Activation of the input, forget and output gates.
        use_bias: Whether there is a bias.
        kernel_initializer: Initializer of the weights of the inputs.
        recurrent_initializer: Initializer of the weights of the state.
        bias_initializer: Initializer of the bias.
        unit_forget_bias: Whether the bias of the forget gate starts at 1.
        kernel_regularizer: Penalty on the weights of the inputs.
        recurrent_regularizer: Penalty on the weights of the state.
        bias_regularizer: Penalty on the bias.
        kernel_constraint: Projection of the weights of the inputs after each optimizer step.
        recurrent_constraint: Projection of the weights of the state after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.
        dropout: Fraction of the inputs to drop in training.
        recurrent_dropout: Fraction of the state to drop in training.
        seed: Seed of dropout.

    Call arguments:
        inputs: Inputs of the step, of shape (batch, features).
        states: List of the states before the step.
        training: Whether dropout is active.

    Example:
        >>> cell = tf.keras.layers.LSTMCell(4)
        >>> output, (h, c) = cell(tf.ones((2, 3)), [tf.zeros((2, 4)), tf.zeros((2, 4))])
        >>> output.shape, c.shape
        (TensorShape([2, 4]), TensorShape([2, 4]))
    """

    bias_initializer: Any
    bias_regularizer: Any
    bias_constraint: Any

    _gates = 4

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        arguments = passed_on(locals())
        del arguments["recurrent_activation"], arguments["unit_forget_bias"]
        super().__init__(**arguments)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias
        self.state_size = [self.units, self.units]

    def _add_bias(self, wide: int) -> Any:
        first = remembering(self, self.units) if self.unit_forget_bias else None
        return add_weight_for(self, "bias", (wide,), initializer=first)

    def call(self, inputs: Any, states: Any, training: Any = False) -> Any:
        """Compute one step.

        Args:
            inputs: Inputs of the step, of shape (batch, features).
            states: Output and cell state before the step, each of shape (batch, units).
            training: Whether dropout is active.

        Returns:
            The output, and a list of the output and the new cell state.
        """
        h, c = states
        of_inputs, of_state = self.patterns(inputs, h, training)
        z = gate_products(inputs, self.kernel.value(), of_inputs)
        z = z + gate_products(h, self.recurrent_kernel.value(), of_state)
        if self.bias is not None:
            z = z + self.bias.value()
        i, f, candidate, o = tf.split(z, 4, axis=1)
        i, f, o = map(self.recurrent_activation, (i, f, o))
        c = f * c + i * self.activation(candidate)
        h = o * self.activation(c)
        return h, [h, c]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **self._config("recurrent_activation", "unit_forget_bias")}


def remembering(cell: Any, size: int) -> Any:
    """Return a bias initializer with ones for the forget gate: cells remember at first."""

    def initialize(shape: ShapeLike, dtype: DTypeLike | None = None) -> Any:
        initializer = cell.bias_initializer
        parts = [initializer((size,), dtype=dtype), Ones()((size,), dtype=dtype)]
        return tf.concat([*parts, initializer((2 * size,), dtype=dtype)], 0)

    return initialize


class LSTM(FusedLayer, CellLayer):
    """Long short-term memory layer (Hochreiter & Schmidhuber, 1997).

    Inputs have the shape (batch, steps, features); outputs (batch, units), or (batch, steps, units)
    with `return_sequences`. The states are the output `h` and the cell state `c`.

    Args:
        units: Size of the outputs.
        activation: Activation of the candidate and of the cell state.
        recurrent_activation: Activation of the input, forget and output gates.
        use_bias: Whether there is a bias.
        kernel_initializer: Initializer of the weights of the inputs.
        recurrent_initializer: Initializer of the weights of the state.
        bias_initializer: Initializer of the bias.
        unit_forget_bias: Whether the bias of the forget gate starts at 1.
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
        use_cudnn: False to run step by step; otherwise one fused op is used where it applies.

    Call arguments:
        sequences: Tensor of shape (batch, steps, features), or a ragged tensor.
        initial_state: State, or list of states, before the first step; zeros if None.
        mask: Boolean tensor of shape (batch, steps); masked steps leave the states as they are.
        training: Whether dropout is active.

    Example:
        >>> x = tf.ones((2, 5, 8))
        >>> tf.keras.layers.LSTM(4)(x).shape
        TensorShape([2, 4])
        >>> tf.keras.layers.LSTM(4, return_sequences=True)(x).shape
        TensorShape([2, 5, 4])
        >>> outputs, h, c = tf.keras.layers.LSTM(4, return_state=True)(x)
        >>> h.shape, c.shape
        (TensorShape([2, 4]), TensorShape([2, 4]))
    """

    _cell_class = LSTMCell
    recurrent_activation = OfCell()
    unit_forget_bias = OfCell()

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
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
        use_cudnn: Any = "auto",
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))

    def _fused(self, sequences: TensorLike, states: Any, mask: TensorLike, training: Any) -> Any:
        cell = self.cell
        bias = None if cell.bias is None else cell.bias.value()
        x = projected(cell.dropped_sequence(sequences, training), cell.kernel.value(), bias)
        h, c, _ = lstm_sequence(
            x,
            *states,
            cell.recurrent_kernel.value(),
            tf.zeros((0, 0), tf.bool) if mask is None else mask,
            masked=mask is not None,
        )
        return sequence_outputs(h, mask, self.zero_output_for_mask), [h[-1], c[-1]]
