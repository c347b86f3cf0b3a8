"""Diagonals and bands of matrices: `tf.linalg.diag` and its kin."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.math.reduction import reduce_sum
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array import diag as ops


def _padding(value: Any, dtype: Any) -> Any:
    """What fills the rest, in the dtype of the matrix."""
    if dtype is dtypes.bool and isinstance(value, (int, float)):
        value = bool(value)
    return convert(value, dtype)


def diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with the given diagonals `k`, and `padding_value` elsewhere."""
    diagonal = convert(diagonal)
    padding = _padding(padding_value, diagonal.dtype)
    return ops.matrix_diag_v3(diagonal, k, num_rows, num_cols, padding, align=align, name=name)


def diag_part(
    input: Any,
    name: str = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """The diagonals `k` of matrices; several are packed as rows and padded to one length."""
    input = convert(input)
    padding = _padding(padding_value, input.dtype)
    return ops.matrix_diag_part_v3(input, k, padding, align=align, name=name)


def set_diag(
    input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Matrices with their diagonals `k` replaced."""
    return ops.matrix_set_diag_v3(input, diagonal, k, align=align, name=name)


def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """A tensor of twice the rank with `diagonal` on its diagonal and zeros elsewhere."""
    return ops.diag(diagonal, name=name)


def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """The diagonal of a tensor whose shape is one shape twice."""
    return ops.diag_part(input, name=name)


def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Matrices with zeros outside a band; a negative width keeps that whole triangle."""
    return ops.matrix_band_part(input, num_lower, num_upper, name=name)


@scoped("Trace", names_result=True)
def trace(x: Any, name: str | None = None) -> Tensor:
    """The sums of the main diagonals of matrices in the last two axes."""
    return reduce_sum(ops.matrix_diag_part(convert(x)), -1, name=name)
