"""Batch normalization in its earlier forms, and the gradient of local response normalization."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import FLOATING, bfloat16, float16, float32
from tapeflow._src.core.infer import merge_shape, require_rank
from tapeflow._src.core.registry import UNREGISTERED, Free, InferError, Op, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.legacy.renaming import infer, run
from tapeflow._src.ops.nn.batch_norm import fused_batch_norm, fused_batch_norm_grad
from tapeflow._src.ops.nn.response_norm import neighbour_sums

_FORWARD = ("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2")
_BACKWARD = (
    *("x_backprop", "scale_backprop", "offset_backprop"),
    *("reserve_space_3", "reserve_space_4"),
)
_HALVES_AND_SINGLE = frozenset({float16, bfloat16, float32})
_IMAGES = ("NHWC", "NCHW")
_NOTHING, _NUMBER = Spec((0,), float32), Spec((), float32)


def _infer_forward(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    _require_images(attrs["data_format"])
    return infer(fused_batch_norm, *specs, **attrs)[:5]


def _infer_backward(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    _require_images(attrs["data_format"])
    x, scale, offset, *_ = infer(fused_batch_norm_grad, *specs, _NOTHING, **attrs)
    return x, scale, offset, _NUMBER, _NUMBER


def _require_images(data_format: str) -> None:
    if data_format not in _IMAGES:
        raise InferError(f"Invalid data format {data_format!r}: one of {', '.join(_IMAGES)}")


def _declare_backward(suffix: str, dtypes: Any) -> Op:
    @op(
        f"FusedBatchNormGrad{suffix}",
        infer=_infer_backward,
        dtypes=dtypes,
        outputs=_BACKWARD,
        checked=True,
    )
    def backward(
        xp,
        y_backprop,
        x,
        scale: Free,
        reserve_space_1: Free,
        reserve_space_2: Free,
        *,
        epsilon=0.0001,
        data_format="NHWC",
        is_training=True,
    ):
        """Compute the gradients of the normalization w.r.t. its input, scale and offset."""
        attrs = {"epsilon": epsilon, "data_format": data_format, "is_training": is_training}
        statistics = (scale, reserve_space_1, reserve_space_2, np.zeros(0, np.float32))
        results = run(fused_batch_norm_grad, xp, y_backprop, x, *statistics, **attrs)
        # The reserve space was a scalar before it became an empty vector.
        return (*results[:3], np.zeros((), np.float32), np.zeros((), np.float32))

    # It uses nothing that is only in the latest version.
    backward.gradient(fused_batch_norm_grad.gradient_rule.fn)
    return backward


def _declare_forward(suffix: str, dtypes: Any, backward: Op) -> Op:
    @op(
        f"FusedBatchNorm{suffix}",
        infer=_infer_forward,
        dtypes=dtypes,
        outputs=_FORWARD,
        checked=True,
    )
    def forward(
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
        """Normalise `x` over all axes but the channels, scale and shift it.

        Return the statistics, too.
        """
        attrs = {
            "epsilon": epsilon,
            "exponential_avg_factor": exponential_avg_factor,
            "data_format": data_format,
            "is_training": is_training,
        }
        return run(fused_batch_norm, xp, x, scale, offset, mean, variance, **attrs)[:5]

    @forward.gradient
    def _(dy, dm, dv, d1, d2, *, x, scale, reserve_space_1, reserve_space_2, attrs):
        attrs = {name: attrs[name] for name in ("epsilon", "data_format", "is_training")}
        results = backward(dy, x, scale, reserve_space_1, reserve_space_2, **attrs)
        return (*results[:3], None, None)

    return forward


fused_batch_norm_grad_v1 = _declare_backward("", frozenset({float32}))
fused_batch_norm_grad_v2 = _declare_backward("V2", _HALVES_AND_SINGLE)
fused_batch_norm_v1 = _declare_forward("", frozenset({float32}), fused_batch_norm_grad_v1)
fused_batch_norm_v2 = _declare_forward("V2", _HALVES_AND_SINGLE, fused_batch_norm_grad_v2)


# -- with statistics as inputs -----------------------------------------------------------------


def _check_global(t: Spec, **vectors: Spec) -> None:
    require_rank(t, 4, "t")
    channels = None if t.shape is None else t.shape[3]
    for name, vector in vectors.items():
        require_rank(vector, 1, name)
        merge_shape((channels,), vector.shape, f"{name} has a wrong size")


@op("BatchNormWithGlobalNormalization", dtypes=FLOATING, checked=True)
def batch_norm_global(xp, t, m, v, beta, gamma, *, variance_epsilon, scale_after_normalization):
    """Normalise `t` with mean `m` and variance `v`; scale by `gamma`, add `beta`."""
    rate = 1 / xp.sqrt(v + np.asarray(variance_epsilon, v.dtype))
    if scale_after_normalization:
        rate = rate * gamma
    return ((t - m) * rate + beta).astype(t.dtype)


@batch_norm_global.infer
def _(t, m, v, beta, gamma, *, variance_epsilon, scale_after_normalization):
    _check_global(t, m=m, v=v, beta=beta, gamma=gamma)
    return Spec(t.shape, t.dtype)


@batch_norm_global.gradient
def _(dz, *, t, m, v, gamma, variance_epsilon, scale_after_normalization):
    dx, dm, dv, db, dg = batch_norm_global_grad(
        t,
        m,
        v,
        gamma,
        dz,
        variance_epsilon=variance_epsilon,
        scale_after_normalization=scale_after_normalization,
    )
    return dx, dm, dv, db, dg


@op(
    "BatchNormWithGlobalNormalizationGrad",
    dtypes=FLOATING,
    outputs=("dx", "dm", "dv", "db", "dg"),
    grad=UNREGISTERED,
    checked=True,
)
def batch_norm_global_grad(
    xp, t, m, v, gamma, backprop, *, variance_epsilon, scale_after_normalization
):
    """Compute the gradients of `batch_norm_global` w.r.t. its five inputs."""
    rate = 1 / xp.sqrt(v + np.asarray(variance_epsilon, v.dtype))
    gain = rate * gamma if scale_after_normalization else rate
    rows = (0, 1, 2)
    total = xp.sum(backprop, axis=rows, dtype=t.dtype)
    centred = xp.sum(backprop * (t - m), axis=rows, dtype=t.dtype)
    by_gamma = centred * rate if scale_after_normalization else xp.zeros_like(gamma)
    half = np.asarray(-0.5, t.dtype)
    results = (backprop * gain, -total * gain, half * centred * gain * rate * rate, total, by_gamma)
    return tuple(result.astype(t.dtype) for result in results)


@batch_norm_global_grad.infer
def _(t, m, v, gamma, backprop, *, variance_epsilon, scale_after_normalization):
    _check_global(t, m=m, v=v, gamma=gamma)
    shape = merge_shape(t.shape, backprop.shape, "t and backprop must have the same shape")
    channels = (None,) if t.shape is None else t.shape[3:]
    vector = Spec(channels, t.dtype)
    return Spec(shape, t.dtype), vector, vector, vector, vector


# -- local response normalization --------------------------------------------------------------


@op("LRNGrad", dtypes=_HALVES_AND_SINGLE, grad=UNREGISTERED, checked=True)
def lrn_grad(
    xp, input_grads, input_image, output_image, *, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5
):
    """Compute the gradient of `LRN` w.r.t. its input."""
    dy, x, y = (a.astype(np.float32) for a in (input_grads, input_image, output_image))
    norm = np.float32(bias) + np.float32(alpha) * neighbour_sums(xp, x * x, depth_radius)
    shared = neighbour_sums(xp, dy * y / norm, depth_radius)
    direct = dy * norm ** np.float32(-beta)
    return (direct - np.float32(2 * alpha * beta) * x * shared).astype(input_image.dtype)


@lrn_grad.infer
def _(input_grads, input_image, output_image, *, depth_radius, bias, alpha, beta):
    shape = None
    for spec in (input_grads, input_image, output_image):
        require_rank(spec, 4, "input_grads, input_image and output_image")
        shape = merge_shape(shape, spec.shape, "all inputs must have one shape")
    return Spec(shape, input_image.dtype)
