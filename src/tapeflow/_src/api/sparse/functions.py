"""`tf.sparse`: tensors given by the elements that are not zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.api.sparse.arguments import as_sparse, parts_of
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.common import shape, zeros_like
from tapeflow._src.ops.array.gather_nd import gather_nd
from tapeflow._src.ops.array.masking import where
from tapeflow._src.ops.math.comparison import not_equal
from tapeflow._src.ops.sparse.convert import sparse_to_dense
from tapeflow._src.ops.strings import edit_distance as edits


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
