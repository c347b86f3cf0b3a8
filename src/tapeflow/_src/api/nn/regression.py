"""`tf.nn`: local response normalization and isotonic regression."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.nn.arguments import as_float32, axis_of, number
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.axes import swapped_with_last
from tapeflow._src.ops.array.transpose import transpose
from tapeflow._src.ops.math import isotonic
from tapeflow._src.ops.nn import response_norm

# Integers are averaged in the floats that hold them.
_PROMOTED = {
    dtypes.int8: dtypes.float32,
    dtypes.int16: dtypes.float32,
    **dict.fromkeys(
        (
            dtypes.int32,
            dtypes.int64,
            dtypes.uint8,
            dtypes.uint16,
            dtypes.uint32,
            dtypes.uint64,
        ),
        dtypes.float64,
    ),
}


def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Divide `input` by a power of the sum of squares over neighbouring channels.

    The divisor is `(bias + alpha * sum) ** beta`.

    Args:
        input: `[batch, height, width, channels]`, floating-point.
        depth_radius: The number of neighbours on either side.
        bias: Added to the sum.
        alpha: The factor of the sum.
        beta: The exponent.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `input`.

    Example:

        >>> x = tf.constant([[[[1.0, 1.0, 1.0]]]])
        >>> tf.nn.local_response_normalization(x, depth_radius=1).numpy().round(3).tolist()
        [[[[0.5770000219345093, 0.5, 0.5770000219345093]]]]
    """
    function = "local_response_normalization"
    return response_norm.lrn(
        as_float32(input),
        depth_radius=number(depth_radius, function, "depth_radius"),
        bias=number(bias, function, "bias", float),
        alpha=number(alpha, function, "alpha", float),
        beta=number(beta, function, "beta", float),
        name=name,
    )


lrn = local_response_normalization


def isotonic_regression(inputs: Any, decreasing: bool = True, axis: int = -1) -> tuple[Any, Any]:
    """Compute the closest monotone sequence along `axis`, and the block of each element.

    Args:
        inputs: A real tensor; integers are averaged as floats.
        decreasing: Whether the result is non-increasing; else it is non-decreasing.
        axis: The axis; the last by default.

    Returns:
        A tuple `(output, segments)`: the sequence, and the number of the constant block that each
        element belongs to.

    Example:

        >>> output, segments = tf.nn.isotonic_regression([3.0, 1.0, 2.0])
        >>> output.numpy().tolist(), segments.numpy().tolist()
        ([3.0, 1.5, 1.5], [0, 1, 1])
    """
    inputs = dispatch.convert(inputs)
    op = isotonic.isotonic_regression
    rank = inputs.shape.rank
    target = _PROMOTED.get(inputs.dtype, inputs.dtype)
    at = -1 if rank == 0 else axis_of(axis, rank, op.name)
    last = at == -1 or at + 1 == rank
    swapped = None if last else swapped_with_last(inputs, at)
    moved = inputs if last else transpose(inputs, swapped)
    output, segments = op(moved if decreasing else -moved, output_dtype=target)
    if last and decreasing:
        return op.result_type(output, segments)
    output = output if decreasing else -output
    return (
        (output, segments) if last else (transpose(output, swapped), transpose(segments, swapped))
    )
