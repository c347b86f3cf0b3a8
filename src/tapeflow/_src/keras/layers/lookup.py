"""Layers as configs and back, and the second names that some of them have."""

from __future__ import annotations

from typing import Any

from tapeflow._src.keras.layers.convolutional import conv, separable, transpose
from tapeflow._src.keras.layers.pooling import whole, windows
from tapeflow._src.keras.saving.deserialization import read_object
from tapeflow._src.keras.saving.registry import LAYER
from tapeflow._src.keras.saving.serialization import serialize_keras_object

AvgPool1D = windows.AveragePooling1D
AvgPool2D = windows.AveragePooling2D
AvgPool3D = windows.AveragePooling3D
Convolution1D = conv.Conv1D
Convolution1DTranspose = transpose.Conv1DTranspose
Convolution2D = conv.Conv2D
Convolution2DTranspose = transpose.Conv2DTranspose
Convolution3D = conv.Conv3D
Convolution3DTranspose = transpose.Conv3DTranspose
GlobalAvgPool1D = whole.GlobalAveragePooling1D
GlobalAvgPool2D = whole.GlobalAveragePooling2D
GlobalAvgPool3D = whole.GlobalAveragePooling3D
GlobalMaxPool1D = whole.GlobalMaxPooling1D
GlobalMaxPool2D = whole.GlobalMaxPooling2D
GlobalMaxPool3D = whole.GlobalMaxPooling3D
MaxPool1D = windows.MaxPooling1D
MaxPool2D = windows.MaxPooling2D
MaxPool3D = windows.MaxPooling3D
SeparableConvolution1D = separable.SeparableConv1D
SeparableConvolution2D = separable.SeparableConv2D


def serialize(layer: Any) -> dict[str, Any]:
    """Return the config of a layer as a dict that JSON can represent.

    Args:
        layer: The layer; its weights are not part of the config.

    Returns:
        A dict with the class, its module and the layer's config, for `deserialize`.

    Example:
        >>> config = tf.keras.layers.serialize(tf.keras.layers.Dense(3))
        >>> config["class_name"], config["config"]["units"]
        ('Dense', 3)
    """
    return serialize_keras_object(layer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Create a layer from its config.

    Args:
        config: Dict that `serialize` returned.
        custom_objects: Classes and functions by name that are not part of Keras.

    Returns:
        A layer, with new weights.

    Example:
        >>> config = tf.keras.layers.serialize(tf.keras.layers.Dense(3))
        >>> tf.keras.layers.deserialize(config).units
        3
    """
    return read_object(config, LAYER, custom_objects)
