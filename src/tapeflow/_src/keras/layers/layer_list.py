"""`LayerList`: a list of layers that is an attribute of a layer, with what Keras 2 adds to it.

An empty list becomes one, too: layers are mostly appended after the assignment.
"""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.tracking import ListWrapper


class LayerList(ListWrapper):
    """A list with the layers among its items, and their weights, as attributes."""

    @property
    def layers(self) -> list[Any]:
        """The layers, as a new list."""
        return [item for item in self if isinstance(item, tf.Module)]

    @property
    def trainable(self) -> bool:
        """Whether any of the layers is trained; setting it sets it for all."""
        return any(layer.trainable for layer in self.layers)

    @trainable.setter
    def trainable(self, value: bool) -> None:
        for layer in self.layers:
            layer.trainable = value

    @property
    def weights(self) -> list[Any]:
        return self._collected("weights")

    @property
    def variables(self) -> list[Any]:
        return self._collected("variables")

    @property
    def trainable_weights(self) -> list[Any]:
        return self._collected("trainable_weights")

    @property
    def non_trainable_weights(self) -> list[Any]:
        return self._collected("non_trainable_weights")

    @property
    def trainable_variables(self) -> list[Any]:
        return self._collected("trainable_variables")

    @property
    def non_trainable_variables(self) -> list[Any]:
        return self._collected("non_trainable_variables")

    @property
    def losses(self) -> list[Any]:
        """The losses of the last calls of the layers."""
        return self._collected("losses")

    def _collected(self, attribute: str) -> list[Any]:
        items = [item for layer in self.layers for item in getattr(layer, attribute)]
        return list({id(item): item for item in items}.values())
