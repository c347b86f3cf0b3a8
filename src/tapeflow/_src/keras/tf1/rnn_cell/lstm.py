"""`BasicLSTMCell`, `LSTMCell` and their state."""

from __future__ import annotations

from typing import Any, NamedTuple

import tapeflow as tf
from tapeflow._src.keras.tf1.rnn_cell.base import LayerRNNCell, activation_of, depth_of, joined
from tapeflow.keras import activations, initializers


class LSTMStateTuple(NamedTuple):
    """The state of an LSTM: the memory `c` and the output `h`."""

    c: Any
    h: Any

    @property
    def dtype(self) -> Any:
        """The dtype of both.

        Raises:
            TypeError: They differ.
        """
        if self.c.dtype != self.h.dtype:
            raise TypeError(
                f"Expected c and h of one dtype, received {self.c.dtype} and {self.h.dtype}."
            )
        return self.c.dtype


class _LSTM(LayerRNNCell):
    """Base class of both cells: sizes, and the form of their state."""

    _num_units: int
    _state_is_tuple: bool

    @property
    def state_size(self) -> Any:
        sizes = LSTMStateTuple(self._num_units, self.output_size)
        return sizes if self._state_is_tuple else sizes.c + sizes.h

    @property
    def output_size(self) -> int:
        return self._num_units

    def _parts(self, state: Any) -> Any:
        """Return the memory and the output of a state."""
        if self._state_is_tuple:
            return state
        return tf.split(state, [self._num_units, self.output_size], axis=1)

    def _whole(self, memory: Any, output: Any) -> Any:
        """Return the state of a memory and an output."""
        if self._state_is_tuple:
            return LSTMStateTuple(memory, output)
        return tf.concat([memory, output], 1)


class BasicLSTMCell(_LSTM):
    """LSTM without peepholes, clipping or projection."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = tf.keras.layers.InputSpec(ndim=2)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation_of(activation)

    def build(self, inputs_shape: Any) -> None:
        units = self._num_units
        rows = depth_of(inputs_shape) + units
        self._kernel = self.add_weight(name="kernel", shape=[rows, 4 * units])
        self._bias = self.add_weight(name="bias", shape=[4 * units], initializer="zeros")
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        memory, output = self._parts(state)
        gates = joined(inputs, output, self._kernel, self._bias)
        write, candidate, forget, read = tf.split(gates, 4, axis=1)
        memory = memory * tf.sigmoid(forget + self._forget_bias) + tf.sigmoid(
            write
        ) * self._activation(candidate)
        output = self._activation(memory) * tf.sigmoid(read)
        return output, self._whole(memory, output)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_units": self._num_units,
            "forget_bias": self._forget_bias,
            "state_is_tuple": self._state_is_tuple,
            "activation": activations.serialize(self._activation),
            "reuse": self._reuse,
        }


class LSTMCell(_LSTM):
    """LSTM, optionally with peepholes, a clipped memory, and a projection of its output.

    `num_unit_shards` and `num_proj_shards` are refused if they ask for more than one part:
    variables have one part here.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: Any = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: Any = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        for argument, parts in {
            "num_unit_shards": num_unit_shards,
            "num_proj_shards": num_proj_shards,
        }.items():
            if parts is not None and parts > 1:
                raise NotImplementedError(
                    f"Variables have one part here: expected {argument}=None, received {parts}."
                )
        self.input_spec = tf.keras.layers.InputSpec(ndim=2)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializers.get(initializer)
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation_of(activation)

    @property
    def output_size(self) -> int:
        return self._num_proj or self._num_units

    def build(self, inputs_shape: Any) -> None:
        units, initializer = self._num_units, self._initializer
        rows = depth_of(inputs_shape) + self.output_size
        self._kernel = self.add_weight(
            name="kernel", shape=[rows, 4 * units], initializer=initializer
        )
        # The bias does not follow the initializer of the cell or of the scope.
        self._bias = self.add_weight(name="bias", shape=[4 * units], initializer="zeros")
        if self._use_peepholes:
            self._w_f_diag, self._w_i_diag, self._w_o_diag = (
                self.add_weight(name=f"w_{gate}_diag", shape=[units], initializer=initializer)
                for gate in "fio"
            )
        if self._num_proj is not None:
            self._proj_kernel = self.add_weight(
                name="projection/kernel", shape=[units, self._num_proj], initializer=initializer
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        before, output = self._parts(state)
        gates = joined(inputs, output, self._kernel, self._bias)
        write, candidate, forget, read = tf.split(gates, 4, axis=1)
        forget = forget + self._forget_bias
        if self._use_peepholes:
            forget = forget + self._w_f_diag * before
            write = write + self._w_i_diag * before
        memory = tf.sigmoid(forget) * before + tf.sigmoid(write) * self._activation(candidate)
        memory = _clipped(memory, self._cell_clip)
        if self._use_peepholes:
            read = read + self._w_o_diag * memory
        output = tf.sigmoid(read) * self._activation(memory)
        if self._num_proj is not None:
            output = _clipped(tf.matmul(output, self._proj_kernel), self._proj_clip)
        return output, self._whole(memory, output)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "num_units": self._num_units,
            "use_peepholes": self._use_peepholes,
            "cell_clip": self._cell_clip,
            "initializer": initializers.serialize(self._initializer),
            "num_proj": self._num_proj,
            "proj_clip": self._proj_clip,
            "num_unit_shards": self._num_unit_shards,
            "num_proj_shards": self._num_proj_shards,
            "forget_bias": self._forget_bias,
            "state_is_tuple": self._state_is_tuple,
            "activation": activations.serialize(self._activation),
            "reuse": self._reuse,
        }


def _clipped(value: Any, bound: Any) -> Any:
    return value if bound is None else tf.clip_by_value(value, -bound, bound)
