"""`SimpleRNN`: fully connected recurrent layer and cell."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.layers.convolutional.base import passed_on
from tapeflow._src.keras.layers.rnn.cell import RecurrentCell
from tapeflow._src.keras.layers.rnn.cell_layer import CellLayer
from tapeflow._src.keras.layers.rnn.dropout_rnn_cell import gate_products


class SimpleRNNCell(RecurrentCell):
    """One time step: `activation(inputs @ kernel + state @ recurrent_kernel + bias)`."""

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
        dropout: Fraction of the inputs to drop in training.
        recurrent_dropout: Fraction of the state to drop in training.
        return_sequences: Whether to return the outputs of all steps instead of the last.
        return_state: Whether to return the final state too.
        go_backwards: Whether to process the steps in reverse.
        stateful: Whether each batch continues from the final state of the one before it.
        unroll: Whether to unroll the loop over the steps.
        **kwargs: `kernel_`, `recurrent_` and `bias_` initializers, regularizers and constraints.
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
