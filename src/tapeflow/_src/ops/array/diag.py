"""Diagonals and bands of matrices, and tensors built from diagonals.

Several diagonals of a matrix are packed as the rows of an array, the uppermost first; shorter ones
are padded. `align` says at which end: the first word of `RIGHT_LEFT` is for diagonals above the
main one, the second for those below it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from tapeflow._src.backends import blocks
from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import on_first, on_first_two, on_values
from tapeflow._src.core.dtypes import FLOATING_COMPLEX, REAL
from tapeflow._src.core.errors import FailedPreconditionError, fmt_shape
from tapeflow._src.core.infer import Shape, element_count, merge_shape, require_rank
from tapeflow._src.core.registry import Index, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import KEEPS_WEAK, TOTAL_ON_SHAPES
from tapeflow._src.ops.array.common import fill, reshape, scalar_int, static_ints, sum_, zeros_like
from tapeflow._src.ops.math.arithmetic import sub
from tapeflow._src.ops.math.elementwise import scalar

_ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")
_DIAGONAL = FLOATING_COMPLEX | {dtypes.int32, dtypes.int64}


# -- where the elements of packed diagonals stand ------------------------------------------------


@lru_cache(maxsize=512)
def _diagonal_positions(
    rows: int, columns: int, lower: int, upper: int, align: str
) -> tuple[Any, ...]:
    """Return row, column, packed row and packed column of every element of the diagonals."""
    longest = _longest(rows, columns, lower, upper)
    parts = []
    for packed, offset in enumerate(range(upper, lower - 1, -1)):
        length = min(rows + min(offset, 0), columns - max(offset, 0))
        above, below = align.split("_")
        left = (offset >= 0 and above == "LEFT") or (offset <= 0 and below == "LEFT")
        along = np.arange(max(length, 0))
        parts.append(
            (
                along - min(offset, 0),
                along + max(offset, 0),
                np.full(along.size, packed),
                along + (0 if left else longest - length),
            )
        )
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def _longest(rows: int, columns: int, lower: int, upper: int) -> int:
    """Return the length of the longest diagonal in a range of them."""
    return min(rows + min(upper, 0), columns - max(lower, 0))


def _range(k: Any) -> tuple[int, int]:
    """Return the lowest and the highest diagonal in the value of `k`."""
    offsets = np.reshape(k, -1)
    return int(offsets[0]), int(offsets[-1])


def _static_range(k: Spec) -> tuple[int, int] | None:
    """Like `_range`, for a spec; None if the value is not static."""
    if k.shape is not None and len(k.shape) > 1:
        raise InferError(
            f"diag_index must be a scalar or vector, received shape: {fmt_shape(k.shape)}"
        )
    if k.value is None:
        return None
    if k.value.size not in (1, 2):
        raise InferError(
            f"diag_index must have only one or two elements, received {k.value.size} elements."
        )
    lower, upper = _range(k.value)
    if lower > upper:
        raise InferError(
            f"lower_diag_index must not be larger than upper_diag_index: {lower} > {upper}"
        )
    return lower, upper


def _require_alignment(align: str) -> None:
    if align not in _ALIGNMENTS:
        raise InferError(
            f"Value for attr 'align' of {align!r} is not in the list of allowed values: "
            f"{', '.join(_ALIGNMENTS)}"
        )


def _require_inside(lower: int, upper: int, rows: int | None, columns: int | None) -> None:
    for name, offset in (("lower_diag_index", lower), ("upper_diag_index", upper)):
        too_low = rows is not None and offset <= -rows
        too_high = columns is not None and offset >= columns
        if offset != 0 and (too_low or too_high):
            raise InferError(
                f"{name} is out of bound: {offset}. It must be between -{rows} and {columns}"
            )


def _require_matrix(spec: Spec) -> None:
    if spec.shape is not None and len(spec.shape) < 2:
        raise InferError(f"input must be at least 2-dim, received shape: {fmt_shape(spec.shape)}")


def _packed_shape(matrix: Shape, k: tuple[int, int] | None) -> Shape:
    """Return the shape of the packed diagonals of matrices in the last two axes."""
    if matrix is None or k is None:
        return None
    *batch, rows, columns = matrix
    lower, upper = k
    _require_inside(lower, upper, rows, columns)
    longest = None
    if rows is not None and columns is not None:
        longest = max(_longest(rows, columns, lower, upper), 0)
    return (*batch, longest) if lower == upper else (*batch, upper - lower + 1, longest)


# -- diagonals of matrices -----------------------------------------------------------------------


@op("MatrixDiagPartV3", checked=True, traits=(KEEPS_WEAK,), batch=on_first)
def matrix_diag_part_v3(xp, input, k: Static, padding_value, *, align="RIGHT_LEFT"):
    """Return the diagonals `k` of matrices in the last two axes."""
    rows, columns = input.shape[-2:]
    lower, upper = _range(k)
    if lower == upper:
        return xp.diagonal(input, lower, -2, -1)
    row, column, packed, offset = _diagonal_positions(rows, columns, lower, upper, align)
    shape = (*input.shape[:-2], upper - lower + 1, _longest(rows, columns, lower, upper))
    padded = xp.full(shape, padding_value, dtype=input.dtype)
    return xp.index_set(padded, (..., packed, offset), input[..., row, column])


@matrix_diag_part_v3.infer
def _(input, k, padding_value, *, align):
    _require_alignment(align)
    _require_matrix(input)
    require_rank(padding_value, 0, "padding_value")
    return Spec(_packed_shape(input.shape, _static_range(k)), input.dtype)


@matrix_diag_part_v3.gradient
def _(dz, *, shape_of_input, k, align, needed):
    zeros = fill(shape_of_input, scalar(0, dz))
    d_input = matrix_set_diag_v3(zeros, dz, k, align=align)
    return d_input, None, sub(_total(dz), _total(d_input)) if needed[2] else None


def _total(tensor: Any) -> Any:
    return sum_(reshape(tensor, static_ints((-1,))), static_ints((0,)))


@op("MatrixSetDiagV3", checked=True, batch=on_first_two)
def matrix_set_diag_v3(xp, input, diagonal, k: Static, *, align="RIGHT_LEFT"):
    """Replace the diagonals `k` of matrices in the last two axes."""
    lower, upper = _range(k)
    row, column, packed, offset = _diagonal_positions(*input.shape[-2:], lower, upper, align)
    values = diagonal if lower == upper else diagonal[..., packed, offset]
    return xp.index_set(input, (..., row, column), values)


@matrix_set_diag_v3.infer
def _(input, diagonal, k, *, align):
    _require_alignment(align)
    _require_matrix(input)
    if diagonal.shape is not None and not diagonal.shape:
        raise InferError("diagonal must be at least 1-dim, received shape: []")
    packed = _packed_shape(input.shape, _static_range(k))
    if packed is not None:
        merge_shape(
            packed,
            diagonal.shape,
            "Either first dimensions of diagonal don't match input.shape[:-2], or "
            "diagonal.shape[:-1] is not equal to the longests diagonal in range "
            "[lower_diag_index:upper_diag_index]. Expected vs. received",
        )
    return Spec(input.shape, input.dtype)


@matrix_set_diag_v3.gradient
def _(dz, *, diagonal, k, align, needed):
    d_input, d_diagonal = None, None
    if needed[0]:
        no_diagonal = zeros_like(diagonal)
        d_input = matrix_set_diag_v3(dz, no_diagonal, k, align=align, name="set_diag")
    if needed[1]:
        d_diagonal = matrix_diag_part_v3(dz, k, scalar(0, dz), align=align, name="diag_part")
    return d_input, d_diagonal


@op("MatrixDiagV3", checked=True, batch=on_first)
def matrix_diag_v3(
    xp,
    diagonal,
    k: Static,
    num_rows: Static,
    num_cols: Static,
    padding_value,
    *,
    align="RIGHT_LEFT",
):
    """Create matrices with the diagonals `k`, and `padding_value` elsewhere."""
    lower, upper = _range(k)
    sizes = _matrix_sizes(diagonal.shape[-1], (lower, upper), int(num_rows), int(num_cols))
    batch = diagonal.shape[: -1 if lower == upper else -2]
    padded = xp.full((*batch, *sizes), padding_value, dtype=diagonal.dtype)
    row, column, packed, offset = _diagonal_positions(*sizes, lower, upper, align)
    values = diagonal if lower == upper else diagonal[..., packed, offset]
    return xp.index_set(padded, (..., row, column), values)


def _matrix_sizes(longest: int, k: tuple[int, int], rows: int, columns: int) -> tuple[int, int]:
    """Return the sizes of a matrix with diagonals `k` of known longest length; -1 means choose."""
    lower, upper = k
    least_rows, least_columns = longest - min(upper, 0), longest + max(lower, 0)
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    elif rows == -1:
        rows = least_rows
    elif columns == -1:
        columns = least_columns
    if rows < least_rows:
        raise InferError(f"The number of rows is too small: {rows} < {least_rows}.")
    if columns < least_columns:
        raise InferError(f"The number of columns is too small: {columns} < {least_columns}.")
    if rows != least_rows and columns != least_columns:
        raise InferError(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, "
            f"and diagonal: got {rows} and {columns}, expected {least_rows} rows or "
            f"{least_columns} columns."
        )
    return rows, columns


@matrix_diag_v3.infer
def _(diagonal, k, num_rows, num_cols, padding_value, *, align):
    _require_alignment(align)
    if diagonal.shape is not None and not diagonal.shape:
        raise InferError("diagonal must be at least 1-dim, received shape: []")
    for name, spec in (("num_rows", num_rows), ("num_cols", num_cols)):
        require_rank(spec, 0, name)
    require_rank(padding_value, 0, "padding_value")
    offsets = _static_range(k)
    if diagonal.shape is None or offsets is None:
        return Spec(None, diagonal.dtype)
    batch = diagonal.shape[:-1]
    if offsets[0] < offsets[1]:
        count = offsets[1] - offsets[0] + 1
        if not batch or batch[-1] not in (None, count):
            raise InferError(
                "The number of diagonals provided in the input does not match the "
                f"lower_diag_index and upper_diag_index range: {fmt_shape(diagonal.shape)} has "
                f"not {count} diagonals"
            )
        batch = batch[:-1]
    sizes: Any = (None, None)
    if diagonal.shape[-1] is not None and num_rows.value is not None and num_cols.value is not None:
        sizes = _matrix_sizes(diagonal.shape[-1], offsets, int(num_rows.value), int(num_cols.value))
    return Spec((*batch, *sizes), diagonal.dtype)


@matrix_diag_v3.gradient
def _(dz, *, k, align, needed):
    d_diagonal = matrix_diag_part_v3(dz, k, scalar(0, dz), align=align, name="diag_part")
    d_padding = sub(_total(dz), _total(d_diagonal)) if needed[4] else None
    return d_diagonal, None, None, None, d_padding


def matrix_diag(diagonal: Any) -> Any:
    """Create matrices with `diagonal` as their main diagonal and zeros elsewhere."""
    any_size, main = scalar_int(-1), scalar_int(0)
    return matrix_diag_v3(diagonal, main, any_size, any_size, scalar(0, diagonal), name="diag")


def matrix_diag_part(matrix: Any) -> Any:
    """Return the main diagonal of matrices in the last two axes."""
    return matrix_diag_part_v3(matrix, scalar_int(0), scalar(0, matrix), name="diag_part")


def matrix_set_diag(matrix: Any, diagonal: Any) -> Any:
    """Replace the main diagonal of matrices in the last two axes."""
    return matrix_set_diag_v3(matrix, diagonal, scalar_int(0), name="set_diag")


# -- bands ---------------------------------------------------------------------------------------


@op("MatrixBandPart", checked=True, traits=(TOTAL_ON_SHAPES,), batch=on_first)
def matrix_band_part(xp, input, num_lower: Index, num_upper: Index):
    """Copy matrices with zeros outside a band about the main diagonal; negative: no limit."""
    rows, columns = input.shape[-2:]
    xp.require(
        num_lower <= rows,
        lambda: (
            f"num_lower must be negative or less or equal to number of rows ({rows}) "
            f"got: {int(num_lower)}"
        ),
    )
    xp.require(
        num_upper <= columns,
        lambda: (
            f"num_upper must be negative or less or equal to number of columns ({columns}) "
            f"got: {int(num_upper)}"
        ),
    )
    below = np.arange(rows)[:, None] - np.arange(columns)
    inside = ((num_lower < 0) | (below <= num_lower)) & ((num_upper < 0) | (-below <= num_upper))
    return xp.where(inside, input, xp.zeros((), input.dtype))


@matrix_band_part.kernel("numpy")
def _(xp, input, num_lower, num_upper):
    rows, columns = input.shape[-2:]
    lower, upper = int(num_lower), int(num_upper)
    if input.size <= _CACHED and lower <= rows and upper <= columns and not input.dtype.hasobject:
        small = input.copy()
        np.copyto(small, False, where=_outside(rows, columns, lower, upper))
        return small
    fits = 0 <= lower <= rows and 0 <= upper <= columns and lower + upper < _NARROW
    if not fits or not input.size or input.dtype.hasobject:
        return matrix_band_part.body(xp, input, num_lower, num_upper)
    # Diagonal by diagonal: its elements are at regular distances in memory.
    result = blocks.filled(input.shape, 0, input.dtype)
    source = input.reshape(-1, rows * columns)
    target = result.reshape(source.shape)
    for offset in range(-lower, upper + 1):
        first = offset if offset >= 0 else -offset * columns
        length = min(rows, columns - offset, rows + offset, columns)
        if length > 0:
            part = slice(first, first + (length - 1) * (columns + 1) + 1, columns + 1)
            target[:, part] = source[:, part]
    return result


# Diagonals below which they are copied one by one.
_NARROW = 16
# Elements up to which masks are cached.
_CACHED = 4096


@lru_cache(maxsize=64)
def _outside(rows: int, columns: int, lower: int, upper: int) -> np.ndarray:
    """Return a mask of what is outside of a band; negative: no limit."""
    below = np.arange(rows)[:, None] - np.arange(columns)
    return ((lower >= 0) & (below > lower)) | ((upper >= 0) & (-below > upper))


@matrix_band_part.infer
def _(input, num_lower, num_upper):
    _require_matrix(input)
    for name, spec in (("num_lower", num_lower), ("num_upper", num_upper)):
        if spec.shape not in (None, ()):
            raise InferError(f"{name} must be scalar, got shape {fmt_shape(spec.shape)}")
    if num_lower.dtype is not num_upper.dtype:
        raise InferError(
            "num_lower and num_upper must have one dtype, got "
            f"{num_lower.dtype.name} and {num_upper.dtype.name}"
        )
    return Spec(input.shape, input.dtype)


@matrix_band_part.gradient
def _(dz, *, num_lower, num_upper):
    return matrix_band_part(dz, num_lower, num_upper), None, None


def lower_part(matrix: Any) -> Any:
    """Return the lower triangle, with the main diagonal."""
    return matrix_band_part(matrix, scalar_int(-1), scalar_int(0))


def upper_part(matrix: Any) -> Any:
    """Return the upper triangle, with the main diagonal."""
    return matrix_band_part(matrix, scalar_int(0), scalar_int(-1))


# -- diagonals of tensors ------------------------------------------------------------------------


@op("Diag", dtypes=_DIAGONAL, checked=True)
def diag(xp, diagonal):
    """Create a tensor of twice the rank, zero except where the second half of an index repeats the
    first.
    """
    count = diagonal.size
    every = np.arange(count)
    square = xp.zeros((count, count), diagonal.dtype)
    filled = xp.index_set(square, (every, every), diagonal.reshape(-1))
    return filled.reshape(diagonal.shape * 2)


@diag.infer
def _(diagonal):
    if diagonal.shape == ():
        raise InferError("Input must be at least rank 1, got 0")
    return Spec(None if diagonal.shape is None else diagonal.shape * 2, diagonal.dtype)


@diag.gradient
def _(dz):
    return diag_part(dz)


@op("DiagPart", dtypes=_DIAGONAL, checked=True)
def diag_part(xp, input):
    """Return the elements at which the second half of the index repeats the first."""
    shape = input.shape[: input.ndim // 2]
    count = element_count(shape)
    return xp.diagonal(input.reshape(count, count)).reshape(shape)


@diag_part.infer
def _(input):
    if input.shape is None:
        return Spec(None, input.dtype)
    half, odd = divmod(len(input.shape), 2)
    if odd:
        raise InferError(
            "The rank of the tensor should be even and positive, got shape "
            f"{fmt_shape(input.shape)}"
        )
    for i, (n, m) in enumerate(zip(input.shape[:half], input.shape[half:], strict=True)):
        if n is not None and m is not None and n != m:
            raise InferError(
                f"Invalid shape {fmt_shape(input.shape)}: dimensions {i} and {i + half} do not "
                "match."
            )
    return Spec(merge_shape(input.shape[:half], input.shape[half:]), input.dtype)


@diag_part.gradient
def _(dz):
    return diag(dz)


# -- the cross product ---------------------------------------------------------------------------


@op("Cross", dtypes=REAL, checked=True, batch=on_values)
def cross(xp, a, b):
    """Compute the cross products of 3-element vectors in the last axis."""
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    product = (a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0)
    return xp.stack(product, axis=-1).astype(a.dtype)


@cross.kernel("numpy")
def _(xp, a, b):
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    product = np.empty(a.shape, a.dtype)
    # In place: stacking the parts would take as long as computing them.
    np.subtract(a1 * b2, a2 * b1, product[..., 0])
    np.subtract(a2 * b0, a0 * b2, product[..., 1])
    np.subtract(a0 * b1, a1 * b0, product[..., 2])
    return product


@cross.infer
def _(a, b):
    shape = merge_shape(a.shape, b.shape, "Both inputs must be of same shape")
    if shape == ():
        raise InferError("Input must be at least 1D: []")
    if shape is not None and shape[-1] not in (None, 3):
        raise FailedPreconditionError(
            None,
            None,
            "Cross-products are only defined for 3-element vectors, got shape "
            f"{fmt_shape(shape)} [Op:Cross]",
        )
    return Spec(shape, a.dtype)


@cross.gradient
def _(dz, *, a, b, needed):
    return cross(b, dz) if needed[0] else None, cross(dz, a) if needed[1] else None
