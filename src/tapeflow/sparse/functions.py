"""`tf.sparse`: tensors given by the elements that are not zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.core import dispatch, dtypes
from tapeflow.core.naming import scoped
from tapeflow.core.tensor import Tensor
from tapeflow.ops import edit_distance as edits
from tapeflow.ops.array import shape, zeros_like
from tapeflow.ops.comparison import not_equal
from tapeflow.ops.gather_nd import gather_nd
from tapeflow.ops.masking import where
from tapeflow.ops.sparse import sparse_to_dense
from tapeflow.ops.sparse_tensor import SparseTensor
from tapeflow.sparse.arguments import as_sparse, parts_of


@scoped("dense_to_sparse")
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements that are not 0 (or not empty, of strings), with their coordinates."""
    tensor = dispatch.convert(tensor)
    indices = where(not_equal(tensor, zeros_like(tensor)))
    return SparseTensor(indices, gather_nd(tensor, indices), shape(tensor, out_type=dtypes.int64))


def to_dense(
    sp_input: Any,
    default_value: Any = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """The tensor with `default_value` (0, or an empty string) where nothing is given."""
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
    """The fewest changes that turn each sequence of `hypothesis` into that of `truth`.

    Sequences lie along the last axis of sparse tensors; the result has the axes before it.
    """
    return edits.edit_distance(
        *parts_of(as_sparse(hypothesis, "Hypothesis")),
        *parts_of(as_sparse(truth, "Truth")),
        normalize=bool(normalize),
        name=name,
    )
