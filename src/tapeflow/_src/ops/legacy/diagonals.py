"""Diagonals packed to the left, or the main one alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core.registry import Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import fill, reshape, static_ints, sum_, zeros_like
from tapeflow._src.ops.array.diag import (
    matrix_band_part,
    matrix_diag_part_v3,
    matrix_diag_v3,
    matrix_set_diag_v3,
)
from tapeflow._src.ops.legacy.renaming import infer, renamed, run, static_spec
from tapeflow._src.ops.math.elementwise import scalar

# How diagonals of different lengths are packed where an op has no attribute for it.
_LEFT_ALIGNED = "LEFT_LEFT"
_MAIN, _ANY = np.array(0, np.int32), np.array(-1, np.int32)


def _number(spec: Spec) -> Spec:
    return Spec((), spec.dtype)


# -- the main diagonal -------------------------------------------------------------------------


@op("MatrixDiag", checked=True)
def matrix_diag(xp, diagonal):
    """Create matrices with this main diagonal, and zeros elsewhere."""
    zero = np.zeros((), diagonal.dtype)
    return run(matrix_diag_v3, xp, diagonal, _MAIN, _ANY, _ANY, zero)


@matrix_diag.infer
def _(diagonal):
    return infer(
        matrix_diag_v3,
        diagonal,
        static_spec(0),
        static_spec(-1),
        static_spec(-1),
        _number(diagonal),
    )


@matrix_diag.gradient
def _(dz):
    return matrix_diag_part(dz)


@op("MatrixDiagPart", checked=True)
def matrix_diag_part(xp, input):
    """Return the main diagonal of matrices in the last two axes."""
    return run(matrix_diag_part_v3, xp, input, _MAIN, np.zeros((), input.dtype))


@matrix_diag_part.infer
def _(input):
    return infer(matrix_diag_part_v3, input, static_spec(0), _number(input))


@matrix_diag_part.gradient
def _(dz, *, shape_of_input):
    return matrix_set_diag(fill(shape_of_input, scalar(0, dz)), dz)


@op("MatrixSetDiag", checked=True)
def matrix_set_diag(xp, input, diagonal):
    """Replace the main diagonal of matrices in the last two axes."""
    return run(matrix_set_diag_v3, xp, input, diagonal, _MAIN)


@matrix_set_diag.infer
def _(input, diagonal):
    return infer(matrix_set_diag_v3, input, diagonal, static_spec(0))


@matrix_set_diag.gradient
def _(dz, *, diagonal, needed):
    return (
        matrix_set_diag(dz, zeros_like(diagonal)) if needed[0] else None,
        matrix_diag_part(dz) if needed[1] else None,
    )


# -- several of them ---------------------------------------------------------------------------


@op("MatrixDiagV2", checked=True)
def matrix_diag_v2(xp, diagonal, k: Static, num_rows: Static, num_cols: Static, padding_value):
    """Create matrices with the diagonals `k`, and `padding_value` elsewhere."""
    sizes = (num_rows, num_cols)
    return run(matrix_diag_v3, xp, diagonal, k, *sizes, padding_value, align=_LEFT_ALIGNED)


@matrix_diag_v2.infer
def _(*specs):
    return infer(matrix_diag_v3, *specs, align=_LEFT_ALIGNED)


@matrix_diag_v2.gradient
def _(dz, *, k, needed):
    by_diagonal = matrix_diag_part_v2(dz, k, scalar(0, dz))
    return by_diagonal, None, None, None, _padding_gradient(dz, by_diagonal) if needed[4] else None


@op("MatrixDiagPartV2", checked=True)
def matrix_diag_part_v2(xp, input, k: Static, padding_value):
    """Return the diagonals `k` of matrices in the last two axes."""
    return run(matrix_diag_part_v3, xp, input, k, padding_value, align=_LEFT_ALIGNED)


@matrix_diag_part_v2.infer
def _(*specs):
    return infer(matrix_diag_part_v3, *specs, align=_LEFT_ALIGNED)


@matrix_diag_part_v2.gradient
def _(dz, *, shape_of_input, k, needed):
    by_input = matrix_set_diag_v2(fill(shape_of_input, scalar(0, dz)), dz, k)
    return by_input, None, _padding_gradient(dz, by_input) if needed[2] else None


@op("MatrixSetDiagV2", checked=True)
def matrix_set_diag_v2(xp, input, diagonal, k: Static):
    """Replace the diagonals `k` of matrices in the last two axes."""
    return run(matrix_set_diag_v3, xp, input, diagonal, k, align=_LEFT_ALIGNED)


@matrix_set_diag_v2.infer
def _(*specs):
    return infer(matrix_set_diag_v3, *specs, align=_LEFT_ALIGNED)


@matrix_set_diag_v2.gradient
def _(dz, *, diagonal, k, needed):
    return (
        matrix_set_diag_v2(dz, zeros_like(diagonal), k) if needed[0] else None,
        matrix_diag_part_v2(dz, k, scalar(0, dz)) if needed[1] else None,
    )


def _padding_gradient(whole: Any, part: Any) -> Any:
    """Return the gradient of the padding: the total minus that of the diagonals."""
    return _total(whole) - _total(part)


def _total(tensor: Any) -> Any:
    return sum_(reshape(tensor, static_ints((-1,))), static_ints((0,)))


# -- of batches, when these had ops of their own -----------------------------------------------

batch_matrix_band_part = renamed("BatchMatrixBandPart", matrix_band_part)
batch_matrix_diag = renamed("BatchMatrixDiag", matrix_diag)
batch_matrix_diag_part = renamed("BatchMatrixDiagPart", matrix_diag_part)
batch_matrix_set_diag = renamed("BatchMatrixSetDiag", matrix_set_diag)
