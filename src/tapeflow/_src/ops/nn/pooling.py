"""Max and average pooling, and the ops of their gradients."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType
from typing import Any

from tapeflow._src.core.batching import in_first_axis, of_sizes_first
from tapeflow._src.core.dtypes import FLOATING, REAL
from tapeflow._src.core.errors import UnimplementedError, fmt_shape
from tapeflow._src.core.infer import merge_shape, require_rank, shape_from_value
from tapeflow._src.core.registry import InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import KEEPS_FINITE, OWN_SCOPE, RECALLS, TOTAL_ON_SHAPES
from tapeflow._src.kernels import windows

Ints = tuple[int, ...]


def _window_attributes(rank: int, attrs: dict[str, Any]) -> tuple[Ints, windows.Attributes]:
    """Return the window's spatial sizes, and the other window attributes."""
    window_attributes = windows.attributes(
        rank,
        attrs["strides"],
        (1,) * (rank + 2),
        attrs["padding"],
        attrs.get("explicit_paddings", ()),
        attrs["data_format"],
    )
    ksize = attrs["ksize"]
    if len(ksize) != rank + 2:
        raise InferError(f"ksize must specify {rank + 2} dimensions, got {list(ksize)}")
    if min(ksize) < 1:
        raise InferError(
            f"Sliding window ksize must be positive. The specified or inferred ksize is: "
            f"{list(ksize)}"
        )
    batch, *spatial, channels = windows.last_dims(tuple(int(k) for k in ksize), window_attributes)
    if (batch, channels) != (1, 1):
        raise UnimplementedError(
            None, None, f"Pooling over the batch or the channels is not supported: {list(ksize)}"
        )
    return tuple(spatial), window_attributes


def _depth(attrs: dict[str, Any]) -> int:
    """Return the window's size along the channels, 1 unless it covers only those."""
    ksize, strides = attrs["ksize"], attrs["strides"]
    if attrs["data_format"] != "NHWC" or len(ksize) != 4 or len(strides) != 4 or ksize[3] < 2:
        return 1
    if tuple(ksize[:3]) != (1, 1, 1) or tuple(strides[:3]) != (1, 1, 1):
        raise UnimplementedError(
            None,
            None,
            f"MaxPooling supports exactly one of pooling across depth or pooling across "
            f"width/height, got ksize {list(ksize)} and strides {list(strides)}",
        )
    if ksize[3] != strides[3]:
        raise UnimplementedError(
            None,
            None,
            f"Depthwise max pooling requires the depth window to equal the depth stride, got "
            f"{ksize[3]} and {strides[3]}",
        )
    return int(ksize[3])


def _pooled(rank: int, shape: Any, attrs: dict[str, Any]) -> Any:
    """Return the shape of the result."""
    ksize, window_attributes = _window_attributes(rank, attrs)
    if shape is None:
        return (None,) * (rank + 2)
    dims = windows.last_dims(shape, window_attributes)
    space = windows.output_space(dims[1:-1], ksize, window_attributes)
    return windows.format_dims((dims[0], *space, dims[-1]), window_attributes)


def _infer_forward(rank: int) -> Any:
    def rule(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        (x,) = specs
        require_rank(x, rank + 2, op.input_names[0])
        return Spec(_pooled(rank, x.shape, attrs), x.dtype)

    return rule


def _infer_gradient(rank: int, like: int) -> Any:
    """Infer `(orig_input, orig_output, grad)`: the result has the shape of input number `like`."""

    def rule(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        x, y, values = specs
        for spec, name in zip(specs, op.input_names, strict=True):
            require_rank(spec, rank + 2, name)
        pooled = merge_shape(
            _pooled(rank, x.shape, attrs), y.shape, "orig_output has a wrong shape"
        )
        expected = pooled if like == 0 else x.shape
        merge_shape(expected, values.shape, "grad has a wrong shape")
        return Spec(x.shape if like == 0 else pooled, values.dtype)

    return rule


def _infer_mean_gradient(rank: int) -> Any:
    def rule(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
        sizes, dy = specs
        require_rank(dy, rank + 2, "grad")
        dims = shape_from_value(sizes)
        if dims is not None and len(dims) != rank + 2:
            raise InferError(f"orig_input_shape must have {rank + 2} values, got {fmt_shape(dims)}")
        if dims is not None:
            merge_shape(_pooled(rank, dims, attrs), dy.shape, "grad has a wrong shape")
        return Spec(dims, dy.dtype)

    return rule


def _parts(rank: int, dims: Ints, attrs: dict[str, Any]) -> Any:
    """Return the window's sizes, its other attributes, sizes with channels last, and paddings."""
    ksize, attributes = _window_attributes(rank, attrs)
    last = windows.last_dims(dims, attributes)
    return ksize, attributes, last, windows.window(last[1:-1], ksize, attributes)


@lru_cache(maxsize=256)
def _cached_parts(rank: int, dims: Ints, *attrs: tuple[str, Any]) -> Any:
    """Return `_parts`, which takes as long as pooling a few pixels."""
    return _parts(rank, dims, dict(attrs))


class _Window:
    """The window of one call, from its attributes."""

    def __init__(self, rank: int, dims: Ints, attrs: dict[str, Any]) -> None:
        try:
            parts = _cached_parts(rank, dims, *attrs.items())
        except TypeError:  # a list as an attribute
            parts = _parts(rank, dims, attrs)
        self.ksize, self.attributes, self.dims, self.window = parts

    def last(self, xp: ModuleType, *arrays: Any) -> list[Any]:
        return [windows.to_last(xp, a, self.attributes) for a in arrays]

    def back(self, xp: ModuleType, array: Any) -> Any:
        return windows.from_last(xp, array, self.attributes)


def _max_pool(xp: ModuleType, rank: int, x: Any, attrs: dict[str, Any]) -> Any:
    w = _Window(rank, x.shape, attrs)
    return w.back(xp, xp.max_pool(*w.last(xp, x), w.ksize, w.window))


def _max_gradient(xp: ModuleType, rank: int, x: Any, y: Any, dy: Any, attrs: dict[str, Any]) -> Any:
    w = _Window(rank, x.shape, attrs)
    return w.back(xp, xp.max_pool_gradient(*w.last(xp, x, y, dy), w.ksize, w.window))


def _max_pick(xp: ModuleType, rank: int, x: Any, y: Any, values: Any, attrs: dict[str, Any]) -> Any:
    w = _Window(rank, x.shape, attrs)
    return w.back(xp, xp.max_pool_pick(*w.last(xp, x, y, values), w.ksize, w.window))


def _avg_pool(xp: ModuleType, rank: int, x: Any, attrs: dict[str, Any]) -> Any:
    w = _Window(rank, x.shape, attrs)
    return w.back(xp, xp.avg_pool(*w.last(xp, x), w.ksize, w.window))


def _avg_gradient(xp: ModuleType, rank: int, sizes: Any, dy: Any, attrs: dict[str, Any]) -> Any:
    w = _Window(rank, tuple(sizes.tolist()), attrs)
    return w.back(xp, xp.avg_pool_gradient(*w.last(xp, dy), w.dims, w.ksize, w.window))


def _attrs(ksize, strides, padding, data_format, explicit_paddings=()):
    return {
        "ksize": ksize,
        "strides": strides,
        "padding": padding,
        "data_format": data_format,
        "explicit_paddings": explicit_paddings,
    }


# -- two dimensions ----------------------------------------------------------------------------


@op(
    "MaxPool",
    dtypes=REAL,
    checked=True,
    traits=(KEEPS_FINITE, OWN_SCOPE, TOTAL_ON_SHAPES),
    batch=in_first_axis,
)
def max_pool(xp, input, *, ksize, strides, padding, explicit_paddings=(), data_format="NHWC"):
    """Compute the maximum of each window of images, or of each group of channels."""
    attrs = _attrs(ksize, strides, padding, data_format, explicit_paddings)
    depth = _depth(attrs)
    if depth > 1:
        return xp.max(input.reshape((*input.shape[:3], input.shape[3] // depth, depth)), axis=4)
    return _max_pool(xp, 2, input, attrs)


@max_pool.infer
def _(input, **attrs):
    depth = _depth(attrs)
    if depth == 1:
        return _infer_forward(2)(max_pool, (input,), attrs)
    require_rank(input, 4, "input")
    dims = input.shape or (None,) * 4
    if dims[3] is not None and dims[3] % depth:
        raise UnimplementedError(
            None,
            None,
            f"Depthwise max pooling requires the depth window to evenly divide the input depth, "
            f"got {depth} and {dims[3]}",
        )
    return Spec((*dims[:3], None if dims[3] is None else dims[3] // depth), input.dtype)


@op(
    "MaxPoolGrad",
    infer=_infer_gradient(2, 0),
    dtypes=REAL,
    checked=True,
    traits=(RECALLS,),
    batch=in_first_axis,
)
def max_pool_grad(
    xp,
    orig_input,
    orig_output,
    grad,
    *,
    ksize,
    strides,
    padding,
    explicit_paddings=(),
    data_format="NHWC",
):
    """Compute the gradient of `max_pool`."""
    attrs = _attrs(ksize, strides, padding, data_format, explicit_paddings)
    return _max_gradient(xp, 2, orig_input, orig_output, grad, attrs)


@op("MaxPoolGradGrad", infer=_infer_gradient(2, 1), dtypes=REAL, checked=True, batch=in_first_axis)
def max_pool_grad_grad(
    xp, orig_input, orig_output, grad, *, ksize, strides, padding, data_format="NHWC"
):
    """Compute the gradient of `max_pool_grad`: `grad` at the argmax positions."""
    attrs = _attrs(ksize, strides, padding, data_format)
    return _max_pick(xp, 2, orig_input, orig_output, grad, attrs)


@op(
    "AvgPool",
    infer=_infer_forward(2),
    dtypes=FLOATING,
    checked=True,
    traits=(TOTAL_ON_SHAPES,),
    batch=in_first_axis,
)
def avg_pool(xp, value, *, ksize, strides, padding, data_format="NHWC"):
    """Compute the mean of each window of images, excluding padding."""
    return _avg_pool(xp, 2, value, _attrs(ksize, strides, padding, data_format))


@op(
    "AvgPoolGrad",
    infer=_infer_mean_gradient(2),
    dtypes=FLOATING,
    checked=True,
    batch=of_sizes_first,
)
def avg_pool_grad(
    xp, orig_input_shape: Static, grad, *, ksize, strides, padding, data_format="NHWC"
):
    """Compute the gradient of `avg_pool`."""
    attrs = _attrs(ksize, strides, padding, data_format)
    return _avg_gradient(xp, 2, orig_input_shape, grad, attrs)


# -- three dimensions --------------------------------------------------------------------------


@op(
    "MaxPool3D",
    infer=_infer_forward(3),
    dtypes=FLOATING,
    checked=True,
    traits=(OWN_SCOPE,),
    batch=in_first_axis,
)
def max_pool3d(xp, input, *, ksize, strides, padding, data_format="NDHWC"):
    """Compute the maximum of each window of volumes."""
    return _max_pool(xp, 3, input, _attrs(ksize, strides, padding, data_format))


@op(
    "MaxPool3DGrad",
    infer=_infer_gradient(3, 0),
    dtypes=FLOATING,
    checked=True,
    traits=(RECALLS,),
    batch=in_first_axis,
)
def max_pool3d_grad(
    xp, orig_input, orig_output, grad, *, ksize, strides, padding, data_format="NDHWC"
):
    """Compute the gradient of `max_pool3d`."""
    attrs = _attrs(ksize, strides, padding, data_format)
    return _max_gradient(xp, 3, orig_input, orig_output, grad, attrs)


@op(
    "MaxPool3DGradGrad", infer=_infer_gradient(3, 1), dtypes=REAL, checked=True, batch=in_first_axis
)
def max_pool3d_grad_grad(
    xp, orig_input, orig_output, grad, *, ksize, strides, padding, data_format="NDHWC"
):
    """Compute the gradient of `max_pool3d_grad`: `grad` at the argmax positions."""
    attrs = _attrs(ksize, strides, padding, data_format)
    return _max_pick(xp, 3, orig_input, orig_output, grad, attrs)


@op("AvgPool3D", infer=_infer_forward(3), dtypes=FLOATING, checked=True, batch=in_first_axis)
def avg_pool3d(xp, input, *, ksize, strides, padding, data_format="NDHWC"):
    """Compute the mean of each window of volumes, excluding padding."""
    return _avg_pool(xp, 3, input, _attrs(ksize, strides, padding, data_format))


@op(
    "AvgPool3DGrad",
    infer=_infer_mean_gradient(3),
    dtypes=FLOATING,
    checked=True,
    batch=of_sizes_first,
)
def avg_pool3d_grad(
    xp, orig_input_shape: Static, grad, *, ksize, strides, padding, data_format="NDHWC"
):
    """Compute the gradient of `avg_pool3d`."""
    attrs = _attrs(ksize, strides, padding, data_format)
    return _avg_gradient(xp, 3, orig_input_shape, grad, attrs)


# -- gradients ---------------------------------------------------------------------------------


def _without_explicit(attrs: dict[str, Any]) -> dict[str, Any]:
    """Return attributes for `MaxPoolGradGrad`, which has no explicit padding."""
    if len(attrs["explicit_paddings"]):
        raise InferError("MaxPoolGradGrad does not take explicit paddings: pad the input first")
    return {k: v for k, v in attrs.items() if k != "explicit_paddings"}


@max_pool.gradient
def _(dz, *, input, output, attrs):
    return max_pool_grad(input, output, dz, **attrs)


@max_pool_grad.gradient
def _(dz, *, orig_input, orig_output, attrs):
    attrs = _without_explicit(attrs)
    return None, None, max_pool_grad_grad(orig_input, orig_output, dz, **attrs)


@max_pool_grad_grad.gradient
def _(dz, *, orig_input, orig_output, attrs):
    return None, None, max_pool_grad(orig_input, orig_output, dz, **attrs)


@avg_pool.gradient
def _(dz, *, shape_of_value, attrs):
    return avg_pool_grad(shape_of_value, dz, **attrs)


@avg_pool_grad.gradient
def _(dz, *, attrs):
    return None, avg_pool(dz, **attrs)


@max_pool3d.gradient
def _(dz, *, input, output, attrs):
    return max_pool3d_grad(input, output, dz, **attrs)


@max_pool3d_grad.gradient
def _(dz, *, orig_input, orig_output, attrs):
    return None, None, max_pool3d_grad_grad(orig_input, orig_output, dz, **attrs)


@max_pool3d_grad_grad.gradient
def _(dz, *, orig_input, orig_output, attrs):
    return None, None, max_pool3d_grad(orig_input, orig_output, dz, **attrs)


@avg_pool3d.gradient
def _(dz, *, shape_of_input, attrs):
    return avg_pool3d_grad(shape_of_input, dz, **attrs)


@avg_pool3d_grad.gradient
def _(dz, *, attrs):
    return None, avg_pool3d(dz, **attrs)
