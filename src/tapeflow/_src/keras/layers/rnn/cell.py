"""Base class of cells with a kernel for the inputs and one for the state."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike
from tapeflow._src.keras.layers.arguments import positive
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.rnn.dropout_rnn_cell import DropoutRNNCell
from tapeflow._src.keras.layers.weight_arguments import (
    add_weight_for,
    serialized,
    set_weight_arguments,
    weight_config,
)
from tapeflow._src.keras.random.seed_generator import SeedGenerator
from tapeflow.keras import activations

WEIGHTS = ("kernel", "recurrent", "bias")


class RecurrentCell(Layer, DropoutRNNCell):
    """A cell whose gates depend on `inputs @ kernel + state @ recurrent_kernel + bias`."""

    # How many gates of `units` values the kernels are for.
    _gates = 1

    def __init__(
        self,
        units: int,
        activation: Any,
        use_bias: bool,
        kernel_initializer: Any,
        recurrent_initializer: Any,
        bias_initializer: Any,
        kernel_regularizer: Any,
        recurrent_regularizer: Any,
        bias_regularizer: Any,
        kernel_constraint: Any,
        recurrent_constraint: Any,
        bias_constraint: Any,
        dropout: float,
        recurrent_dropout: float,
        seed: int | None,
        **kwargs: Any,
    ) -> None:
        # 1: each gate has patterns of dropout of its own; 2: one pattern for all.
        implementation = kwargs.pop("implementation", 2)
        super().__init__(**kwargs)
        self.units = positive("units", units)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        initial = (kernel_initializer, recurrent_initializer, bias_initializer)
        penalties = (kernel_regularizer, recurrent_regularizer, bias_regularizer)
        limits = (kernel_constraint, recurrent_constraint, bias_constraint)
        for arguments in zip(WEIGHTS, initial, penalties, limits):
            set_weight_arguments(self, *arguments)
        self.dropout = min(1.0, max(0.0, dropout))
        self.recurrent_dropout = min(1.0, max(0.0, recurrent_dropout))
        self.implementation = 1 if self.recurrent_dropout else implementation
        if self.implementation == 1 and self._gates > 1:
            self.dropout_mask_count = self._gates
        self.seed = seed
        self.seed_generator = SeedGenerator(seed)
        self.state_size: Any = self.units
        self.output_size = self.units
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Create the kernels of inputs and state, and the bias.

        Args:
            input_shape: Shape of the inputs of a step, (batch, features).
        """
        wide = self._gates * self.units
        self.kernel = add_weight_for(self, "kernel", (input_shape[-1], wide))
        self.recurrent_kernel = add_weight_for(
            self, "recurrent", (self.units, wide), name="recurrent_kernel"
        )
        if self.use_bias:
            self.bias = self._add_bias(wide)

    def _add_bias(self, wide: int) -> Any:
        return add_weight_for(self, "bias", (wide,))

    def get_initial_state(
        self, batch_size: Any = None, inputs: Any = None, dtype: DTypeLike | None = None
    ) -> list[Any]:
        """Zeros for each state."""
        size = batch_of(batch_size, inputs)
        sizes = tf.nest.flatten(self.state_size)
        return [tf.zeros((size, n), dtype or self.compute_dtype) for n in sizes]

    def patterns(self, inputs: Any, state: Any, training: Any) -> tuple[Any, Any]:
        """The patterns of dropout for the inputs and for the state; None where there is none."""
        if not training:
            return None, None
        return self.get_dropout_mask(inputs), self.get_recurrent_dropout_mask(state)

    def dropped_sequence(self, sequences: Any, training: Any) -> Any:
        """Time-major inputs of all steps, without what dropout leaves out in training."""
        pattern = self.get_dropout_mask(sequences[0]) if training and self.dropout > 0 else None
        return sequences if pattern is None else sequences * pattern

    def _config(self, *more: str) -> dict[str, Any]:
        """The config: `more` names arguments that other cells do not have."""
        functions = [name for name in more if name.endswith("activation")]
        weights = {k: v for prefix in WEIGHTS for k, v in weight_config(self, prefix).items()}
        plain = [name for name in more if name not in functions]
        names = ("dropout", "recurrent_dropout", *plain, "seed")
        return {
            "units": self.units,
            **serialized(self, "activation", *functions),
            "use_bias": self.use_bias,
            **weights,
            **{name: getattr(self, name) for name in names},
        }


def batch_of(batch_size: Any, inputs: Any) -> Any:
    """Return the batch size: `batch_size`, or that of the inputs."""
    if batch_size is None:
        batch_size = inputs
    if getattr(batch_size, "shape", None) is not None and len(batch_size.shape):
        return tf.shape(batch_size)[0]
    if batch_size is None:
        raise ValueError(
            "get_initial_state() needs the number of rows: pass `batch_size`. Received: None"
        )
    return batch_size
