"""`SimpleRNN`: fully connected recurrent layer and cell."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.layers.convolutional.base import passed_on
from tapeflow._src.keras.layers.rnn.cell import RecurrentCell
from tapeflow._src.keras.layers.rnn.cell_layer import CellLayer
from tapeflow._src.keras.layers.rnn.dropout_rnn_cell import gate_products


class SimpleRNNCell(RecurrentCell):
    """One time step: `activation(inputs @ kernel + state @ recurrent_kernel + bias)`.

    Args:
        units: Size of the output and of the state.
        activation: Activation function, or its name; None for none.
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
        seed: Seed of dropout.

    Call arguments:
        sequence: Inputs of the step, of shape (batch, features).
        states: List of the states before the step.
        training: Whether dropout is active.

    Example:
        >>> cell = tf.keras.layers.SimpleRNNCell(4)
        >>> output, states = cell(tf.ones((2, 3)), [tf.zeros((2, 4))])
        >>> output.shape, len(states)
        (TensorShape([2, 4]), 1)
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
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
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))

    def call(self, sequence: Any, states: Any, training: Any = False) -> Any:
        """Compute one step.

        Args:
            sequence: Inputs of the step, of shape (batch, features).
            states: The state before the step, of shape (batch, units), or a list of it.
            training: Whether dropout is active.

        Returns:
            The output and the new state, in a list if `states` is one.
        """
        nested = isinstance(states, (list, tuple))
        state = states[0] if nested else states
        of_inputs, of_state = self.patterns(sequence, state, training)
        x = gate_products(sequence, self.kernel.value(), of_inputs)
        if self.bias is not None:
            x = x + self.bias.value()
        x = x + gate_products(state, self.recurrent_kernel.value(), of_state)
        output = x if self.activation is None else self.activation(x)
        return output, [output] if nested else output

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **self._config()}


class SimpleRNN(CellLayer):
    """Fully connected recurrent layer: the output of each step is fed back as its state.

    Inputs have the shape (batch, steps, features); outputs (batch, units), or (batch, steps, units)
    with `return_sequences`.

    Args:
        units: Size of the outputs.
        activation: Activation function, or its name.
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
        return_sequences: Whether to return the outputs of all steps instead of the last.
        return_state: Whether to return the final states, too.
        go_backwards: Whether to process the steps in reverse.
        stateful: Whether each batch continues from the final states of the one before it.
        unroll: Whether to unroll the loop over the steps.
        seed: Seed of dropout.

    Call arguments:
        sequences: Tensor of shape (batch, steps, features), or a ragged tensor.
        initial_state: State, or list of states, before the first step; zeros if None.
        mask: Boolean tensor of shape (batch, steps); masked steps leave the states as they are.
        training: Whether dropout is active.

    Example:
        >>> tf.keras.layers.SimpleRNN(4)(tf.ones((2, 5, 8))).shape
        TensorShape([2, 4])
    """

    _cell_class = SimpleRNNCell

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
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
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["seed"]  # Keras leaves it out, and so files do not depend on who wrote them.
        return config
