"""Category indices as one-hot, multi-hot and count vectors: what the encoding layers share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike

ENCODINGS = ("one_hot", "multi_hot", "count")
_TENSORS = (tf.Tensor, tf.SparseTensor, tf.RaggedTensor)


def as_tensor(inputs: Any, dtype: DTypeLike | None = None) -> Any:
    """Return `inputs` as a dense, sparse or ragged tensor, cast to `dtype` if that is given."""
    if not isinstance(inputs, _TENSORS):
        inputs = tf.convert_to_tensor(inputs, dtype)
    if dtype is not None and inputs.dtype != tf.as_dtype(dtype):
        inputs = tf.cast(inputs, dtype)
    return inputs


def over_values(function: Callable[[Any], Any], inputs: Any) -> Any:
    """Apply a function of dense tensors to the values of a dense, sparse or ragged one."""
    if isinstance(inputs, tf.SparseTensor):
        return inputs.with_values(function(inputs.values))
    if isinstance(inputs, tf.RaggedTensor):
        return inputs.with_flat_values(function(inputs.flat_values))
    return function(inputs)


def check_option(layer: str, name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Raise a ValueError unless an argument has one of the values that it may have."""
    if value not in allowed:
        shown = ", ".join(repr(each) for each in allowed)
        raise ValueError(f"{layer}: `{name}` must be one of {shown}. Received: {name}={value!r}")


def check_sparse(layer: str, sparse: bool, output_mode: str) -> None:
    """Raise a ValueError for sparse indices, which nothing could tell from missing ones."""
    if sparse and output_mode == "int":
        raise ValueError(
            f"{layer}: `sparse=True` needs an `output_mode` with vectors, such as 'one_hot' or "
            f"'multi_hot'. Received: sparse={sparse}, output_mode={output_mode!r}"
        )


def batches(data: Any, steps: int | None, arrays: tuple[type, ...]) -> Iterator[Any] | None:
    """Return the batches of a dataset, generator or other iterable; None if `data` is one batch.

    `arrays` are the Python types that count as one batch, besides tensors.
    """
    if isinstance(data, (*_TENSORS, tf.Variable, *arrays)) or not hasattr(data, "__iter__"):
        return None
    if steps is not None and isinstance(data, tf.data.Dataset):
        data = data.take(steps)
    return _first(data, steps)


def _first(data: Any, steps: int | None) -> Iterator[Any]:
    if steps is None:
        yield from data
        return
    for _, batch in zip(range(steps), data):
        yield batch


def encode(
    inputs: Any,
    output_mode: str,
    depth: int,
    dtype: DTypeLike,
    sparse: bool = False,
    count_weights: Any = None,
) -> Any:
    """Return indices as `output_mode` says: themselves, or vectors of `depth` numbers.

    Indices from `depth` on are ignored.
    """
    if output_mode == "int":
        return tf.cast(inputs, dtype)
    if inputs.shape.rank == 0:
        inputs = tf.expand_dims(inputs, -1)
    if output_mode == "one_hot":
        if inputs.shape.rank > 1 and inputs.shape[-1] == 1:
            inputs = tf.squeeze(inputs, axis=-1)
        return _sparse_one_hot(inputs, depth, dtype) if sparse else _one_hot(inputs, depth, dtype)
    if inputs.shape.rank <= 2:
        return _bincount(inputs, output_mode == "multi_hot", depth, dtype, sparse, count_weights)
    vectors = _one_hot(inputs, depth, dtype)
    if output_mode == "multi_hot":
        vectors = tf.reduce_max(vectors, axis=1)
    else:
        if count_weights is not None:
            vectors = tf.cast(vectors, count_weights.dtype) * tf.expand_dims(count_weights, -1)
        vectors = tf.reduce_sum(vectors, axis=1)
    return tf.sparse.from_dense(vectors) if sparse else vectors


def _one_hot(inputs: Any, depth: int, dtype: DTypeLike) -> Any:
    if isinstance(inputs, tf.SparseTensor):
        inputs = tf.sparse.to_dense(inputs, default_value=-1)
    return tf.one_hot(tf.cast(inputs, tf.int64), depth, dtype=dtype)


def _sparse_one_hot(inputs: Any, depth: int, dtype: DTypeLike) -> Any:
    if isinstance(inputs, tf.SparseTensor):
        inputs = tf.sparse.to_dense(inputs, default_value=-1)
    inputs = tf.cast(inputs, tf.int64)
    positions = tf.where((inputs >= 0) & (inputs < depth))
    indices = tf.concat([positions, tf.gather_nd(inputs, positions)[:, None]], axis=1)
    shape = tf.concat([tf.shape(inputs, out_type=tf.int64), [depth]], axis=0)
    return tf.SparseTensor(indices, tf.ones(tf.shape(indices)[:1], dtype), shape)


def _bincount(
    inputs: Any, binary: bool, depth: int, dtype: DTypeLike, sparse: bool, count_weights: Any
) -> Any:
    options: dict[str, Any] = {"minlength": depth, "maxlength": depth, "axis": -1}
    if inputs.dtype not in (tf.int32, tf.int64):
        inputs = tf.cast(inputs, tf.int64)
    if not sparse:
        counts = tf.math.bincount(
            inputs, weights=count_weights, dtype=dtype, binary_output=binary, **options
        )
        counts = tf.cast(counts, dtype)
        rows = [] if inputs.shape.rank == 1 else [inputs.shape[0]]
        counts.set_shape([*rows, depth])
        return counts
    sparse_counts = tf.sparse.bincount(
        inputs, weights=count_weights, binary_output=binary, **options
    )
    rows = [] if inputs.shape.rank == 1 else [tf.cast(tf.shape(sparse_counts)[0], tf.int64)]
    shape = tf.stack([*rows, tf.constant(depth, tf.int64)])
    return tf.SparseTensor(sparse_counts.indices, tf.cast(sparse_counts.values, dtype), shape)


def one_hot_shape(shape: tuple[Any, ...], depth: int) -> tuple[Any, ...]:
    """The shape of one-hot vectors: a last axis of size 1 is replaced."""
    outer = shape[:-1] if len(shape) > 1 and shape[-1] == 1 else shape
    return (*outer, depth)


def as_list(value: Any) -> Any:
    """A tensor or array of a config as a list; other values as they are."""
    if isinstance(value, tf.Tensor):
        value = np.asarray(value)
    if isinstance(value, np.ndarray):
        value = [x.decode() if isinstance(x, bytes) else x for x in value.tolist()]
    return value
