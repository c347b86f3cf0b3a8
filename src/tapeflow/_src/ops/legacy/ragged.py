"""Filling of empty rows of ragged tensors."""

from __future__ import annotations

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.infer import merge_shape, require_rank
from tapeflow._src.core.registry import Index, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.legacy.renaming import renamed
from tapeflow._src.ops.sparse.layout import sparse_fill_empty_rows, sparse_fill_empty_rows_grad

ragged_fill_empty_rows_grad = renamed("RaggedFillEmptyRowsGrad", sparse_fill_empty_rows_grad)


@op(
    "RaggedFillEmptyRows",
    host=sparse_fill_empty_rows.host,
    checked=True,
    outputs=("output_value_rowids", "output_values", "empty_row_indicator", "reverse_index_map"),
)
def ragged_fill_empty_rows(xp, value_rowids: Index, values, nrows: Static, default_value):
    """Return the values by row, with `default_value` in each empty row.

    And which rows those are, and where each value went.
    """
    rows, filled, empty, positions = sparse_fill_empty_rows.body(
        xp, value_rowids[:, None], values, np.reshape(nrows, (1,)), default_value
    )
    return rows[:, 0], filled, empty, positions


@ragged_fill_empty_rows.infer
def _(value_rowids, values, nrows, default_value):
    for name, spec, rank in (
        ("value_rowids", value_rowids, 1),
        ("values", values, 1),
        ("nrows", nrows, 0),
        ("default_value", default_value, 0),
    ):
        require_rank(spec, rank, name)
    count = merge_shape(value_rowids.shape, values.shape, "there must be a row for each value")
    rows = None if nrows.value is None else int(nrows.value)
    return (
        Spec((None,), dtypes.int64),
        Spec((None,), values.dtype),
        Spec((rows,), dtypes.bool),
        Spec(count or (None,), dtypes.int64),
    )


@ragged_fill_empty_rows.gradient
def _(drows, dvalues, dempty, dmap, *, reverse_index_map):
    by_values, by_default = ragged_fill_empty_rows_grad(reverse_index_map, dvalues)
    return None, by_values, None, by_default
