"""GPTQ (Frantar et al., 2022): the error of each quantized weight is made up for by the rest.

The weights of one input are quantized at a time. What rounding changes in the outputs is
compensated by the weights of the inputs that are still to come, in proportion to the inverse of
the Hessian `2 / n * X^T X` of the squared error of the outputs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.keras.quantizers import int4
from tapeflow._src.keras.quantizers.affine import (
    compute_quantization_parameters,
    dequantize_with_zero_point,
    quantize_with_zero_point,
)
from tapeflow._src.keras.quantizers.calibrator import Calibrator
from tapeflow._src.keras.quantizers.configs import GPTQConfig

# Returns the scale, the zero point and the highest level of weights.
Parameters = Callable[..., tuple[Any, Any, Any]]


def stable_permutation(metric: Any) -> np.ndarray:
    """Return the order of a vector from large to small, equal elements in their old order."""
    return np.argsort(-np.asarray(metric), kind="stable").astype(np.int32)


class _Groups:
    """The parameters of groups of columns, computed when the first column of each is reached."""

    def __init__(self, size: int, parameters: Parameters) -> None:
        self._size = size
        self._parameters = parameters
        self._last = -1
        self._current: Any = None
        self.scales: list[Any] = []
        self.zeros: list[Any] = []

    def of(self, column: int, weights: np.ndarray) -> tuple[Any, Any, Any]:
        """Return the parameters of a column of `weights`."""
        group = column // self._size
        if group != self._last:
            start = group * self._size
            self._current = self._parameters(tf.constant(weights[:, start : start + self._size]))
            self.scales.append(self._current[0])
            self.zeros.append(self._current[1])
            self._last = group
        return self._current


def gptq_quantize_matrix(
    weights_transpose: Any,
    inv_hessian: Any,
    *,
    blocksize: int = 128,
    group_size: int = -1,
    activation_order: bool = False,
    order_metric: Any = None,
    compute_scale_zero: Parameters = compute_quantization_parameters,
) -> tuple[Any, Any, Any, Any]:
    """Quantize a matrix column by column.

    Args:
        weights_transpose: The weights, of shape (outputs, inputs).
        inv_hessian: The inverse of the Hessian, of shape (inputs, inputs).
        blocksize: The number of columns after which the columns beyond are corrected at once.
        group_size: The number of columns that share scales and zero points; -1 for all.
        activation_order: Whether columns are quantized from the most to the least important.
        order_metric: The importance of each column; by default that of the Hessian's diagonal.
        compute_scale_zero: Returns the scale, the zero point and the highest level of weights.

    Returns:
        The levels as int32, the scales and the zero points of shape (outputs, groups), and the
        position of each column in units of groups, whose integral part is its group.
    """
    weights = np.array(weights_transpose, np.float32)
    inverse = np.asarray(inv_hessian, np.float32)
    count = weights.shape[1]
    order = np.arange(count)
    if activation_order:
        metric = 1 / (np.diagonal(inverse) + 1e-12) if order_metric is None else order_metric
        metric = np.asarray(metric, np.float32)
        order = stable_permutation(np.where(np.isfinite(metric), metric, 0))
        weights, inverse = weights[:, order], inverse[order][:, order]
    size = count if group_size == -1 else group_size
    groups = _Groups(size, compute_scale_zero)
    levels = np.zeros(weights.shape, np.int32)
    for start in range(0, count, blocksize):
        block = slice(start, min(start + blocksize, count))
        errors = _quantize_block(weights, inverse, block, groups, levels)
        weights[:, block.stop :] -= errors @ inverse[block, block.stop :]
    back = np.argsort(order)
    positions = np.arange(count, dtype=np.float32) / np.float32(size)
    return (
        tf.constant(levels[:, back]),
        tf.concat(groups.scales, 1),
        tf.concat(groups.zeros, 1),
        tf.constant(positions[back]),
    )


def _quantize_block(
    weights: np.ndarray, inverse: np.ndarray, block: slice, groups: _Groups, levels: np.ndarray
) -> np.ndarray:
    """Quantize the columns of a block into `levels`, and return their scaled errors."""
    columns = weights[:, block].copy()
    influence = inverse[block, block]
    errors = np.zeros_like(columns)
    for at in range(columns.shape[1]):
        # Parameters come from the weights as they were before the block was corrected.
        scale, zero, maxq = groups.of(block.start + at, weights)
        column = columns[:, at : at + 1]
        level = quantize_with_zero_point(tf.constant(column), scale, zero, maxq)
        restored = np.asarray(dequantize_with_zero_point(level, scale, zero))
        levels[:, block.start + at] = np.asarray(level)[:, 0]
        errors[:, at : at + 1] = (column - restored) / influence[at, at]
        columns[:, at + 1 :] -= errors[:, at : at + 1] * influence[at : at + 1, at + 1 :]
    return errors


class GPTQ(Calibrator):
    """Quantizes one layer by GPTQ.

    Args:
        layer: A `Dense` or `EinsumDense` layer.
        config: The options.
    """

    config: GPTQConfig

    def __init__(self, layer: Any, config: GPTQConfig | None = None) -> None:
        super().__init__(layer, config or GPTQConfig(dataset=None, tokenizer=None))
        self.hessian: Any = np.zeros((self.rows, self.rows), np.float32)

    def update_hessian_with_batch(self, input_batch: Any) -> None:
        """Add a batch of inputs to the mean of `2 x x^T` over all examples."""
        x = self._examples(input_batch, min_rank=2)
        if x.shape[1] != self.rows:
            raise ValueError(
                f"GPTQ: the Hessian has {self.rows} rows, which must match input features. "
                f"Received: {x.shape[1]} features"
            )
        total = self.num_samples + x.shape[0]
        gram = x.T @ x
        retained = np.float32(self.num_samples / total)
        self.hessian = self.hessian * retained + np.float32(2 / total) * ((gram + gram.T) / 2)
        self.num_samples = total

    def observe(self, inputs: Any) -> None:
        self.update_hessian_with_batch(tf.reshape(inputs, (-1, self.rows)))

    def quantize_and_correct_layer(self, blocksize: int = 128) -> None:
        """Quantize the kernel of the layer, and forget the one in floating-point numbers."""
        diagonal = np.diagonal(self.hessian)
        # Inputs that were always zero say nothing of their weights.
        diagonal = np.where(diagonal == 0, np.float32(1), diagonal)
        damped = diagonal + np.float32(self.config.hessian_damping) * diagonal.mean()
        hessian = self.hessian - np.diag(np.diagonal(self.hessian)) + np.diag(damped)
        layer = self.original_layer
        levels, scale, zero, positions = gptq_quantize_matrix(
            self._weights(),
            np.linalg.inv(hessian),
            blocksize=blocksize,
            group_size=self.config.group_size,
            activation_order=self.config.activation_order,
            order_metric=damped,
            compute_scale_zero=functools.partial(
                compute_quantization_parameters,
                bits=self.config.weight_bits,
                symmetric=self.config.symmetric,
                per_channel=self.config.per_channel,
            ),
        )
        levels = tf.cast(levels, tf.uint8)
        if self.config.weight_bits == 4:
            levels = int4.pack_int4(levels, axis=0, dtype="uint8")[0]
        layer._set_calibrated(
            quantized_kernel=levels, kernel_scale=scale, kernel_zero=zero, g_idx=positions
        )

    quantize = quantize_and_correct_layer  # type: ignore[assignment]

    def free(self) -> None:
        """Release the Hessian."""
        self.hessian = None
