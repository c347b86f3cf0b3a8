"""`tf.nn`: embeddings combined per row of a sparse or ragged matrix of ids."""

from __future__ import annotations

from typing import Any, NamedTuple

from tapeflow._src.api.arrays.joining import repeat
from tapeflow._src.api.arrays.slicing import boolean_mask
from tapeflow._src.api.nn.embedding import embedding_lookup
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import (
    concat_v2,
    expand_dims,
    ones_like,
    range_,
    reshape,
    scalar_int,
    shape,
    shape_of,
    static_ints,
    sum_,
)
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import greater, greater_equal
from tapeflow._src.ops.math.counting import unique
from tapeflow._src.ops.math.division import div_no_nan
from tapeflow._src.ops.math.elementwise import scalar, sqrt, square
from tapeflow._src.ops.math.logical import logical_and
from tapeflow._src.ops.math.product import prod
from tapeflow._src.ops.math.scan import cumprod
from tapeflow._src.ops.math.segment import segment_sum
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum
from tapeflow._src.ops.sparse import segment as sparse_segment

_COMBINERS = ("mean", "sqrtn", "sum")
_CONTAINERS = (SparseTensor, RaggedTensor)


class _Bags(NamedTuple):
    """Ids, the bag of each, and the sizes of the axes that number the bags."""

    ids: Any
    bags: Any
    weights: Any
    sizes: Any


@scoped("embedding_lookup_sparse", names_result=True)
def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Look up embeddings and combine them per row of sparse or ragged ids.

    Args:
        params: A table, or a list of tables partitioned by rows.
        sp_ids: A sparse or ragged matrix of ids.
        sp_weights: Weights of the ids, of the same structure, or None.
        combiner: "mean" (the default), "sqrtn" or "sum".
        max_norm: Clip embeddings to this L2 norm.
        name: Name of the op in a graph.
        allow_fast_lookup: Ignored.

    Returns:
        A tensor of shape `[rows, *params.shape[1:]]`. Of a sparse matrix, empty rows at the end are
        missing: `safe_embedding_lookup_sparse` returns them.

    Raises:
        TypeError: Ids or weights are neither sparse nor ragged.
        ValueError: The combiner is unknown.

    Example:

        >>> table = tf.constant([[1.0], [10.0], [100.0]])
        >>> ids = tf.ragged.constant([[0, 1], [2]])
        >>> tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum").numpy().tolist()
        [[11.0], [100.0]]
    """
    combiner = _combiner(combiner)
    _check("sp_ids", sp_ids, "sp_weights", sp_weights)
    bags = _bags(sp_ids, sp_weights)
    # A sparse matrix of ids has as many rows as have ids: TF ignores empty ones at its end.
    count = shape(sp_ids.row_splits)[0] - 1 if isinstance(sp_ids, RaggedTensor) else None
    return _combine(params, bags, count, combiner, max_norm, name)


@scoped("embedding_lookup")
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: Any = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Look up as `embedding_lookup_sparse`; drop negative ids and allow empty rows.

    An empty row yields zeros, or the embedding of `default_id`. Ids whose weight is not positive
    are dropped as well, unless rows are summed.

    Args:
        embedding_weights: A table, or a list of tables partitioned by rows.
        sparse_ids: Sparse or ragged ids; sparse ones may have more than two axes.
        sparse_weights: Weights of the ids, of the same structure, or None.
        combiner: "mean", "sqrtn" or "sum".
        default_id: The id that stands for an empty row; zeros by default.
        max_norm: Clip embeddings to this L2 norm.
        name: Name of the op in a graph.
        allow_fast_lookup: Ignored.

    Returns:
        A tensor of shape `[*sparse_ids.shape[:-1], *params.shape[1:]]`.

    Example:

        >>> table = tf.constant([[1.0], [10.0], [100.0]])
        >>> ids = tf.ragged.constant([[0, 1, -1], []], dtype=tf.int64)
        >>> tf.nn.safe_embedding_lookup_sparse(table, ids, combiner="sum").numpy().tolist()
        [[11.0], [0.0]]
    """
    if embedding_weights is None or (
        isinstance(embedding_weights, (list, tuple)) and not embedding_weights
    ):
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    combiner = _combiner(combiner)
    _check("sparse_ids", sparse_ids, "sparse_weights", sparse_weights)
    bags = _bags(sparse_ids, sparse_weights)
    mask = greater_equal(bags.ids, scalar(0, bags.ids))
    if bags.weights is not None and combiner != "sum":
        mask = logical_and(mask, greater(bags.weights, scalar(0, bags.weights)))
    ids, bag_ids = boolean_mask(bags.ids, mask), boolean_mask(bags.bags, mask)
    weights = None if bags.weights is None else boolean_mask(bags.weights, mask)
    count = cast(prod(bags.sizes, static_ints((0,))), DstT=dtypes.int32)
    bags = _Bags(ids, bag_ids, weights, bags.sizes)
    result = _combine(embedding_weights, bags, count, combiner, max_norm)
    if default_id is not None:
        members = unsorted_segment_sum(ones_like(cast(ids, DstT=dtypes.int32)), bag_ids, count)
        default = embedding_lookup(embedding_weights, [default_id], max_norm)
        result = select_v2(_as_column(greater(members, scalar_int(0)), result), result, default)
    if bags.sizes.shape[0] == 1:
        return result
    inner = cast(shape_of(result)[1:], DstT=dtypes.int64)
    return reshape(result, concat_v2([bags.sizes, inner], scalar_int(0)))


def _combiner(combiner: str | None) -> str:
    combiner = combiner or "mean"
    if combiner not in _COMBINERS:
        raise ValueError(f"combiner must be 'mean', 'sqrtn' or 'sum', received {combiner!r}")
    return combiner


def _check(ids_name: str, ids: TensorLike, weights_name: str, weights: Any) -> None:
    if not isinstance(ids, _CONTAINERS):
        raise TypeError(f"{ids_name} must be SparseTensor or RaggedTensor, got {type(ids)}")
    if weights is not None and type(weights) is not type(ids):
        raise TypeError(
            f"{weights_name} must be either None or {type(ids).__name__}, as {ids_name} is, got "
            f"{type(weights)}"
        )


def _bags(ids: Any, weights: Any) -> _Bags:
    """Return the bags of ids: the rows along all axes but the last."""
    if isinstance(ids, RaggedTensor):
        rows = shape(ids.row_splits)[0] - 1
        numbers = repeat(range_(scalar_int(0), rows, scalar_int(1)), ids.row_lengths())
        sizes = expand_dims(cast(rows, DstT=dtypes.int64), scalar_int(0))
    else:
        sizes = ids.dense_shape[:-1]
        # How many bags one step along each axis is.
        steps = cumprod(sizes, scalar_int(0), exclusive=True, reverse=True)
        numbers = sum_(ids.indices[:, :-1] * steps, static_ints((1,)))
        numbers = cast(numbers, DstT=dtypes.int32)
    return _Bags(ids.values, numbers, None if weights is None else weights.values, sizes)


_UNWEIGHTED = {
    "mean": sparse_segment.sparse_segment_mean,
    "sqrtn": sparse_segment.sparse_segment_sqrt_n,
    "sum": sparse_segment.sparse_segment_sum,
}
_UNWEIGHTED_COUNTED = {
    "mean": sparse_segment.sparse_segment_mean_with_num_segments,
    "sqrtn": sparse_segment.sparse_segment_sqrt_n_with_num_segments,
    "sum": sparse_segment.sparse_segment_sum_with_num_segments,
}


def _combine(
    params: TensorLike,
    bags: _Bags,
    count: Any,
    combiner: str,
    max_norm: Any,
    name: str | None = None,
) -> Any:
    """Combine embeddings per bag, up to the last that has ids, or for `count` bags."""
    different, which = unique(bags.ids)
    rows = embedding_lookup(params, different, max_norm)
    dtype = rows.dtype
    if dtype in (dtypes.float16, dtypes.bfloat16):
        rows = cast(rows, DstT=dtypes.float32)
    if bags.weights is not None:
        result = _weighted(rows, which, bags, count, combiner, name)
    elif count is None:
        result = _UNWEIGHTED[combiner](rows, which, bags.bags, name=name)
    else:
        result = _UNWEIGHTED_COUNTED[combiner](rows, which, bags.bags, count, name=name)
    return result if result.dtype is dtype else cast(result, DstT=dtype)


def _weighted(
    rows: Any, which: Any, bags: _Bags, count: Any, combiner: str, name: str | None
) -> Any:
    def total(values: TensorLike, name: str | None = None) -> Any:
        if count is None:
            return segment_sum(values, bags.bags, name=name)
        return unsorted_segment_sum(values, bags.bags, count, name=name)

    weights = _as_column(cast(bags.weights, DstT=rows.dtype), rows)
    weighted = gather_v2(rows, which, scalar_int(0)) * weights
    if combiner == "sum":
        return total(weighted, name)
    result = total(weighted)
    size = total(weights) if combiner == "mean" else sqrt(total(square(weights)))
    return div_no_nan(result, size, name=name)


def _as_column(vector: Any, like: Any) -> Any:
    """Reshape `vector` to broadcast along the first axis of `like`."""
    return reshape(vector, static_ints((-1, *[1] * (len(like.shape) - 1))))
