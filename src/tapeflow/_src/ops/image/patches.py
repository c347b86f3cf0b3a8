"""Patches of images and volumes, one after the other along the last axis."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import OutOfRangeError, UnimplementedError, fmt_shape
from tapeflow._src.core.registry import InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.types import ShapeLike
from tapeflow._src.ops.array.ranges import range_
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.shape import reshape, scalar_int, shape_of, static_ints
from tapeflow._src.ops.array.stacking import pack, unpack
from tapeflow._src.ops.array.transpose import transpose
from tapeflow._src.ops.math.arithmetic import add_v2, floor_div, mul, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import greater_equal, less
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.logical import logical_and
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum

_DTYPES = dtypes.NUMERIC | {dtypes.bool}
Ints = tuple[int, ...]


def _spatial(name: str, values: Any, rank: int) -> Ints:
    """Return the entries of an attribute for the spatial axes."""
    if len(values) != rank + 2:
        raise InferError(f"Length for attr '{name}' of {len(values)} must be {rank + 2}")
    if values[0] != 1 or values[-1] != 1:
        raise UnimplementedError(None, None, f"Only support {name} across space.")
    numbers = tuple(int(v) for v in values[1:-1])
    if min(numbers) < 1:
        raise OutOfRangeError(None, None, f"{name} is out of range: {list(values)}")
    return numbers


def _window_attributes(rank: int, attrs: dict[str, Any]) -> tuple[Ints, Ints, Ints, str]:
    """Return sizes, strides, rates and the padding, checked."""
    padding = attrs["padding"]
    padding = padding.decode() if isinstance(padding, bytes) else padding
    if padding not in ("SAME", "VALID"):
        raise InferError(
            f"Value for attr 'padding' of \"{padding}\" is not in the list of allowed values: "
            '"SAME", "VALID"'
        )
    rates = attrs.get("rates", (1,) * (rank + 2))
    return (
        _spatial("ksizes", attrs["ksizes"], rank),
        _spatial("strides", attrs["strides"], rank),
        _spatial("rates", rates, rank),
        padding,
    )


def _count(size: Any, kernel: int, stride: int, rate: int, padding: str) -> Any:
    """Return how many patches fit along an axis."""
    if size is None:
        return None
    reach = (kernel - 1) * rate + 1
    count = -(-size // stride) if padding == "SAME" else int((size - reach + stride) / stride)
    if count < 0:
        raise InferError(
            f"Computed output size would be negative: {count} [input_size: {size}, "
            f"effective_filter_size: {reach}, stride: {stride}]"
        )
    return count


def _infer(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    (images,) = specs
    rank = 2 if op.name == "ExtractImagePatches" else 3
    ksizes, strides, rates, padding = _window_attributes(rank, attrs)
    if images.shape is None:
        return Spec((None,) * (rank + 2), images.dtype)
    if len(images.shape) != rank + 2:
        raise InferError(f"input must be {rank + 2}-dimensional{fmt_shape(images.shape)}")
    counts = [
        _count(size, kernel, stride, rate, padding)
        for size, kernel, stride, rate in zip(
            images.shape[1:-1], ksizes, strides, rates, strict=True
        )
    ]
    depth = images.shape[-1]
    depth = None if depth is None else depth * int(np.prod(ksizes))
    return Spec((images.shape[0], *counts, depth), images.dtype)


def _extract(xp: ModuleType, images: Any, rank: int, attrs: dict[str, Any]) -> Any:
    *geometry, padding = _window_attributes(rank, attrs)
    counts, kernels = [], []
    for axis, numbers in enumerate(zip(*geometry, strict=True)):
        kernel, stride, rate = numbers
        at = 1 + 2 * axis
        size = images.shape[at]
        count = _count(size, kernel, stride, rate, padding)
        reach = (kernel - 1) * rate + 1
        missing = max((count - 1) * stride + reach - size, 0) if padding == "SAME" else 0
        widths = [(0, 0)] * images.ndim
        widths[at] = (missing // 2, missing - missing // 2)
        positions = np.arange(count)[:, None] * stride + np.arange(kernel) * rate
        images = xp.take(xp.pad(images, widths), positions.reshape(-1), axis=at)
        images = images.reshape(*images.shape[:at], count, kernel, *images.shape[at + 1 :])
        counts.append(count)
        kernels.append(kernel)
    order = (0, *range(1, 2 * rank, 2), *range(2, 2 * rank + 1, 2), 2 * rank + 1)
    depth = int(np.prod(kernels)) * images.shape[-1]
    return images.transpose(order).reshape(images.shape[0], *counts, depth)


def _put_back(dz: Any, shape: ShapeLike, rank: int, attrs: dict[str, Any]) -> Any:
    """Sum the gradients of all patches at each pixel. Sizes may be ints or scalar tensors."""
    *geometry, padding = _window_attributes(rank, attrs)
    sizes = _sizes(shape, rank + 2)
    counts = _sizes_of(dz, rank + 2)[1 : rank + 1]
    patches = reshape(dz, pack([sizes[0], *counts, *geometry[0], sizes[-1]]))
    remaining = list(range(2 * rank + 2))
    for axis, (kernel, stride, rate) in enumerate(zip(*geometry, strict=True)):
        size, count = sizes[1 + axis], counts[axis]
        ids = _pixel_indices(size, count, kernel, stride, rate, padding)
        # The two axes of this dimension to the front, where the sum replaces them by one.
        pair = [remaining.index(1 + axis), remaining.index(1 + rank + axis)]
        rest = [i for i in range(len(remaining)) if i not in pair]
        total = unsorted_segment_sum(transpose(patches, static_ints((*pair, *rest))), ids, size)
        remaining = [1 + axis, *(remaining[i] for i in rest)]
        patches = total
    return transpose(patches, static_ints(tuple(np.argsort(remaining).tolist())))


def _sizes(shape: Any, rank: int) -> list[Any]:
    static_sizes = shape.static_value
    return unpack(shape, num=rank) if static_sizes is None else static_sizes.tolist()


def _sizes_of(tensor: Any, rank: int) -> list[Any]:
    return _sizes(shape_of(tensor), rank)


def _pixel_indices(size: Any, count: Any, kernel: int, stride: int, rate: int, padding: str) -> Any:
    """Return the pixel of each element of each patch along an axis, -1 outside of the image."""
    reach = (kernel - 1) * rate + 1
    offsets = np.arange(kernel, dtype=np.int32) * rate
    if isinstance(size, int) and isinstance(count, int):
        missing = max((count - 1) * stride + reach - size, 0) if padding == "SAME" else 0
        positions = np.arange(count, dtype=np.int32)[:, None] * stride + offsets - missing // 2
        return np.where((positions >= 0) & (positions < size), positions, -1).astype(np.int32)
    size, count = cast(size, DstT="int32"), cast(count, DstT="int32")
    starts = mul(range_(scalar_int(0), count, scalar_int(1)), scalar_int(stride))
    positions = add_v2(reshape(starts, static_ints((-1, 1))), offsets)
    if padding == "SAME":
        missing = sub(add_v2(mul(sub(count, 1), stride), reach), size)
        positions = sub(positions, floor_div(maximum(missing, 0), 2))
    inside = logical_and(greater_equal(positions, 0), less(positions, size))
    return select_v2(inside, positions, scalar_int(-1))


@op("ExtractImagePatches", infer=_infer, dtypes=_DTYPES, checked=True)
def extract_image_patches(xp, images, *, ksizes, strides, rates, padding):
    """Extract the patches of an image, each flattened along the last axis."""
    window = {"ksizes": ksizes, "strides": strides, "rates": rates, "padding": padding}
    return _extract(xp, images, 2, window)


@extract_image_patches.gradient
def _(dz, *, shape_of_images, attrs):
    return _put_back(dz, shape_of_images, 2, attrs)


@op("ExtractVolumePatches", infer=_infer, dtypes=dtypes.REAL, checked=True)
def extract_volume_patches(xp, input, *, ksizes, strides, padding):
    """Extract the patches of a volume, each flattened along the last axis."""
    window = {"ksizes": ksizes, "strides": strides, "padding": padding}
    return _extract(xp, input, 3, window)


@extract_volume_patches.gradient
def _(dz, *, shape_of_input, attrs):
    return _put_back(dz, shape_of_input, 3, attrs)
