"""Convolutions whose weights are not shared: each position has a kernel of its own (Keras 2)."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import ShapeLike
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.layers.arguments import (
    as_numbers_of,
    positive,
    standardize_padding,
    standardize_tuple,
)
from tapeflow._src.keras.layers.convolutional.base import passed_on
from tapeflow._src.keras.layers.convolutional.sizes import spatial_of, window_output, with_spatial
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.weight_arguments import (
    add_weight_for,
    serialized,
    set_weight_arguments,
)
from tapeflow.keras import activations

_PATCHES, _DENSE, _SPARSE = 1, 2, 3


class _LocallyConnected(Layer):
    """Base class of locally connected layers.

    `implementation` decides on the form of the kernel: 1 has the weights of each position (and
    allows `valid` padding only), 2 a matrix of all inputs and outputs that is masked, 3 a list of
    the entries of that matrix that are in use.
    """

    _axes: int

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any,
        padding: str,
        data_format: str | None,
        activation: Any,
        use_bias: bool,
        kernel_initializer: Any,
        bias_initializer: Any,
        kernel_regularizer: Any,
        bias_regularizer: Any,
        activity_regularizer: Any,
        kernel_constraint: Any,
        bias_constraint: Any,
        implementation: int,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.filters = positive("filters", filters)
        self.kernel_size = standardize_tuple(kernel_size, self._axes, "kernel_size")
        self.strides = standardize_tuple(strides, self._axes, "strides")
        self.padding = standardize_padding(padding)
        if implementation not in (_PATCHES, _DENSE, _SPARSE):
            raise ValueError(
                f"{type(self).__name__}: `implementation` must be 1, 2 or 3. Received: "
                f"implementation={implementation!r}"
            )
        if self.padding != "valid" and implementation == _PATCHES:
            raise ValueError(
                f"{type(self).__name__}: padding='{padding}' needs `implementation` 2 or 3. "
                f"Received: implementation=1"
            )
        self.implementation = implementation
        self.data_format = standardize_data_format(data_format)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        set_weight_arguments(
            self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint
        )
        set_weight_arguments(self, "bias", bias_initializer, bias_regularizer, bias_constraint)
        self.bias: Any = None
        self.input_spec = InputSpec(ndim=self._axes + 2)

    def _output_sizes(self, input_shape: ShapeLike) -> list[Any]:
        spatial = spatial_of(input_shape, self.data_format)
        return [
            window_output(size, window, stride, self.padding)
            for size, window, stride in zip(spatial, self.kernel_size, self.strides)
        ]

    def build(self, input_shape: Any) -> None:
        last = self.data_format == "channels_last"
        channels = input_shape[-1 if last else 1]
        spatial: Any = spatial_of(input_shape, self.data_format)
        if None in (channels, *spatial):
            raise ValueError(
                f"{type(self).__name__} '{self.name}' needs known sizes of all axes but the batch. "
                f"Received the input shape {tuple(input_shape)}."
            )
        sizes = self._output_sizes(input_shape)
        if min(sizes) <= 0:
            raise ValueError(
                f"{type(self).__name__} '{self.name}': no window of size {self.kernel_size} fits "
                f"into inputs of shape {tuple(input_shape)}."
            )
        self._sizes, self._channels = tuple(sizes), channels
        self._spatial: tuple[int, ...] = tuple(spatial)
        self._windows = _windows(spatial, self.kernel_size, self.strides, self.padding)
        count, filters = math.prod(sizes), self.filters
        self.kernel_shape: tuple[int, ...]
        shape: tuple[int, ...]
        if self.implementation == _PATCHES:
            self.kernel_shape = (count, math.prod(self.kernel_size) * channels, filters)
            shape = self.kernel_shape
        elif self.implementation == _DENSE:
            inputs = (*spatial, channels) if last else (channels, *spatial)
            outputs = (*sizes, filters) if last else (filters, *sizes)
            shape = self.kernel_shape = (*inputs, *outputs)
        else:
            self.kernel_shape = (count * filters, math.prod(spatial) * channels)
            self._entries = self._used_entries()
            shape = (len(self._entries),)
        self.kernel = add_weight_for(self, "kernel", shape)
        if self.use_bias:
            self.bias = add_weight_for(self, "bias", (*sizes, filters))
        self.input_spec = InputSpec(ndim=self._axes + 2, axes={-1 if last else 1: channels})

    def _used_entries(self) -> np.ndarray:
        """Pairs of the flat indices of an output and of an input that it depends on, sorted."""
        last = self.data_format == "channels_last"
        filters, channels = self.filters, self._channels
        positions, count = math.prod(self._spatial), len(self._windows)
        pairs = [
            (to * filters + f, at * channels + c) if last else (f * count + to, c * positions + at)
            for to, window in enumerate(self._windows)
            for at in window
            for f in range(filters)
            for c in range(channels)
        ]
        return np.array(sorted(pairs))

    def _matrix(self) -> Any:
        """The weights as a matrix, inputs times outputs."""
        kernel = self.kernel.value()
        if self.implementation == _SPARSE:
            return tf.transpose(tf.scatter_nd(self._entries, kernel, self.kernel_shape))
        mask = np.zeros((math.prod(self._spatial), len(self._windows)))
        for to, window in enumerate(self._windows):
            mask[window, to] = 1
        last = self.data_format == "channels_last"
        expanded = mask[:, None, :, None] if last else mask[None, :, None, :]
        parts = (mask.shape[0], self._channels), (mask.shape[1], self.filters)
        shape = [size for part in parts for size in (part if last else reversed(part))]
        masked = tf.reshape(kernel, shape) * tf.constant(expanded, kernel.dtype)
        return tf.reshape(masked, (shape[0] * shape[1], shape[2] * shape[3]))

    def call(self, inputs: Any) -> Any:
        inputs = as_numbers_of(inputs, self.kernel)
        last = self.data_format == "channels_last"
        batch = tf.shape(inputs)[:1]
        sizes, filters = self._sizes, self.filters
        ends = [*sizes, filters] if last else [filters, *sizes]
        if self.implementation == _PATCHES:
            outputs = self._of_patches(inputs, last)
        else:
            values = math.prod(self._spatial) * self._channels
            outputs = tf.matmul(tf.reshape(inputs, (-1, values)), self._matrix())
        outputs = tf.reshape(outputs, tf.concat([batch, ends], 0))
        outputs = tf.ensure_shape(outputs, [inputs.shape[0], *ends])
        if self.bias is not None:
            bias = self.bias.value()
            outputs = outputs + (bias if last else tf.reshape(bias, (filters, *sizes)))
        return self.activation(outputs)

    def _of_patches(self, inputs: Any, last: bool) -> Any:
        positions = math.prod(self._spatial)
        kernel = self.kernel.value()
        if last:
            flat = tf.reshape(inputs, (-1, positions, self._channels))
            patches = tf.gather(flat, self._windows, axis=1)
        else:
            flat = tf.reshape(inputs, (-1, self._channels, positions))
            patches = tf.transpose(tf.gather(flat, self._windows, axis=2), (0, 2, 1, 3))
        patches = tf.reshape(patches, (-1, *self.kernel_shape[:2]))
        return tf.einsum("bpk,pkf->bpf" if last else "bpk,pkf->bfp", patches, kernel)

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        sizes = self._output_sizes(input_shape)
        return with_spatial(input_shape, sizes, self.filters, self.data_format)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "filters": self.filters,
            "kernel_size": self.kernel_size,
            "strides": self.strides,
            "padding": self.padding,
            "data_format": self.data_format,
            **serialized(self, "activation"),
            "use_bias": self.use_bias,
            **serialized(self, "kernel_initializer", "bias_initializer"),
            **serialized(self, "kernel_regularizer", "bias_regularizer", "activity_regularizer"),
            **serialized(self, "kernel_constraint", "bias_constraint"),
            "implementation": self.implementation,
        }


def _windows(
    spatial: Any, kernel_size: tuple[int, ...], strides: tuple[int, ...], padding: str
) -> list[list[int]]:
    """The flat indices of the inputs in each window; `same` windows are cut at the borders."""
    along = []
    for size, window, stride in zip(spatial, kernel_size, strides):
        count = window_output(size, window, stride, padding) or 0
        # Unlike in convolutions, `same` windows are centred on multiples of the stride.
        before = window // 2 if padding == "same" else 0
        starts = [number * stride - before for number in range(count)]
        along.append([range(max(s, 0), min(s + window, size)) for s in starts])
    return [
        [int(np.ravel_multi_index(index, tuple(spatial))) for index in itertools.product(*part)]
        for part in itertools.product(*along)
    ]


class LocallyConnected1D(_LocallyConnected):
    """Convolution over sequences with unshared weights: each position has a kernel of its own.

    A layer of Keras 2. All sizes but the batch must be static.

    Args:
        filters: Number of output channels.
        kernel_size: Length of the window.
        strides: Step between windows.
        padding: `"valid"`, or `"same"`, which needs `implementation` 2 or 3.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.
        activation: Activation function, or its name; None for a linear layer.
        use_bias: Whether to add a bias per position and filter.
        kernel_initializer: Initializer of the kernel.
        bias_initializer: Initializer of the bias.
        kernel_regularizer: Penalty on the kernel, added to the losses.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        kernel_constraint: Projection of the kernel after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.
        implementation: Form of the kernel: 1 has the weights of each position, 2 a masked matrix of
            all inputs and outputs, 3 a list of the entries of that matrix in use.

    Raises:
        ValueError: `implementation` is unknown or does not allow the padding, or a size is not
            static.

    Example:
        >>> layer = tf.keras.layers.LocallyConnected1D(4, 3)
        >>> layer(tf.ones((2, 8, 5))).shape
        TensorShape([2, 6, 4])
        >>> layer.kernel.shape
        TensorShape([6, 15, 4])
    """

    _axes = 1

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class LocallyConnected2D(_LocallyConnected):
    """Convolution over images with unshared weights: each position has a kernel of its own.

    A layer of Keras 2. All sizes but the batch must be static.

    Args:
        filters: Number of output channels.
        kernel_size: Height and width of the window; one integer for both.
        strides: Steps between windows along height and width.
        padding: `"valid"`, or `"same"`, which needs `implementation` 2 or 3.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the second axis; None
            for `keras.config.image_data_format()`.
        activation: Activation function, or its name; None for a linear layer.
        use_bias: Whether to add a bias per position and filter.
        kernel_initializer: Initializer of the kernel.
        bias_initializer: Initializer of the bias.
        kernel_regularizer: Penalty on the kernel, added to the losses.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        kernel_constraint: Projection of the kernel after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.
        implementation: Form of the kernel: 1 has the weights of each position, 2 a masked matrix of
            all inputs and outputs, 3 a list of the entries of that matrix in use.

    Raises:
        ValueError: `implementation` is unknown or does not allow the padding, or a size is not
            static.

    Example:
        >>> tf.keras.layers.LocallyConnected2D(4, 3)(tf.ones((1, 6, 6, 2))).shape
        TensorShape([1, 4, 4, 4])
    """

    _axes = 2

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))
