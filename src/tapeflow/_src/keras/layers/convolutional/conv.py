"""Convolution layers: `Conv1D`, `Conv2D` and `Conv3D`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.arguments import as_numbers_of, positive
from tapeflow._src.keras.layers.convolutional.base import (
    Convolution,
    channels_first,
    channels_last,
    passed_on,
)
from tapeflow._src.keras.layers.lora import LowRankAdapter
from tapeflow._src.keras.layers.weight_arguments import (
    add_weight_for,
    set_weight_arguments,
    weight_config,
)

_FUNCTIONS = {1: tf.nn.conv1d, 2: tf.nn.conv2d, 3: tf.nn.conv3d}


class _Conv(LowRankAdapter, Convolution):
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any,
        padding: str,
        data_format: str | None,
        dilation_rate: Any,
        groups: int,
        activation: Any,
        use_bias: bool,
        kernel_initializer: Any,
        bias_initializer: Any,
        kernel_regularizer: Any,
        bias_regularizer: Any,
        activity_regularizer: Any,
        kernel_constraint: Any,
        bias_constraint: Any,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
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
        self._set_lora(lora_rank, lora_alpha)
        self.filters = positive("filters", filters)
        self.groups = positive("groups", groups)
        if filters % groups:
            raise ValueError(
                f"{type(self).__name__}: `filters` must be a multiple of `groups`. Received: "
                f"filters={filters}, groups={groups}"
            )
        set_weight_arguments(
            self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint
        )
        # As the functions of `tf.nn` take them: one number for sequences.
        single = self.rank == 1
        self._window_strides: Any = self.strides[0] if single else (1, *self.strides, 1)
        self._window_dilations: Any = (
            self.dilation_rate[0] if single else (1, *self.dilation_rate, 1)
        )

    def build(self, input_shape: Any) -> None:
        channels = self._channels(input_shape)
        if channels % self.groups:
            raise ValueError(
                f"{type(self).__name__} '{self.name}': the {channels} input channels cannot be "
                f"split into groups={self.groups} of equal size. Received the input shape "
                f"{tuple(input_shape)}."
            )
        shape = (*self.kernel_size, channels // self.groups, self.filters)
        self._kernel = add_weight_for(self, "kernel", shape)
        self._add_bias(self.filters)
        self._output_shape(input_shape, self.filters)
        self.built = True
        if self.lora_rank:
            self.enable_lora(self.lora_rank, self.lora_alpha)

    @property
    def kernel(self) -> Any:
        """The weights, available once the layer is built."""
        return self._with_lora(self._kernel.value()) if self.lora_enabled else self._kernel

    def _pad(self, inputs: Any) -> tuple[Any, str]:
        """Return the inputs with channels last, and the padding still to apply."""
        if self.data_format == "channels_first":
            inputs = channels_last(inputs)
        if self.padding != "causal":
            return inputs, self.padding.upper()
        before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        return tf.pad(inputs, [[0, 0], [before, 0], [0, 0]]), "VALID"

    def call(self, inputs: Any) -> Any:
        kernel = self._kernel.value()
        if self.lora_enabled:
            kernel = self._with_lora(kernel)
        inputs = as_numbers_of(inputs, kernel)
        if type(self).convolution_op is _Conv.convolution_op:
            return self._finished(self._convolved(inputs, kernel))
        outputs = self.convolution_op(inputs, kernel)
        first = self.data_format == "channels_first"
        return self._finished(channels_last(outputs) if first else outputs)

    def convolution_op(self, inputs: Any, kernel: TensorLike) -> Any:
        """Convolve inputs with a kernel, without bias and activation.

        A subclass may override it, to change the kernel before it is used, for instance.

        Args:
            inputs: Tensor in the layer's `data_format`.
            kernel: Tensor of shape (*kernel_size, channels // groups, filters).

        Returns:
            The convolution, in the layer's `data_format`.
        """
        outputs = self._convolved(inputs, kernel)
        return channels_first(outputs) if self.data_format == "channels_first" else outputs

    def _convolved(self, inputs: Any, kernel: TensorLike) -> Any:
        """Compute the convolution, channels last."""
        x, padding = self._pad(inputs)
        return _FUNCTIONS[self.rank](
            x,
            kernel,
            self._window_strides,
            padding,
            dilations=self._window_dilations,
        )

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        return self._output_shape(input_shape, self.filters)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "filters": self.filters,
            "groups": self.groups,
            **weight_config(self, "kernel"),
            **self._lora_config(),
        }


class Conv1D(_Conv):
    """Convolution over sequences (temporal convolution).

    Inputs have the shape (batch, steps, channels), outputs (batch, new_steps, filters).

    Args:
        filters: Number of output channels.
        kernel_size: Length of the window.
        strides: Step between windows.
        padding: `"valid"` for none, `"same"` to keep the length if `strides` is 1, `"causal"`
            to pad at the start only, so that no output depends on later steps.
        data_format: `"channels_last"`, or `"channels_first"` for (batch, channels, steps).
        dilation_rate: Distance between the elements of a window.
        groups: Number of groups of channels that are convolved independently.
        activation: Activation function, or its name.
        use_bias: Whether to add a bias per filter.
        kernel_initializer: Initializer of the kernel.
        bias_initializer: Initializer of the bias.
        kernel_regularizer: Penalty on the kernel.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        kernel_constraint: Projection of the kernel after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.

    >>> layer = tf.keras.layers.Conv1D(8, kernel_size=3, padding="causal")
    >>> layer(tf.ones((2, 10, 4))).shape
    TensorShape([2, 10, 8])

    Raises:
        ValueError: `filters` or the channels are no multiple of `groups`, or no window fits.
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
        groups: int = 1,
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


class Conv2D(_Conv):
    """Convolution over images.

    Inputs have the shape (batch, height, width, channels), outputs (batch, new_height, new_width,
    filters).

    Args:
        filters: Number of output channels.
        kernel_size: Height and width of the window; one integer for both.
        strides: Steps between windows along height and width.
        padding: `"valid"` for none, `"same"` to keep height and width if `strides` is 1.
        data_format: `"channels_last"`, or `"channels_first"` for (batch, channels, height, width).
        dilation_rate: Distance between the elements of a window, along each axis.
        groups: Number of groups of channels that are convolved independently.
        activation: Activation function, or its name.
        use_bias: Whether to add a bias per filter.
        kernel_initializer: Initializer of the kernel, of shape (*kernel_size, channels // groups,
            filters).
        bias_initializer: Initializer of the bias.
        kernel_regularizer: Penalty on the kernel.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        kernel_constraint: Projection of the kernel after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.

    >>> layer = tf.keras.layers.Conv2D(16, 3, strides=2, padding="same", activation="relu")
    >>> layer(tf.ones((1, 28, 28, 3))).shape
    TensorShape([1, 14, 14, 16])

    Raises:
        ValueError: `filters` or the channels are no multiple of `groups`, or no window fits.
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
        groups: int = 1,
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


class Conv3D(_Conv):
    """Convolution over volumes, such as videos or scans.

    Inputs have the shape (batch, depth, height, width, channels); outputs have `filters` channels.

    Args:
        filters: Number of output channels.
        kernel_size: Sizes of the window; one integer for all three.
        strides: Steps between windows along the three axes.
        padding: `"valid"` for none, `"same"` to keep the sizes if `strides` is 1.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis.
        dilation_rate: Distance between the elements of a window, along each axis.
        groups: Number of groups of channels that are convolved independently.
        activation: Activation function, or its name.
        use_bias: Whether to add a bias per filter.
        kernel_initializer: Initializer of the kernel.
        bias_initializer: Initializer of the bias.
        kernel_regularizer: Penalty on the kernel.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        kernel_constraint: Projection of the kernel after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.

    >>> tf.keras.layers.Conv3D(2, 3)(tf.ones((1, 8, 8, 8, 1))).shape
    TensorShape([1, 6, 6, 6, 2])

    Raises:
        ValueError: `filters` or the channels are no multiple of `groups`, or no window fits.
    """

    _axes = 3

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = (1, 1, 1),
        groups: int = 1,
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
