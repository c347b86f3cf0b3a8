"""`Rescaling`: inputs brought into another range."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.keras.layers.layer import Layer


class Rescaling(Layer):
    """`inputs * scale + offset`."""

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale = scale
        self.offset = offset
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        dtype = tf.as_dtype(self.compute_dtype)
        x = tf.cast(inputs, dtype)
        return x * tf.cast(self.scale, dtype) + tf.cast(self.offset, dtype)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "scale": self.scale, "offset": self.offset}
