"""Depthwise convolution layers."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.arguments import as_numbers_of, positive
from tapeflow._src.keras.layers.convolutional.base import Convolution, channels_last, passed_on
from tapeflow._src.keras.layers.weight_arguments import (
    add_weight_for,
    set_weight_arguments,
    weight_config,
)


def depthwise(layer: Any, x: Any, kernel: Any) -> Any:
    """Compute a depthwise convolution, channels last; sequences as images of height 1."""
    layer._spatial_output(x.shape[1:-1])  # raises if the window does not fit
    x = as_numbers_of(x, kernel)
    strides, dilations, padding = layer.strides, layer.dilation_rate, layer.padding
    if layer.rank == 2:
        return tf.nn.depthwise_conv2d(
            x, kernel, _even_strides(layer), padding.upper(), dilations=dilations
        )
    if padding == "causal":
        before = dilations[0] * (layer.kernel_size[0] - 1)
        x, padding = tf.pad(x, [[0, 0], [before, 0], [0, 0]]), "valid"
    outputs = tf.nn.depthwise_conv2d(
        tf.expand_dims(x, 1),
        tf.expand_dims(kernel, 0),
        [1, *strides * 2, 1],
        padding.upper(),
        dilations=dilations * 2,
    )
    return tf.squeeze(outputs, 1)


def _even_strides(layer: Any) -> list[int]:
    if len(set(layer.strides)) > 1:
        raise ValueError(
            f"{type(layer).__name__} supports only equal strides along all axes. Received: "
            f"strides={layer.strides}"
        )
    return [1, *layer.strides, 1]


class _DepthwiseConv(Convolution):
    _TPF_LEGACY_NAMES = {"kernel": "depthwise_kernel"}

    def __init__(
        self,
        kernel_size: Any,
        strides: Any,
        padding: str,
        depth_multiplier: int,
        data_format: str | None,
        dilation_rate: Any,
        activation: Any,
        use_bias: bool,
        depthwise_initializer: Any,
        bias_initializer: Any,
        depthwise_regularizer: Any,
        bias_regularizer: Any,
        activity_regularizer: Any,
        depthwise_constraint: Any,
        bias_constraint: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
            activation=activation,
            use_bias=use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            bias_constraint=bias_constraint,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
        self.depth_multiplier = positive("depth_multiplier", depth_multiplier)
        set_weight_arguments(
            self, "depthwise", depthwise_initializer, depthwise_regularizer, depthwise_constraint
        )

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        shape = (*self.kernel_size, channels, self.depth_multiplier)
        self.kernel = add_weight_for(self, "depthwise", shape, name="kernel")
        self._add_bias(self.depth_multiplier * channels)

    def call(self, inputs: Any) -> Any:
        x = channels_last(inputs) if self.data_format == "channels_first" else inputs
        return self._finished(depthwise(self, x, self.kernel.value()))

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        axis = -1 if self.data_format == "channels_last" else 1
        return self._output_shape(input_shape, self.depth_multiplier * input_shape[axis])

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "depth_multiplier": self.depth_multiplier,
            **weight_config(self, "depthwise"),
        }


class DepthwiseConv1D(_DepthwiseConv):
    """Depthwise convolution over sequences: each channel has its own kernels.

    Inputs of shape (batch, steps, channels) become (batch, new_steps, channels * depth_multiplier).

    Args:
        kernel_size: Length of the window.
        strides: Step between windows.
        padding: `"valid"` for none, `"same"` to keep the length if `strides` is 1, `"causal"` to
            pad at the start only.
        depth_multiplier: Number of kernels, and of output channels, per input channel.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.
        dilation_rate: Distance between the elements of a window.
        activation: Activation function, or its name; None for a linear layer.
        use_bias: Whether to add a bias per output channel.
        depthwise_initializer: Initializer of the depthwise kernel.
        bias_initializer: Initializer of the bias.
        depthwise_regularizer: Penalty on the depthwise kernel.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        depthwise_constraint: Projection of the depthwise kernel after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.

    Raises:
        ValueError: No window fits into the inputs.

    Example:
        >>> tf.keras.layers.DepthwiseConv1D(3, depth_multiplier=2)(tf.ones((1, 8, 3))).shape
        TensorShape([1, 6, 6])
    """

    _axes = 1

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class DepthwiseConv2D(_DepthwiseConv):
    """Depthwise convolution over images: each channel has its own kernels.

    Inputs of shape (batch, height, width, channels) become (batch, new_height, new_width,
    channels * depth_multiplier).

    Args:
        kernel_size: Height and width of the window; one integer for both.
        strides: Step between windows, the same along height and width.
        padding: `"valid"` for none, `"same"` to keep height and width if `strides` is 1.
        depth_multiplier: Number of kernels, and of output channels, per input channel.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.
        dilation_rate: Distance between the elements of a window, along each axis.
        activation: Activation function, or its name; None for a linear layer.
        use_bias: Whether to add a bias per output channel.
        depthwise_initializer: Initializer of the depthwise kernel.
        bias_initializer: Initializer of the bias.
        depthwise_regularizer: Penalty on the depthwise kernel.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        depthwise_constraint: Projection of the depthwise kernel after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.

    Raises:
        ValueError: Strides differ between the axes, or no window fits into the inputs.

    Example:
        >>> tf.keras.layers.DepthwiseConv2D(3, depth_multiplier=2)(tf.ones((1, 8, 8, 3))).shape
        TensorShape([1, 6, 6, 6])
    """

    _axes = 2

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))
