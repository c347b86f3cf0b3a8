"""Losses that a layer adds: in `call`, for its outputs and for its weights."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.call_signature import is_tensor
from tapeflow._src.keras.layers.layer_state import LayerState


class _Ever:
    """Whether any layer has ever added a loss: most programs have none to forget."""

    added = False


ever = _Ever()


class LayerLosses(LayerState):
    """A module that keeps what is to be made small."""

    activity_regularizer: Any
    _losses: list[Any]

    def add_loss(self, loss: Any = None, *, losses: Any = None) -> None:
        """Add to the losses, from inside `call`.

        Args:
            loss: A scalar tensor, a structure of them, or, as in Keras 2, a function without
                arguments that computes one whenever `losses` is read.
            losses: Another name of `loss`, that of Keras 2.

        Raises:
            ValueError: A loss is neither a number, a tensor nor a function.

        Example:
            >>> class Penalized(tf.keras.layers.Layer):
            ...     def call(self, inputs):
            ...         self.add_loss(tf.reduce_sum(inputs))
            ...         return inputs
            >>> layer = Penalized()
            >>> outputs = layer(tf.ones((2, 3)))
            >>> [float(loss) for loss in layer.losses]
            [6.0]
        """
        for item in tf.nest.flatten(losses if loss is None else loss):
            if callable(item) and not is_tensor(item):
                self.__dict__.setdefault("_tpf_loss_functions", []).append(item)
                continue
            if not is_tensor(item) and not isinstance(item, (int, float)):
                raise ValueError(
                    f"`add_loss()` of layer '{self.name}' expected a scalar tensor computed in "
                    f"`build` or `call`. Received: {item!r} of type {type(item).__name__}"
                )
            ever.added = True
            self._losses.append(item)

    def _tpf_penalize(self, outputs: Any) -> None:
        """Add what the outputs are to be fined, for each item of the batch on average."""
        for output in tf.nest.flatten(outputs):
            if is_tensor(output):
                loss = self.activity_regularizer(output)
                if output.ndim:
                    loss = tf.math.divide_no_nan(loss, tf.cast(tf.shape(output)[0], loss.dtype))
                self.add_loss(loss)

    @property
    def losses(self) -> list[Any]:
        """Losses added by the last call, and regularization penalties of weights."""
        # A layer may be reachable through more than one attribute.
        layers = {id(layer): layer for layer in self._flatten_layers()}
        collected = [loss for layer in layers.values() for loss in layer._losses]
        for layer in layers.values():
            collected += [function() for function in layer.__dict__.get("_tpf_loss_functions", ())]
        for weight in self.trainable_weights:
            regularizer = getattr(weight, "regularizer", None)
            if regularizer is not None:
                collected.append(regularizer(weight))
        return collected

    def _clear_losses(self) -> None:
        for layer in self._flatten_layers():
            layer._losses.clear()
