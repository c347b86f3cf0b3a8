"""`RNNCell`: what recurrent cells share, those of this package and those of users."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike, TensorLike
from tapeflow._src.keras.tf1.layers.base import Layer
from tapeflow.keras import activations

v1 = tf.compat.v1


class RNNCell(Layer):
    """One step of a recurrent network: `output, state = cell(inputs, state)`.

    A subclass defines `call`, `state_size` and `output_size`; `call` may create its weights with
    `tf.compat.v1.get_variable`, and they become weights of the cell.
    """

    def __init__(
        self, trainable: bool = True, name: Any = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Run one step.

        Args:
            inputs: A tensor of shape [batch, depth].
            state: Tensors in the structure of `state_size`, each of shape [batch, size].
            scope: The variable scope of the weights; else one named after the class.

        Returns:
            The output, and the state after the step.
        """
        chosen = v1.get_variable_scope() if scope is None else scope
        with v1.variable_scope(
            chosen, custom_getter=self._get_own_variable, auxiliary_name_scope=scope is not None
        ) as opened:
            return super().__call__(inputs, state, scope=None if scope is None else opened)

    def _get_own_variable(self, getter: Any, *args: Any, **kwargs: Any) -> Any:
        """Get a variable, and keep it as a weight of this cell."""
        variable = getter(*args, **kwargs)
        if not any(variable is each for each in self.weights):
            self._tpf_keep(variable)
        return variable

    @property
    def state_size(self) -> Any:
        """The size of the state: a number, a `TensorShape`, or a structure of these."""
        raise NotImplementedError(f"{type(self).__name__} must define `state_size`.")

    @property
    def output_size(self) -> Any:
        """The size of the output: a number, or a `TensorShape`."""
        raise NotImplementedError(f"{type(self).__name__} must define `output_size`.")

    def build(self, _: Any) -> None:
        """Create nothing: a subclass creates its weights in `build` or in `call`."""

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: DTypeLike | None = None
    ) -> Any:
        """Return zeros, for as many sequences as `inputs` has, or `batch_size`."""
        if inputs is not None:
            inputs = tf.convert_to_tensor(inputs)
            rows = inputs.shape[0]
            batch_size = tf.shape(inputs)[0] if rows is None else rows
            dtype = inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                f"Expected inputs, or batch_size and dtype; received batch_size={batch_size} and "
                f"dtype={dtype}."
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """Return zeros in the structure of `state_size`, with the batch in front."""
        with tf.name_scope(f"{type(self).__name__}ZeroState"):
            return tf.nest.map_structure(
                lambda size: tf.zeros([batch_size, *_sizes(size)], dtype), self.state_size
            )


def _sizes(size: Any) -> list[int]:
    return list(size) if isinstance(size, tf.TensorShape) else [int(size)]


class LayerRNNCell(RNNCell):
    """A cell that creates its weights in `build`, as layers do."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        return Layer.__call__(self, inputs, state, scope=scope)


def depth_of(inputs_shape: Any) -> int:
    """Return the static size of the last axis of inputs.

    Raises:
        ValueError: It is not known.
    """
    depth: int | None = inputs_shape[-1]
    if depth is None:
        raise ValueError(
            f"Expected inputs whose last axis has a static size, received the shape {inputs_shape}."
        )
    return depth


def activation_of(activation: Any) -> Any:
    """Return the function of an activation, `tanh` if there is none."""
    return tf.math.tanh if activation is None else activations.get(activation)


def joined(inputs: Any, state: Any, kernel: TensorLike, bias: Any) -> Any:
    """Return `[inputs, state] @ kernel + bias`."""
    return tf.nn.bias_add(tf.matmul(tf.concat([inputs, state], 1), kernel), bias)
