"""`RandomFourierFeatures`: features in which a linear model is a model with a kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow._src.keras.layers.layer import Layer
from tapeflow.keras import initializers

_KERNELS = ("gaussian", "laplacian")


class RandomFourierFeatures(Layer):
    """Cosines of random projections, which approximate a kernel by products of features.

    Args:
        output_dim: How many features there are.
        kernel_initializer: "gaussian", "laplacian", or an initializer for the projections.
        scale: The width of the kernel; by default the square root of half the number of inputs
            for a gaussian kernel, and 1 for others.
        trainable: Whether the width is trained.

    Raises:
        ValueError: The kernel is unknown, or a number is not positive.
    """

    def __init__(
        self,
        output_dim: int,
        kernel_initializer: Any = "gaussian",
        scale: float | None = None,
        trainable: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, **kwargs)
        named = isinstance(kernel_initializer, str)
        if named and kernel_initializer.lower() not in _KERNELS:
            raise ValueError(
                f"`kernel_initializer` must be one of {', '.join(_KERNELS)}, or an initializer. "
                f"Received: {kernel_initializer!r}"
            )
        for label, value in (("output_dim", output_dim), ("scale", scale)):
            if value is not None and value <= 0:
                raise ValueError(f"`{label}` must be positive. Received: {value}")
        self.output_dim = output_dim
        self.kernel_initializer = kernel_initializer
        self.scale = scale

    def build(self, input_shape: Any) -> None:
        """Draw the projections, which stay as they are."""
        if len(input_shape) != 2 or input_shape[-1] is None:
            raise ValueError(
                f"RandomFourierFeatures expects inputs of shape (batch, features) with a known "
                f"number of features. Received: {tuple(input_shape)}"
            )
        features = input_shape[-1]
        self.unscaled_kernel = self.add_weight(
            shape=(features, self.output_dim),
            initializer=self._initializer(features),
            trainable=False,
            name="unscaled_kernel",
        )
        self.bias = self.add_weight(
            shape=(self.output_dim,),
            initializer=initializers.RandomUniform(0.0, 2 * math.pi),
            trainable=False,
            name="bias",
        )
        gaussian = self.kernel_initializer == "gaussian"
        width = self.scale or (math.sqrt(features / 2.0) if gaussian else 1.0)
        self.kernel_scale = self.add_weight(
            shape=(1,),
            initializer=initializers.Constant(width),
            trainable=True,
            constraint="non_neg",
            name="kernel_scale",
        )
        self.input_spec = InputSpec(ndim=2, axes={1: features})
        super().build(input_shape)

    def _initializer(self, features: int) -> Any:
        kind = self.kernel_initializer
        if not isinstance(kind, str):
            return kind
        if kind.lower() == "gaussian":
            return initializers.RandomNormal(stddev=1.0)
        drawn = np.random.standard_cauchy((features, self.output_dim))
        return initializers.Constant(drawn.astype("float32"))

    def call(self, inputs: Any) -> Any:
        """The features of each row."""
        inputs = tf.cast(inputs, self.compute_dtype)
        kernel = (1.0 / self.kernel_scale) * self.unscaled_kernel
        return tf.cos(tf.matmul(inputs, kernel) + self.bias)

    def compute_output_shape(self, input_shape: Any) -> tuple[Any, ...]:
        """Rows of features."""
        return (input_shape[0], self.output_dim)

    def get_config(self) -> dict[str, Any]:
        kernel = self.kernel_initializer
        if not isinstance(kernel, str):
            kernel = initializers.serialize(initializers.get(kernel))
        return {
            **super().get_config(),
            "output_dim": self.output_dim,
            "kernel_initializer": kernel,
            "scale": self.scale,
        }
