"""`RaggedTensorToTensor`: rows of different lengths, filled up to one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.composite.ragged.checks import require_nested
from tapeflow._src.composite.ragged.sizes import count, numbers_below
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.infer import merge_shape, require_rank
from tapeflow._src.core.registry import InferError, ManyIndex, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.broadcasting import sum_, sum_to
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.shape import reshape, scalar_int, static_ints
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.comparison import less
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.segment import as_column
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum

_FIRST, _IDS, _SPLITS = "FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS"


@op("RaggedTensorToTensor", host="data-dependent shape", outputs=("result",), checked=True)
def ragged_tensor_to_tensor(
    xp,
    shape: Static,
    values,
    default_value,
    row_partition_tensors: ManyIndex,
    *,
    row_partition_types,
):
    """Return the rows as one tensor: cut or filled with `default_value` to the sizes in `shape`.

    A size of -1, or all of them, is that of the longest row.
    """
    levels = _levels(row_partition_tensors, row_partition_types)
    require_nested(xp, levels, len(values))
    target = _requested_sizes(shape, len(levels) + values.ndim)
    positions, sizes = _target_positions(levels, target)
    inner = values.shape[1:]
    result = np.empty((math.prod(sizes), *inner), values.dtype)
    result[...] = default_value
    inside = positions >= 0
    if inside.all():
        result[positions] = values[: len(positions)]
    else:
        result[positions[inside]] = values[: len(positions)][inside]
    return result.reshape(*sizes, *inner)


def _levels(tensors: Any, types: Any) -> list[Any]:
    """Return the splits of each level of rows, the outermost first."""
    levels: list[Any] = []
    rows = None
    for tensor, kind in zip(tensors, types, strict=True):
        kind = kind.decode() if isinstance(kind, bytes) else kind
        if kind == _FIRST:
            rows = int(tensor)
            continue
        if kind == _IDS:
            if tensor.min(initial=0) < 0 or (rows is not None and tensor.max(initial=-1) >= rows):
                raise InvalidArgumentError(
                    None, None, f"row numbers must be below {rows}, got {tensor.tolist()}"
                )
            lengths = np.bincount(tensor, minlength=rows or 0)
            splits = np.concatenate([[0], np.cumsum(lengths)])
        else:
            splits = tensor.astype(np.int64)
        levels.append(splits)
        rows = int(splits[-1])
    return levels


def _requested_sizes(shape: Any, rank: int) -> list[int]:
    return [-1] * rank if shape.ndim == 0 or not shape.size else shape.tolist()


def _target_positions(levels: list[Any], target: list[int]) -> tuple[Any, list[int]]:
    """Return where each value goes in the flat result, -1 if nowhere; and the sizes of the axes."""
    rows = len(levels[0]) - 1
    sizes = [rows if target[0] < 0 else target[0]]
    numbers = np.arange(rows)
    positions = np.where(numbers < sizes[0], numbers, -1)
    for splits, size in zip(levels, target[1:]):
        lengths = np.diff(splits)
        size = int(lengths.max(initial=0)) if size < 0 else size
        offsets = np.arange(splits[-1]) - np.repeat(splits[:-1], lengths)
        outer = np.repeat(positions, lengths)
        positions = np.where((outer >= 0) & (offsets < size), outer * size + offsets, -1)
        sizes.append(size)
    return positions, sizes


@ragged_tensor_to_tensor.infer
def _(shape, values, default_value, row_partition_tensors, *, row_partition_types):
    kinds = [k.decode() if isinstance(k, bytes) else k for k in row_partition_types]
    if not kinds or len(kinds) != len(row_partition_tensors):
        raise InferError(
            f"{len(row_partition_tensors)} row partitions need as many types, got {kinds}"
        )
    levels = len(kinds) - (kinds[0] == _FIRST)
    if values.shape is None:
        return Spec(None, values.dtype)
    inner = values.shape[1:]
    if default_value.shape is not None:
        _check_default(default_value.shape, inner)
    for spec, kind in zip(row_partition_tensors, kinds, strict=True):
        require_rank(spec, 0 if kind == _FIRST else 1, "row_partition_tensors")
        if kind == _SPLITS and spec.shape == (0,):
            raise InferError("Invalid row split size: splits have at least one element")
    rows = row_partition_tensors[0].shape
    static_rows = None if kinds[0] != _SPLITS or not rows or rows[0] is None else rows[0] - 1
    if shape.value is None and shape.shape != ():
        static_rows = None  # Sizes that are not yet known may cut rows off, or add some.
    dims = (static_rows, *[None] * levels, *inner)
    if shape.value is not None and shape.value.ndim and shape.value.size:
        sizes = shape.value.tolist()
        if len(sizes) != len(dims):
            raise InferError(
                f"shape must have {len(dims)} sizes, for {levels} ragged axes and values of shape "
                f"{values.shape}, got {sizes}"
            )
        merge_shape(inner, tuple(None if s < 0 else s for s in sizes[levels + 1 :]), "inner shape")
        dims = tuple(d if s < 0 else s for d, s in zip(dims, sizes, strict=True))
    return Spec(dims, values.dtype)


def _check_default(default: Any, inner: Any) -> None:
    fits = len(default) <= len(inner) and all(
        a in (1, None) or b is None or a == b for a, b in zip(default[::-1], inner[::-1])
    )
    if not fits:
        raise InferError(
            f"default_value of shape {default} cannot be broadcast to the shape {inner} of a value"
        )


@ragged_tensor_to_tensor.gradient
def _(
    dz,
    *,
    shape,
    row_partition_tensors,
    row_partition_types,
    shape_of_values,
    shape_of_default_value,
):
    total = get_item(shape_of_values, 0)
    rank = len(row_partition_types) - (row_partition_types[0] in (_FIRST, _FIRST.encode())) + 1
    # The index of the value at each position: -1 for the default.
    outer = shape if not shape.shape.rank else get_item(shape, slice(None, rank))
    numbers = reshape(
        ragged_tensor_to_tensor(
            outer,
            numbers_below(total),
            scalar(-1, total),
            list(row_partition_tensors),
            row_partition_types=row_partition_types,
        ),
        static_ints((-1,)),
    )
    inner = get_item(shape_of_values, slice(1, None))
    slots = count(numbers, inner.dtype)
    rows = reshape(dz, concat_v2([reshape(slots, static_ints((1,))), inner], scalar_int(0)))
    unused = as_column(less(numbers, scalar(0, numbers)), rows)
    defaults = sum_(select_v2(unused, rows, scalar(0, rows)), static_ints((0,)))
    d_default = sum_to(defaults, shape_of_default_value)
    return None, unsorted_segment_sum(rows, numbers, total), d_default
