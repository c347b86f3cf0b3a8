"""Calls of layers as functions of the values of their variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.keras.stateless import StatelessScope, pairs


class StatelessCalls:
    """The part of a layer that computes with values instead of variables."""

    def stateless_call(
        self,
        trainable_variables: Sequence[Any],
        non_trainable_variables: Sequence[Any],
        *args: Any,
        return_losses: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Call the layer as if its variables had these values; they keep their own.

        Returns:
            The outputs and the values of the non-trainable variables after the call; with
            `return_losses` also a list of the losses.
        """
        layer: Any = self
        if not layer.built:
            raise ValueError(
                f"{type(self).__name__} must be built before `stateless_call`: call it on data, or "
                f"`build` it, first."
            )
        state = pairs(
            layer.trainable_variables, trainable_variables, "trainable_variables", self
        ) + pairs(
            layer.non_trainable_variables, non_trainable_variables, "non_trainable_variables", self
        )
        with StatelessScope(state, collect_losses=return_losses) as scope:
            outputs = layer(*args, **kwargs)
            losses = layer.losses if return_losses else []
        updated = [scope.value_of(variable) for variable in layer.non_trainable_variables]
        return (outputs, updated, losses) if return_losses else (outputs, updated)
