"""`tf.nn`: local response normalization and isotonic regression."""

from __future__ import annotations

from typing import Any

from tapeflow.core import dispatch, dtypes
from tapeflow.ops import isotonic, response_norm
from tapeflow.ops.array import reshape, shape_of, static_ints
from tapeflow.ops.movement import transpose


def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Any:
    """`input` divided by a power of the squares of its neighbouring channels, summed."""
    return response_norm.lrn(
        input,
        depth_radius=depth_radius,
        bias=float(bias),
        alpha=float(alpha),
        beta=float(beta),
        name=name,
    )


lrn = local_response_normalization


def isotonic_regression(inputs: Any, decreasing: bool = True, axis: int = -1) -> tuple[Any, Any]:
    """The closest sequence along `axis` that never increases (or decreases), and its blocks."""
    inputs = dispatch.convert(inputs)
    rank = len(inputs.shape)
    last = axis % rank
    order = [i for i in range(rank) if i != last] + [last]
    back = sorted(range(rank), key=order.__getitem__)
    moved = transpose(inputs, static_ints(tuple(order))) if last != rank - 1 else inputs
    rows = reshape(moved, static_ints((-1, moved._dims[-1])))
    output_dtype = inputs.dtype if inputs.dtype.is_floating else dtypes.float32
    if inputs.dtype in (dtypes.int64, dtypes.uint64, dtypes.int32, dtypes.uint32):
        output_dtype = dtypes.float64
    signed = rows if decreasing else -rows
    output, segments = isotonic.isotonic_regression(signed, output_dtype=output_dtype)
    output = output if decreasing else -output
    shape = shape_of(moved)
    output, segments = reshape(output, shape), reshape(segments, shape)
    if last != rank - 1:
        output = transpose(output, static_ints(tuple(back)))
        segments = transpose(segments, static_ints(tuple(back)))
    return output, segments
