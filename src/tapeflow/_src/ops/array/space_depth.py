"""Blocks of space moved into the depth or the batch of a tensor, and back."""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import in_first_axis
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.registry import InferError, Static, op
from tapeflow._src.core.spec import Spec

_RANKS = {"NHWC": 4, "NCHW": 4, "NCHW_VECT_C": 5}

# -- depth ------------------------------------------------------------------------------------


def _check_image(input: Spec, block_size: int, data_format: str) -> None:
    if block_size < 2:
        raise InferError(f"Value for attr 'block_size' of {block_size} must be at least minimum 2")
    if data_format not in _RANKS:
        raise InferError(
            f"Value for attr 'data_format' of \"{data_format}\" is not in the list of allowed "
            f'values: "NHWC", "NCHW", "NCHW_VECT_C"'
        )
    rank = _RANKS[data_format]
    if input.shape is not None and len(input.shape) != rank:
        raise InferError(f"Input rank should be {rank} instead of {len(input.shape)}")
    if input.shape is not None and rank == 5 and input.shape[4] not in (None, 4):
        raise InferError(f"NCHW_VECT_C holds 4 channels together, not {input.shape[4]}")


def _as_nhwc(xp: ModuleType, image: Any, data_format: str) -> Any:
    if data_format == "NCHW":
        return xp.transpose(image, (0, 2, 3, 1))
    if data_format == "NCHW_VECT_C":
        n, c, h, w, part = image.shape
        return xp.transpose(image, (0, 2, 3, 1, 4)).reshape((n, h, w, c * part))
    return image


def _from_nhwc(xp: ModuleType, image: Any, data_format: str) -> Any:
    if data_format == "NCHW":
        return xp.transpose(image, (0, 3, 1, 2))
    if data_format == "NCHW_VECT_C":
        n, h, w, c = image.shape
        return xp.transpose(image.reshape((n, h, w, c // 4, 4)), (0, 3, 1, 2, 4))
    return image


def _times(size: int | None, factor: int) -> int | None:
    return None if size is None else size * factor


@op("SpaceToDepth", checked=True, batch=in_first_axis)
def space_to_depth(xp, input, *, block_size, data_format="NHWC"):
    """Move each block of `block_size` by `block_size` pixels into the channels of one pixel."""
    image = _as_nhwc(xp, input, data_format)
    n, h, w, c = image.shape
    b = block_size
    blocks = xp.transpose(image.reshape((n, h // b, b, w // b, b, c)), (0, 1, 3, 2, 4, 5))
    return _from_nhwc(xp, blocks.reshape((n, h // b, w // b, b * b * c)), data_format)


@space_to_depth.infer
def _(input, *, block_size, data_format):
    _check_image(input, block_size, data_format)
    if input.shape is None:
        return Spec((None,) * _RANKS[data_format], input.dtype)
    first = 2 if data_format != "NHWC" else 1
    h, w = input.shape[first], input.shape[first + 1]
    if any(size is not None and size % block_size for size in (h, w)):
        raise InferError(
            f"Image width {w} and height {h} should be divisible by block_size: {block_size}"
        )
    return Spec(_reblocked(input.shape, first, block_size, shrink=True), input.dtype)


def _reblocked(dims: Any, first: int, block: int, *, shrink: bool) -> Any:
    sizes = list(dims)
    for axis in (first, first + 1):
        size = dims[axis]
        sizes[axis] = None if size is None else size // block if shrink else size * block
    depth = 3 if first == 1 else 1
    size = dims[depth]
    area = block * block
    sizes[depth] = None if size is None else size * area if shrink else size // area
    return tuple(sizes)


@space_to_depth.gradient
def _(dz, *, block_size, data_format):
    return depth_to_space(dz, block_size=block_size, data_format=data_format)


@op("DepthToSpace", checked=True, batch=in_first_axis)
def depth_to_space(xp, input, *, block_size, data_format="NHWC"):
    """Move the channels of each pixel to a block of `block_size` by `block_size` pixels."""
    image = _as_nhwc(xp, input, data_format)
    n, h, w, c = image.shape
    b = block_size
    depth = c // (b * b)
    blocks = xp.transpose(image.reshape((n, h, w, b, b, depth)), (0, 1, 3, 2, 4, 5))
    return _from_nhwc(xp, blocks.reshape((n, h * b, w * b, depth)), data_format)


@depth_to_space.infer
def _(input, *, block_size, data_format):
    _check_image(input, block_size, data_format)
    if input.shape is None:
        return Spec((None,) * _RANKS[data_format], input.dtype)
    first = 2 if data_format != "NHWC" else 1
    depth = input.shape[3 if first == 1 else 1]
    if depth is not None and depth % (block_size * block_size):
        raise InferError(
            f"Input depth dimension {depth} should be divisible by: {block_size * block_size}"
        )
    return Spec(_reblocked(input.shape, first, block_size, shrink=False), input.dtype)


@depth_to_space.gradient
def _(dz, *, block_size, data_format):
    return space_to_depth(dz, block_size=block_size, data_format=data_format)


# -- batch ------------------------------------------------------------------------------------


def _checked_blocks(input: Any, block_shape: Any, edges: Any, what: str) -> tuple[Any, Any]:
    """Return the block sizes and the edge widths as lists; InferError if they are invalid."""
    if block_shape.ndim != 1:
        raise InferError(f"block_shape rank should be 1 instead of {block_shape.ndim}")
    count = len(block_shape)
    if input is not None and len(input) < 1 + count:
        raise InferError(f"input rank should be >= {1 + count} instead of {len(input)}")
    if edges.shape != (count, 2):
        raise InferError(
            f"{what} should have shape [{count}, 2] instead of {fmt_shape(edges.shape)}"
        )
    blocks, widths = block_shape.tolist(), edges.tolist()
    for i, block in enumerate(blocks):
        if block < 1:
            raise InferError(
                f"All values in block_shape must be positive, got value, {block} at index {i}."
            )
    if any(width < 0 for pair in widths for width in pair):
        raise InferError(f"{what.capitalize()} must be non-negative")
    return blocks, widths


def _to_batch(xp: ModuleType, input: Any, blocks: list[int], paddings: list[list[int]]) -> Any:
    count = len(blocks)
    rest = input.ndim - 1 - count
    if any(width for pair in paddings for width in pair):
        input = xp.pad(input, [(0, 0), *map(tuple, paddings), *[(0, 0)] * rest])
    outer = [n // b for n, b in zip(input.shape[1:], blocks)]
    split = [size for pair in zip(outer, blocks) for size in pair]
    tail = input.shape[1 + count :]
    inner_axes = range(2, 2 + 2 * count, 2)
    outer_axes = range(1, 1 + 2 * count, 2)
    order = (*inner_axes, 0, *outer_axes, *range(1 + 2 * count, 1 + 2 * count + rest))
    moved = xp.transpose(input.reshape((input.shape[0], *split, *tail)), order)
    return moved.reshape((input.shape[0] * math.prod(blocks), *outer, *tail))


def _from_batch(xp: ModuleType, input: Any, blocks: list[int], crops: list[list[int]]) -> Any:
    count = len(blocks)
    batch = input.shape[0] // math.prod(blocks)
    space, tail = input.shape[1 : 1 + count], input.shape[1 + count :]
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    order += range(2 * count + 1, 2 * count + 1 + len(tail))
    moved = xp.transpose(input.reshape((*blocks, batch, *space, *tail)), order)
    full = [n * b for n, b in zip(space, blocks)]
    whole = moved.reshape((batch, *full, *tail))
    key = [slice(before, n - after) for n, (before, after) in zip(full, crops, strict=True)]
    return whole[(slice(None), *key)]


def _batched_shape(dims: Any, blocks: list[int], paddings: list[list[int]]) -> Any:
    if dims is None:
        return None
    space: list[int | None] = []
    for i, (block, (before, after)) in enumerate(zip(blocks, paddings, strict=True)):
        size = dims[1 + i]
        if size is not None:
            size += before + after
            if size % block:
                raise InferError(
                    f"padded_shape[{i}]={size} is not divisible by block_shape[{i}]={block}"
                )
            size //= block
        space.append(size)
    return (_times(dims[0], math.prod(blocks)), *space, *dims[1 + len(blocks) :])


def _unbatched_shape(dims: Any, blocks: list[int], crops: list[list[int]]) -> Any:
    if dims is None:
        return None
    area = math.prod(blocks)
    batch = dims[0]
    if batch is not None and batch % area:
        raise InferError(
            f"Input batch dimension ({batch}) is not divisible by product of block sizes ({area})"
        )
    space: list[int | None] = []
    for i, (block, (before, after)) in enumerate(zip(blocks, crops, strict=True)):
        size = _times(dims[1 + i], block)
        if size is not None:
            size -= before + after
            if size < 0:
                raise InferError(f"cropped_shape[{i}]={size} must be non-negative")
        space.append(size)
    return (None if batch is None else batch // area, *space, *dims[1 + len(blocks) :])


def _divided(size: int | None, by: int) -> int | None:
    return None if size is None else size // by


def _partial_shape(input: Spec, block_shape: Spec, resized: Any) -> Spec:
    """Return the static shape of the result if the widths, or the blocks too, are unknown."""
    dims = input.shape
    count = block_shape.shape[0] if block_shape.shape else None
    if dims is None or count is None or len(dims) < 1 + count:
        return Spec(None if dims is None else (None,) * len(dims), input.dtype)
    blocks = block_shape.value
    batch = None if blocks is None else resized(dims[0], math.prod(blocks.tolist()))
    return Spec((batch, *(None,) * count, *dims[1 + count :]), input.dtype)


@op("SpaceToBatchND", checked=True)
def space_to_batch_nd(xp, input, block_shape: Static, paddings: Static):
    """Pad `input`, and move the blocks of its spatial axes into the batch axis."""
    return _to_batch(xp, input, block_shape.tolist(), paddings.tolist())


@space_to_batch_nd.infer
def _(input, block_shape, paddings):
    if block_shape.value is None or paddings.value is None:
        return _partial_shape(input, block_shape, _times)
    checked = _checked_blocks(input.shape, block_shape.value, paddings.value, "paddings")
    return Spec(_batched_shape(input.shape, *checked), input.dtype)


@space_to_batch_nd.gradient
def _(dz, *, block_shape, paddings):
    return batch_to_space_nd(dz, block_shape, paddings), None, None


@op("BatchToSpaceND", checked=True)
def batch_to_space_nd(xp, input, block_shape: Static, crops: Static):
    """Move parts of the batch axis to blocks of the spatial axes, and crop these."""
    return _from_batch(xp, input, block_shape.tolist(), crops.tolist())


@batch_to_space_nd.infer
def _(input, block_shape, crops):
    if block_shape.value is None or crops.value is None:
        return _partial_shape(input, block_shape, _divided)
    checked = _checked_blocks(input.shape, block_shape.value, crops.value, "crops")
    return Spec(_unbatched_shape(input.shape, *checked), input.dtype)


@batch_to_space_nd.gradient
def _(dz, *, block_shape, crops):
    return space_to_batch_nd(dz, block_shape, crops), None, None


def _square(input: Spec, block_size: int) -> Any:
    if block_size < 2:
        raise InferError(f"Value for attr 'block_size' of {block_size} must be at least minimum 2")
    if input.shape is not None and len(input.shape) != 4:
        raise InferError(f"Input rank should be 4 instead of {len(input.shape)}")
    return np.array([block_size, block_size])


@op("SpaceToBatch", checked=True)
def space_to_batch(xp, input, paddings: Static, *, block_size):
    """Pad images, and move their blocks into the batch axis."""
    return _to_batch(xp, input, [block_size] * 2, paddings.tolist())


@space_to_batch.infer
def _(input, paddings, *, block_size):
    blocks = _square(input, block_size)
    if paddings.value is None:
        return _partial_shape(input, Spec((2,), dtypes.int32, blocks), _times)
    checked = _checked_blocks(input.shape, blocks, paddings.value, "paddings")
    return Spec(_batched_shape(input.shape, *checked), input.dtype)


@space_to_batch.gradient
def _(dz, *, paddings, block_size):
    return batch_to_space(dz, paddings, block_size=block_size), None


@op("BatchToSpace", checked=True)
def batch_to_space(xp, input, crops: Static, *, block_size):
    """Move parts of the batch axis to blocks of images, and crop these."""
    return _from_batch(xp, input, [block_size] * 2, crops.tolist())


@batch_to_space.infer
def _(input, crops, *, block_size):
    blocks = _square(input, block_size)
    if crops.value is None:
        return _partial_shape(input, Spec((2,), dtypes.int32, blocks), _divided)
    checked = _checked_blocks(input.shape, blocks, crops.value, "crops")
    return Spec(_unbatched_shape(input.shape, *checked), input.dtype)


@batch_to_space.gradient
def _(dz, *, crops, block_size):
    return space_to_batch(dz, crops, block_size=block_size), None
