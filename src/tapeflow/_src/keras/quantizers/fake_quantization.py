"""Fake quantization: values rounded to what a few bits could represent, for training."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.operation import Operation, any_symbolic


class FakeQuantWithMinMaxVars(Operation):
    """`fake_quant_with_min_max_vars` as a part of a model."""

    def __init__(
        self, num_bits: int = 8, narrow_range: bool = False, axis: int | None = None
    ) -> None:
        super().__init__()
        self.num_bits = num_bits
        self.narrow_range = narrow_range
        self.axis = axis

    def call(self, inputs: Any, min_vals: Any, max_vals: Any) -> Any:
        return fake_quant_with_min_max_vars(
            inputs, min_vals, max_vals, self.num_bits, self.narrow_range, self.axis
        )

    def compute_output_spec(self, inputs: Any, min_vals: Any, max_vals: Any) -> Any:
        return KerasTensor(inputs.shape, dtype=inputs.dtype)


def fake_quant_with_min_max_vars(
    inputs: Any,
    min_vals: Any,
    max_vals: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Any:
    """Round `inputs` to `2 ** num_bits` levels between a minimum and a maximum.

    It has gradients w.r.t. the limits, which can be trained.

    Args:
        inputs: A floating-point tensor.
        min_vals: The lower limit: one number, or one for each position along `axis`.
        max_vals: The upper limit.
        num_bits: The number of bits.
        narrow_range: Whether there is one level less.
        axis: The axis with limits of its own; None for the same limits everywhere.

    Returns:
        A tensor of the shape and dtype of `inputs`.

    Example:
        >>> x = tf.constant([0.0, 0.4, 0.6, 2.0])
        >>> tf.keras.quantizers.fake_quant_with_min_max_vars(
        ...     x, 0.0, 1.0, num_bits=2
        ... ).numpy().round(3)
        array([0.   , 0.333, 0.667, 1.   ], dtype=float32)
    """
    if any_symbolic(inputs):
        operation = FakeQuantWithMinMaxVars(num_bits, narrow_range, axis)
        return operation.symbolic_call(inputs, min_vals, max_vals)
    x = tf.convert_to_tensor(inputs)
    exact = tf.cast(x, tf.float32)
    low, high = (tf.cast(tf.convert_to_tensor(each), tf.float32) for each in (min_vals, max_vals))
    options: dict[str, Any] = {"num_bits": int(num_bits), "narrow_range": narrow_range}
    if axis is None:
        quantized = tf.quantization.fake_quant_with_min_max_vars(
            exact, tf.reshape(low, ()), tf.reshape(high, ()), **options
        )
        return tf.cast(quantized, x.dtype)
    rank = len(x.shape)
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    quantized = tf.quantization.fake_quant_with_min_max_vars_per_channel(
        tf.transpose(exact, order), low, high, **options
    )
    return tf.cast(tf.transpose(quantized, order), x.dtype)
