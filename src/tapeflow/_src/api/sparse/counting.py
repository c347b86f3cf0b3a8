"""Counts, indicators and feature crosses of sparse tensors."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.sparse.arguments import as_sparse, int64_tensor
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import (
    concat_v2,
    expand_dims,
    fill,
    reshape,
    scalar_int,
    shape_of,
    static_ints,
)
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.sparse import counting as counts
from tapeflow._src.ops.sparse.convert import sparse_to_dense
from tapeflow._src.ops.sparse.cross import sparse_cross, sparse_cross_v2
from tapeflow.debugging import assert_equal

_SEPARATOR = "_X_"
_HASH_KEY = 0xDECAFCAFFE


@scoped("count")
def bincount(
    values: TensorLike,
    weights: Any = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Count the occurrences of each integer, in total (axis 0) or per row (axis -1), sparsely.

    Args:
        values: Non-negative integers, dense, ragged or sparse.
        weights: Weights to sum instead of counting, of the kind and structure of `values`.
        axis: 0 or None to count over all values, -1 to count each row.
        minlength: The least number of columns.
        maxlength: The largest number of columns; larger values are ignored.
        binary_output: Whether to return only whether a value occurs (1).
        name: Name of the op in a graph.

    Returns:
        A `tf.SparseTensor` of counts.

    Raises:
        ValueError: `axis` is another, or `weights` and `binary_output` are combined.

    Example:

        >>> counts = tf.sparse.bincount([[1, 1, 3]], axis=-1)
        >>> counts.indices.numpy().tolist(), counts.values.numpy().tolist()
        ([[0, 1], [0, 3]], [2, 1])
    """
    if weights is not None and binary_output:
        raise ValueError(
            "Pass `weights` or `binary_output=True`, not both: a binary output has no weights."
        )
    if axis not in (None, 0, -1):
        raise ValueError(
            f"`axis` must be 0 (all values), -1 (each row) or None. Received: axis={axis}"
        )
    op, parts, weights = _counted(values, weights, axis == -1)
    if weights is None:
        numbers = parts[1] if len(parts) > 1 else parts[0]
        weights = fill(static_ints((0,)), dispatch.convert(0, numbers.dtype))
    return SparseTensor(
        *op(
            *parts,
            weights,
            minlength=-1 if minlength is None else int(minlength),
            maxlength=-1 if maxlength is None else int(maxlength),
            binary_output=bool(binary_output),
        )
    )


def _counted(values: TensorLike, weights: Any, by_row: bool) -> tuple[Any, tuple[Any, ...], Any]:
    """Return the counting op, its inputs and weights."""
    if isinstance(values, SparseTensor):
        if weights is not None:
            _require_kind(weights, SparseTensor)
            same = "`weights` must agree with `values` in"
            assert_equal(weights.indices, values.indices, message=f"{same} indices.")
            assert_equal(weights.dense_shape, values.dense_shape, message=f"{same} dense shape.")
            weights = weights.values
        if by_row:
            parts = values.indices, values.values, values.dense_shape
            return counts.sparse_count_sparse_output, parts, weights
        return counts.dense_count_sparse_output, (values.values,), weights
    if isinstance(values, RaggedTensor):
        if weights is not None:
            _require_kind(weights, RaggedTensor)
            message = "`weights` must have the row splits of `values`."
            assert_equal(weights.row_splits, values.row_splits, message=message)
            weights = weights.values
        if by_row:
            splits = cast(values.row_splits, DstT=dtypes.int64)
            return counts.ragged_count_sparse_output, (splits, values.values), weights
        return counts.dense_count_sparse_output, (values.values,), weights
    numbers = dispatch.convert(values)
    weights = None if weights is None else dispatch.convert(weights)
    if not by_row:
        flat = static_ints((-1,))
        numbers = reshape(numbers, flat)
        weights = None if weights is None else reshape(weights, flat)
    return counts.dense_count_sparse_output, (numbers,), weights


def _require_kind(weights: Any, kind: type) -> None:
    if not isinstance(weights, kind):
        raise ValueError(
            f"`weights` must be a {kind.__name__} if `values` is a {kind.__name__}, got {weights} "
            f"of type {type(weights).__name__}."
        )


@scoped("SparseToIndicator", names_result=True)
def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """Create a dense boolean tensor that marks the ids that occur along the last axis.

    Args:
        sp_input: A `tf.SparseTensor` of integers.
        vocab_size: The size of the last axis of the result; all ids must be below it.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of shape `[..., vocab_size]`.

    Example:

        >>> ids = tf.SparseTensor([[0, 0], [0, 1]], [2, 0], [1, 2])
        >>> tf.sparse.to_indicator(ids, 3).numpy().tolist()
        [[True, False, True]]
    """
    sparse = as_sparse(sp_input, "sp_input")
    ids = expand_dims(cast(sparse.values, DstT=dtypes.int64), scalar_int(1))
    rows = get_item(sparse.indices, (slice(None), slice(None, -1)))
    size = expand_dims(int64_tensor(vocab_size), scalar_int(0))
    marks = SparseTensor(
        concat_v2([rows, ids], scalar_int(1)),
        fill(shape_of(sparse.values), dispatch.convert(True)),
        concat_v2([get_item(sparse.dense_shape, slice(None, -1)), size], scalar_int(0)),
    )
    return sparse_to_dense(
        marks.indices, marks.dense_shape, marks.values, False, validate_indices=False, name=name
    )


def cross(inputs: TensorLike, name: str | None = None, separator: Any = None) -> SparseTensor:
    """Generate feature crosses, row by row, as strings.

    Args:
        inputs: A list of features, sparse or dense, of integers or strings: `[batch, values]`.
        separator: What joins the values; "_X_" by default.
        name: Name of the op in a graph.

    Returns:
        A `tf.SparseTensor` of strings: every combination of a value of each feature.

    Raises:
        TypeError: `inputs` is not a list.

    Example:

        >>> colors = tf.sparse.from_dense([["red", "blue"]])
        >>> tf.sparse.to_dense(tf.sparse.cross([colors, tf.constant([["small"]])])).numpy().tolist()
        [[b'red_X_small', b'blue_X_small']]
    """
    indices, values, shapes, dense = _features(inputs)
    joint = _SEPARATOR if separator is None else separator
    joint = dispatch.convert(joint, dtypes.string)
    return SparseTensor(*sparse_cross_v2(indices, values, shapes, dense, joint, name=name))


def cross_hashed(
    inputs: TensorLike, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Generate feature crosses, row by row, as hash buckets.

    Args:
        inputs: A list of features, sparse or dense, of integers or strings: `[batch, values]`.
        num_buckets: The number of buckets; 0 for all of int64.
        hash_key: The key of the hash.
        name: Name of the op in a graph.

    Returns:
        An int64 `tf.SparseTensor`.

    Raises:
        TypeError: `inputs` is not a list.

    Example:

        >>> features = [tf.constant([["a", "b"]]), tf.constant([["x"]])]
        >>> tf.sparse.cross_hashed(features, num_buckets=10).shape
        TensorShape([1, 2])
    """
    indices, values, shapes, dense = _features(inputs)
    has_numbers = any(v.dtype is dtypes.int64 for v in (*values, *dense))
    return SparseTensor(
        *sparse_cross(
            indices,
            values,
            shapes,
            dense,
            hashed_output=True,
            num_buckets=int(num_buckets),
            hash_key=_HASH_KEY if hash_key is None else int(hash_key),
            out_type=dtypes.int64,
            internal_type=dtypes.int64 if has_numbers else dtypes.string,
            name=name,
        )
    )


def _features(inputs: TensorLike) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Return the components of sparse inputs, and the dense inputs; integers as int64."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Inputs must be a list, got {type(inputs).__name__}.")
    sparse = [value for value in inputs if isinstance(value, SparseTensor)]
    dense = [dispatch.convert(v) for v in inputs if not isinstance(v, SparseTensor)]
    return (
        [s.indices for s in sparse],
        [_feature(s.values) for s in sparse],
        [s.dense_shape for s in sparse],
        [_feature(d) for d in dense],
    )


def _feature(values: Any) -> Any:
    return values if values.dtype is dtypes.string else cast(values, DstT=dtypes.int64)
