"""`tf.quantization`: rounding to few bits that leaves floats, with gradients for training."""

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
    """`inputs` rounded to the steps of a fixed range."""
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
    """The gradient of `fake_quant_with_min_max_args`."""
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
    """`inputs` rounded to the steps of a range that may be learned."""
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
    """The gradients of `fake_quant_with_min_max_vars`: of the inputs and of the range."""
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
    """`inputs` rounded to the steps of a range for each channel, the last axis."""
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
    """The gradients of `fake_quant_with_min_max_vars_per_channel`."""
    attrs = {"num_bits": num_bits, "narrow_range": narrow_range, "name": name}
    return _per_channel.result_type(*_per_channel(gradients, inputs, min, max, **attrs))
