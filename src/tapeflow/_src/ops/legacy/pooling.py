"""Max pooling whose window sizes are tensors."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core.dtypes import REAL
from tapeflow._src.core.infer import merge_shape
from tapeflow._src.core.registry import UNREGISTERED, Op, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.legacy.renaming import infer, run
from tapeflow._src.ops.nn import pooling


def _window(ksize: Any, strides: Any) -> dict[str, tuple[int, ...]]:
    return {"ksize": tuple(ksize.tolist()), "strides": tuple(strides.tolist())}


def _rule(newer: Op, unknown: Any) -> Any:
    """Return the result of the shape rule of `newer` if the window is static, else of `unknown`."""

    def rule(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        *tensors, ksize, strides = specs
        if ksize.value is None or strides.value is None:
            return unknown(*tensors)
        return infer(newer, *tensors, **_window(ksize.value, strides.value), **attrs)

    return rule


def _some_image(x: Spec) -> Spec:
    return Spec((None if x.shape is None else x.shape[0], None, None, None), x.dtype)


def _like_input(x: Spec, y: Spec, grad: Spec) -> Spec:
    return Spec(x.shape, x.dtype)


def _like_output(x: Spec, y: Spec, grad: Spec) -> Spec:
    return Spec(merge_shape(y.shape, (None,) * 4), x.dtype)


@op("MaxPoolV2", infer=_rule(pooling.max_pool, _some_image), dtypes=REAL, checked=True)
def max_pool_v2(xp, input, ksize: Static, strides: Static, *, padding, data_format="NHWC"):
    """Compute the maximum of each window."""
    window = _window(ksize, strides)
    return run(pooling.max_pool, xp, input, padding=padding, data_format=data_format, **window)


@op("MaxPoolGradV2", infer=_rule(pooling.max_pool_grad, _like_input), dtypes=REAL, checked=True)
def max_pool_grad_v2(
    xp,
    orig_input,
    orig_output,
    grad,
    ksize: Static,
    strides: Static,
    *,
    padding,
    data_format="NHWC",
):
    """Compute the gradient of `max_pool_v2`."""
    attrs = {"padding": padding, "data_format": data_format, **_window(ksize, strides)}
    return run(pooling.max_pool_grad, xp, orig_input, orig_output, grad, **attrs)


@op(
    "MaxPoolGradGradV2",
    infer=_rule(pooling.max_pool_grad_grad, _like_output),
    dtypes=REAL,
    grad=UNREGISTERED,
    checked=True,
)
def max_pool_grad_grad_v2(
    xp,
    orig_input,
    orig_output,
    grad,
    ksize: Static,
    strides: Static,
    *,
    padding,
    data_format="NHWC",
):
    """Compute the gradient of `max_pool_grad_v2`: `grad` at the positions of the maxima."""
    attrs = {"padding": padding, "data_format": data_format, **_window(ksize, strides)}
    return run(pooling.max_pool_grad_grad, xp, orig_input, orig_output, grad, **attrs)


@max_pool_v2.gradient
def _(dz, *, input, output, ksize, strides, attrs):
    return max_pool_grad_v2(input, output, dz, ksize, strides, **attrs), None, None


@max_pool_grad_v2.gradient
def _(dz, *, orig_input, orig_output, ksize, strides, attrs):
    picked = max_pool_grad_grad_v2(orig_input, orig_output, dz, ksize, strides, **attrs)
    return None, None, picked, None, None
