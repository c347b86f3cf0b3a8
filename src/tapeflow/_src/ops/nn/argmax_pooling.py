"""Max pooling that also returns the argmax indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.backends.numpy_conv import taps
from tapeflow._src.backends.numpy_pool import lowest
from tapeflow._src.core.dtypes import INDEX, REAL, as_dtype, int64
from tapeflow._src.core.infer import merge_shape, require_rank
from tapeflow._src.core.registry import Index, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.types import DTypeLike
from tapeflow._src.kernels import windows
from tapeflow._src.ops.array.common import range_, reshape, scalar_int, shape_of, static_ints
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import add_v2, mul
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.product import prod


def _window_attributes(
    ksize: Any, strides: Any, padding: Any
) -> tuple[tuple[int, ...], windows.Attributes]:
    if len(ksize) != 4 or ksize[0] != 1 or ksize[3] != 1 or min(ksize) < 1:
        raise InferError(f"ksize must be [1, height, width, 1], got {list(ksize)}")
    window_attributes = windows.attributes(2, strides, (1, 1, 1, 1), padding, (), "NHWC")
    return (int(ksize[1]), int(ksize[2])), window_attributes


@op("MaxPoolWithArgmax", dtypes=REAL, outputs=("output", "argmax"), checked=True)
def max_pool_with_argmax(
    xp, input, *, ksize, strides, padding, Targmax=int64, include_batch_in_index=False
):
    """Compute the maximum of each window, and its index in the flattened image (or batch)."""
    kernel, window_attributes = _window_attributes(ksize, strides, padding)
    batch, height, width, channels = input.shape
    window = windows.window((height, width), kernel, window_attributes)
    space = windows.output_space((height, width), kernel, window_attributes)
    pads = ((0, 0), *zip(window[2], window[3], strict=True), (0, 0))
    padded = xp.pad(input, pads, constant_values=lowest(input.dtype))
    flat_indices = np.arange(height * width * channels, dtype=np.int64).reshape(
        1, height, width, channels
    )
    numbers = np.pad(flat_indices, pads, constant_values=-1)
    value = xp.full((batch, *space, channels), lowest(input.dtype), input.dtype)
    indices = xp.full((batch, *space, channels), -1, np.int64)
    for _, part in taps(kernel, list(space), window):
        seen = padded[part]
        better = (numbers[part] >= 0) & ((seen > value) | (indices < 0))
        value, indices = xp.where(better, seen, value), xp.where(better, numbers[part], indices)
    if include_batch_in_index:
        indices = indices + np.arange(batch).reshape(-1, 1, 1, 1) * (height * width * channels)
    return value, indices.astype(as_dtype(Targmax).np)


@max_pool_with_argmax.infer
def _(input, *, ksize, strides, padding, Targmax, include_batch_in_index):
    require_rank(input, 4, "input")
    kernel, stride = _window_attributes(ksize, strides, padding)
    if as_dtype(Targmax) not in INDEX:
        raise InferError(f"Targmax must be int32 or int64, got {as_dtype(Targmax).name}")
    dims = input.shape or (None,) * 4
    shape = (dims[0], *windows.output_space(dims[1:3], kernel, stride), dims[3])
    return Spec(shape, input.dtype), Spec(shape, as_dtype(Targmax))


@max_pool_with_argmax.gradient
def _(dz, dargmax, *, input, argmax, attrs):
    keep = ("ksize", "strides", "padding", "include_batch_in_index")
    return max_pool_grad_with_argmax(input, dz, argmax, **{k: attrs[k] for k in keep})


@op("MaxPoolGradWithArgmax", dtypes=REAL, checked=True)
def max_pool_grad_with_argmax(
    xp, input, grad, argmax: Index, *, ksize, strides, padding, include_batch_in_index=False
):
    """Compute the gradient of `max_pool_with_argmax`: each value goes to its argmax."""
    indices = _batch_indices(argmax, input.shape, include_batch_in_index)
    size = int(np.prod(input.shape))
    xp.require(
        xp.all((indices >= 0) & (indices < size)), "argmax names places outside of the input"
    )
    flat = xp.index_add(xp.zeros((size,), grad.dtype), indices.reshape(-1), grad.reshape(-1))
    return flat.reshape(input.shape)


def _batch_indices(argmax: Any, dims: tuple[int, ...], with_batch: bool) -> Any:
    """Return indices in the whole flattened input."""
    if with_batch:
        return argmax
    first = np.arange(dims[0], dtype=argmax.dtype) * int(np.prod(dims[1:]))
    return argmax + first.reshape(-1, 1, 1, 1)


@max_pool_grad_with_argmax.infer
def _(input, grad, argmax, *, ksize, strides, padding, include_batch_in_index):
    _window_attributes(ksize, strides, padding)
    for spec, name in ((input, "input"), (grad, "grad"), (argmax, "argmax")):
        require_rank(spec, 4, name)
    merge_shape(grad.shape, argmax.shape, "grad and argmax must have the same shape")
    if None not in (input.shape, grad.shape):
        merge_shape(input.shape[:1], grad.shape[:1], "input and grad must be of the same batch")
    return Spec(input.shape, grad.dtype)


@max_pool_grad_with_argmax.gradient
def _(dz, *, argmax, include_batch_in_index):
    flat_indices = argmax
    if not include_batch_in_index:
        flat_indices = add_v2(argmax, _image_offsets(dz, argmax.dtype))
    flat = gather_v2(
        reshape(dz, static_ints((-1,))), reshape(flat_indices, static_ints((-1,))), scalar_int(0)
    )
    return None, reshape(flat, shape_of(argmax)), None


def _image_offsets(images: Any, dtype: DTypeLike) -> Any:
    """Return the offset of each image in the flattened batch."""
    sizes = shape_of(images)
    one = prod(get_item(sizes, slice(1, None)), static_ints((0,)))
    starts = mul(range_(scalar_int(0), get_item(sizes, 0), scalar_int(1)), one)
    return cast(reshape(starts, static_ints((-1, 1, 1, 1))), DstT=dtype)
