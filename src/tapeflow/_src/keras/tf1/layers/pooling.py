"""Pooling layers of `tf.compat.v1.layers`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.convolutional.base import passed_on
from tapeflow._src.keras.tf1.layers.base import Layer, as_function

layers = tf.keras.layers


class AveragePooling1D(Layer, layers.AveragePooling1D):  # type: ignore[misc, name-defined]
    """The mean of each window of sequences."""

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class AveragePooling2D(Layer, layers.AveragePooling2D):  # type: ignore[misc, name-defined]
    """The mean of each window of images."""

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class AveragePooling3D(Layer, layers.AveragePooling3D):  # type: ignore[misc, name-defined]
    """The mean of each window of volumes."""

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class MaxPooling1D(Layer, layers.MaxPooling1D):  # type: ignore[misc, name-defined]
    """The maximum of each window of sequences."""

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class MaxPooling2D(Layer, layers.MaxPooling2D):  # type: ignore[misc, name-defined]
    """The maximum of each window of images."""

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class MaxPooling3D(Layer, layers.MaxPooling3D):  # type: ignore[misc, name-defined]
    """The maximum of each window of volumes."""

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


average_pooling1d = as_function(
    AveragePooling1D, "average_pooling1d", "The mean of each window of sequences."
)
average_pooling2d = as_function(
    AveragePooling2D, "average_pooling2d", "The mean of each window of images."
)
average_pooling3d = as_function(
    AveragePooling3D, "average_pooling3d", "The mean of each window of volumes."
)
max_pooling1d = as_function(
    MaxPooling1D, "max_pooling1d", "The maximum of each window of sequences."
)
max_pooling2d = as_function(MaxPooling2D, "max_pooling2d", "The maximum of each window of images.")
max_pooling3d = as_function(MaxPooling3D, "max_pooling3d", "The maximum of each window of volumes.")
