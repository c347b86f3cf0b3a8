"""Keras 2's ready-made models: `LinearModel` and `WideDeepModel`."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.layers.weight_arguments import (
    add_weight_for,
    serialized,
    set_weight_arguments,
)
from tapeflow._src.keras.models.model import Model
from tapeflow.keras import activations, optimizers


class LinearModel(Model):
    """A weighted sum of features: of one tensor, or of each tensor of a list or dict (Keras 2).

    Args:
        units: Number of outputs.
        activation: Activation function, or its name.
        use_bias: Whether there is a bias.
        kernel_initializer: Initializer of the weights.
        bias_initializer: Initializer of the bias.
        kernel_regularizer: Penalty on the weights.
        bias_regularizer: Penalty on the bias.

    Example:
        >>> model = tf.keras.experimental.LinearModel(units=2)
        >>> model(tf.ones([3, 4])).shape
        TensorShape([3, 2])
    """

    kernel_initializer: Any
    kernel_regularizer: Any

    def __init__(
        self,
        units: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "zeros",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.units = units
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        set_weight_arguments(self, "kernel", kernel_initializer, kernel_regularizer, None)
        set_weight_arguments(self, "bias", bias_initializer, bias_regularizer, None)
        self.dense_layers: Any = None

    def build(self, input_shape: Any) -> None:
        """Make the weights: one matrix for each input, one bias for all."""
        if self.dense_layers is not None:
            return
        if isinstance(input_shape, dict):
            self.dense_layers = {key: self._dense(shape, key) for key, shape in input_shape.items()}
        elif input_shape and isinstance(input_shape[0], (list, tuple)):
            self.dense_layers = [self._dense(shape, None) for shape in input_shape]
        else:
            self.dense_layers = [self._dense(input_shape, None)]
        if self.use_bias:
            self.bias = add_weight_for(self, "bias", (self.units,))
        self.built = True

    def _dense(self, shape: Any, name: str | None) -> Any:
        layer = tf.keras.layers.Dense(
            self.units,
            use_bias=False,
            kernel_initializer=self.kernel_initializer,
            kernel_regularizer=self.kernel_regularizer,
            name=name,
        )
        layer.build(tuple(shape))
        return layer

    def call(self, inputs: Any) -> Any:
        """The sum over all inputs."""
        if isinstance(inputs, dict):
            parts = [self.dense_layers[key](value) for key, value in inputs.items()]
        else:
            values = inputs if isinstance(inputs, (list, tuple)) else [inputs]
            parts = [layer(value) for layer, value in zip(self.dense_layers, values)]
        total = tf.add_n(parts)
        if self.use_bias:
            total = total + self.bias
        return self.activation(total)

    def get_config(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "units": self.units,
            "use_bias": self.use_bias,
            **serialized(
                self,
                "activation",
                "kernel_initializer",
                "bias_initializer",
                "kernel_regularizer",
                "bias_regularizer",
            ),
        }


class WideDeepModel(Model):
    """The sum of a linear and of a deep model, which may be trained by an optimizer each (Keras 2).

    The inputs are those of both models, or a pair of inputs for the linear and the deep one.

    Args:
        linear_model: Linear model, such as `LinearModel`.
        dnn_model: Deep model with outputs of the same shape.
        activation: Activation of the sum.

    Example:
        >>> linear = tf.keras.experimental.LinearModel()
        >>> deep = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        >>> model = tf.keras.experimental.WideDeepModel(linear, deep)
        >>> model([tf.ones((3, 2)), tf.ones((3, 5))]).shape
        TensorShape([3, 1])
    """

    def __init__(
        self, linear_model: Any, dnn_model: Any, activation: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.linear_model = linear_model
        self.dnn_model = dnn_model
        self.activation = activations.get(activation)
        self._part_optimizers: list[Any] = []

    def compile(self, optimizer: Any = "rmsprop", *args: Any, **kwargs: Any) -> None:
        """Configure training, with one optimizer or with one for each of the models.

        Args:
            optimizer: Optimizer, or a pair of them for the linear and for the deep model.
            *args: Further arguments of `Model.compile`.
            **kwargs: Further arguments of `Model.compile`.

        Raises:
            ValueError: There are more than two optimizers.
        """
        is_pair = isinstance(optimizer, (list, tuple))
        self._part_optimizers = [optimizers.get(each) for each in optimizer] if is_pair else []
        if is_pair and len(self._part_optimizers) != 2:
            raise ValueError(
                f"Expected one optimizer, or two: for the linear and for the deep model. "
                f"Received: {len(self._part_optimizers)}"
            )
        super().compile(self._part_optimizers[0] if is_pair else optimizer, *args, **kwargs)

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        """The activation of the sum of both models."""
        is_pair = isinstance(inputs, (tuple, list)) and len(inputs) == 2
        linear_inputs, dnn_inputs = inputs if is_pair else (inputs, inputs)
        linear = self.linear_model(linear_inputs)
        deep = self.dnn_model(dnn_inputs, training=training)
        return self.activation(tf.nest.map_structure(tf.add, linear, deep))

    def train_step(self, data: Any) -> Any:
        """One step: with a pair of optimizers the first is for the linear model."""
        if not self._part_optimizers:
            return super().train_step(data)
        x, y, sample_weight = tf.keras.utils.unpack_x_y_sample_weight(data)
        parts = (self.linear_model, self.dnn_model)
        with tf.GradientTape() as tape:
            predicted = self(x, training=True)
            loss = self.compute_loss(x, y, predicted, sample_weight)
            self._tpf_count_loss(loss, x)
        weights = [part.trainable_variables for part in parts]
        gradients = tape.gradient(loss, weights)
        for optimizer, grads, variables in zip(self._part_optimizers, gradients, weights):
            optimizer.apply_gradients(zip(grads, variables))
        return self.compute_metrics(x, y, predicted, sample_weight)
