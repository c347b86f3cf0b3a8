"""Transposed convolution layers, which upsample."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.arguments import as_numbers_of, positive, standardize_tuple
from tapeflow._src.keras.layers.convolutional.base import Convolution, channels_last, passed_on
from tapeflow._src.keras.layers.convolutional.sizes import (
    spatial_of,
    transpose_output,
    with_spatial,
)
from tapeflow._src.keras.layers.weight_arguments import (
    add_weight_for,
    set_weight_arguments,
    weight_config,
)
from tapeflow._src.keras.ops.convolutions import dilated_kernel

_FUNCTIONS = {
    1: tf.nn.conv1d_transpose,
    2: tf.nn.conv2d_transpose,
    3: tf.nn.conv3d_transpose,
}


class _ConvTranspose(Convolution):
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any,
        padding: str,
        output_padding: Any,
        data_format: str | None,
        dilation_rate: Any,
        activation: Any,
        use_bias: bool,
        kernel_initializer: Any,
        bias_initializer: Any,
        kernel_regularizer: Any,
        bias_regularizer: Any,
        activity_regularizer: Any,
        kernel_constraint: Any,
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
        if self.padding == "causal":
            raise ValueError(
                "A transposed convolution cannot be causal. Received: padding='causal'"
            )
        self.output_padding = self._checked_output_padding(output_padding)
        set_weight_arguments(
            self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint
        )

    def _checked_output_padding(self, output_padding: Any) -> tuple[int, ...] | None:
        if output_padding is None:
            return None
        padding = standardize_tuple(output_padding, self.rank, "output_padding", allow_zero=True)
        if any(extra >= stride for extra, stride in zip(padding, self.strides)):
            raise ValueError(
                f"The output padding must be smaller than the stride along every axis. Received: "
                f"output_padding={padding}, strides={self.strides}"
            )
        return padding

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        shape = (*self.kernel_size, self.filters, channels)
        self._kernel = add_weight_for(self, "kernel", shape)
        self._add_bias(self.filters)

    @property
    def kernel(self) -> Any:
        """The weights, available once the layer is built."""
        return self._kernel

    def _sizes(self, spatial: Any) -> list[Any]:
        extra = self.output_padding or (None,) * self.rank
        rows = zip(spatial, self.kernel_size, self.strides, extra, self.dilation_rate)
        return [transpose_output(n, k, s, self.padding, o, d) for n, k, s, o, d in rows]

    def call(self, inputs: Any) -> Any:
        x = channels_last(inputs) if self.data_format == "channels_first" else inputs
        x = as_numbers_of(x, self._kernel)
        static_shape, dynamic_shape = tuple(x.shape), tf.shape(x)
        spatial = [
            dynamic_shape[axis + 1] if n is None else n for axis, n in enumerate(static_shape[1:-1])
        ]
        batch = dynamic_shape[0] if static_shape[0] is None else static_shape[0]
        kernel = self._kernel.value()
        if max(self.dilation_rate) > 1:
            kernel = dilated_kernel(kernel, self.dilation_rate)
        outputs = _FUNCTIONS[self.rank](
            x,
            kernel,
            [batch, *self._sizes(spatial), self.filters],
            self.strides,
            self.padding.upper(),
        )
        return self._finished(outputs)

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        spatial = self._sizes(spatial_of(input_shape, self.data_format))
        return with_spatial(input_shape, spatial, self.filters, self.data_format)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "filters": self.filters,
            "output_padding": self.output_padding,
            **weight_config(self, "kernel"),
        }


class Conv1DTranspose(_ConvTranspose):
    """Transposed convolution over sequences: upsamples by `strides`.

    Inputs of shape (batch, steps, channels) become (batch, new_steps, filters).

    Args:
        filters: Number of output channels.
        kernel_size: Length of the window.
        strides: Upsampling factor.
        padding: `"valid"` or `"same"`; `"same"` multiplies the steps by `strides`.
        output_padding: Extra steps at the end of the output, fewer than `strides`; inferred if
            None.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.
        dilation_rate: Distance between the elements of a window.
        activation: Activation function, or its name; None for a linear layer.
        use_bias: Whether to add a bias per filter.
        kernel_initializer: Initializer of the kernel.
        bias_initializer: Initializer of the bias.
        kernel_regularizer: Penalty on the kernel, added to the losses.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        kernel_constraint: Projection of the kernel after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.

    Raises:
        ValueError: `padding` is `"causal"`, or `output_padding` is not smaller than `strides`.

    Example:
        >>> layer = tf.keras.layers.Conv1DTranspose(8, 3, strides=2, padding="same")
        >>> layer(tf.ones((1, 7, 16))).shape
        TensorShape([1, 14, 8])
    """

    _axes = 1

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class Conv2DTranspose(_ConvTranspose):
    """Transposed convolution over images ("deconvolution"): upsamples by `strides`.

    Inputs of shape (batch, height, width, channels) become (batch, new_height, new_width, filters).

    Args:
        filters: Number of output channels.
        kernel_size: Height and width of the window; one integer for both.
        strides: Upsampling factors along height and width.
        padding: `"valid"` or `"same"`; `"same"` multiplies the sizes by `strides`.
        output_padding: Extra rows and columns at the end of the output; inferred if None.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.
        dilation_rate: Distance between the elements of a window, along each axis.
        activation: Activation function, or its name; None for a linear layer.
        use_bias: Whether to add a bias per filter.
        kernel_initializer: Initializer of the kernel.
        bias_initializer: Initializer of the bias.
        kernel_regularizer: Penalty on the kernel, added to the losses.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        kernel_constraint: Projection of the kernel after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.

    Raises:
        ValueError: `padding` is `"causal"`, or `output_padding` is not smaller than `strides`.

    Example:
        >>> layer = tf.keras.layers.Conv2DTranspose(8, 3, strides=2, padding="same")
        >>> layer(tf.ones((1, 7, 7, 16))).shape
        TensorShape([1, 14, 14, 8])
    """

    _axes = 2

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class Conv3DTranspose(_ConvTranspose):
    """Transposed convolution over volumes: upsamples by `strides`, as `Conv2DTranspose`.

    Inputs have the shape (batch, depth, height, width, channels); outputs have `filters` channels.

    Args:
        filters: Number of output channels.
        kernel_size: Sizes of the window; one integer for all three.
        strides: Upsampling factors along the three axes.
        padding: `"valid"` or `"same"`; `"same"` multiplies the sizes by `strides`.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.
        output_padding: Extra values at the end of each axis of the output; inferred if None.
        dilation_rate: Distance between the elements of a window, along each axis.
        activation: Activation function, or its name; None for a linear layer.
        use_bias: Whether to add a bias per filter.
        kernel_initializer: Initializer of the kernel.
        bias_initializer: Initializer of the bias.
        kernel_regularizer: Penalty on the kernel, added to the losses.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        kernel_constraint: Projection of the kernel after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.

    Raises:
        ValueError: `padding` is `"causal"`, or `output_padding` is not smaller than `strides`.

    Example:
        >>> layer = tf.keras.layers.Conv3DTranspose(2, 3, strides=2, padding="same")
        >>> layer(tf.ones((1, 3, 3, 3, 4))).shape
        TensorShape([1, 6, 6, 6, 2])
    """

    _axes = 3

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        output_padding: Any = None,
        dilation_rate: Any = (1, 1, 1),
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))
