"""Diagonals and bands of matrices: `tf.linalg.diag` and related functions."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.math.reduction import reduce_sum
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array import diag as ops


def _padding(value: Any, dtype: Any) -> Any:
    """Convert the padding value to the dtype of the matrix."""
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
    """Create matrices with the given diagonals and `padding_value` elsewhere.

    Args:
        diagonal: The diagonals, packed as rows if there are several.
        name: Name of the op in a graph.
        k: The offset of the diagonal, or the lowest and highest offset; 0 is the main diagonal.
        num_rows: The number of rows; by default the smallest that fits.
        num_cols: The number of columns; by default the smallest that fits.
        padding_value: The value outside of the diagonals.
        align: How shorter diagonals are aligned in their rows, such as "RIGHT_LEFT".
    """
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
    """Extract the diagonals `k` of matrices; several are packed as padded rows."""
    input = convert(input)
    padding = _padding(padding_value, input.dtype)
    return ops.matrix_diag_part_v3(input, k, padding, align=align, name=name)


def set_diag(
    input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Replace the diagonals `k` of matrices."""
    return ops.matrix_set_diag_v3(input, diagonal, k, align=align, name=name)


def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Create a tensor of twice the rank with `diagonal` on its diagonal."""
    return ops.diag(diagonal, name=name)


def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """Extract the diagonal of a tensor of shape `[..., ...]`, the same shape twice."""
    return ops.diag_part(input, name=name)


def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Set the elements outside of a band to zero; a negative width keeps the whole triangle."""
    return ops.matrix_band_part(input, num_lower, num_upper, name=name)


@scoped("Trace", names_result=True)
def trace(x: Any, name: str | None = None) -> Tensor:
    """Compute the trace of matrices in the last two axes."""
    return reduce_sum(ops.matrix_diag_part(convert(x)), -1, name=name)
