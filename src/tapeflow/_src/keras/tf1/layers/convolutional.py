"""Convolutions of `tf.compat.v1.layers`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.convolutional.base import passed_on
from tapeflow._src.keras.tf1.layers.base import Layer, as_function

layers = tf.keras.layers


class Conv1D(Layer, layers.Conv1D):  # type: ignore[misc, name-defined]
    """Convolution of sequences."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class Conv2D(Layer, layers.Conv2D):  # type: ignore[misc, name-defined]
    """Convolution of images."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = (1, 1),
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class Conv3D(Layer, layers.Conv3D):  # type: ignore[misc, name-defined]
    """Convolution of volumes."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = (1, 1, 1),
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class Conv2DTranspose(Layer, layers.Conv2DTranspose):  # type: ignore[misc, name-defined]
    """Transposed convolution of images."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class Conv3DTranspose(Layer, layers.Conv3DTranspose):  # type: ignore[misc, name-defined]
    """Transposed convolution of volumes."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class SeparableConv1D(Layer, layers.SeparableConv1D):  # type: ignore[misc, name-defined]
    """Depthwise separable convolution of sequences."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class SeparableConv2D(Layer, layers.SeparableConv2D):  # type: ignore[misc, name-defined]
    """Depthwise separable convolution of images."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = (1, 1),
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


conv1d = as_function(
    Conv1D, "conv1d", "Convolution of sequences: creates a `Conv1D` layer and calls it."
)
conv2d = as_function(
    Conv2D, "conv2d", "Convolution of images: creates a `Conv2D` layer and calls it."
)
conv3d = as_function(
    Conv3D, "conv3d", "Convolution of volumes: creates a `Conv3D` layer and calls it."
)
conv2d_transpose = as_function(
    Conv2DTranspose,
    "conv2d_transpose",
    "Transposed convolution of images: creates a `Conv2DTranspose` layer and calls it.",
)
conv3d_transpose = as_function(
    Conv3DTranspose,
    "conv3d_transpose",
    "Transposed convolution of volumes: creates a `Conv3DTranspose` layer and calls it.",
)
separable_conv1d = as_function(
    SeparableConv1D,
    "separable_conv1d",
    "Depthwise separable convolution of sequences: creates a `SeparableConv1D` layer and calls it.",
)
separable_conv2d = as_function(
    SeparableConv2D,
    "separable_conv2d",
    "Depthwise separable convolution of images: creates a `SeparableConv2D` layer and calls it.",
)
