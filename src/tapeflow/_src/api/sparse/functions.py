"""`tf.sparse`: conversion from and to dense tensors, and edit distance."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.sparse.arguments import as_sparse, parts_of
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import shape, zeros_like
from tapeflow._src.ops.array.gather_nd import gather_nd
from tapeflow._src.ops.array.masking import where
from tapeflow._src.ops.math.comparison import not_equal
from tapeflow._src.ops.sparse.convert import sparse_to_dense
from tapeflow._src.ops.strings import edit_distance as edits


@scoped("dense_to_sparse")
def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """Convert a dense tensor to a sparse one of its nonzero (or nonempty) elements.

    Args:
        tensor: A tensor of numbers, booleans or strings.
        name: Name of the op in a graph.

    Returns:
        A `tf.SparseTensor` with indices in row-major order.

    Example:

        >>> x = tf.sparse.from_dense([[0, 5], [7, 0]])
        >>> x.indices.numpy().tolist(), x.values.numpy().tolist()
        ([[0, 1], [1, 0]], [5, 7])
    """
    tensor = dispatch.convert(tensor)
    indices = where(not_equal(tensor, zeros_like(tensor)))
    return SparseTensor(indices, gather_nd(tensor, indices), shape(tensor, out_type=dtypes.int64))


def to_dense(
    sp_input: Any,
    default_value: Any = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Convert to a dense tensor with `default_value` (0, or "") for implicit elements.

    Args:
        sp_input: A `tf.SparseTensor`.
        default_value: The value of implicit elements; 0, False or an empty string by default.
        validate_indices: Whether to check that indices are in order, within range and not repeated.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `sp_input.dense_shape`.

    Raises:
        TypeError: The input is not sparse.
        InvalidArgumentError: The indices are not valid.

    Example:

        >>> x = tf.SparseTensor([[0, 1]], [5], dense_shape=[2, 2])
        >>> tf.sparse.to_dense(x, default_value=-1).numpy().tolist()
        [[-1, 5], [-1, -1]]
    """
    sp_input = as_sparse(sp_input)
    if default_value is None:
        kind = sp_input.dtype
        default_value = np.array(b"", object) if kind is dtypes.string else np.zeros((), kind.np)
    return sparse_to_dense(
        sp_input.indices,
        sp_input.dense_shape,
        sp_input.values,
        dispatch.convert(default_value, sp_input.dtype),
        validate_indices=validate_indices,
        name=name,
    )


def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str | None = "edit_distance"
) -> Tensor:
    """Compute the Levenshtein distance between sequences, by default relative to `truth`.

    Args:
        hypothesis: Sparse sequences along the last axis.
        truth: Sparse sequences of the same dtype and leading axes.
        normalize: Whether to divide by the lengths of `truth`; infinite for an empty one, 0 if both
            are empty.
        name: Name of the op in a graph.

    Returns:
        A float32 tensor without the last axis.

    Raises:
        TypeError: An input is not sparse.

    Example:

        >>> hypothesis = tf.sparse.from_dense([["a", "b"]])
        >>> truth = tf.sparse.from_dense([["a", "c", "b", "d"]])
        >>> tf.edit_distance(hypothesis, truth).numpy().tolist()
        [0.5]
    """
    return edits.edit_distance(
        *parts_of(as_sparse(hypothesis, "Hypothesis")),
        *parts_of(as_sparse(truth, "Truth")),
        normalize=bool(normalize),
        name=name,
    )
