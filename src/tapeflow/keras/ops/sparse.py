"""Element-wise ops on sparse tensors: which positions of the result are stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tapeflow as tf
from tapeflow.keras.ops.promotion import result_type

_SparseTensor = tf.SparseTensor


def with_values(x: Any, values: Any) -> Any:
    """A sparse tensor with the positions of `x` and other values."""
    result = tf.SparseTensor(x.indices, values, x.dense_shape)
    result.set_shape(x.shape)
    return result


def dense(x: Any) -> Any:
    """`x` as a dense tensor if it is sparse."""
    return tf.sparse.to_dense(x) if isinstance(x, _SparseTensor) else x


def unary(function: Callable[..., Any], x: Any, *args: Any, **kwargs: Any) -> Any:
    """An op that maps zeros to zeros: it is applied to the values that are stored."""
    return with_values(x, function(x.values, *args, **kwargs))


def densified(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """An op whose result is dense."""
    return function(*map(dense, args), **kwargs)


def union(sparse_function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """An op whose result is stored where either operand is; dense with a dense operand."""

    def compute(function: Callable[..., Any], x1: Any, x2: Any) -> Any:
        if not (isinstance(x1, _SparseTensor) and isinstance(x2, _SparseTensor)):
            return function(dense(x1), dense(x2))
        common = result_type(x1.dtype, x2.dtype)
        x1, x2 = (x if x.dtype == common else tf.cast(x, common) for x in (x1, x2))
        result = sparse_function(x1, x2)
        result.set_shape(x1.shape)
        return result

    return compute


def intersection(function: Callable[..., Any], x1: Any, x2: Any) -> Any:
    """An op whose result is stored where both operands are: a product."""
    if isinstance(x1, _SparseTensor) and isinstance(x2, _SparseTensor):
        return _of_dense(function(dense(x1), dense(x2)))
    if isinstance(x2, _SparseTensor):
        return with_values(x2, function(_at(x1, x2), x2.values))
    return with_values(x1, function(x1.values, _at(x2, x1)))


def division(function: Callable[..., Any], x1: Any, x2: Any) -> Any:
    """A quotient: sparse if only the dividend is."""
    if isinstance(x1, _SparseTensor) and not isinstance(x2, _SparseTensor):
        return with_values(x1, function(x1.values, _at(x2, x1)))
    return function(dense(x1), dense(x2))


def _at(x: Any, positions: Any) -> Any:
    """The elements of a dense tensor, or a number, at the positions of a sparse one."""
    if isinstance(x, (int, float)):
        return x
    x = tf.convert_to_tensor(x)
    if x.shape.rank == 0:
        return x
    return tf.gather_nd(tf.broadcast_to(x, positions.dense_shape), positions.indices)


def _of_dense(x: Any) -> Any:
    result = tf.sparse.from_dense(x)
    result.set_shape(x.shape)
    return result


def matmul(function: Callable[..., Any], x1: Any, x2: Any) -> Any:
    """A product of matrices: sparse if both are."""
    both = isinstance(x1, _SparseTensor) and isinstance(x2, _SparseTensor)
    x1, x2 = (x if tf.is_tensor(x) else tf.convert_to_tensor(x) for x in (x1, x2))
    result_dtype = result_type(x1.dtype, x2.dtype)
    compute = result_type(x1.dtype, x2.dtype, float)
    x1, x2 = (x if x.dtype == compute else tf.cast(x, compute) for x in (x1, x2))
    if not both and isinstance(x1, _SparseTensor) and x1.shape.rank == x2.shape.rank == 2:
        return tf.cast(tf.sparse.sparse_dense_matmul(x1, x2), result_dtype)
    product = tf.cast(function(dense(x1), dense(x2)), result_dtype)
    return _of_dense(product) if both else product
