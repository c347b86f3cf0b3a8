"""`tf.ragged.cross`: feature crosses, row by row."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.ragged.crossing import ragged_cross
from tapeflow._src.composite.ragged.elementwise import same_splits_dtype
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.composite.ragged.tensor import RaggedTensor
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import operand
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.math.cast import cast

_sparse = LazyModule("tapeflow._src.api.sparse.arguments")

_KEY = 0xDECAFCAFFE


def cross(inputs: TensorLike, name: str | None = None) -> RaggedTensor:
    """Generate feature crosses: combinations of values per row, joined by `_X_`.

    Args:
        inputs: A list of features `[batch, values]`: ragged, sparse or dense, of integers or
            strings.
        name: Name of the op in a graph.

    Returns:
        A `tf.RaggedTensor` of strings.

    Raises:
        TypeError: `inputs` is a single tensor.
        ValueError: A dtype or rank is not supported.

    Example:

        >>> tf.ragged.cross([tf.ragged.constant([["a", "b"], ["c"]]), [["x"], ["y"]]]).to_list()
        [[b'a_X_x', b'b_X_x'], [b'c_X_y']]
    """
    return _cross(inputs, False, 0, _KEY, dtypes.string, name, name=name)


def cross_hashed(
    inputs: TensorLike, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """Generate feature crosses, hashed to `[0, num_buckets)`, or to any int64 if that is 0.

    Args:
        inputs: A list of features `[batch, values]`: ragged, sparse or dense, of integers or
            strings.
        num_buckets: The number of buckets.
        hash_key: The key of the hash.
        name: Name of the op in a graph.

    Returns:
        An int64 `tf.RaggedTensor`.

    Raises:
        TypeError: `inputs` is a single tensor.
        ValueError: A dtype or rank is not supported.

    Example:

        >>> features = [tf.ragged.constant([["a", "b"], ["c"]]), tf.constant([["x"], ["y"]])]
        >>> tf.ragged.cross_hashed(features, num_buckets=10).row_lengths().numpy().tolist()
        [2, 1]
    """
    key = _KEY if hash_key is None else hash_key
    return _cross(inputs, True, num_buckets, key, dtypes.int64, name, name=name)


@scoped("RaggedCross")
def _cross(
    inputs: Any,
    hashed: bool,
    buckets: int,
    key: int,
    dtype: Any,
    op_name: str | None,
    name: str | None,
) -> RaggedTensor:
    if isinstance(inputs, (RaggedTensor, SparseTensor)):
        raise TypeError(f"tf.ragged.cross takes a list of features, got a {type(inputs).__name__}.")
    tensors = [_feature(operand(_sparse.of_parts(value)), i) for i, value in enumerate(inputs)]
    ragged = [t for t in tensors if isinstance(t, RaggedTensor)]
    sparse = [t for t in tensors if isinstance(t, SparseTensor)]
    dense = [t for t in tensors if not isinstance(t, (RaggedTensor, SparseTensor))]
    kinds = {RaggedTensor: "R", SparseTensor: "S"}
    splits_dtype = same_splits_dtype(ragged) if ragged else dtypes.int64
    values, splits = ragged_cross(
        [t.values for t in ragged],
        [t.row_splits for t in ragged],
        [t.indices for t in sparse],
        [t.values for t in sparse],
        [t.dense_shape for t in sparse],
        dense,
        input_order="".join(kinds.get(type(t), "D") for t in tensors),
        hashed_output=hashed,
        num_buckets=int(buckets),
        hash_key=key,
        out_values_type=dtype,
        out_row_splits_type=splits_dtype,
        name=op_name,
    )
    return RaggedTensor(values, RowPartition(splits, internal=True), internal=True)


def _feature(value: Any, index: int) -> Any:
    """Convert a feature to int64 or strings."""
    if value.dtype.is_integer and value.dtype is not dtypes.int64:
        value = cast(value, DstT=dtypes.int64)
    if value.dtype not in (dtypes.int64, dtypes.string):
        raise ValueError(f"Unexpected dtype for inputs[{index}]: {value.dtype}")
    if isinstance(value, RaggedTensor) and (value.ragged_rank != 1 or value.shape.rank != 2):
        raise ValueError(
            f"tf.ragged.cross expected ragged inputs of rank 2. Received inputs[{index}] of rank "
            f"{value.shape.rank} with ragged_rank={value.ragged_rank}"
        )
    return value
