"""`MultiRNNCell`: cells on top of each other."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike
from tapeflow._src.keras.tf1.rnn_cell.base import RNNCell

v1 = tf.compat.v1


class MultiRNNCell(RNNCell):
    """Cells of which each takes the output of the one before."""

    def __init__(self, cells: Any, state_is_tuple: bool = True) -> None:
        super().__init__()
        if not isinstance(cells, list | tuple):
            raise TypeError(f"Expected a list of cells, received {cells!r}.")
        if not cells:
            raise ValueError("Expected one cell or more, received an empty list.")
        if len({id(cell) for cell in cells}) < len(cells):
            tf.get_logger().warning(
                "A cell stands in MultiRNNCell more than once: its weights are shared. Create one "
                "cell for each layer if they should not be."
            )
        self._cells = list(cells)
        self._state_is_tuple = state_is_tuple
        if not state_is_tuple and any(tf.nest.is_nested(cell.state_size) for cell in cells):
            raise ValueError(
                "With state_is_tuple=False, expected cells with one state each, received states "
                f"of the sizes {[cell.state_size for cell in cells]}."
            )

    @property
    def state_size(self) -> Any:
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        return self._cells[-1].output_size

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> Any:
        """Return the first states of all cells."""
        if not self._state_is_tuple:
            return super().zero_state(batch_size, dtype)
        with tf.name_scope(f"{type(self).__name__}ZeroState"):
            return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        states = state
        if not self._state_is_tuple:
            states = tf.split(state, [cell.state_size for cell in self._cells], axis=1)
        elif not isinstance(state, list | tuple) or len(state) != len(self._cells):
            raise ValueError(
                f"Expected a tuple of {len(self._cells)} states, one for each cell; received "
                f"{state!r}."
            )
        following = []
        for number, (cell, each) in enumerate(zip(self._cells, states, strict=True)):
            with v1.variable_scope(f"cell_{number}"):
                inputs, after = cell(inputs, each)
                following.append(after)
        return inputs, tuple(following) if self._state_is_tuple else tf.concat(following, 1)

    def get_config(self) -> dict[str, Any]:
        cells = [
            {"class_name": type(cell).__name__, "config": cell.get_config()} for cell in self._cells
        ]
        return {**super().get_config(), "cells": cells, "state_is_tuple": self._state_is_tuple}
