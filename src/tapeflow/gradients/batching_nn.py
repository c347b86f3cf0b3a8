"""Batch rules of the ops of neural networks: convolutions, pools, biases, cross entropies.

Most of them have a batch axis of their own, and what is vectorised over goes into that; the
gradients by filters, which sum over it, take it in their channels.
"""

from __future__ import annotations

from typing import Any

from tapeflow.gradients.batching_shapes import batch_into, batch_out_of
from tapeflow.gradients.vectorize import Batch, aligned, rule_for
from tapeflow.ops.arithmetic import add_v2
from tapeflow.ops.array import reshape, static_ints, sum_
from tapeflow.ops.padding import tile


def _scaled(sizes: Any, axis: int, factor: int) -> Any:
    """A tensor of sizes with one of them multiplied."""
    known = [int(n) for n in sizes._static]
    known[axis] *= factor
    return static_ints(tuple(known))


def _channel_axis(data_format: str, rank: int) -> int:
    return 1 if data_format.startswith("NC") else rank - 1


# -- the batch goes into the batch ---------------------------------------------------------------


@rule_for(
    "AvgPool",
    "AvgPool3D",
    "DepthToSpace",
    "LRN",
    "MaxPool",
    "MaxPool3D",
    "MaxPool3DGrad",
    "MaxPool3DGradGrad",
    "MaxPoolGrad",
    "MaxPoolGradGrad",
    "SoftmaxCrossEntropyWithLogits",
    "SpaceToDepth",
    "SparseSoftmaxCrossEntropyWithLogits",
)
def _(batch: Batch, *inputs: Any, **attrs: Any) -> Any:
    if any(len(x._dims) == 0 or x._dims[0] != inputs[0]._dims[0] for x in inputs):
        return NotImplemented
    result = batch.op(*[batch_into(batch.values(x), 0) for x in inputs], **attrs)
    if batch.op.single_output:
        return batch_out_of(result, 0, batch.size)
    return tuple(batch_out_of(r, 0, batch.size) for r in result)


@rule_for("AvgPoolGrad", "AvgPool3DGrad")
def _(batch: Batch, orig_input_shape: Any, grad: Any, **attrs: Any) -> Any:
    if orig_input_shape._static is None:
        return NotImplemented
    sizes = _scaled(orig_input_shape, 0, batch.size)
    return batch_out_of(batch.op(sizes, batch_into(batch.values(grad), 0), **attrs), 0, batch.size)


# -- convolutions --------------------------------------------------------------------------------


@rule_for("Conv2D", "Conv3D")
def _(batch: Batch, input: Any, filter: Any, *, data_format: str, **attrs: Any) -> Any:
    if not batch.has(filter):
        folded = batch_into(batch.values(input), 0)
        return batch_out_of(
            batch.op(folded, filter, data_format=data_format, **attrs), 0, batch.size
        )
    rank = len(input._dims)
    channels = _channel_axis(data_format, rank)
    if batch.has(input) or input._dims[channels] != filter._dims[-2]:
        return NotImplemented
    wider = batch_into(batch.values(filter), rank - 1)
    result = batch.op(input, wider, data_format=data_format, **attrs)
    return batch_out_of(result, channels, batch.size)


@rule_for("Conv2DBackpropInput", "Conv3DBackpropInputV2", "DepthwiseConv2dNativeBackpropInput")
def _(batch: Batch, input_sizes: Any, filter: Any, out_backprop: Any, **attrs: Any) -> Any:
    if batch.has(filter) or input_sizes._static is None or len(input_sizes._static) < 4:
        return NotImplemented
    sizes = _scaled(input_sizes, 0, batch.size)
    folded = batch_into(batch.values(out_backprop), 0)
    return batch_out_of(batch.op(sizes, filter, folded, **attrs), 0, batch.size)


@rule_for("Conv2DBackpropFilter", "Conv3DBackpropFilterV2")
def _(
    batch: Batch,
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    *,
    data_format: str,
    **attrs: Any,
) -> Any:
    rank = len(input._dims)
    channels = _channel_axis(data_format, rank)
    if (
        filter_sizes._static is None
        or batch.has(input) == batch.has(out_backprop)
        or int(filter_sizes._static[-2]) != input._dims[channels]
    ):
        return NotImplemented
    if batch.has(out_backprop):
        wider, into = (input, batch_into(batch.values(out_backprop), channels)), rank - 1
    else:
        wider, into = (batch_into(batch.values(input), channels), out_backprop), rank - 2
    sizes = _scaled(filter_sizes, into, batch.size)
    result = batch.op(wider[0], sizes, wider[1], data_format=data_format, **attrs)
    return batch_out_of(result, into, batch.size)


@rule_for("DepthwiseConv2dNative")
def _(batch: Batch, input: Any, filter: Any, **attrs: Any) -> Any:
    if batch.has(filter):
        return NotImplemented
    folded = batch_into(batch.values(input), 0)
    return batch_out_of(batch.op(folded, filter, **attrs), 0, batch.size)


@rule_for("DepthwiseConv2dNativeBackpropFilter")
def _(
    batch: Batch,
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    *,
    data_format: str,
    **attrs: Any,
) -> Any:
    if filter_sizes._static is None:
        return NotImplemented
    channels = _channel_axis(data_format, 4)
    if batch.has(input):
        images = batch_into(batch.values(input), channels)
    else:
        times = [1, 1, 1, 1]
        times[channels] = batch.size
        images = tile(input, static_ints(tuple(times)))
    gradients = batch_into(batch.values(out_backprop), channels)
    sizes = _scaled(filter_sizes, 2, batch.size)
    result = batch.op(images, sizes, gradients, data_format=data_format, **attrs)
    return batch_out_of(result, 2, batch.size)


# -- biases --------------------------------------------------------------------------------------


@rule_for("BiasAdd")
def _(batch: Batch, value: Any, bias: Any, *, data_format: str) -> Any:
    rank = len(value._dims)
    channels = _channel_axis(data_format, rank)
    if not batch.has(bias):
        folded = batch_into(batch.values(value), 0)
        return batch_out_of(batch.op(folded, bias, data_format=data_format), 0, batch.size)
    after = (1,) * (rank - 1 - channels)
    along = reshape(batch.values(bias), static_ints((batch.size, *bias._dims, *after)))
    (values,) = aligned((value,), batch.has)
    gap = (1,) * (rank + 1 - len(along._dims))
    spread = reshape(along, static_ints((batch.size, *gap, *along._dims[1:])))
    return add_v2(values, spread)


@rule_for("BiasAddGrad")
def _(batch: Batch, out_backprop: Any, *, data_format: str) -> Any:
    rank = len(out_backprop._dims)
    channels = _channel_axis(data_format, rank)
    axes = tuple(i + 1 for i in range(rank) if i != channels)
    return sum_(batch.values(out_backprop), static_ints(axes))
