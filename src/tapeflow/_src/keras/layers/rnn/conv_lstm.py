"""Convolutional LSTM layers (Shi et al., 2015)."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import ShapeLike, TensorLike
from tapeflow._src.keras.config import standardize_data_format
from tapeflow._src.keras.layers.arguments import positive, standardize_padding, standardize_tuple
from tapeflow._src.keras.layers.convolutional.base import channels_first, channels_last, passed_on
from tapeflow._src.keras.layers.convolutional.sizes import spatial_of, window_output, with_spatial
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.rnn.cell import WEIGHTS
from tapeflow._src.keras.layers.rnn.cell_layer import CellLayer, OfCell
from tapeflow._src.keras.layers.rnn.dropout_rnn_cell import DropoutRNNCell
from tapeflow._src.keras.layers.rnn.lstm import remembering
from tapeflow._src.keras.layers.weight_arguments import (
    add_weight_for,
    serialized,
    set_weight_arguments,
    weight_config,
)
from tapeflow._src.keras.random.seed_generator import SeedGenerator
from tapeflow.keras import activations

_CONVOLUTIONS = {1: tf.nn.conv1d, 2: tf.nn.conv2d, 3: tf.nn.conv3d}


class ConvLSTMCell(Layer, DropoutRNNCell):
    """One step; the states are the output and the cell state, each with the axes of an image."""

    bias_initializer: Any
    bias_regularizer: Any
    bias_constraint: Any
    dropout_mask_count = 4

    def __init__(
        self,
        rank: int,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.rank = rank
        self.filters = positive("filters", filters)
        self.kernel_size = standardize_tuple(kernel_size, rank, "kernel_size")
        self.strides = standardize_tuple(strides, rank, "strides")
        self.padding = standardize_padding(padding)
        self.data_format = standardize_data_format(data_format)
        self.dilation_rate = standardize_tuple(dilation_rate, rank, "dilation_rate")
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                f"{type(self).__name__} cannot have both `strides` and `dilation_rate` above 1. "
                f"Received: strides={self.strides}, dilation_rate={self.dilation_rate}"
            )
        self.activation = activations.get(activation)
        self.recurrent_activation = activations.get(recurrent_activation)
        self.use_bias = use_bias
        self.unit_forget_bias = unit_forget_bias
        initial = (kernel_initializer, recurrent_initializer, bias_initializer)
        penalties = (kernel_regularizer, recurrent_regularizer, bias_regularizer)
        limits = (kernel_constraint, recurrent_constraint, bias_constraint)
        for arguments in zip(WEIGHTS, initial, penalties, limits):
            set_weight_arguments(self, *arguments)
        self.dropout = min(1.0, max(0.0, dropout))
        self.recurrent_dropout = min(1.0, max(0.0, recurrent_dropout))
        self.seed = seed
        self.seed_generator = SeedGenerator(seed)
        self.input_spec = InputSpec(ndim=rank + 2)
        self.bias: Any = None
        # Known once the shape of the inputs is.
        self.state_size: Any = -1
        self.output_size: Any = None

    def build(self, inputs_shape: Any, states_shape: Any = None) -> None:
        axis = -1 if self.data_format == "channels_last" else 1
        channels = inputs_shape[axis]
        if channels is None:
            raise ValueError(
                f"{type(self).__name__} needs a known number of channels to create its kernel. "
                f"Received the input shape {tuple(inputs_shape)}."
            )
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: channels})
        self.kernel = add_weight_for(self, "kernel", (*self.kernel_size, channels, self._wide))
        self.recurrent_kernel = add_weight_for(
            self,
            "recurrent",
            (*self.kernel_size, self.filters, self._wide),
            name="recurrent_kernel",
        )
        if self.use_bias:
            first = remembering(self, self.filters) if self.unit_forget_bias else None
            self.bias = add_weight_for(self, "bias", (self._wide,), initializer=first)
        state = tf.TensorShape(self.step_shape(inputs_shape)[1:])
        self.state_size, self.output_size = [state, state], state

    @property
    def _wide(self) -> int:
        return 4 * self.filters

    def step_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of a state and of an output, for the inputs of a step."""
        sizes = zip(
            spatial_of(input_shape, self.data_format),
            self.kernel_size,
            self.strides,
            self.dilation_rate,
        )
        spatial = [window_output(n, k, s, self.padding, d) for n, k, s, d in sizes]
        return with_spatial(input_shape, spatial, self.filters, self.data_format)

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Zeros for both states."""
        return [tf.zeros((batch_size, *size), self.compute_dtype) for size in self.state_size]

    def _convolved(
        self, x: TensorLike, kernel: TensorLike, padding: str, strides: Any, dilations: Any
    ) -> Any:
        if self.rank == 1:
            return tf.nn.conv1d(x, kernel, strides[0], padding, dilations=dilations[0])
        windows = (1, *strides, 1), (1, *dilations, 1)
        return _CONVOLUTIONS[self.rank](x, kernel, windows[0], padding, dilations=windows[1])

    def _gates(self, x: TensorLike, kernel: TensorLike, patterns: Any, windows: Any) -> Any:
        """The convolutions for the four gates; in training each has its own pattern of dropout."""
        if not patterns:
            return self._convolved(x, kernel, *windows)
        kernels = tf.split(kernel, len(patterns), axis=-1)
        parts = [self._convolved(x * own, k, *windows) for own, k in zip(patterns, kernels)]
        return tf.concat(parts, -1)

    def call(self, inputs: Any, states: Any, training: Any = False) -> Any:
        h, c = states
        of_inputs = self.get_dropout_mask(inputs) if training else None
        of_state = self.get_recurrent_dropout_mask(h) if training else None
        first = self.data_format == "channels_first"
        if first:
            inputs, h, c, of_inputs, of_state = tf.nest.map_structure(
                channels_last, (inputs, h, c, of_inputs or [], of_state or [])
            )
        windows = self.padding.upper(), self.strides, self.dilation_rate
        x = self._gates(inputs, self.kernel.value(), of_inputs, windows)
        ones = (1,) * self.rank
        z = self._gates(h, self.recurrent_kernel.value(), of_state, ("SAME", ones, ones)) + x
        if self.bias is not None:
            z = z + self.bias.value()
        i, f, candidate, o = tf.split(z, 4, axis=-1)
        i, f, o = map(self.recurrent_activation, (i, f, o))
        c = f * c + i * self.activation(candidate)
        h = o * self.activation(c)
        if first:
            h, c = channels_first(h), channels_first(c)
        return h, [h, c]

    def get_config(self) -> dict[str, Any]:
        names = ("filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate")
        weights = {k: v for prefix in WEIGHTS for k, v in weight_config(self, prefix).items()}
        rest = ("use_bias", "unit_forget_bias", "dropout", "recurrent_dropout", "seed")
        return {
            **super().get_config(),
            **{name: getattr(self, name) for name in names},
            **serialized(self, "activation", "recurrent_activation"),
            **weights,
            **{name: getattr(self, name) for name in rest},
        }


class ConvLSTM(CellLayer):
    """A layer around `ConvLSTMCell`, for images of `_rank` axes."""

    _rank: int
    _cell_class = ConvLSTMCell
    filters = OfCell()
    kernel_size = OfCell()
    strides = OfCell()
    padding = OfCell()
    data_format = OfCell()
    dilation_rate = OfCell()
    recurrent_activation = OfCell()
    unit_forget_bias = OfCell()

    def __init__(self, **arguments: Any) -> None:
        super().__init__(rank=self._rank, **arguments)
        self.input_spec = InputSpec(ndim=self._rank + 3)

    def compute_output_shape(self, sequences_shape: Any, initial_state_shape: Any = None) -> Any:
        batch, steps = sequences_shape[:2]
        state = self.cell.step_shape((batch, *sequences_shape[2:]))
        output = (batch, steps, *state[1:]) if self.return_sequences else state
        return (output, state, state) if self.return_state else output

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        super().build(sequences_shape, initial_state_shape)
        self.state_size = self.cell.state_size
        self._tpf_single_state = False

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        masks = tf.nest.flatten(mask)
        mask = masks[0] if masks and self.return_sequences else None
        return [mask, None, None] if self.return_state else mask


class ConvLSTM1D(ConvLSTM):
    """Convolutional LSTM over sequences of 1D signals (Shi et al., 2015).

    Inputs have the shape (batch, steps, length, channels); outputs (batch, new_length, filters),
    with the steps as second axis if `return_sequences` is set.

    Args:
        filters: Number of output channels.
        kernel_size: Sizes of the window; one integer for all axes.
        strides: Steps between windows, for the inputs.
        padding: `"valid"` for none, `"same"` to keep the sizes if `strides` is 1.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the third axis.
        dilation_rate: Distance between the elements of a window, for the inputs.
        activation: Activation of the candidate and of the cell state.
        recurrent_activation: Activation of the input, forget and output gates.
        use_bias: Whether there is a bias.
        kernel_initializer: Initializer of the weights of the inputs.
        recurrent_initializer: Initializer of the weights of the state.
        bias_initializer: Initializer of the bias.
        unit_forget_bias: Whether the bias of the forget gate starts at 1.
        kernel_regularizer: Penalty on the weights of the inputs.
        recurrent_regularizer: Penalty on the weights of the state.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        kernel_constraint: Projection of the weights of the inputs after each optimizer step.
        recurrent_constraint: Projection of the weights of the state after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.
        dropout: Fraction of the inputs to drop in training.
        recurrent_dropout: Fraction of the state to drop in training.
        seed: Seed of dropout.
        return_sequences: Whether to return the outputs of all steps instead of the last.
        return_state: Whether to return the final states, too.
        go_backwards: Whether to process the steps in reverse.
        stateful: Whether each batch continues from the final states of the one before it.

    Call arguments:
        sequences: Tensor with the batch and the steps as its first axes.
        initial_state: List of output and cell state before the first step; zeros if None.
        mask: Boolean tensor of shape (batch, steps).
        training: Whether dropout is active.

    Raises:
        ValueError: Strides and dilation rates are both above 1.

    Example:
        >>> tf.keras.layers.ConvLSTM1D(4, 3, padding="same")(tf.ones((1, 5, 8, 2))).shape
        TensorShape([1, 8, 4])
    """

    _rank = 1

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class ConvLSTM2D(ConvLSTM):
    """Convolutional LSTM over sequences of images, such as videos (Shi et al., 2015).

    Inputs have the shape (batch, steps, height, width, channels); outputs (batch, new_height,
    new_width, filters), with the steps as second axis if `return_sequences` is set.

    Args:
        filters: Number of output channels.
        kernel_size: Sizes of the window; one integer for all axes.
        strides: Steps between windows, for the inputs.
        padding: `"valid"` for none, `"same"` to keep the sizes if `strides` is 1.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the third axis.
        dilation_rate: Distance between the elements of a window, for the inputs.
        activation: Activation of the candidate and of the cell state.
        recurrent_activation: Activation of the input, forget and output gates.
        use_bias: Whether there is a bias.
        kernel_initializer: Initializer of the weights of the inputs.
        recurrent_initializer: Initializer of the weights of the state.
        bias_initializer: Initializer of the bias.
        unit_forget_bias: Whether the bias of the forget gate starts at 1.
        kernel_regularizer: Penalty on the weights of the inputs.
        recurrent_regularizer: Penalty on the weights of the state.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        kernel_constraint: Projection of the weights of the inputs after each optimizer step.
        recurrent_constraint: Projection of the weights of the state after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.
        dropout: Fraction of the inputs to drop in training.
        recurrent_dropout: Fraction of the state to drop in training.
        seed: Seed of dropout.
        return_sequences: Whether to return the outputs of all steps instead of the last.
        return_state: Whether to return the final states, too.
        go_backwards: Whether to process the steps in reverse.
        stateful: Whether each batch continues from the final states of the one before it.

    Call arguments:
        sequences: Tensor with the batch and the steps as its first axes.
        initial_state: List of output and cell state before the first step; zeros if None.
        mask: Boolean tensor of shape (batch, steps).
        training: Whether dropout is active.

    Raises:
        ValueError: Strides and dilation rates are both above 1.

    Example:
        >>> layer = tf.keras.layers.ConvLSTM2D(4, 3, return_sequences=True)
        >>> layer(tf.ones((1, 2, 8, 8, 3))).shape
        TensorShape([1, 2, 6, 6, 4])
    """

    _rank = 2

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))


class ConvLSTM3D(ConvLSTM):
    """Convolutional LSTM over sequences of volumes (Shi et al., 2015).

    Inputs have the shape (batch, steps, depth, height, width, channels); outputs have `filters`
    channels, and the steps as second axis if `return_sequences` is set.

    Args:
        filters: Number of output channels.
        kernel_size: Sizes of the window; one integer for all axes.
        strides: Steps between windows, for the inputs.
        padding: `"valid"` for none, `"same"` to keep the sizes if `strides` is 1.
        data_format: `"channels_last"`, or `"channels_first"` for channels as the third axis.
        dilation_rate: Distance between the elements of a window, for the inputs.
        activation: Activation of the candidate and of the cell state.
        recurrent_activation: Activation of the input, forget and output gates.
        use_bias: Whether there is a bias.
        kernel_initializer: Initializer of the weights of the inputs.
        recurrent_initializer: Initializer of the weights of the state.
        bias_initializer: Initializer of the bias.
        unit_forget_bias: Whether the bias of the forget gate starts at 1.
        kernel_regularizer: Penalty on the weights of the inputs.
        recurrent_regularizer: Penalty on the weights of the state.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        kernel_constraint: Projection of the weights of the inputs after each optimizer step.
        recurrent_constraint: Projection of the weights of the state after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.
        dropout: Fraction of the inputs to drop in training.
        recurrent_dropout: Fraction of the state to drop in training.
        seed: Seed of dropout.
        return_sequences: Whether to return the outputs of all steps instead of the last.
        return_state: Whether to return the final states, too.
        go_backwards: Whether to process the steps in reverse.
        stateful: Whether each batch continues from the final states of the one before it.

    Call arguments:
        sequences: Tensor with the batch and the steps as its first axes.
        initial_state: List of output and cell state before the first step; zeros if None.
        mask: Boolean tensor of shape (batch, steps).
        training: Whether dropout is active.

    Raises:
        ValueError: Strides and dilation rates are both above 1.

    Example:
        >>> tf.keras.layers.ConvLSTM3D(2, 3)(tf.ones((1, 2, 4, 4, 4, 1))).shape
        TensorShape([1, 2, 2, 2, 2])
    """

    _rank = 3

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**passed_on(locals()))
