"""Fused batch normalisation, its gradient, and the gradient of that.

With x̂ = (x - mean) · r and r = 1/√(variance + epsilon), the gradients of a training step are
dβ = Σdy, dγ = Σdy·x̂ and dx = γ·r·(dy - dβ/N - x̂·dγ/N), sums over all but the channels.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import FLOATING, float32
from tapeflow._src.core.infer import broadcast_shape, merge_shape, require_rank
from tapeflow._src.core.registry import Free, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import RECALLS
from tapeflow._src.ops.array.common import reshape, static_ints, sum_
from tapeflow._src.ops.array.shape import size
from tapeflow._src.ops.math.arithmetic import add_v2, mul, neg, real_div, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.elementwise import rsqrt, scalar

_FORMATS = {"NHWC": 4, "NCHW": 4, "NDHWC": 5, "NCDHW": 5}
_OUTPUTS = (
    "y",
    "batch_mean",
    "batch_variance",
    "reserve_space_1",
    "reserve_space_2",
    "reserve_space_3",
)


def _channel_axis(data_format: Any) -> int:
    return 1 if data_format in ("NCHW", "NCDHW") else -1


def _check(x: Spec, vectors: dict[str, Spec], data_format: Any) -> Any:
    """Check the ranks and the lengths; return the number of channels."""
    if data_format not in _FORMATS:
        raise InferError(f"Invalid data format {data_format!r}: one of {', '.join(_FORMATS)}")
    require_rank(x, _FORMATS[data_format], "x")
    channels = None if x.shape is None else x.shape[_channel_axis(data_format)]
    for name, vector in vectors.items():
        require_rank(vector, 1, name)
        merged = merge_shape((channels,), vector.shape, f"{name} has a wrong size")
        channels = merged[0] if merged else channels
    return channels


@op("FusedBatchNormV3", dtypes=FLOATING, outputs=_OUTPUTS, checked=True)
def fused_batch_norm(
    xp,
    x,
    scale: Free,
    offset: Free,
    mean: Free,
    variance: Free,
    *,
    epsilon=0.0001,
    exponential_avg_factor=1.0,
    data_format="NHWC",
    is_training=True,
):
    """Normalise `x` over all but the channels, scale and shift it; and return the statistics."""
    axis = _channel_axis(data_format)
    if not is_training:
        last = xp.moveaxis(x, axis, -1)
        y = _normalized(xp, last, scale, offset, mean, variance, epsilon)
        back = xp.moveaxis(y, -1, axis).astype(x.dtype)
        return back, mean, variance, mean, variance, xp.zeros((0,), np.float32)
    return _by_batch(
        xp, xp.batch_norm, x, scale, offset, mean, variance, epsilon, exponential_avg_factor, axis
    )


def _by_batch(
    xp: ModuleType,
    normalize: Any,
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    epsilon: float,
    exponential_avg_factor: float,
    axis: int,
):
    """Return the results of a training step, which normalises by batch statistics."""
    y, batch_mean, batch_variance = normalize(xp.moveaxis(x, axis, -1), scale, offset, epsilon)
    count = x.size // max(1, x.shape[axis])
    unbiased = batch_variance * (count / max(count - 1, 1))
    running_mean, running_variance = batch_mean, unbiased
    if exponential_avg_factor != 1.0:
        keep = np.float32(1 - exponential_avg_factor)
        running_mean = mean * keep + batch_mean * np.float32(exponential_avg_factor)
        running_variance = variance * keep + unbiased * np.float32(exponential_avg_factor)
    back = xp.moveaxis(y, -1, axis).astype(x.dtype)
    empty = xp.zeros((0,), np.float32)
    return back, running_mean, running_variance, batch_mean, batch_variance, empty


def _normalized(
    xp: ModuleType, x: Any, scale: Any, offset: Any, mean: Any, variance: Any, epsilon: Any
):
    return (x.astype(np.float32) - mean) * (
        scale / xp.sqrt(variance + np.float32(epsilon))
    ) + offset


@fused_batch_norm.infer
def _(
    x, scale, offset, mean, variance, *, epsilon, exponential_avg_factor, data_format, is_training
):
    averaged = not is_training or exponential_avg_factor != 1.0
    return _specs(x, scale, offset, mean, variance, averaged, data_format)


def _specs(
    x: Spec,
    scale: Spec,
    offset: Spec,
    mean: Spec,
    variance: Spec,
    averaged: bool,
    data_format: str,
):
    vectors = {"scale": scale, "offset": offset}
    if averaged:
        vectors |= {"mean": mean, "variance": variance}
    channels = _check(x, vectors, data_format)
    for spec in (scale, offset, mean, variance):
        if spec.dtype is not float32:
            raise InferError(f"scale, offset, mean and variance are float32, got {spec.dtype.name}")
    vector = Spec((channels,), float32)
    return Spec(x.shape, x.dtype), vector, vector, vector, vector, Spec((0,), float32)


@op(
    "FusedBatchNormGradV3",
    dtypes=FLOATING,
    outputs=("x_backprop", "scale_backprop", "offset_backprop", "reserve_4", "reserve_5"),
    checked=True,
)
def fused_batch_norm_grad(
    xp,
    y_backprop,
    x,
    scale: Free,
    reserve_space_1: Free,
    reserve_space_2: Free,
    reserve_space_3: Free,
    *,
    epsilon=0.0001,
    data_format="NHWC",
    is_training=True,
):
    """Compute the gradients of `fused_batch_norm` w.r.t. its input, scale and offset."""
    axis = _channel_axis(data_format)
    dy, values = xp.moveaxis(y_backprop, axis, -1), xp.moveaxis(x, axis, -1)
    mean, variance = reserve_space_1, reserve_space_2
    if is_training:
        dx, dscale, doffset = xp.batch_norm_gradient(values, dy, scale, mean, variance, epsilon)
    else:
        rate = 1 / xp.sqrt(variance + np.float32(epsilon))
        wide = dy.astype(np.float32)
        rows = tuple(range(x.ndim - 1))
        dscale = xp.sum(wide * (values.astype(np.float32) - mean) * rate, axis=rows)
        dx, doffset = wide * (scale * rate), xp.sum(wide, axis=rows)
    empty = xp.zeros((0,), np.float32)
    return xp.moveaxis(dx, -1, axis).astype(x.dtype), dscale, doffset, empty, empty


@fused_batch_norm_grad.infer
def _(
    y_backprop,
    x,
    scale,
    reserve_space_1,
    reserve_space_2,
    reserve_space_3,
    *,
    epsilon,
    data_format,
    is_training,
):
    return _gradient_specs(y_backprop, x, scale, reserve_space_1, reserve_space_2, data_format)


def _gradient_specs(
    y_backprop: Spec, x: Spec, scale: Spec, mean: Spec, variance: Spec, data_format: str
):
    shape = merge_shape(y_backprop.shape, x.shape, "x and y_backprop must have the same shape")
    vectors = {"scale": scale, "reserve_space_1": mean, "reserve_space_2": variance}
    channels = _check(x, vectors, data_format)
    for spec in vectors.values():
        if spec.dtype is not float32:
            raise InferError(f"scale and statistics are float32, got {spec.dtype.name}")
    vector, empty = Spec((channels,), float32), Spec((0,), float32)
    return Spec(shape, x.dtype), vector, vector, empty, empty


@fused_batch_norm.gradient
def _(
    dy,
    dmean,
    dvariance,
    d1,
    d2,
    d3,
    *,
    x,
    scale,
    reserve_space_1,
    reserve_space_2,
    reserve_space_3,
    epsilon,
    data_format,
    is_training,
):
    dx, dscale, doffset, _, _ = fused_batch_norm_grad(
        dy,
        x,
        scale,
        reserve_space_1,
        reserve_space_2,
        reserve_space_3,
        epsilon=epsilon,
        data_format=data_format,
        is_training=is_training,
    )
    return dx, dscale, doffset, None, None


class _Sums:
    """Sums over all but the channels, and channel vectors broadcast along the channel axis."""

    def __init__(self, x: Any, data_format: str) -> None:
        rank = _FORMATS[data_format]
        first = _channel_axis(data_format) == 1
        self._axes = static_ints(tuple(i for i in range(rank) if i != (1 if first else rank - 1)))
        self._along = static_ints((-1, *[1] * (rank - 2)) if first else (-1,))
        channels = sum_(cast(size(x), DstT=float32), static_ints(()))
        self._elements = channels

    def __call__(self, tensor: Any) -> Any:
        return sum_(tensor, self._axes)

    def spread(self, vector: Any) -> Any:
        return reshape(vector, self._along)

    def count(self, vector: Any) -> Any:
        """Return the number of values per channel."""
        return real_div(self._elements, cast(size(vector), DstT=float32))


@fused_batch_norm_grad.gradient
def _(
    u,
    v,
    w,
    d4,
    d5,
    *,
    y_backprop,
    x,
    scale,
    reserve_space_1,
    reserve_space_2,
    epsilon,
    data_format,
    is_training,
):
    total = _Sums(x, data_format)
    spread = total.spread
    source, upstream, u = (cast(t, DstT=float32) for t in (x, y_backprop, u))
    rate = rsqrt(add_v2(reserve_space_2, scalar(epsilon, reserve_space_2)))
    hat = mul(sub(source, spread(reserve_space_1)), spread(rate))
    gain = mul(scale, rate)
    if not is_training:
        by_upstream = add_v2(add_v2(mul(u, spread(gain)), mul(spread(v), hat)), spread(w))
        by_x = mul(mul(spread(v), upstream), spread(rate))
        by_scale = mul(total(mul(u, upstream)), rate)
        return cast(by_upstream, DstT=x.dtype), cast(by_x, DstT=x.dtype), by_scale
    n = total.count(scale)
    doffset, dscale = total(upstream), total(mul(upstream, hat))
    s1, s2 = total(u), total(mul(u, hat))
    centred = sub(u, spread(real_div(s1, n)))
    inner = sub(centred, mul(hat, spread(real_div(s2, n))))
    by_upstream = add_v2(add_v2(mul(spread(gain), inner), mul(spread(v), hat)), spread(w))
    flow = sub(total(mul(u, upstream)), real_div(add_v2(mul(doffset, s1), mul(dscale, s2)), n))
    by_scale = mul(rate, flow)
    g = sub(
        mul(spread(v), upstream),
        mul(
            spread(real_div(gain, n)),
            add_v2(mul(spread(s2), upstream), mul(spread(dscale), u)),
        ),
    )
    by_hat = sub(
        sub(g, spread(real_div(total(g), n))), mul(hat, spread(real_div(total(mul(g, hat)), n)))
    )
    by_rate = neg(real_div(mul(mul(gain, rate), flow), n))
    by_x = add_v2(mul(spread(rate), by_hat), mul(spread(by_rate), hat))
    return cast(by_upstream, DstT=x.dtype), cast(by_x, DstT=x.dtype), by_scale


# -- fused with ReLU -----------------------------------------------------------------------------


@op("_FusedBatchNormRelu", dtypes=FLOATING, outputs=_OUTPUTS, checked=True, grad=None)
def fused_batch_norm_relu(
    xp,
    x,
    scale: Free,
    offset: Free,
    mean: Free,
    variance: Free,
    *,
    epsilon=0.0001,
    exponential_avg_factor=1.0,
    data_format="NHWC",
):
    """Fused batch normalisation and ReLU of a training step, introduced by a pass."""
    axis = _channel_axis(data_format)
    rest = (mean, variance, epsilon, exponential_avg_factor, axis)
    return _by_batch(xp, xp.batch_norm_relu, x, scale, offset, *rest)


@fused_batch_norm_relu.infer
def _(x, scale, offset, mean, variance, *, epsilon, exponential_avg_factor, data_format):
    averaged = exponential_avg_factor != 1.0
    return _specs(x, scale, offset, mean, variance, averaged, data_format)


@op(
    "_FusedBatchNormAddRelu", dtypes=frozenset({float32}), outputs=_OUTPUTS, checked=True, grad=None
)
def fused_batch_norm_add_relu(
    xp,
    x,
    scale: Free,
    offset: Free,
    mean: Free,
    variance: Free,
    side_input,
    *,
    epsilon=0.0001,
    exponential_avg_factor=1.0,
    data_format="NHWC",
):
    """Fused batch normalisation, residual add and ReLU of a training step."""
    axis = _channel_axis(data_format)
    other = xp.moveaxis(side_input, axis, -1)

    def normalize(x, scale, offset, epsilon):
        return xp.batch_norm_add_relu(x, scale, offset, other, epsilon)

    rest = (mean, variance, epsilon, exponential_avg_factor, axis)
    return _by_batch(xp, normalize, x, scale, offset, *rest)


@fused_batch_norm_add_relu.infer
def _(
    x, scale, offset, mean, variance, side_input, *, epsilon, exponential_avg_factor, data_format
):
    averaged = exponential_avg_factor != 1.0
    _, *vectors = _specs(x, scale, offset, mean, variance, averaged, data_format)
    return Spec(broadcast_shape(x.shape, side_input.shape), x.dtype), *vectors


@op(
    "_FusedBatchNormReluGrad",
    dtypes=FLOATING,
    outputs=("x_backprop", "scale_backprop", "offset_backprop", "reserve_4", "reserve_5"),
    checked=True,
    grad=None,
    traits=(RECALLS,),
)
def fused_batch_norm_relu_grad(
    xp,
    y_backprop,
    x,
    scale: Free,
    reserve_space_1: Free,
    reserve_space_2: Free,
    y,
    *,
    epsilon=0.0001,
    data_format="NHWC",
):
    """Compute the gradients of `fused_batch_norm_relu`, from the upstream gradient of the ReLU."""
    axis = _channel_axis(data_format)
    values, rectified, dy = (xp.moveaxis(t, axis, -1) for t in (x, y, y_backprop))
    dx, dscale, doffset = xp.batch_norm_relu_gradient(
        values, rectified, dy, scale, reserve_space_1, reserve_space_2, epsilon
    )
    empty = xp.zeros((0,), np.float32)
    return xp.moveaxis(dx, -1, axis).astype(x.dtype), dscale, doffset, empty, empty


@fused_batch_norm_relu_grad.infer
def _(y_backprop, x, scale, reserve_space_1, reserve_space_2, y, *, epsilon, data_format):
    merge_shape(y.shape, x.shape, "x and y must agree in shape")
    return _gradient_specs(y_backprop, x, scale, reserve_space_1, reserve_space_2, data_format)
