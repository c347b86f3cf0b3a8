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

        The call reads these values instead of the variables, and what it would assign is returned:
        the form of JAX programs. The layer must be built.

        Args:
            trainable_variables: One value for each of `layer.trainable_variables`.
            non_trainable_variables: One value for each of `layer.non_trainable_variables`.
            *args: Positional arguments of the call.
            return_losses: Whether to return the losses of the call, too.
            **kwargs: Keyword arguments of the call.

        Returns:
            The outputs and the values of the non-trainable variables after the call; with
            `return_losses` also a list of the losses.

        Raises:
            ValueError: The layer is not built, or the number of values differs from that of
                variables.

        Example:
            >>> layer = tf.keras.layers.Dense(1, use_bias=False)
            >>> layer.build((None, 2))
            >>> inputs = tf.constant([[1.0, 2.0]])
            >>> outputs, state = layer.stateless_call([tf.ones((2, 1))], [], inputs)
            >>> outputs.numpy(), state
            (array([[3.]], dtype=float32), [])
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
