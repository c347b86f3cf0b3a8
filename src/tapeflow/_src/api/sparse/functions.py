"""`tf.sparse`: conversion from and to dense tensors, and edit distance."""

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
    """Convert a dense tensor to a sparse one of its nonzero (or nonempty) elements."""
    tensor = dispatch.convert(tensor)
    indices = where(not_equal(tensor, zeros_like(tensor)))
    return SparseTensor(indices, gather_nd(tensor, indices), shape(tensor, out_type=dtypes.int64))


def to_dense(
    sp_input: Any,
    default_value: Any = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Convert to a dense tensor with `default_value` (0, or "") for implicit elements."""
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

    Sequences lie along the last axis of sparse tensors; the result has the axes before it.
    """
    return edits.edit_distance(
        *parts_of(as_sparse(hypothesis, "Hypothesis")),
        *parts_of(as_sparse(truth, "Truth")),
        normalize=bool(normalize),
        name=name,
    )
