"""`SpectralNormalization`: a layer whose kernel is divided by its largest singular value."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.core.wrapper import Wrapper
from tapeflow._src.keras.layers.input_spec import InputSpec
from tapeflow.keras import initializers


class SpectralNormalization(Wrapper):
    """Limits the Lipschitz constant of a layer, as in Miyato et al. (2018).

    Each call with `training=True` estimates the largest singular value of the layer's `kernel` (or
    `embeddings`) by power iteration, and divides the weights by it.

    Args:
        layer: A layer with a `kernel` or `embeddings`.
        power_iterations: The number of iterations of each call.

    Example:

    >>> layer = tf.keras.layers.SpectralNormalization(tf.keras.layers.Dense(3))
    >>> layer(tf.ones((2, 4)), training=True).shape
    TensorShape([2, 3])
    """

    def __init__(self, layer: Any, power_iterations: int = 1, **kwargs: Any) -> None:
        super().__init__(layer, **kwargs)
        if power_iterations <= 0:
            raise ValueError(
                f"SpectralNormalization needs at least one iteration. Received: "
                f"power_iterations={power_iterations}"
            )
        self.power_iterations = power_iterations

    def build(self, input_shape: Any = None) -> None:
        super().build(input_shape)
        self.input_spec = InputSpec(min_ndim=1, axes={-1: input_shape[-1]})
        name = next((n for n in ("kernel", "embeddings") if hasattr(self.layer, n)), None)
        if name is None:
            raise ValueError(
                f"SpectralNormalization needs a layer with a `kernel` or `embeddings`. Received: "
                f"{self.layer!r}"
            )
        self.kernel = getattr(self.layer, name)
        self.kernel_shape = self.kernel.shape
        self.vector_u = self.add_weight(
            name="vector_u",
            shape=(1, self.kernel_shape[-1]),
            initializer=initializers.TruncatedNormal(stddev=0.02),
            trainable=False,
            dtype=self.kernel.dtype,
        )

    def call(self, inputs: Any, training: Any = False) -> Any:
        if training:
            u, kernel = self.normalized_weights()
            self.vector_u.assign(u)
            self.kernel.assign(kernel)
        outputs = self.layer(inputs)
        return outputs if outputs.dtype is inputs.dtype else tf.cast(outputs, inputs.dtype)

    def normalize_weights(self) -> tuple[Any, Any]:
        """Return the normalized kernel and the new `vector_u`, in the order of Keras 2.

        Returns:
            Two tensors, in the shapes of `kernel` and of `vector_u`.
        """
        u, kernel = self.normalized_weights()
        return kernel, u

    def normalized_weights(self) -> tuple[Any, Any]:
        """Return the new `vector_u` and the normalized kernel; both as they are if it is zero.

        Returns:
            Two tensors, in the shapes of `vector_u` and of `kernel`.
        """
        kernel, old = self.kernel.value(), self.vector_u.value()
        weights = tf.reshape(kernel, (-1, self.kernel_shape[-1]))
        u = old
        for _ in range(self.power_iterations):
            v = _unit(tf.matmul(u, weights, transpose_b=True))
            u = _unit(tf.matmul(v, weights))
        u, v = tf.stop_gradient(u), tf.stop_gradient(v)
        sigma = tf.matmul(tf.matmul(v, weights), u, transpose_b=True)[0, 0]
        zero = tf.reduce_all(tf.equal(kernel, 0))
        divisor = tf.where(zero, tf.ones_like(sigma), sigma)
        return tf.where(zero, old, u), kernel / divisor

    def compute_output_shape(self, input_shape: Any) -> Any:
        return self.layer.compute_output_shape(input_shape)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "power_iterations": self.power_iterations}


def _unit(x: TensorLike) -> Any:
    return x * tf.math.rsqrt(tf.maximum(tf.reduce_sum(tf.square(x)), 1e-12))
