"""Top-k, positions in sorted sequences, and whether a target is in the top k."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.batching import Batch, on_first, on_values
from tapeflow._src.core.dtypes import INDEX, REAL, as_dtype
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.infer import allowed_dtype, merge_shape, normalize_axis
from tapeflow._src.core.registry import Index, InferError, Static, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.core.traits import ELEMENTWISE, ROWS
from tapeflow._src.ops.array.axes import axes_last
from tapeflow._src.ops.array.common import (
    expand_dims,
    fill,
    pack,
    range_,
    reshape,
    scalar_int,
    shape_of,
    size,
    static_ints,
)
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.transpose import inverse_of, transpose
from tapeflow._src.ops.math.arithmetic import add_v2, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.product import prod
from tapeflow._src.ops.math.reduction import share_equally
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum

# -- the largest -------------------------------------------------------------------------------

_TOP_K_INDEX = INDEX | {dtypes.int16}


@op(
    "TopKV2",
    dtypes=REAL,
    outputs=("values", "indices"),
    checked=True,
    traits=(ROWS,),
    batch=on_first,
)
def top_k_v2(xp, input, k: Static, *, sorted=True, index_type=dtypes.int32):
    """Return the `k` largest along the last axis in descending order, and their indices.

    Ties are in order of index. Without `sorted` any order is valid: this one too.
    """
    values, indices = xp.groups.top_k(input, int(k))
    return values, indices.astype(as_dtype(index_type).np)


@top_k_v2.infer
def _(input, k, *, sorted, index_type):
    index_dtype = allowed_dtype("index_type", index_type, _TOP_K_INDEX)
    if input.shape is not None and not input.shape:
        raise InferError(f"input must be >= 1-D, got shape {fmt_shape(input.shape)}")
    if k.shape not in (None, ()):
        raise InferError(f"k must be scalar, got shape {fmt_shape(k.shape)}")
    count = None if k.value is None else int(k.value)
    if count is not None and count < 0:
        raise InferError(f"Need k >= 0, got {count}")
    if input.shape is None:
        return Spec(None, input.dtype), Spec(None, index_dtype)
    _check_columns(input.shape[-1], count)
    shape = (*input.shape[:-1], count)
    return Spec(shape, input.dtype), Spec(shape, index_dtype)


def _check_columns(columns: int | None, k: int | None) -> None:
    if columns is not None and k is not None and columns < k:
        raise InferError(f"input must have at least k columns. Had {columns}, needed {k}")


@top_k_v2.gradient
def _(dvalues, dindices, *, shape_of_input, indices):
    return _put_along_last(dvalues, indices, shape_of_input), None


def _put_along_last(values: Any, indices: Any, input_shape: Any) -> Any:
    """Scatter `values` at `indices` along the last axis into zeros of `input_shape`."""
    dims, static_shape = values.static_shape, input_shape.static_value
    if dims is not None and dims[-1] == 0:
        return fill(input_shape, scalar(0, values))
    if static_shape is not None:
        columns: Any = scalar_int(int(static_shape[-1]))
        total: Any = scalar_int(math.prod(static_shape.tolist()))
    else:
        columns = _last(input_shape)
        total = prod(input_shape, static_ints((0,)))
    starts = expand_dims(range_(scalar_int(0), total, columns), scalar_int(1))
    picked = static_ints((-1, dims[-1])) if dims is not None and dims[-1] is not None else None
    if picked is None:
        picked = pack([scalar_int(-1), _last(shape_of(values))])
    flat_indices = add_v2(reshape(cast(indices, DstT=dtypes.int32), picked), starts)
    every = static_ints((-1,))
    flat = unsorted_segment_sum(reshape(values, every), reshape(flat_indices, every), total)
    return reshape(flat, input_shape)


def _last(vector: Any) -> Any:
    return gather_v2(vector, sub(size(vector), scalar_int(1)), scalar_int(0))


@op("NthElement", dtypes=REAL, outputs=("values",), checked=True)
def nth_element(xp, input, n: Index, *, reverse=False):
    """Return the element that would be at index `n` of the last axis if it were sorted."""
    columns = input.shape[-1]
    xp.require(n >= 0, lambda: f"n must be non-negative but is {int(n)}")
    xp.require(n < columns, lambda: f"Input must have last dimension > n = {int(n)}")
    position = columns - 1 - n if reverse else n
    return xp.take(xp.sort(input, axis=-1), position, axis=-1, mode="clip")


@nth_element.kernel("numpy")
def _(xp, input, n, *, reverse):
    columns = input.shape[-1]
    xp.require(n >= 0, f"n must be non-negative but is {int(n)}")
    xp.require(n < columns, f"Input must have last dimension > n = {int(n)}")
    index = columns - 1 - int(n) if reverse else int(n)
    return np.partition(input, index, axis=-1)[..., index]


@nth_element.infer
def _(input, n, *, reverse):
    if n.shape not in (None, ()):
        raise InferError(f"N must be scalar but has rank {len(n.shape)}")
    if input.shape is None:
        return Spec(None, input.dtype)
    if not input.shape:
        raise InferError("Input must be at least rank 1 but is rank 0")
    return Spec(input.shape[:-1], input.dtype)


@nth_element.gradient
def _(dz, *, input, values):
    last = scalar_int(-1)
    chosen = cast(equal(input, expand_dims(values, last)), DstT=dz.dtype)
    return share_equally(chosen, expand_dims(dz, last), static_ints((-1,))), None


_APPROXIMATE = frozenset({dtypes.float16, dtypes.bfloat16, dtypes.float32})


@op("ApproxTopK", dtypes=_APPROXIMATE, outputs=("values", "indices"), checked=True)
def approx_top_k(
    xp,
    input,
    *,
    k,
    reduction_dimension=-1,
    recall_target=0.95,
    is_max_k=True,
    reduction_input_size_override=-1,
    aggregate_to_topk=True,
):
    """Return the `k` largest (or smallest) along an axis, best first: here exactly those."""
    at = reduction_dimension
    moved = xp.moveaxis(input, at, -1)
    values, indices = xp.groups.top_k(moved if is_max_k else -moved, k)
    values = values if is_max_k else -values
    return xp.moveaxis(values, -1, at), xp.moveaxis(indices, -1, at).astype(np.int32)


@approx_top_k.infer
def _(input, *, k, reduction_dimension, **_):
    if k < 0:
        raise InferError(f"Need k >= 0, got {k}")
    if input.shape is None:
        return Spec(None, input.dtype), Spec(None, dtypes.int32)
    at = normalize_axis(reduction_dimension, len(input.shape), "reduction_dimension")
    _check_columns(input.shape[at], k)
    shape = (*input.shape[:at], k, *input.shape[at + 1 :])
    return Spec(shape, input.dtype), Spec(shape, dtypes.int32)


@approx_top_k.gradient
def _(dvalues, dindices, *, shape_of_input, indices, reduction_dimension):
    dims = dvalues.static_shape
    last = (-1,) if dims is None else (-1, len(dims) - 1)
    if reduction_dimension in last:
        return _put_along_last(dvalues, indices, shape_of_input)
    order = axes_last(dvalues, (reduction_dimension,))
    moved_shape = gather_v2(shape_of_input, order, scalar_int(0))
    moved = _put_along_last(transpose(dvalues, order), transpose(indices, order), moved_shape)
    return transpose(moved, inverse_of(order))


@op("InTopKV2", dtypes=frozenset({dtypes.float32}), grad=None, checked=True, outputs=("precision",))
def in_top_k_v2(xp, predictions, targets: Index, k: Index):
    """Whether fewer than `k` predictions of a row exceed that of its target.

    False for a target that is no column, and for a row with values that are not finite.
    """
    columns = predictions.shape[1]
    valid = (targets >= 0) & (targets < columns)
    if not columns:
        return valid
    at = xp.clip(targets, 0, columns - 1)[:, None]
    chosen = xp.take_along_axis(predictions, at, axis=1)
    finite = xp.all(xp.isfinite(predictions), axis=1)
    return valid & finite & (xp.sum(predictions > chosen, axis=1) < k)


@in_top_k_v2.kernel("numpy")
def _(xp, predictions, targets, k):
    count, columns = predictions.shape
    result = (targets >= 0) & (targets < columns)
    if not predictions.size:
        return result
    rows = np.arange(count)
    chosen = predictions[rows, np.where(result, targets, 0)]
    if columns > _FIRST_COLUMNS[-1] and count >= _MANY_ROWS:
        # Where `k` of the first columns exceed the target, the others need not be read.
        for width in _FIRST_COLUMNS:
            first = predictions[:, :width] if len(rows) == count else predictions[rows, :width]
            rows = rows[_exceed(first, chosen[rows]) < k]
        predictions, chosen = predictions[rows], chosen[rows]
    is_among = np.zeros(count, bool)
    is_among[rows] = np.logical_and.reduce(np.isfinite(predictions), 1)
    is_among[rows] &= _exceed(predictions, chosen) < k
    return result & is_among


def _exceed(predictions: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return how many predictions of each row exceed a number."""
    exceed: np.ndarray = np.add.reduce(predictions > chosen[:, None], 1)
    return exceed


# How many columns are compared at first, if there are more of them, and many rows.
_FIRST_COLUMNS = (16, 128)
_MANY_ROWS = 64


@in_top_k_v2.infer
def _(predictions, targets, k):
    if predictions.shape is not None and len(predictions.shape) != 2:
        raise InferError("predictions must be 2-dimensional")
    if targets.shape is not None and len(targets.shape) != 1:
        raise InferError("targets must be 1-dimensional")
    if k.shape not in (None, ()):
        raise InferError(f"k must be 0-D, got shape {fmt_shape(k.shape)}")
    rows = (None,) if predictions.shape is None else predictions.shape[:1]
    try:
        return Spec(merge_shape(rows, targets.shape), dtypes.bool)
    except InferError:
        raise InferError(
            f"First dimension of predictions {rows[0]} must match length of targets "
            f"{targets.shape[0]}"
        ) from None


# -- positions in sorted sequences -------------------------------------------------------------


def _infer_bound(op: Any, specs: tuple[Any, ...], attrs: dict[str, Any]) -> Spec:
    sorted_inputs, values = specs
    dtype = allowed_dtype("out_type", attrs["out_type"], INDEX)
    for name, spec in (("sorted_inputs", sorted_inputs), ("values", values)):
        if spec.shape is not None and len(spec.shape) != 2:
            raise InferError(
                f"Shape must be rank 2 but is rank {len(spec.shape)} for `{name}` argument"
            )
    if sorted_inputs.shape is None or values.shape is None:
        return Spec(values.shape or (None, None), dtype)
    try:
        rows = merge_shape(sorted_inputs.shape[:1], values.shape[:1])
    except InferError:
        raise InferError("Leading dim_size of both tensors must match.") from None
    return Spec((*(rows or (None,)), values.shape[1]), dtype)


def _batch_search(batch: Batch, sorted_inputs: Any, values: Any, **attrs: Any) -> Any:
    """Search each row by itself: the batch axis is merged into the rows."""
    rows = [batch.merge(x, 0) for x in (sorted_inputs, values)]
    return batch.split(batch.op(*rows, **attrs), 0)


@op("LowerBound", infer=_infer_bound, dtypes=REAL, grad=None, checked=True, batch=_batch_search)
def lower_bound(xp, sorted_inputs, values, *, out_type=dtypes.int32):
    """Return for each value the first index in its row where it could be inserted; 0 for NaN."""
    positions = xp.groups.search_rows(sorted_inputs, values, "left")
    if values.dtype.kind in "fV":
        positions = xp.where(values != values, 0, positions)
    return positions.astype(as_dtype(out_type).np)


@op("UpperBound", infer=_infer_bound, dtypes=REAL, grad=None, checked=True, batch=_batch_search)
def upper_bound(xp, sorted_inputs, values, *, out_type=dtypes.int32):
    """Return for each value the last index in its row where it could be inserted."""
    positions = xp.groups.search_rows(sorted_inputs, values, "right")
    return positions.astype(as_dtype(out_type).np)


_BUCKETED = frozenset({dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64})


@op("Bucketize", dtypes=_BUCKETED, grad=None, checked=True, traits=(ELEMENTWISE,), batch=on_values)
def bucketize(xp, input, *, boundaries):
    """Return how many of the sorted `boundaries` each element reaches."""
    # The attribute is stored as float32, in graphs too: 0.1 is the float32 nearest to it.
    edges = np.asarray(boundaries, np.float32).astype(np.float64)
    return xp.searchsorted(edges, input.astype(np.float64), side="right").astype(np.int32)


@bucketize.infer
def _(input, *, boundaries):
    if any(a > b for a, b in pairwise(boundaries)):
        raise InferError("Expected sorted boundaries")
    return Spec(input.shape, dtypes.int32)
