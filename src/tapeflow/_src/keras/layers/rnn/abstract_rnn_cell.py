"""`AbstractRNNCell`: a base class for cells, as Keras 2 has it."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.rnn.cell import batch_of


class AbstractRNNCell(Layer):
    """Base class of cells for `RNN`; subclasses define `state_size`, `output_size` and `call`."""

    def call(self, inputs: Any, states: Any) -> Any:
        """Compute one step.

        Returns:
            The output and the list of new states.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must define `call(inputs, states)`, one step of the cell."
        )

    @property
    def state_size(self) -> Any:
        """The number of units of each state."""
        raise NotImplementedError(f"{type(self).__name__} must define `state_size`.")

    @property
    def output_size(self) -> Any:
        """The number of units of the output."""
        raise NotImplementedError(f"{type(self).__name__} must define `output_size`.")

    def get_initial_state(
        self, inputs: Any = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """Zeros for each state."""
        rows = batch_of(batch_size, inputs)
        return tf.nest.map_structure(
            lambda size: tf.zeros((rows, size), dtype or self.compute_dtype), self.state_size
        )
