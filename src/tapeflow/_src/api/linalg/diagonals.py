"""Diagonals and bands of matrices: `tf.linalg.diag` and related functions."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.math.reduction import reduce_sum
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import DTypeLike, TensorLike
from tapeflow._src.ops.array import diag as ops


def _padding(value: TensorLike, dtype: DTypeLike) -> Any:
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
    """Create matrices from diagonals, with `padding_value` elsewhere.

    Args:
        diagonal: The diagonals, packed as rows if there are several.
        name: Name of the op in a graph.
        k: The offset of the diagonal, or the lowest and highest offset; 0 is the main diagonal.
        num_rows: The number of rows; by default the smallest that fits.
        num_cols: The number of columns; by default the smallest that fits.
        padding_value: The value outside of the diagonals.
        align: How shorter diagonals are aligned in their rows, such as "RIGHT_LEFT": those above
            the main one to the right, those below to the left.

    Returns:
        A tensor of shape `[..., num_rows, num_cols]`.

    Example:

        >>> tf.linalg.diag([1, 2]).numpy().tolist()
        [[1, 0], [0, 2]]
        >>> tf.linalg.diag([1, 2], k=1).numpy().tolist()
        [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
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
    """Extract the diagonals `k` of matrices; several are packed as padded rows.

    Args:
        input: Matrices in the last two axes.
        name: Name of the op in a graph.
        k: The offset of the diagonal, or the lowest and highest offset; 0 is the main diagonal.
        padding_value: What fills the rows of shorter diagonals.
        align: How shorter diagonals are aligned in their rows, such as "RIGHT_LEFT".

    Returns:
        A tensor of shape `[..., length]`, or `[..., count, length]` with the highest diagonal
        first.

    Example:

        >>> x = [[1, 2], [3, 4]]
        >>> tf.linalg.diag_part(x).numpy().tolist()
        [1, 4]
        >>> tf.linalg.diag_part(x, k=(-1, 0)).numpy().tolist()
        [[1, 4], [3, 0]]
    """
    input = convert(input)
    padding = _padding(padding_value, input.dtype)
    return ops.matrix_diag_part_v3(input, k, padding, align=align, name=name)


def set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: str = "set_diag",
    k: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Replace the diagonals `k` of matrices.

    Args:
        input: Matrices in the last two axes.
        diagonal: The new values, as `diag_part` returns them.
        name: Name of the op in a graph.
        k: The offset of the diagonal, or the lowest and highest offset; 0 is the main diagonal.
        align: How shorter diagonals are aligned in their rows, such as "RIGHT_LEFT".

    Returns:
        A tensor of the shape of `input`.

    Example:

        >>> tf.linalg.set_diag([[1, 2], [3, 4]], [0, 0]).numpy().tolist()
        [[0, 2], [3, 0]]
    """
    return ops.matrix_set_diag_v3(input, diagonal, k, align=align, name=name)


def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """Create a tensor of twice the rank with `diagonal` on its diagonal.

    Args:
        diagonal: A numeric tensor of rank 1 or more.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `diagonal.shape + diagonal.shape` with zeros elsewhere.

    Example:

        >>> tf.linalg.tensor_diag([1, 2]).numpy().tolist()
        [[1, 0], [0, 2]]
    """
    return ops.diag(diagonal, name=name)


def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """Extract the diagonal of a tensor of shape `[..., ...]`, the same shape twice.

    Args:
        input: A numeric tensor of even rank.
        name: Name of the op in a graph.

    Returns:
        A tensor of half the rank.

    Example:

        >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy().tolist()
        [1, 4]
    """
    return ops.diag_part(input, name=name)


def band_part(input: TensorLike, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Set the elements outside of a band to zero; a negative width keeps the whole triangle.

    `band_part(x, -1, 0)` is the lower triangle, `band_part(x, 0, -1)` the upper one.

    Args:
        input: Matrices in the last two axes.
        num_lower: How many diagonals below the main one to keep; -1 for all.
        num_upper: How many diagonals above the main one to keep; -1 for all.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `input`.

    Example:

        >>> tf.linalg.band_part([[1, 2, 3], [4, 5, 6], [7, 8, 9]], -1, 0).numpy().tolist()
        [[1, 0, 0], [4, 5, 0], [7, 8, 9]]
    """
    return ops.matrix_band_part(input, num_lower, num_upper, name=name)


@scoped("Trace", names_result=True)
def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """Compute the trace of matrices in the last two axes: the sum of the main diagonal.

    Args:
        x: Numeric matrices, which need not be square.
        name: Name of the op in a graph.

    Returns:
        A tensor without the last two axes.

    Example:

        >>> tf.linalg.trace([[1, 2], [3, 4]]).numpy()
        np.int32(5)
    """
    return reduce_sum(ops.matrix_diag_part(convert(x)), -1, name=name)
