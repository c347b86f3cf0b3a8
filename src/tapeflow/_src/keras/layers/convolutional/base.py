"""Base class of convolution layers: arguments, bias and output shapes."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import ShapeLike, TensorLike
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.layers.arguments import standardize_padding, standardize_tuple
from tapeflow._src.keras.layers.convolutional.sizes import (
    Dims,
    spatial_of,
    window_output,
    with_spatial,
)
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.weight_arguments import (
    add_weight_for,
    serialized,
    set_weight_arguments,
)
from tapeflow._src.keras.ops.layouts import channels_first as channels_first
from tapeflow._src.keras.ops.layouts import channels_last as channels_last
from tapeflow.keras import activations


class Convolution(Layer):
    """A layer that slides windows over the axes between the batch and the channels."""

    _axes: int

    def __init__(
        self,
        kernel_size: Any,
        strides: Any,
        padding: str,
        data_format: str | None,
        dilation_rate: Any,
        activation: Any,
        use_bias: bool,
        bias_initializer: Any,
        bias_regularizer: Any,
        bias_constraint: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        rank = self._axes
        self.rank = rank
        self.kernel_size = standardize_tuple(kernel_size, rank, "kernel_size")
        self.strides = standardize_tuple(strides, rank, "strides")
        self.dilation_rate = standardize_tuple(dilation_rate, rank, "dilation_rate")
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                f"{type(self).__name__} cannot have both `strides` and `dilation_rate` above 1: "
                f"set one of them to 1. Received: strides={self.strides}, "
                f"dilation_rate={self.dilation_rate}"
            )
        self.padding = standardize_padding(padding, allow_causal=rank == 1)
        self.data_format = standardize_data_format(data_format)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        set_weight_arguments(self, "bias", bias_initializer, bias_regularizer, bias_constraint)
        self.bias: Any = None
        self.input_spec = InputSpec(min_ndim=rank + 2)

    def _channels(self, input_shape: Any) -> int:
        """How many channels inputs have, which must be known."""
        axis = -1 if self.data_format == "channels_last" else 1
        channels = input_shape[axis]
        if channels is None:
            raise ValueError(
                f"{type(self).__name__} '{self.name}' needs a known number of input channels to "
                f"create its kernel: axis {axis} is None in the input shape {tuple(input_shape)} "
                f"(data_format='{self.data_format}'). Set it with `keras.Input(shape=...)`."
            )
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={axis: channels})
        return channels

    def _add_bias(self, size: int) -> None:
        if self.use_bias:
            self.bias = add_weight_for(self, "bias", (size,))

    def _finished(self, outputs: Any) -> Any:
        """Outputs (channels last) with bias and activation, in the layer's data format."""
        if self.bias is not None:
            outputs = outputs + self.bias.value()
        if self.data_format == "channels_first":
            outputs = channels_first(outputs)
        return outputs if self.activation is None else self.activation(outputs)

    def convolution_op(self, inputs: Any, kernel: TensorLike) -> Any:
        """Convolve inputs with a kernel, with the strides, padding and dilation of the layer.

        This is the plain convolution for layers of any kind, as in Keras 2.
        """
        first = self.data_format == "channels_first"
        x, padding = channels_last(inputs) if first else inputs, self.padding.upper()
        if padding == "CAUSAL":
            before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            x, padding = tf.pad(x, [[0, 0], [before, 0], [0, 0]]), "VALID"
        strides, dilations = list(self.strides), list(self.dilation_rate)
        outputs = tf.nn.convolution(x, kernel, strides, padding, dilations=dilations)
        return channels_first(outputs) if first else outputs

    def _output_shape(self, input_shape: ShapeLike, channels: int) -> Dims:
        spatial = self._spatial_output(spatial_of(input_shape, self.data_format))
        return with_spatial(input_shape, spatial, channels, self.data_format)

    def _spatial_output(self, spatial: Any) -> list[int | None]:
        """Return the sizes of the output along the axes of the window.

        Raises:
            ValueError: The window does not fit into the input.
        """
        sizes = zip(spatial, self.kernel_size, self.strides, self.dilation_rate)
        output = [window_output(n, k, s, self.padding, d) for n, k, s, d in sizes]
        if any(size is not None and size <= 0 for size in output):
            raise ValueError(
                f"{type(self).__name__} '{self.name}': the output size would be negative, as the "
                f"window is larger than the input. Received an input whose spatial shape is "
                f"{tuple(spatial)} with kernel_size={self.kernel_size}, "
                f"dilation_rate={self.dilation_rate}, padding='{self.padding}'; padding='same' "
                f"accepts inputs of any size."
            )
        return output

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "kernel_size": self.kernel_size,
            "strides": self.strides,
            "padding": self.padding,
            "data_format": self.data_format,
            "dilation_rate": self.dilation_rate,
            **serialized(self, "activation"),
            "use_bias": self.use_bias,
            **serialized(self, "bias_initializer", "bias_regularizer"),
            **serialized(self, "activity_regularizer", "bias_constraint"),
        }


def passed_on(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the constructor's arguments from its `locals()`, to pass to the base class."""
    kwargs = arguments.pop("kwargs")
    return {
        name: arguments[name] for name in arguments if name not in ("self", "__class__")
    } | kwargs
