"""Mirror padding and tiling."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapeflow._src.core.batching import Batch, is_static
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.registry import InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import EXACT_IN_BATCHES, TOTAL_ON_SHAPES
from tapeflow._src.ops.array.broadcasting import sum_
from tapeflow._src.ops.array.pad_slice import batch_pad, padded_shape, padding_widths
from tapeflow._src.ops.array.ranges import range_
from tapeflow._src.ops.array.shape import reshape, scalar_int, size, static_ints
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.math.cast import cast

_MODES = {"REFLECT": "reflect", "SYMMETRIC": "symmetric"}


def _check_mode(mode: str) -> None:
    if mode not in _MODES:
        raise InferError(
            f"Value for attr 'mode' of \"{mode}\" is not in the list of allowed values: "
            f'"REFLECT", "SYMMETRIC"'
        )


@op("MirrorPad", checked=True, batch=batch_pad)
def mirror_pad(xp, input, paddings: Static, *, mode):
    """Mirror `input` at its edges; "REFLECT" excludes the edge itself."""
    if not input.ndim:
        return input
    return xp.pad(input, padding_widths(input.shape, paddings), mode=_MODES[mode])


@mirror_pad.infer
def _(input, paddings, *, mode):
    _check_mode(mode)
    if input.shape is not None and paddings.value is not None:
        less = 1 if mode == "REFLECT" else 0
        widths = padding_widths(input.shape, paddings.value)
        for n, (before, after) in zip(input.shape, widths, strict=True):
            if n is not None and max(before, after) > n - less:
                limit, wrong = ("less than", "not less than")
                if not less:
                    limit, wrong = ("no greater than", "greater than")
                raise InferError(
                    f"paddings must be {limit} the dimension size: {before}, {after} {wrong} {n}"
                )
    return Spec(padded_shape(input, paddings), input.dtype)


@mirror_pad.gradient
def _(dz, *, paddings, mode):
    return mirror_pad_grad(dz, paddings, mode=mode), None


@op("MirrorPadGrad", checked=True, batch=batch_pad)
def mirror_pad_grad(xp, input, paddings: Static, *, mode):
    """Fold `input` back at the edges that `MirrorPad` added: the mirrored parts are summed."""
    edge = 1 if mode == "REFLECT" else 0
    for axis, (before, after) in enumerate(paddings.tolist()):
        input = _fold(xp, input, axis, (before, after), edge)
    return input


def _fold(xp: ModuleType, x: Any, axis: int, widths: tuple[int, int], edge: int) -> Any:
    before, after = widths
    inner = x.shape[axis] - before - after
    along = (slice(None),) * axis
    core = x[(*along, slice(before, before + inner))]
    if before:
        left = xp.flip(x[(*along, slice(0, before))], axis)
        core = core + _set_at(xp, left, axis, edge, inner)
    if after:
        right = xp.flip(x[(*along, slice(before + inner, None))], axis)
        core = core + _set_at(xp, right, axis, inner - after - edge, inner)
    return core


def _set_at(xp: ModuleType, values: Any, axis: int, start: int, size: int) -> Any:
    """Return `values` at `start` among zeros, of `size` along the axis."""
    widths = [(0, 0)] * values.ndim
    widths[axis] = (start, size - start - values.shape[axis])
    return xp.pad(values, widths)


@mirror_pad_grad.infer
def _(input, paddings, *, mode):
    _check_mode(mode)
    if input.shape is None or paddings.value is None:
        return Spec(None if input.shape is None else (None,) * len(input.shape), input.dtype)
    shape: list[int | None] = []
    less = 1 if mode == "REFLECT" else 0
    for n, (before, after) in zip(
        input.shape, padding_widths(input.shape, paddings.value), strict=True
    ):
        if n is None:
            shape.append(None)
            continue
        if before + after >= n and before + after:
            raise InferError(
                f"Total paddings must be less than the input dimension size: {before + after} was "
                f"not less than {n}"
            )
        inner = n - before - after
        if max(before, after) > inner - less:
            raise InferError(f"paddings must be less than the dimension size: {before}, {after}")
        shape.append(inner)
    return Spec(tuple(shape), input.dtype)


@mirror_pad_grad.gradient
def _(dz, *, paddings, mode):
    return mirror_pad(dz, paddings, mode=mode), None


@op("Tile", checked=True, traits=(EXACT_IN_BATCHES, TOTAL_ON_SHAPES), ragged_scope="RaggedTile")
def tile(xp, input, multiples: Static):
    """Repeat `input` along each axis."""
    return xp.tile(input, tuple(multiples.tolist()))


@tile.infer
def _(input, multiples):
    if multiples.shape is not None and len(multiples.shape) != 1:
        raise InferError(
            f"Expected multiples to be 1-D, but got shape {fmt_shape(multiples.shape)}"
        )
    count = multiples.shape[0] if multiples.shape else None
    if input.shape is not None and count is not None and count != len(input.shape):
        raise InferError(
            f"Expected multiples argument to be a vector of length {len(input.shape)} but got "
            f"length {count}"
        )
    rank = count if input.shape is None else len(input.shape)
    static_multiples = multiples.partial if multiples.value is None else multiples.value
    if static_multiples is None or input.shape is None:
        return Spec(None if rank is None else (None,) * rank, input.dtype)
    times = static_multiples.tolist()
    for i, n in enumerate(times):
        if n is not None and n < 0:
            raise InferError(f"Expected multiples[{i}] >= 0, but got {n}")
    pairs = zip(input.shape, times, strict=True)
    return Spec(tuple(None if None in pair else pair[0] * pair[1] for pair in pairs), input.dtype)


@tile.gradient
def _(dz, *, multiples, shape_of_input):
    dims, times = shape_of_input.static_value, multiples.static_value
    if dims is not None and times is not None:
        folded = static_ints(tuple(np.stack([times, dims], 1).reshape(-1).tolist()))
        axes = static_ints(tuple(range(0, 2 * len(dims), 2)))
    else:
        rows = pack([multiples, cast(shape_of_input, DstT=multiples.dtype)], axis=1)
        folded = reshape(rows, static_ints((-1,)))
        axes = range_(scalar_int(0), size(folded), scalar_int(2))
    return sum_(reshape(dz, folded), axes), None


@tile.batch
def _(batch: Batch, input: Any, multiples: Any) -> Any:
    if not is_static(multiples):
        return NotImplemented
    return batch.op(batch.values(input), batch.ints(1, *(int(m) for m in multiples.static_value)))
