"""Slicing a box out of a tensor, and padding a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.backends import blocks
from tapeflow._src.core import dispatch
from tapeflow._src.core.batching import Batch, is_static
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import element_count
from tapeflow._src.core.registry import InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import (
    EXACT_IN_BATCHES,
    INHERITS_NUMERICS,
    KEEPS_FINITE,
    MOVES,
    TOTAL_ON_SHAPES,
)
from tapeflow._src.core.types import ShapeLike
from tapeflow._src.ops.array.broadcasting import sum_
from tapeflow._src.ops.array.ranges import range_
from tapeflow._src.ops.array.shape import rank, scalar_int, shape_of, static_ints
from tapeflow._src.ops.array.stacking import pack, unpack
from tapeflow._src.ops.math.arithmetic import sub
from tapeflow._src.ops.math.cast import cast


@op("Slice", traits=(INHERITS_NUMERICS, MOVES, TOTAL_ON_SHAPES))
def slice_(xp, input, begin: Static, size: Static):
    """Slice the box of `input` from `begin` with `size`; a size of -1 extends to the end."""
    if isinstance(begin, np.ndarray):
        return input[_box(input.shape, begin, size)]
    # Compiled with a computed start: the sizes must still be static.
    if size.min(initial=0) < 0:
        raise InferError("size cannot be -1 where begin is not known when compiling")
    inside = (begin >= 0) & (begin + size <= np.array(input.shape))
    xp.require(xp.all(inside), "Expected begin and size inside of the input")
    return xp.lax.dynamic_slice(input, begin, size.tolist())


slice_.computes("begin")


def _box(dims: tuple[int | None, ...], begin: Any, size: Any) -> tuple[slice, ...]:
    if not begin.shape == size.shape == (len(dims),):
        raise InferError(
            f"Expected begin and size arguments to be 1-D tensors of size {len(dims)}, but got "
            f"shapes {fmt_shape(begin.shape)} and {fmt_shape(size.shape)} instead."
        )
    key = []
    for i, (n, start, count) in enumerate(zip(dims, begin.tolist(), size.tolist(), strict=True)):
        if start < 0 or (n is not None and start > n):
            raise InferError(f"Expected begin[{i}] in [0, {n}], but got {start}")
        if count < -1 or (n is not None and start + count > n):
            left = None if n is None else n - start
            raise InferError(f"Expected size[{i}] in [0, {left}], but got {count}")
        key.append(slice(start, None if count == -1 else start + count))
    return tuple(key)


def _unknown_entries(vector: tuple[int | None, ...] | None) -> range | None:
    """Return one unknown entry per element of a vector, if its length is static."""
    return range(vector[0]) if vector and vector[0] is not None else None


@slice_.infer
def _(input, begin, size):
    if size.value is None and size.partial is None:
        dims = (
            input.shape if input.shape is not None else _unknown_entries(begin.shape or size.shape)
        )
        return Spec(None if dims is None else (None,) * len(dims), input.dtype)
    if size.value is None or begin.value is None or input.shape is None:
        dims = size.partial if size.value is None else size.value
        return Spec(tuple(None if n == -1 else n for n in dims.tolist()), input.dtype)
    box = _box(input.shape, begin.value, size.value)
    sizes = tuple(
        b.stop - b.start if b.stop is not None else None if n is None else n - b.start
        for b, n in zip(box, input.shape, strict=True)
    )
    return Spec(sizes, input.dtype)


@slice_.gradient
def _(dz, *, begin, shape_of_input):
    dims, start, sizes = shape_of_input.static_value, begin.static_value, dz.static_shape
    if dims is not None and start is not None and sizes is not None and None not in sizes:
        widths = np.stack([start, dims - start - sizes], 1)
        return pad(dz, widths.astype(np.int64)), None, None
    kind = begin.dtype
    after = sub(sub(cast(shape_of_input, DstT=kind), begin), cast(shape_of(dz), DstT=kind))
    return pad(dz, pack([begin, after], axis=1)), None, None


@slice_.batch
def _(batch: Batch, input: Any, begin: Any, size: Any) -> Any:
    if not is_static(begin, size):
        return NotImplemented
    first, sizes = (map(int, t.static_value) for t in (begin, size))
    return batch.op(batch.values(input), batch.ints(0, *first), batch.ints(batch.size, *sizes))


# -- padding ----------------------------------------------------------------------------------


def padding_widths(dims: Any, paddings: Any) -> list[list[int]]:
    """Return the checked widths to add before and after each axis."""
    if paddings.ndim != 2 or paddings.shape[1] != 2:
        raise InferError(f"paddings must be a matrix with 2 columns: {fmt_shape(paddings.shape)}")
    if len(paddings) != len(dims):
        raise InferError(
            f"The first dimension of paddings must be the rank of inputs"
            f"{fmt_shape(paddings.shape)} {fmt_shape(dims)}"
        )
    widths: list[list[int]] = paddings.tolist()
    for before, after in widths:
        if before < 0 or after < 0:
            raise InferError(f"Paddings must be non-negative: {before} {after}")
    return widths


def padded_shape(input: Any, paddings: Any) -> Any:
    """Return the static shape of `input` with `paddings` added."""
    if paddings.value is None and paddings.partial is not None and input.shape is not None:
        return _partly_padded(input.shape, paddings.partial)
    if paddings.value is None:
        count = input.rank if paddings.shape is None else paddings.shape[0]
        count = input.rank if count is None else count
        return None if count is None else (None,) * count
    if input.shape is None:
        return (None,) * len(paddings.value)
    return tuple(
        None if n is None else before + n + after
        for n, (before, after) in zip(
            input.shape, padding_widths(input.shape, paddings.value), strict=True
        )
    )


def _partly_padded(dims: Any, widths: Any) -> Any:
    """Return the shape where some of the widths are static, and others are None."""
    if widths.shape != (len(dims), 2):
        raise InferError(
            f"paddings must have the shape [{len(dims)},2], got {fmt_shape(widths.shape)}"
        )
    return tuple(
        None if None in (n, before, after) else before + n + after
        for n, (before, after) in zip(dims, widths.tolist(), strict=True)
    )


def _set_in(input: Any, paddings: Any, fill: Any) -> Any:
    widths = padding_widths(input.shape, paddings)
    if input.size >= blocks.BLOCK and not input.dtype.hasobject:
        return blocks.padded(input, widths, 0 if fill is None else fill)
    shape = tuple(b + n + a for n, (b, a) in zip(input.shape, widths, strict=True))
    if fill is None:
        result = (
            np.full(shape, b"", object) if input.dtype == object else np.zeros(shape, input.dtype)
        )
    else:
        result = np.full(shape, fill, input.dtype)
    result[tuple(slice(b, b + n) for n, (b, _) in zip(input.shape, widths, strict=True))] = input
    return result


def batch_pad(batch: Batch, input: Any, paddings: Any, *constant: Any, **attrs: Any) -> Any:
    """Pad each member of a batch: the batch axis is not padded."""
    if not is_static(paddings) or any(batch.has(c) for c in constant):
        return NotImplemented
    wider = np.concatenate([np.zeros((1, 2), paddings.static_value.dtype), paddings.static_value])
    return batch.op(batch.values(input), dispatch.convert(wider), *constant, **attrs)


@op("Pad", traits=(EXACT_IN_BATCHES, KEEPS_FINITE, TOTAL_ON_SHAPES), batch=batch_pad)
def pad(xp, input, paddings: Static):
    """Pad `input` with zeros by the widths `paddings` along each axis."""
    return xp.pad(input, padding_widths(input.shape, paddings)) if input.ndim else input


@pad.kernel("numpy")
def _(xp, input, paddings):
    return _set_in(input, paddings, None)


@pad.infer
def _(input, paddings):
    return Spec(padded_shape(input, paddings), input.dtype)


@pad.gradient
def _(dz, *, paddings, shape_of_input):
    return _unpad(dz, paddings, shape_of_input), None


def _unpad(dz: Any, paddings: Any, input_shape: ShapeLike) -> Any:
    static_paddings = paddings.static_value
    if static_paddings is not None:
        start = static_ints(tuple(static_paddings[:, 0].tolist()))
    else:
        start, _ = unpack(paddings, num=2, axis=1)
    return slice_(dz, start, cast(input_shape, DstT=start.dtype))


@op("PadV2", traits=(EXACT_IN_BATCHES, TOTAL_ON_SHAPES), batch=batch_pad)
def pad_v2(xp, input, paddings: Static, constant_values):
    """Pad `input` with `constant_values` by the widths `paddings`."""
    if not input.ndim:
        return input
    widths = padding_widths(input.shape, paddings)
    return xp.pad(input, widths, constant_values=constant_values)


@pad_v2.kernel("numpy")
def _(xp, input, paddings, constant_values):
    return _set_in(input, paddings, constant_values)


@pad_v2.infer
def _(input, paddings, constant_values):
    if element_count(constant_values.shape) not in (None, 1):
        raise InferError(
            f"constant_values must be a scalar. Found: {fmt_shape(constant_values.shape)}"
        )
    return Spec(padded_shape(input, paddings), input.dtype)


@pad_v2.gradient
def _(dz, *, paddings, shape_of_input, needed):
    inside = _unpad(dz, paddings, shape_of_input)
    if not needed[2]:
        return inside, None, None
    return inside, None, sub(_total(dz), _total(inside))


def _total(tensor: Any) -> Any:
    if tensor.static_shape is not None:
        return sum_(tensor, static_ints(tuple(range(len(tensor.static_shape)))))
    return sum_(tensor, range_(scalar_int(0), rank(tensor), scalar_int(1)))
