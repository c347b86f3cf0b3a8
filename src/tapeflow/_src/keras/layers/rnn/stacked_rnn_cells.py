"""`StackedRNNCells`: several cells as one; the output of each is the input of the next."""

from __future__ import annotations

import inspect
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.rnn.cell import batch_of
from tapeflow._src.keras.layers.rnn.dropout_rnn_cell import DropoutRNNCell
from tapeflow._src.keras.saving.deserialization import located, member, read_object
from tapeflow._src.keras.saving.registry import CELL
from tapeflow._src.keras.saving.serialization import serialize_keras_object


class StackedRNNCells(Layer):
    """Stacks cells into one: the output of each is the input of the next.

    `RNN` creates one of a list of cells. The states are a list with the states of each cell.

    Args:
        cells: List of cells, each with `call` and `state_size`.

    Raises:
        ValueError: A cell has no `call` or `state_size`.

    Example:
        >>> cells = [tf.keras.layers.GRUCell(4), tf.keras.layers.GRUCell(2)]
        >>> cell = tf.keras.layers.StackedRNNCells(cells)
        >>> tf.keras.layers.RNN(cell, return_sequences=True)(tf.ones((3, 5, 8))).shape
        TensorShape([3, 5, 2])
    """

    _tpf_builds_nothing = False

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for cell in cells:
            for name in ("call", "state_size"):
                if name not in dir(cell):
                    raise ValueError(
                        f"Each of the stacked cells needs `{name}`. Received: {cell} of type "
                        f"{type(cell).__name__} among {list(cells)}"
                    )
        self.cells = list(cells)

    @property
    def state_size(self) -> list[Any]:
        """The state sizes of the cells."""
        return [cell.state_size for cell in self.cells]

    @property
    def output_size(self) -> Any:
        """The output size of the last cell."""
        last = self.cells[-1]
        if getattr(last, "output_size", None) is not None:
            return last.output_size
        size = last.state_size
        return size[0] if isinstance(size, (list, tuple)) else size

    def get_initial_state(
        self, batch_size: Any = None, inputs: Any = None, dtype: DTypeLike | None = None
    ) -> list[Any]:
        """Return the initial states of the cells; they have dtypes of their own.

        Args:
            batch_size: Number of rows.
            inputs: Inputs that have as many rows, as in Keras 2.
            dtype: Ignored.

        Returns:
            A list with the state, or the list of states, of each cell.
        """
        rows = batch_of(batch_size, inputs)
        states = []
        for cell in self.cells:
            if hasattr(cell, "get_initial_state"):
                states.append(cell.get_initial_state(batch_size=rows))
            else:
                sizes = cell.state_size
                many = isinstance(sizes, (list, tuple))
                zeros = [
                    tf.zeros((rows, n), self.compute_dtype) for n in (sizes if many else [sizes])
                ]
                states.append(zeros if many else zeros[0])
        return states

    def draw_patterns(self, inputs: Any, states: Any) -> None:
        """Draw the patterns of dropout of each cell, for a step with these inputs and states.

        Args:
            inputs: Inputs of a step.
            states: States of the cells.
        """
        for cell, own in zip(self.cells, states):
            first = tf.nest.flatten(own)[0]
            if isinstance(cell, DropoutRNNCell):
                cell.get_dropout_mask(inputs)
                cell.get_recurrent_dropout_mask(first)
            size = getattr(cell, "output_size", None) or first.shape[-1]
            inputs = tf.zeros((tf.shape(first)[0], size), first.dtype)

    def build(self, input_shape: Any) -> None:
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                cell.build(input_shape)
                cell.built = True
            size = getattr(cell, "output_size", None)
            if size is None:
                sizes = cell.state_size
                size = sizes[0] if isinstance(sizes, (list, tuple)) else sizes
            input_shape = (input_shape[0], *(size if isinstance(size, tf.TensorShape) else (size,)))

    def call(self, inputs: Any, states: Any, training: Any = False, **kwargs: Any) -> Any:
        """Compute one step of all cells.

        Args:
            inputs: Inputs of the step for the first cell.
            states: List with the state, or the list of states, of each cell.
            training: Whether the cells run as in training.
            **kwargs: Further arguments of the cells, such as `constants` for those that take them.

        Returns:
            The output of the last cell and the new states.
        """
        new_states = []
        for cell, own in zip(self.cells, states):
            nested = isinstance(own, (list, tuple))
            cell_kwargs = dict(kwargs)
            if not takes_constants(cell):
                cell_kwargs.pop("constants", None)
            if isinstance(cell, Layer) and cell._tpf_heeds_training:
                cell_kwargs["training"] = training
            if isinstance(cell, Layer):
                inputs, new = cell(inputs, own if nested else [own], **cell_kwargs)
            else:
                inputs, new = cell.call(inputs, own if nested else [own], **cell_kwargs)
            if not nested and isinstance(new, (list, tuple)):
                (new,) = new
            new_states.append(new)
        return inputs, new_states

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "cells": [serialize_keras_object(c) for c in self.cells]}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        cells = []
        for index, cell in enumerate(member(config, "cells", list)):
            with located(f".cells[{index}]"):
                cells.append(read_object(cell, CELL, custom_objects))
        return cls(**{**config, "cells": cells})


def takes_constants(cell: Any) -> bool:
    """Whether `call` of a cell, or of one of several cells, takes `constants`."""
    if isinstance(cell, StackedRNNCells):
        return any(map(takes_constants, cell.cells))
    return "constants" in inspect.signature(cell.call).parameters
