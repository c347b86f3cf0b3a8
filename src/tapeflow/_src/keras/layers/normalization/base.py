"""Base class of normalizations: the trainable scale `gamma` and offset `beta`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.weight_arguments import (
    add_weight_for,
    set_weight_arguments,
    weight_config,
)


class Normalization(Layer):
    """A layer with `gamma` and `beta`."""

    def __init__(
        self,
        epsilon: float,
        center: bool,
        scale: bool,
        beta_initializer: Any,
        gamma_initializer: Any,
        beta_regularizer: Any,
        gamma_regularizer: Any,
        beta_constraint: Any,
        gamma_constraint: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        set_weight_arguments(self, "beta", beta_initializer, beta_regularizer, beta_constraint)
        set_weight_arguments(self, "gamma", gamma_initializer, gamma_regularizer, gamma_constraint)
        self.gamma: Any = None
        self.beta: Any = None
        self.supports_masking = True

    def _add_scale_and_offset(
        self,
        shape: tuple[int, ...],
        autocast: bool = True,
        scale: bool | None = None,
        center: bool | None = None,
    ) -> None:
        if self.scale if scale is None else scale:
            self.gamma = add_weight_for(self, "gamma", shape, autocast=autocast)
        if self.center if center is None else center:
            self.beta = add_weight_for(self, "beta", shape, autocast=autocast)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "epsilon": self.epsilon,
            "center": self.center,
            "scale": self.scale,
            **weight_config(self, "beta"),
            **weight_config(self, "gamma"),
        }


def precise(x: Any) -> Any:
    """`x` cast to float32 if its dtype is an integer or a half: moments need the precision."""
    return x if x.dtype in (tf.float32, tf.float64) else tf.cast(x, tf.float32)


def known_size(layer: Any, input_shape: Any, axis: int) -> int:
    """The size of an axis that a layer has weights for."""
    size = input_shape[axis]
    if size is None:
        raise ValueError(
            f"{type(layer).__name__} '{layer.name}' needs a known size of axis {axis} to create "
            f"its weights. Received the input shape {tuple(input_shape)}: set it with "
            f"`keras.Input(shape=...)`."
        )
    return size
