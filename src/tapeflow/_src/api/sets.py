"""`tf.sets`: set operations along the last axis of dense or sparse tensors."""

from __future__ import annotations

from typing import Any

from tapeflow._src.composite.sparse_tensor import SparseTensor as _SparseTensor
from tapeflow._src.core import dispatch
from tapeflow._src.core.tensor import Tensor as _Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.sparse import sets as ops

_FLIPPED = {"a-b": "b-a", "b-a": "a-b"}


def size(a: Any, validate_indices: bool = True) -> _Tensor:
    """Compute the number of unique members of each set.

    Args:
        a: A `tf.SparseTensor`: each row along the last axis is a set.
        validate_indices: Whether to check that the indices of sparse sets are in order and within
            range.

    Returns:
        An int32 tensor without the last axis.

    Raises:
        TypeError: `a` is not sparse.

    Example:

        >>> tf.sets.size(tf.sparse.from_dense([[1, 2, 2], [7, 0, 0]])).numpy().tolist()
        [2, 1]
    """
    if not isinstance(a, _SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    return ops.set_size(*_parts(a), validate_indices=validate_indices)


def intersection(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> _SparseTensor:
    """Compute the intersection of the sets along the last axis.

    Args:
        a: A dense or sparse tensor of integers or strings: each row along the last axis is a set.
        b: Another, with the same leading axes.
        validate_indices: Whether to check that the indices of sparse sets are in order and within
            range.

    Returns:
        A `tf.SparseTensor` whose rows are sorted sets.

    Raises:
        TypeError: The dtype is neither an integer one nor string.

    Example:

        >>> result = tf.sets.intersection([[1, 2, 3]], [[3, 5, 1]])
        >>> tf.sparse.to_dense(result).numpy().tolist()
        [[1, 3]]
    """
    return _operation(a, b, "intersection", validate_indices)


def difference(
    a: TensorLike, b: TensorLike, aminusb: bool = True, validate_indices: bool = True
) -> _SparseTensor:
    """Compute `a - b`, or `b - a` if `aminusb` is false.

    Args:
        a: A dense or sparse tensor of integers or strings: each row along the last axis is a set.
        b: Another, with the same leading axes.
        aminusb: Whether the result is `a - b`; else it is `b - a`.
        validate_indices: Whether to check that the indices of sparse sets are in order and within
            range.

    Returns:
        A `tf.SparseTensor` whose rows are sorted sets.

    Raises:
        TypeError: The dtype is neither an integer one nor string.

    Example:

        >>> result = tf.sets.difference([[1, 2, 3]], [[3, 5, 1]])
        >>> tf.sparse.to_dense(result).numpy().tolist()
        [[2]]
    """
    return _operation(a, b, "a-b" if aminusb else "b-a", validate_indices)


def union(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> _SparseTensor:
    """Compute the union of the sets along the last axis.

    Args:
        a: A dense or sparse tensor of integers or strings: each row along the last axis is a set.
        b: Another, with the same leading axes.
        validate_indices: Whether to check that the indices of sparse sets are in order and within
            range.

    Returns:
        A `tf.SparseTensor` whose rows are sorted sets.

    Raises:
        TypeError: The dtype is neither an integer one nor string.

    Example:

        >>> result = tf.sets.union([[1, 2, 3]], [[3, 5, 1]])
        >>> tf.sparse.to_dense(result).numpy().tolist()
        [[1, 2, 3, 5]]
    """
    return _operation(a, b, "union", validate_indices)


def _parts(sparse: _SparseTensor) -> tuple[Any, Any, Any]:
    return sparse.indices, sparse.values, sparse.dense_shape


def _members(name: str, value: TensorLike) -> Any:
    value = value if isinstance(value, _SparseTensor) else dispatch.convert(value)
    if value.dtype not in ops.MEMBERS:
        raise TypeError(
            f"{name}: expected sets of {', '.join(sorted(d.name for d in ops.MEMBERS))}, received "
            f"dtype {value.dtype.name}."
        )
    return value


def _operation(a: Any, b: Any, operation: str, validate_indices: bool) -> _SparseTensor:
    a, b = _members("a", a), _members("b", b)
    attrs = {"set_operation": operation, "validate_indices": validate_indices}
    a_sparse, b_sparse = isinstance(a, _SparseTensor), isinstance(b, _SparseTensor)
    if a_sparse and not b_sparse:
        return _operation(b, a, _FLIPPED.get(operation, operation), validate_indices)
    if a_sparse:
        result = ops.sparse_to_sparse_set_operation(*_parts(a), *_parts(b), **attrs)
    elif b_sparse:
        result = ops.dense_to_sparse_set_operation(a, *_parts(b), **attrs)
    else:
        result = ops.dense_to_dense_set_operation(a, b, **attrs)
    return _SparseTensor(*result)
