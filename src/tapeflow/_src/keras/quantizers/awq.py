"""AWQ (Lin et al., 2023): weights of large inputs are enlarged before they are quantized.

Rounding then changes them less; results are divided by the same factors. The factors are powers
of the largest input of each channel, and the exponent is searched on a grid.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.quantizers import int4
from tapeflow._src.keras.quantizers.affine import (
    compute_quantization_parameters,
    dequantize_with_sz_map,
    quantize_with_sz_map,
)
from tapeflow._src.keras.quantizers.calibrator import Calibrator
from tapeflow._src.keras.quantizers.configs import AWQConfig

_BITS = 4


def _group_of_each(count: int, group_size: int) -> np.ndarray:
    """Return the index of the group of each of `count` inputs."""
    return (np.arange(count) // (count if group_size == -1 else group_size)).astype(np.float32)


def _quantized(weights: Any, group_size: int) -> tuple[Any, Any, Any]:
    """Return the levels of a matrix, their scales and their zero points."""
    scale, zero, maxq = compute_quantization_parameters(
        weights, bits=_BITS, per_channel=True, group_size=group_size
    )
    groups = _group_of_each(weights.shape[1], group_size)
    return quantize_with_sz_map(weights, scale, zero, groups, maxq), scale, zero


def awq_search_optimal_scales(
    weights: Any, activation_magnitudes: Any, *, num_grid_points: int = 20, group_size: int = -1
) -> Any:
    """Return the factors of the inputs with the smallest error of the outputs.

    Args:
        weights: The weights, of shape (outputs, inputs).
        activation_magnitudes: The largest absolute value of each input.
        num_grid_points: The number of steps from the exponent 0 to 1.
        group_size: The number of inputs that share scales and zero points; -1 for all.
    """
    weights = tf.cast(tf.convert_to_tensor(weights), tf.float32)
    largest = np.asarray(activation_magnitudes, np.float32)
    largest = np.where(largest < 1e-8, np.float32(1), largest)
    groups = _group_of_each(weights.shape[1], group_size)
    best, best_loss = np.ones_like(largest), None
    for step in range(num_grid_points + 1):
        factors = np.maximum(np.power(largest, np.float32(step / num_grid_points)), 1e-4)
        factors = factors / np.maximum(np.sqrt(factors.max() * factors.min()), 1e-8)
        levels, scale, zero = _quantized(weights * factors, group_size)
        restored = dequantize_with_sz_map(levels, scale, zero, groups) / factors
        loss = float(tf.reduce_mean(tf.square(weights - restored) * np.square(largest)))
        if best_loss is None or loss < best_loss:
            best, best_loss = factors, loss
    return tf.constant(best)


def awq_quantize_matrix(
    weights_transpose: Any,
    activation_magnitudes: Any,
    *,
    num_grid_points: int = 20,
    group_size: int = -1,
) -> tuple[Any, Any, Any, Any, Any]:
    """Search the factors of a matrix, and quantize it multiplied by them.

    Args:
        weights_transpose: The weights, of shape (outputs, inputs).
        activation_magnitudes: The largest absolute value of each input.
        num_grid_points: The number of steps from the exponent 0 to 1.
        group_size: The number of inputs that share scales and zero points; -1 for all.

    Returns:
        The levels, the scales and the zero points of shape (outputs, groups), the factor of each
        input, and its group.
    """
    weights = tf.cast(tf.convert_to_tensor(weights_transpose), tf.float32)
    factors = awq_search_optimal_scales(
        weights, activation_magnitudes, num_grid_points=num_grid_points, group_size=group_size
    )
    levels, scale, zero = _quantized(weights * factors, group_size)
    return levels, scale, zero, factors, tf.constant(_group_of_each(weights.shape[1], group_size))


class AWQ(Calibrator):
    """Quantizes one layer by AWQ.

    Args:
        layer: A `Dense` or `EinsumDense` layer.
        config: The options.
    """

    config: AWQConfig

    def __init__(self, layer: Any, config: AWQConfig | None = None) -> None:
        super().__init__(layer, config or AWQConfig(dataset=None, tokenizer=None))
        self.activation_magnitudes: Any = np.zeros((self.rows,), np.float32)

    def update_activation_magnitudes(self, input_batch: Any) -> None:
        """Take a batch of inputs into account."""
        x = self._examples(input_batch, min_rank=1)
        largest = np.abs(x).max(axis=0)
        self.activation_magnitudes = np.maximum(self.activation_magnitudes, largest)
        self.num_samples += x.shape[0]

    def observe(self, inputs: Any) -> None:
        self.update_activation_magnitudes(tf.reshape(inputs, (-1, self.rows)))

    def quantize_layer(self) -> None:
        """Quantize the kernel of the layer, and forget the one in floating-point numbers."""
        levels, scale, zero, factors, groups = awq_quantize_matrix(
            self._weights(),
            self.activation_magnitudes,
            num_grid_points=self.config.num_grid_points,
            group_size=self.config.group_size,
        )
        packed, _, _ = int4.pack_int4(tf.cast(levels, tf.uint8), axis=0, dtype="uint8")
        self.original_layer._set_calibrated(
            quantized_kernel=packed,
            kernel_scale=scale,
            kernel_zero=zero,
            awq_scales=factors,
            g_idx=groups,
        )

    quantize = quantize_layer

    def free(self) -> None:
        """Release the statistics."""
        self.activation_magnitudes = None
