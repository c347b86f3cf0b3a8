"""`BasicRNNCell` and `GRUCell`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.tf1.rnn_cell.base import LayerRNNCell, activation_of, depth_of, joined
from tapeflow.keras import activations, initializers


class _OneState(LayerRNNCell):
    """A cell whose output is its state."""

    def __init__(
        self, num_units: int, activation: Any, reuse: Any, name: Any, dtype: Any, **kwargs: Any
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = tf.keras.layers.InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation_of(activation)

    @property
    def state_size(self) -> int:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_units": self._num_units,
            "activation": activations.serialize(self._activation),
            "reuse": self._reuse,
        }


class BasicRNNCell(_OneState):
    """`state = output = activation([inputs, state] @ kernel + bias)`."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)

    def build(self, inputs_shape: Any) -> None:
        rows = depth_of(inputs_shape) + self._num_units
        self._kernel = self.add_weight(name="kernel", shape=[rows, self._num_units])
        self._bias = self.add_weight(name="bias", shape=[self._num_units], initializer="zeros")
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        output = self._activation(joined(inputs, state, self._kernel, self._bias))
        return output, output


class GRUCell(_OneState):
    """Gated recurrent unit, whose reset gate acts before the matrix product."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._kernel_initializer = initializers.get(kernel_initializer)
        self._bias_initializer = initializers.get(bias_initializer)

    def build(self, inputs_shape: Any) -> None:
        rows, units = depth_of(inputs_shape) + self._num_units, self._num_units
        kernel, bias = self._kernel_initializer, self._bias_initializer
        self._gate_kernel = self.add_weight(
            name="gates/kernel", shape=[rows, 2 * units], initializer=kernel
        )
        self._gate_bias = self.add_weight(
            name="gates/bias", shape=[2 * units], initializer="ones" if bias is None else bias
        )
        self._candidate_kernel = self.add_weight(
            name="candidate/kernel", shape=[rows, units], initializer=kernel
        )
        self._candidate_bias = self.add_weight(
            name="candidate/bias", shape=[units], initializer="zeros" if bias is None else bias
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        gates = tf.sigmoid(joined(inputs, state, self._gate_kernel, self._gate_bias))
        reset, update = tf.split(gates, 2, axis=1)
        candidate = self._activation(
            joined(inputs, reset * state, self._candidate_kernel, self._candidate_bias)
        )
        output = update * state + (1 - update) * candidate
        return output, output

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "kernel_initializer": initializers.serialize(self._kernel_initializer),
            "bias_initializer": initializers.serialize(self._bias_initializer),
        }
