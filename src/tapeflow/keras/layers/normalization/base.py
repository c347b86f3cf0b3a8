"""What the normalizations share: a factor and an offset that are learnt."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.keras import constraints, initializers, regularizers
from tapeflow.keras.layers.layer import Layer


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
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)
        self.gamma: Any = None
        self.beta: Any = None
        self.supports_masking = True

    def _add_scale_and_offset(self, shape: tuple[int, ...], autocast: bool = True) -> None:
        for name, wanted in (("gamma", self.scale), ("beta", self.center)):
            if wanted:
                weight = self.add_weight(
                    name=name,
                    shape=shape,
                    initializer=getattr(self, f"{name}_initializer"),
                    regularizer=getattr(self, f"{name}_regularizer"),
                    constraint=getattr(self, f"{name}_constraint"),
                    autocast=autocast,
                )
                setattr(self, name, weight)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        config = {
            **super().get_config(),
            "epsilon": self.epsilon,
            "center": self.center,
            "scale": self.scale,
        }
        for name in ("beta", "gamma"):
            config[f"{name}_initializer"] = initializers.serialize(
                getattr(self, f"{name}_initializer")
            )
            config[f"{name}_regularizer"] = regularizers.serialize(
                getattr(self, f"{name}_regularizer")
            )
            config[f"{name}_constraint"] = constraints.serialize(
                getattr(self, f"{name}_constraint")
            )
        return config


def precise(x: Any) -> Any:
    """A tensor of whole numbers, or of numbers with few digits, in float32: means need more."""
    return x if x.dtype in (tf.float32, tf.float64) else tf.cast(x, tf.float32)


def known_size(layer: Any, input_shape: Any, axis: int) -> int:
    """The size of an axis that a layer has weights for."""
    size = input_shape[axis]
    if size is None:
        raise ValueError(
            f"Axis {axis} of the input tensor of layer '{layer.name}' ({type(layer).__name__}) "
            f"should have a defined dimension, but the layer received an input with shape "
            f"{tuple(input_shape)}."
        )
    return size
