"""`Dense`: every output depends on every input."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.keras import activations, constraints, initializers, regularizers
from tapeflow.keras.layers.arguments import as_numbers_of, positive
from tapeflow.keras.layers.input_spec import InputSpec
from tapeflow.keras.layers.layer import Layer


class Dense(Layer):
    """`activation(inputs @ kernel + bias)`, along the last axis."""

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
        refuse_adapters(lora_rank, lora_alpha, quantization_config)
        self.units = positive("units", units)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.bias: Any = None
        self.input_spec = InputSpec(min_ndim=2)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        last = input_shape[-1]
        if last is None:
            raise ValueError(
                f"The last dimension of the inputs to a Dense layer should be defined. Found "
                f"None. Full input shape received: {tuple(input_shape)}"
            )
        self._kernel = self.add_weight(
            name="kernel",
            shape=(last, self.units),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias",
                shape=(self.units,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})

    @property
    def kernel(self) -> Any:
        """The matrix of weights, which there is when the layer is built."""
        if not self.built and "_kernel" not in self.__dict__:
            raise AttributeError("You must build the layer before accessing `kernel`.")
        return self._kernel

    def call(self, inputs: Any, training: Any = None) -> Any:
        kernel = self._kernel.value()
        inputs = as_numbers_of(inputs, kernel)
        if inputs.ndim == 2:
            x = tf.matmul(inputs, kernel)
        else:
            x = tf.tensordot(inputs, kernel, 1)
        if self.bias is not None:
            x = x + self.bias.value()
        return x if self.activation is None else self.activation(x)

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        return (*input_shape[:-1], self.units)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "units": self.units,
            "activation": activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": initializers.serialize(self.kernel_initializer),
            "bias_initializer": initializers.serialize(self.bias_initializer),
            "kernel_regularizer": regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": regularizers.serialize(self.bias_regularizer),
            "kernel_constraint": constraints.serialize(self.kernel_constraint),
            "bias_constraint": constraints.serialize(self.bias_constraint),
            "quantization_config": None,
        }


def refuse_adapters(lora_rank: Any, lora_alpha: Any, quantization_config: Any) -> None:
    """Raise for arguments that nothing here can act on."""
    if lora_rank is not None or lora_alpha is not None:
        raise NotImplementedError(
            f"Low-rank adapters are not supported. Received: lora_rank={lora_rank}, "
            f"lora_alpha={lora_alpha}"
        )
    if quantization_config is not None:
        raise NotImplementedError(
            f"Quantization is not supported. Received: quantization_config={quantization_config}"
        )
