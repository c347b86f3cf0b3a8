"""`tf.nn`: local response normalization and isotonic regression."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.nn.arguments import as_float32, axis_of, number
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.tensor import Tensor
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
    input: Any,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Divide `input` by a power of the sum of squares over neighbouring channels.

    Args:
        input: `[batch, height, width, channels]`.
        depth_radius: The number of neighbours on either side.
        bias: Added to the sum.
        alpha: The factor of the sum.
        beta: The exponent.
        name: Name of the op in a graph.
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
    """Compute the closest monotone sequence along `axis`, and the block of each element."""
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
