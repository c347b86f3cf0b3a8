"""Arithmetic of two tensors of which one or both are sparse: sparse if no zero need be stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike


def is_sparse(x: TensorLike) -> bool:
    """Whether `x` is a `tf.SparseTensor`."""
    return isinstance(x, tf.SparseTensor)


def to_dense(x: TensorLike) -> Any:
    """`x` as a dense tensor."""
    return tf.sparse.to_dense(x) if is_sparse(x) else x


def add(x: TensorLike, y: TensorLike) -> Any:
    """The sum: sparse if both are."""
    return tf.sparse.add(x, y) if is_sparse(x) and is_sparse(y) else to_dense(x) + to_dense(y)


def subtract(x: Any, y: Any) -> Any:
    """The difference: sparse if both are."""
    return add(x, _with_values(y, tf.negative(y.values)) if is_sparse(y) else tf.negative(y))


def multiply(x: Any, y: Any) -> Any:
    """The product: sparse if one of the two is."""
    if not is_sparse(x):
        x, y = y, x
    factors = tf.broadcast_to(to_dense(y), tf.shape(x))
    return _with_values(x, x.values * tf.gather_nd(factors, x.indices))


def maximum(x: TensorLike, y: TensorLike) -> Any:
    """The larger one of each two values: sparse if both are."""
    return _either(x, y, tf.sparse.maximum, tf.maximum)


def minimum(x: TensorLike, y: TensorLike) -> Any:
    """The smaller one of each two values: sparse if both are."""
    return _either(x, y, tf.sparse.minimum, tf.minimum)


def _either(
    x: TensorLike, y: TensorLike, sparse: Callable[..., Any], dense: Callable[..., Any]
) -> Any:
    if is_sparse(x) and is_sparse(y):
        return sparse(x, y)
    return dense(to_dense(x), to_dense(y))


def scale(x: Any, factor: float) -> Any:
    """`x * factor`."""
    return _with_values(x, x.values * factor) if is_sparse(x) else x * factor


def _with_values(x: Any, values: Any) -> Any:
    return tf.SparseTensor(x.indices, values, x.dense_shape)
