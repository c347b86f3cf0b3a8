"""`tf.quantization`: fake quantization, with gradients for training."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.quantization import fake_quantization as ops

_per_channel = ops.fake_quant_with_min_max_vars_per_channel_gradient


def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Quantize and dequantize `inputs` in a fixed range.

    Args:
        inputs: A float32 tensor.
        min: The lower end; the range is moved a little so that 0 is represented exactly.
        max: The upper end.
        num_bits: The number of bits, 2 to 16.
        narrow_range: Whether to leave out the lowest integer.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `inputs`; the gradient is 1 inside of the range and 0 outside.

    Example:

        >>> x = tf.constant([-9.0, 0.0, 9.0])
        >>> tf.quantization.fake_quant_with_min_max_args(x, num_bits=2).numpy().tolist()
        [-8.0, 0.0, 4.0]
    """
    attrs = {"num_bits": num_bits, "narrow_range": narrow_range, "name": name}
    return ops.fake_quant_with_min_max_args(inputs, min=min, max=max, **attrs)


def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Compute the gradient of `fake_quant_with_min_max_args`.

    Args:
        gradients: The upstream gradient.
        inputs: A float32 tensor.
        min: The lower end.
        max: The upper end.
        num_bits: The number of bits, 2 to 16.
        narrow_range: Whether to leave out the lowest integer.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `inputs`.
    """
    attrs = {"num_bits": num_bits, "narrow_range": narrow_range, "name": name}
    return ops.fake_quant_with_min_max_args_gradient(gradients, inputs, min=min, max=max, **attrs)


def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Quantize and dequantize `inputs` in a trainable range.

    Args:
        inputs: A float32 tensor.
        min: The lower end, a scalar tensor.
        max: The upper end, a scalar tensor.
        num_bits: The number of bits, 2 to 16.
        narrow_range: Whether to leave out the lowest integer.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `inputs`; values outside of the range pass their gradients to its
        ends.

    Example:

        >>> x = tf.constant([-1.0, 0.2, 5.0])
        >>> tf.quantization.fake_quant_with_min_max_vars(x, 0.0, 3.0, num_bits=2).numpy().tolist()
        [0.0, 0.0, 3.0]
    """
    return ops.fake_quant_with_min_max_vars(
        inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


def fake_quant_with_min_max_vars_gradient(
    gradients: Any,
    inputs: TensorLike,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """Compute the gradients of `fake_quant_with_min_max_vars` w.r.t. inputs and range.

    Args:
        gradients: The upstream gradient.
        inputs: A float32 tensor.
        min: The lower end.
        max: The upper end.
        num_bits: The number of bits, 2 to 16.
        narrow_range: Whether to leave out the lowest integer.
        name: Name of the op in a graph.

    Returns:
        A named tuple: the gradients with respect to `inputs`, `min` and `max`.

    Example:
        >>> ones = tf.ones([2])
        >>> dx, dmin, dmax = tf.quantization.fake_quant_with_min_max_vars_gradient(
        ...     ones, [0.0, 9.0], -6.0, 6.0
        ... )
        >>> dx.numpy(), float(dmin), float(dmax)
        (array([1., 0.], dtype=float32), 0.0, 1.0)
    """
    op = ops.fake_quant_with_min_max_vars_gradient
    attrs = {"num_bits": num_bits, "narrow_range": narrow_range, "name": name}
    return op.result_type(*op(gradients, inputs, min, max, **attrs))


def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Quantize and dequantize `inputs` in a trainable range per channel, the last axis.

    Args:
        inputs: A float32 tensor of rank 1 or more.
        min: The lower ends, `[channels]`.
        max: The upper ends, `[channels]`.
        num_bits: The number of bits, 2 to 16.
        narrow_range: Whether to leave out the lowest integer.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `inputs`.

    Example:

        >>> x = tf.constant([[-1.0, 0.2], [5.0, 5.0]])
        >>> result = tf.quantization.fake_quant_with_min_max_vars_per_channel(
        ...     x, [0.0, 0.0], [3.0, 6.0], num_bits=2
        ... )
        >>> result.numpy().tolist()
        [[0.0, 0.0], [3.0, 6.0]]
    """
    return ops.fake_quant_with_min_max_vars_per_channel(
        inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any,
    inputs: TensorLike,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """Compute the gradients of `fake_quant_with_min_max_vars_per_channel`.

    Args:
        gradients: The upstream gradient.
        inputs: A float32 tensor.
        min: The lower ends, `[channels]`.
        max: The upper ends, `[channels]`.
        num_bits: The number of bits, 2 to 16.
        narrow_range: Whether to leave out the lowest integer.
        name: Name of the op in a graph.

    Returns:
        A named tuple: the gradients with respect to `inputs`, `min` and `max`.
    """
    attrs = {"num_bits": num_bits, "narrow_range": narrow_range, "name": name}
    return _per_channel.result_type(*_per_channel(gradients, inputs, min, max, **attrs))
