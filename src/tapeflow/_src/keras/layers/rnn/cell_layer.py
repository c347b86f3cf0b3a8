"""Recurrent layers with one cell, whose arguments they take."""

from __future__ import annotations

import inspect
from typing import Any

from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.rnn.rnn import RNN
from tapeflow._src.keras.utils.naming import to_snake_case

_LAYER = frozenset({"name", "activity_regularizer"})
_BOTH = frozenset({"dtype", "trainable"})


class OfCell:
    """An attribute of the cell, read from the layer."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, layer: Any, owner: type | None = None) -> Any:
        return self if layer is None else getattr(layer.cell, self._name)


class CellLayer(RNN):
    """An RNN whose arguments are those of `_cell_class`, besides its own."""

    _cell_class: type

    units = OfCell()
    activation = OfCell()
    use_bias = OfCell()
    kernel_initializer = OfCell()
    recurrent_initializer = OfCell()
    bias_initializer = OfCell()
    kernel_regularizer = OfCell()
    recurrent_regularizer = OfCell()
    bias_regularizer = OfCell()
    kernel_constraint = OfCell()
    recurrent_constraint = OfCell()
    bias_constraint = OfCell()
    dropout = OfCell()
    recurrent_dropout = OfCell()
    implementation = OfCell()
    get_dropout_mask_for_cell = OfCell()
    get_recurrent_dropout_mask_for_cell = OfCell()
    reset_dropout_mask = OfCell()
    reset_recurrent_dropout_mask = OfCell()

    def __init__(self, **arguments: Any) -> None:
        of_cell = {*inspect.signature(self._cell_class).parameters, "implementation"} - {"kwargs"}
        cell_arguments = {name: arguments[name] for name in arguments if name in of_cell}
        cell_arguments |= {name: arguments[name] for name in arguments if name in _BOTH}
        rest = {name: value for name, value in arguments.items() if name not in of_cell}
        cell = self._cell_class(**cell_arguments, name=to_snake_case(self._cell_class.__name__))
        super().__init__(cell, **rest)
        self.input_spec = InputSpec(ndim=3)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["cell"]
        of_cell = self.cell.get_config()
        for name in ("name", "trainable", "dtype"):
            of_cell.pop(name)
        penalty = config.pop("activity_regularizer", None)
        return {**config, **of_cell, "activity_regularizer": penalty}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        return cls(**config)
