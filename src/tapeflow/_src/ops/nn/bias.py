"""Adding a bias to each channel; half the sum of squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.batching import Batch
from tapeflow._src.core.dtypes import FLOATING, NUMERIC
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import require_rank
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import OWN_SCOPE, TOTAL_ON_SHAPES
from tapeflow._src.ops.array.broadcasting import sum_
from tapeflow._src.ops.array.common import (
    broadcast_to,
    concat_v2,
    fill,
    reshape,
    scalar_int,
    shape_of,
    static_ints,
)
from tapeflow._src.ops.array.shape import rank as rank_of
from tapeflow._src.ops.math.arithmetic import add_v2, mul, sub
from tapeflow._src.ops.math.elementwise import scalar


def _channel_axis(data_format: Any, rank: int) -> int:
    if data_format not in ("NHWC", "NCHW"):
        raise InferError(f"data_format must be NHWC or NCHW, got {data_format!r}")
    return 1 if data_format == "NCHW" else rank - 1


def _channel_vector_shape(rank: int, axis: int) -> tuple[int, ...]:
    """Return the shape of a channel vector that broadcasts along `axis` of that rank."""
    return (-1, *[1] * (rank - axis - 1))


@op("BiasAdd", dtypes=NUMERIC, checked=True, traits=(OWN_SCOPE, TOTAL_ON_SHAPES))
def bias_add(xp, value, bias, *, data_format="NHWC"):
    """Add `bias` along the channels of `value`."""
    axis = _channel_axis(data_format, value.ndim)
    return value + bias.reshape(_channel_vector_shape(value.ndim, axis))


@bias_add.infer
def _(value, bias, *, data_format):
    require_rank(bias, 1, "bias")
    if value.shape is None:
        _channel_axis(data_format, 2)
        return Spec(None, value.dtype)
    rank = len(value.shape)
    if rank < 2:
        raise InferError(
            f"bias_add needs a value of rank 2 or more, received shape {fmt_shape(value.shape)}"
        )
    channels = value.shape[_channel_axis(data_format, rank)]
    if (
        bias.shape is not None
        and None not in (channels, bias.shape[0])
        and (channels != bias.shape[0])
    ):
        raise InferError(
            f"Must provide as many biases as the channels of the input tensor: "
            f"{fmt_shape(bias.shape)} vs. {fmt_shape(value.shape)} in {data_format}"
        )
    return Spec(value.shape, value.dtype)


@bias_add.gradient
def _(dz, *, data_format, needed):
    return dz, bias_add_grad(dz, data_format=data_format) if needed[1] else None


@bias_add.batch
def _(batch: Batch, value: Any, bias: Any, *, data_format: Any) -> Any:
    if not batch.has(bias):
        return batch.split(batch.op(batch.merge(value, 0), bias, data_format=data_format), 0)
    rank = len(value.static_shape)
    channels = _channel_axis(data_format, rank)
    gap, after = (1,) * channels, (1,) * (rank - 1 - channels)
    along = batch.reshape(batch.values(bias), batch.size, *gap, *bias.static_shape, *after)
    return add_v2(*batch.aligned(value), along)


@op("BiasAddGrad", dtypes=NUMERIC, checked=True, traits=(TOTAL_ON_SHAPES,))
def bias_add_grad(xp, out_backprop, *, data_format="NHWC"):
    """Sum over all axes but the channels."""
    axis = _channel_axis(data_format, out_backprop.ndim)
    rest = tuple(i for i in range(out_backprop.ndim) if i != axis)
    return xp.sum(out_backprop, axis=rest, dtype=out_backprop.dtype)


@bias_add_grad.infer
def _(out_backprop, *, data_format):
    _channel_axis(data_format, 2)
    if out_backprop.shape is None:
        return Spec((None,), out_backprop.dtype)
    rank = len(out_backprop.shape)
    if rank < 2:
        raise InferError(
            "BiasAddGrad needs an upstream gradient of rank 2 or more, received shape "
            f"{fmt_shape(out_backprop.shape)}"
        )
    channels = out_backprop.shape[_channel_axis(data_format, rank)]
    return Spec((channels,), out_backprop.dtype)


@bias_add_grad.gradient
def _(dz, *, out_backprop, data_format):
    if data_format == "NCHW":
        dz = reshape(dz, _channel_shape(out_backprop))
    return broadcast_to(dz, shape_of(out_backprop))


@bias_add_grad.batch
def _(batch: Batch, out_backprop: Any, *, data_format: Any) -> Any:
    rank = len(out_backprop.static_shape)
    channels = _channel_axis(data_format, rank)
    return sum_(
        batch.values(out_backprop), batch.ints(*(i + 1 for i in range(rank) if i != channels))
    )


def _channel_shape(tensor: Any) -> Any:
    """Return the shape of a channel vector that broadcasts along axis 1 of a tensor."""
    if tensor.static_shape is not None:
        return static_ints(_channel_vector_shape(len(tensor.static_shape), 1))
    ones = fill(reshape(sub(rank_of(tensor), scalar_int(2)), static_ints((1,))), scalar_int(1))
    return concat_v2([static_ints((-1,)), ones], scalar_int(0))


@op("L2Loss", dtypes=FLOATING, traits=(TOTAL_ON_SHAPES,))
def l2_loss(xp, t):
    """Compute half the sum of the squares."""
    wide = t.astype("float32") if t.dtype.itemsize == 2 else t
    return (xp.sum(xp.square(wide)) / 2).astype(t.dtype)


@l2_loss.kernel("numpy")
def _(xp, t):
    wide = t.astype("float32") if t.dtype.itemsize == 2 else t
    half = np.add.reduce(np.square(wide), axis=None) * wide.dtype.type(0.5)
    return half if wide is t else half.astype(t.dtype)


@l2_loss.infer
def _(t):
    return Spec((), t.dtype)


@l2_loss.gradient
def _(dz, *, t):
    return mul(dz, t)


@l2_loss.batch
def _(batch: Batch, t: Any) -> Any:
    values = batch.values(t)
    axes = static_ints(tuple(range(1, len(values.static_shape))))
    return mul(scalar(0.5, values), sum_(mul(values, values), axes))
