"""`Rescaling`: inputs brought into another range."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.config import image_data_format
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.saving.deserialization import deserialize_keras_object
from tapeflow._src.keras.saving.serialization import serialize_keras_object

_VALUES = ("scale", "offset")


class Rescaling(Layer):
    """Scales and shifts inputs: `inputs * scale + offset`, in training and in inference.

    Args:
        scale: Factor, such as `1 / 255` for images; an array for one per channel.
        offset: Added after scaling.

    Example:
        >>> tf.keras.layers.Rescaling(1 / 127.5, offset=-1)(tf.constant([0.0, 255.0])).numpy()
        array([-1.,  1.], dtype=float32)
    """

    def __init__(self, scale: Any, offset: Any = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale = scale
        self.offset = offset
        self.supports_masking = True

    def call(self, inputs: Any) -> Any:
        dtype = tf.as_dtype(self.compute_dtype)
        scale = tf.cast(self.scale, dtype)
        rank = scale.shape.rank
        if rank and image_data_format() == "channels_first":
            scale = tf.reshape(scale, (*scale.shape, *(1,) * (3 - rank)))
        return tf.cast(inputs, dtype) * scale + tf.cast(self.offset, dtype)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "scale": serialize_keras_object(self.scale),
            "offset": serialize_keras_object(self.offset),
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Rescaling:
        """Create the layer from a config; scales may be arrays.

        Args:
            config: Dict that `get_config` returned.
            custom_objects: Classes and functions by name that the config refers to.

        Returns:
            A `Rescaling` layer.
        """
        values = {
            name: deserialize_keras_object(config[name], custom_objects)
            for name in _VALUES
            if isinstance(config.get(name), dict)
        }
        return cls(**{**config, **values})
