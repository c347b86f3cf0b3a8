"""`Dense`: the fully connected layer."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.arguments import as_numbers_of, positive
from tapeflow._src.keras.layers.core.quantized_kernel import QuantizedKernel
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.weight_arguments import (
    add_weight_for,
    serialized,
    set_weight_arguments,
)
from tapeflow._src.keras.ops.sparse import sum_of_rows
from tapeflow._src.keras.quantizers.lookup import deserialize as read_quantizer
from tapeflow._src.keras.saving.serialization import serialize_keras_object
from tapeflow.keras import activations


class Dense(QuantizedKernel):
    """Densely connected layer: `activation(inputs @ kernel + bias)`.

    The product is taken along the last axis: inputs of shape (..., features) become
    (..., units).

    Args:
        units: Number of output features.
        activation: Activation function, or its name; None for a linear layer.
        use_bias: Whether to add a trainable bias.
        kernel_initializer: Initializer of the kernel, of shape (features, units).
        bias_initializer: Initializer of the bias.
        kernel_regularizer: Penalty on the kernel, added to the losses.
        bias_regularizer: Penalty on the bias.
        activity_regularizer: Penalty on the outputs.
        kernel_constraint: Projection of the kernel after each optimizer step.
        bias_constraint: Projection of the bias after each optimizer step.
        lora_rank: Rank of a low-rank adapter (LoRA); the kernel itself is then frozen.
        lora_alpha: Scale of the adapter, applied as `lora_alpha / lora_rank`.
        quantization_config: Mode and quantizers for a quantized layer.

    >>> layer = tf.keras.layers.Dense(3, activation="relu")
    >>> layer(tf.ones((2, 4))).shape
    TensorShape([2, 3])
    >>> [weight.shape for weight in layer.weights]
    [TensorShape([4, 3]), TensorShape([3])]

    Raises:
        ValueError: `units` is not a positive integer, or the last axis of the inputs has no static
            size.
    """

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        lora_rank: int | None = None,
        lora_alpha: float | None = None,
        quantization_config: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self._set_lora(lora_rank, lora_alpha)
        self.quantization_config = quantization_config
        self.units = positive("units", units)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        set_weight_arguments(
            self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint
        )
        set_weight_arguments(self, "bias", bias_initializer, bias_regularizer, bias_constraint)
        self.bias: Any = None
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        last = input_shape[-1]
        if last is None:
            raise ValueError(
                f"Dense layer '{self.name}' needs a known last dimension to create its kernel. "
                f"Received the input shape {tuple(input_shape)}: set it with "
                f"`keras.Input(shape=...)`, or reshape the inputs."
            )
        mode = self.quantization_mode
        if mode is not None:
            self.quantized_build((last, self.units), mode, self.quantization_config)
        if mode in (None, "float8"):
            self._kernel = add_weight_for(self, "kernel", (last, self.units))
        if self.use_bias:
            self.bias = add_weight_for(self, "bias", (self.units,))
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})
        self.built = True
        if self.lora_rank:
            self.enable_lora(self.lora_rank, self.lora_alpha)

    def _contract(self, inputs: Any, kernel: TensorLike) -> Any:
        inputs = as_numbers_of(inputs, kernel)
        return tf.matmul(inputs, kernel) if inputs.ndim == 2 else tf.tensordot(inputs, kernel, 1)

    def call(self, inputs: Any, training: Any = None) -> Any:
        kernel = self._kernel.value()
        if self.lora_enabled:
            kernel = self._with_lora(kernel)
        inputs = as_numbers_of(inputs, kernel)
        if type(inputs) is tf.RaggedTensor:
            return self._call_ragged(inputs)
        if type(inputs) is tf.SparseTensor:
            x = _sparse_matmul(inputs, kernel)
        elif inputs.ndim == 2:
            x = tf.matmul(inputs, kernel)
        else:
            x = tf.tensordot(inputs, kernel, 1)
        if self.bias is not None:
            x = x + self.bias.value()
        return x if self.activation is None else self.activation(x)

    def _call_ragged(self, inputs: Any) -> Any:
        """Rows of one length are multiplied as they lie in memory."""
        if inputs.flat_values.shape.rank < 2:
            raise tf.errors.InvalidArgumentError(
                None,
                None,
                f"Dense layer '{self.name}' expected rows of {self._kernel.shape[0]} numbers, but "
                f"received a ragged tensor with rows of several lengths. `inputs.to_tensor(shape="
                f"[None, {self._kernel.shape[0]}])` pads them.",
            )
        return inputs.with_flat_values(self.call(inputs.flat_values))

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        return (*input_shape[:-1], self.units)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "units": self.units,
            **serialized(self, "activation"),
            "use_bias": self.use_bias,
            **serialized(self, "kernel_initializer", "bias_initializer"),
            **serialized(self, "kernel_regularizer", "bias_regularizer"),
            **serialized(self, "kernel_constraint", "bias_constraint"),
            "quantization_config": serialize_keras_object(self.quantization_config),
            **self._lora_config(),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        return super().from_config(with_quantization_config(config))


def _sparse_matmul(inputs: Any, kernel: Any) -> Any:
    """Multiply a sparse tensor by the kernel along its last axis."""
    if inputs.shape.rank == 2:
        return sum_of_rows(inputs, kernel)
    rows = tf.sparse.reshape(inputs, (-1, kernel.shape[0]))
    shape = tf.concat([tf.shape(inputs)[:-1], [kernel.shape[1]]], axis=0)
    return tf.reshape(sum_of_rows(rows, kernel), shape)


Dense._tpf_quantizable = Dense


def with_quantization_config(config: dict[str, Any]) -> dict[str, Any]:
    """Return the config with its quantization config deserialized."""
    if isinstance(config.get("quantization_config"), dict):
        return {**config, "quantization_config": read_quantizer(config["quantization_config"])}
    return config
