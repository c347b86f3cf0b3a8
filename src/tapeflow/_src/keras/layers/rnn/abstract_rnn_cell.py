"""`AbstractRNNCell`: a base class for cells, as Keras 2 has it."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.rnn.cell import batch_of


class AbstractRNNCell(Layer):
    """Base class of cells for `RNN` (Keras 2).

    Subclasses define `state_size`, `output_size` and `call`; a class that derives from `Layer` and
    has these is a cell as well.

    Args:
        activity_regularizer: Penalty on the outputs.
        trainable: Whether the weights are trained.
        dtype: Dtype, or dtype policy, of the cell.
        autocast: Whether floating-point inputs are cast to the compute dtype.
        **kwargs: Further arguments of `Layer`.

    Example:
        >>> class Sum(tf.keras.layers.AbstractRNNCell):
        ...     state_size = output_size = 3
        ...
        ...     def call(self, inputs, states):
        ...         total = states[0] + inputs
        ...         return total, [total]
        >>> tf.keras.layers.RNN(Sum())(tf.ones((1, 4, 3))).numpy()
        array([[4., 4., 4.]], dtype=float32)
    """

    def call(self, inputs: Any, states: Any) -> Any:
        """Compute one step.

        Args:
            inputs: Inputs of the step, of shape (batch, features).
            states: List of the states before the step.

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
        self, inputs: Any = None, batch_size: Any = None, dtype: DTypeLike | None = None
    ) -> Any:
        """Return zeros for each state.

        Args:
            inputs: Inputs whose first axis is the batch, instead of `batch_size`.
            batch_size: Number of rows.
            dtype: Dtype of the states; None for that of computations.

        Returns:
            A tensor, or a structure of tensors like `state_size`.
        """
        rows = batch_of(batch_size, inputs)
        return tf.nest.map_structure(
            lambda size: tf.zeros((rows, size), dtype or self.compute_dtype), self.state_size
        )
