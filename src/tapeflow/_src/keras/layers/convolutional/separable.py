"""Separable convolution layers: depthwise, then pointwise."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.arguments import positive
from tapeflow._src.keras.layers.convolutional.base import Convolution, channels_last, passed_on
from tapeflow._src.keras.layers.convolutional.depthwise import depthwise
from tapeflow._src.keras.layers.weight_arguments import (
    add_weight_for,
    set_weight_arguments,
    weight_config,
)


class _SeparableConv(Convolution):
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any,
        padding: str,
        data_format: str | None,
        dilation_rate: Any,
        depth_multiplier: int,
        activation: Any,
        use_bias: bool,
        depthwise_initializer: Any,
        pointwise_initializer: Any,
        bias_initializer: Any,
        depthwise_regularizer: Any,
        pointwise_regularizer: Any,
        bias_regularizer: Any,
        activity_regularizer: Any,
        depthwise_constraint: Any,
        pointwise_constraint: Any,
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
        self.filters = positive("filters", filters)
        self.depth_multiplier = positive("depth_multiplier", depth_multiplier)
        set_weight_arguments(
            self, "depthwise", depthwise_initializer, depthwise_regularizer, depthwise_constraint
        )
        set_weight_arguments(
            self, "pointwise", pointwise_initializer, pointwise_regularizer, pointwise_constraint
        )

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        depth = self.depth_multiplier
        self.depthwise_kernel = add_weight_for(
            self, "depthwise", (*self.kernel_size, channels, depth), name="depthwise_kernel"
        )
        shape = (*(1,) * self.rank, depth * channels, self.filters)
        self.pointwise_kernel = add_weight_for(self, "pointwise", shape, name="pointwise_kernel")
        self._add_bias(self.filters)

    def call(self, inputs: Any) -> Any:
        x = channels_last(inputs) if self.data_format == "channels_first" else inputs
        x = depthwise(self, x, self.depthwise_kernel.value())
        # A window of one place is a product of matrices.
        kernel = self.pointwise_kernel.value()
        matrix = tf.reshape(kernel, kernel.shape[-2:])
        return self._finished(tf.tensordot(x, matrix, 1))

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        return self._output_shape(input_shape, self.filters)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "filters": self.filters,
            "depth_multiplier": self.depth_multiplier,
            **weight_config(self, "depthwise"),
            **weight_config(self, "pointwise"),
        }


class SeparableConv1D(_SeparableConv):
    """Depthwise convolution over sequences, followed by a pointwise (1x1) convolution.

    Inputs of shape (batch, steps, channels) become (batch, new_steps, filters).

    Args:
        filters: Number of output channels, those of the pointwise convolution.
        kernel_size: Length of the depthwise window.
        strides: Step between windows.
        padding: `"valid"` for none, `"same"` to keep the length if `strides` is 1, `"causal"` to
            pad at the start only.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.
        dilation_rate: Distance between the elements of a window.
        depth_multiplier: Number of depthwise kernels per input channel.
        activation: Activation function, or its name; None for a linear layer.
        use_bias: Whether to add a bias per filter.
        depthwise_initializer: Initializer of the depthwise kernel.
        pointwise_initializer: Initializer of the pointwise kernel.
        bias_initializer: Initializer of the bias.
        depthwise_regularizer: Penalty on the depthwise kernel.
        pointwise_regularizer: Penalty on the pointwise kernel.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        depthwise_constraint: Projection of the depthwise kernel after each optimizer step.
        pointwise_constraint: Projection of the pointwise kernel after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.

    Example:
        >>> layer = tf.keras.layers.SeparableConv1D(4, 3)
        >>> layer(tf.ones((1, 8, 3))).shape
        TensorShape([1, 6, 4])
        >>> [weight.shape for weight in layer.weights]
        [TensorShape([3, 3, 1]), TensorShape([1, 3, 4]), TensorShape([4])]
    """

    _axes = 1

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class SeparableConv2D(_SeparableConv):
    """Depthwise convolution over images, followed by a pointwise (1x1) convolution.

    It has far fewer weights than `Conv2D` with the same window and filters.

    Args:
        filters: Number of output channels, those of the pointwise convolution.
        kernel_size: Height and width of the depthwise window; one integer for both.
        strides: Step between windows, the same along height and width.
        padding: `"valid"` for none, `"same"` to keep height and width if `strides` is 1.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.
        dilation_rate: Distance between the elements of a window, along each axis.
        depth_multiplier: Number of depthwise kernels per input channel.
        activation: Activation function, or its name; None for a linear layer.
        use_bias: Whether to add a bias per filter.
        depthwise_initializer: Initializer of the depthwise kernel.
        pointwise_initializer: Initializer of the pointwise kernel.
        bias_initializer: Initializer of the bias.
        depthwise_regularizer: Penalty on the depthwise kernel.
        pointwise_regularizer: Penalty on the pointwise kernel.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        depthwise_constraint: Projection of the depthwise kernel after each optimizer step.
        pointwise_constraint: Projection of the pointwise kernel after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.

    Raises:
        ValueError: Strides differ between the axes, or no window fits into the inputs.

    Example:
        >>> tf.keras.layers.SeparableConv2D(4, 3)(tf.ones((1, 8, 8, 3))).shape
        TensorShape([1, 6, 6, 4])
    """

    _axes = 2

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))
