"""`tf.quantization`: fake quantization, with gradients for training."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.quantization import fake_quantization as ops

_per_channel = ops.fake_quant_with_min_max_vars_per_channel_gradient


def fake_quant_with_min_max_args(
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Quantize and dequantize `inputs` in a fixed range."""
    attrs = {"num_bits": num_bits, "narrow_range": narrow_range, "name": name}
    return ops.fake_quant_with_min_max_args(inputs, min=min, max=max, **attrs)


def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the gradient of `fake_quant_with_min_max_args`."""
    attrs = {"num_bits": num_bits, "narrow_range": narrow_range, "name": name}
    return ops.fake_quant_with_min_max_args_gradient(gradients, inputs, min=min, max=max, **attrs)


def fake_quant_with_min_max_vars(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Quantize and dequantize `inputs` in a trainable range."""
    return ops.fake_quant_with_min_max_vars(
        inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


def fake_quant_with_min_max_vars_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """Compute the gradients of `fake_quant_with_min_max_vars` w.r.t. inputs and range."""
    op = ops.fake_quant_with_min_max_vars_gradient
    attrs = {"num_bits": num_bits, "narrow_range": narrow_range, "name": name}
    return op.result_type(*op(gradients, inputs, min, max, **attrs))


def fake_quant_with_min_max_vars_per_channel(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Quantize and dequantize `inputs` in a trainable range per channel, the last axis."""
    return ops.fake_quant_with_min_max_vars_per_channel(
        inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """Compute the gradients of `fake_quant_with_min_max_vars_per_channel`."""
    attrs = {"num_bits": num_bits, "narrow_range": narrow_range, "name": name}
    return _per_channel.result_type(*_per_channel(gradients, inputs, min, max, **attrs))
