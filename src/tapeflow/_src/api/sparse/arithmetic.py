"""Arithmetic and reductions of sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeflow._src.api.sparse.arguments import as_sparse, of_parts, parts_of
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import Axis, TensorLike
from tapeflow._src.ops.array.common import range_, scalar_int, size, static_ints, sum_
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.linalg.matrix import adjoint, transposed
from tapeflow._src.ops.math.arithmetic import add_v2, mul
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.sparse import arithmetic as elements
from tapeflow._src.ops.sparse import reduction as ops
from tapeflow.debugging import assert_equal


def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """Add two tensors of which at least one is sparse; dense if either is.

    Args:
        a: A sparse or dense tensor.
        b: A sparse or dense tensor of the same shape and dtype.
        threshold: Elements of a sum of a magnitude below it are left out of a sparse result.

    Returns:
        A `tf.SparseTensor`, or a dense tensor.

    Raises:
        TypeError: Neither is sparse.

    Example:

        >>> x = tf.sparse.from_dense([[0, 1], [2, 3]])
        >>> tf.sparse.to_dense(tf.sparse.add(x, x)).numpy().tolist()
        [[0, 2], [4, 6]]
    """
    a, b = of_parts(a), of_parts(b)
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError(
            f"tf.sparse.add needs a SparseTensor as `a` or `b`: for dense tensors use tf.add. "
            f"Received: {type(a).__name__} and {type(b).__name__}"
        )
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        real = a.dtype.real_dtype
        limit = dispatch.convert(threshold, None if hasattr(threshold, "dtype") else real)
        result = SparseTensor(*elements.sparse_add(*parts_of(a), *parts_of(b), limit))
        result.set_shape(a.shape.merge_with(b.shape))
        return result
    sparse, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
    return elements.sparse_tensor_dense_add(*parts_of(sparse), dense)


def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Compute the element-wise maximum of sparse tensors; implicit elements are 0.

    Args:
        sp_a: A `tf.SparseTensor`.
        sp_b: Another of the same shape and dtype.
        name: Name of the op in a graph.

    Returns:
        A `tf.SparseTensor` with the indices of both.

    Example:

        >>> x = tf.sparse.from_dense([[0, 1], [2, 3]])
        >>> y = tf.sparse.from_dense([[5, 0], [0, 0]])
        >>> tf.sparse.to_dense(tf.sparse.maximum(x, y)).numpy().tolist()
        [[5, 1], [2, 3]]
    """
    return _extreme(elements.sparse_sparse_maximum, sp_a, sp_b, name)


def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Compute the element-wise minimum of sparse tensors; implicit elements are 0.

    Args:
        sp_a: A `tf.SparseTensor`.
        sp_b: Another of the same shape and dtype.
        name: Name of the op in a graph.

    Returns:
        A `tf.SparseTensor` with the indices of both.

    Example:

        >>> x = tf.sparse.from_dense([[0, 1], [2, 3]])
        >>> y = tf.sparse.from_dense([[5, 0], [0, 0]])
        >>> tf.sparse.to_dense(tf.sparse.minimum(x, y)).numpy().tolist()
        [[0, 0], [0, 0]]
    """
    return _extreme(elements.sparse_sparse_minimum, sp_a, sp_b, name)


def _extreme(op: Any, a: TensorLike, b: TensorLike, name: str | None) -> SparseTensor:
    a, b = as_sparse(a, "sp_a"), as_sparse(b, "sp_b")
    indices, values = op(*parts_of(a), *parts_of(b), name=name)
    return SparseTensor(indices, values, a.dense_shape)


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """Apply `op` to the values of sparse tensors; indices are unchanged.

    Args:
        op: A function that returns as many values as it receives. What it does with zeros has no
            effect.
        *args: Its arguments. All sparse ones must have the same indices and shape.
        **kwargs: Its keyword arguments.

    Returns:
        A `tf.SparseTensor` with the results.

    Raises:
        ValueError: No argument is sparse.
        InvalidArgumentError: Indices or shapes differ.

    Example:

        >>> x = tf.sparse.from_dense([[0, 1], [2, 3]])
        >>> tf.sparse.to_dense(tf.sparse.map_values(tf.square, x)).numpy().tolist()
        [[0, 1], [4, 9]]
    """
    sparse = [v for v in (*args, *kwargs.values()) if isinstance(v, SparseTensor)]
    if not sparse:
        raise ValueError("tf.sparse.map_values needs a SparseTensor among the arguments of `op`.")
    for other in sparse[1:]:
        assert_equal(other.indices, sparse[0].indices, message="Mismatched indices!")
        assert_equal(other.dense_shape, sparse[0].dense_shape, message="Mismatched dense shapes!")
    result = op(*map(_values, args), **{key: _values(v) for key, v in kwargs.items()})
    return sparse[0].with_values(result)


def _values(argument: Any) -> Any:
    return argument.values if isinstance(argument, SparseTensor) else argument


def reduce_max(
    sp_input: Any,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Compute the maximum of the explicit elements along axes; 0 where there are none.

    Implicit zeros do not count: the maximum of a row of negative elements is negative.

    Args:
        sp_input: A `tf.SparseTensor`.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        output_is_sparse: Whether the result is sparse.
        name: Name of the op in a graph.

    Returns:
        A dense or sparse tensor.

    Example:

        >>> x = tf.sparse.from_dense([[0, 1], [2, 3]])
        >>> tf.sparse.reduce_max(x, axis=1).numpy().tolist()
        [1, 3]
    """
    return _reduce(
        (ops.sparse_reduce_max, ops.sparse_reduce_max_sparse),
        sp_input,
        axis,
        bool(keepdims),
        output_is_sparse,
        name,
    )


def reduce_sum(
    sp_input: Any,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Sum the elements along axes, by default all.

    Args:
        sp_input: A `tf.SparseTensor`.
        axis: An axis, a list of axes, or None for all.
        keepdims: Whether reduced axes are kept with size 1.
        output_is_sparse: Whether the result is sparse.
        name: Name of the op in a graph.

    Returns:
        A dense or sparse tensor.

    Example:

        >>> x = tf.sparse.from_dense([[0, 1], [2, 3]])
        >>> tf.sparse.reduce_sum(x, axis=0).numpy().tolist()
        [2, 4]
    """
    return _reduce(
        (ops.sparse_reduce_sum, ops.sparse_reduce_sum_sparse),
        sp_input,
        axis,
        bool(keepdims),
        output_is_sparse,
        name,
    )


def _reduce(
    kinds: tuple[Any, Any],
    sp_input: Any,
    axis: Any,
    keepdims: bool,
    output_is_sparse: bool,
    name: str | None,
) -> Any:
    sparse = as_sparse(sp_input, "sp_input")
    if axis is None:
        rank = sparse.shape.rank
        if rank is None:
            axis = range_(scalar_int(0), size(sparse.dense_shape), scalar_int(1))
        else:
            axis = static_ints(tuple(range(rank)))
    else:
        axis = dispatch.convert(axis, None if hasattr(axis, "dtype") else dtypes.int32)
    op = kinds[bool(output_is_sparse)]
    result = op(*parts_of(sparse), axis, keep_dims=keepdims, name=name)
    return SparseTensor(*result) if output_is_sparse else result


@scoped("SparseSoftmax")
def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Compute the softmax along the last axis over the explicit elements.

    Implicit elements have probability 0, not that of a logit of 0.

    Args:
        sp_input: A floating-point `tf.SparseTensor` of rank 2 or more.
        name: Name of the op in a graph.

    Returns:
        A `tf.SparseTensor` with the same indices.

    Example:

        >>> x = tf.sparse.from_dense([[2.0, 2.0, 0.0]])
        >>> tf.sparse.to_dense(tf.sparse.softmax(x)).numpy().tolist()
        [[0.5, 0.5, 0.0]]
    """
    sparse = as_sparse(sp_input, "sp_input")
    return sparse.with_values(ops.sparse_softmax(*parts_of(sparse)))


def sparse_dense_matmul(
    sp_a: Any,
    b: TensorLike,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiply two matrices of which one is sparse.

    Args:
        sp_a: `[m, k]`, sparse or dense.
        b: `[k, n]`, dense or sparse, of the same dtype.
        adjoint_a: Whether to conjugate and transpose `sp_a` first.
        adjoint_b: Whether to conjugate and transpose `b` first.
        name: Name of the op in a graph.

    Returns:
        A dense tensor of shape `[m, n]`.

    Raises:
        ValueError: Both are sparse.
        TypeError: Neither is.

    Example:

        >>> x = tf.sparse.from_dense([[0, 1], [2, 3]])
        >>> tf.sparse.sparse_dense_matmul(x, [[1], [10]]).numpy().tolist()
        [[10], [32]]
    """
    sp_a, b = of_parts(sp_a), of_parts(b)
    if isinstance(b, SparseTensor):
        if isinstance(sp_a, SparseTensor):
            raise ValueError(
                "sparse_dense_matmul takes one sparse matrix, got two. Make one of them dense with "
                "tf.sparse.to_dense."
            )
        dense = dispatch.convert(sp_a, None if hasattr(sp_a, "dtype") else b.dtype)
        turned = sparse_dense_matmul(b, dense, not adjoint_b, not adjoint_a)
        return adjoint(turned) if turned.dtype.is_complex else transposed(turned)
    sparse = as_sparse(sp_a, "One of sp_a and b")
    return _sparse_by_dense(sparse, dispatch.convert(b), bool(adjoint_a), bool(adjoint_b), name)


@scoped("SparseTensorDenseMatMul")
def _sparse_by_dense(
    sparse: SparseTensor, dense: Any, adjoint_a: bool, adjoint_b: bool, name: str | None
) -> Any:
    return ops.sparse_tensor_dense_mat_mul(
        *parts_of(sparse), dense, adjoint_a=adjoint_a, adjoint_b=adjoint_b
    )


def sampled_addmm(
    indices: Any,
    values: Any,
    dense_shape: Any,
    mat1: Any,
    mat2: Any,
    beta: Any = 1.0,
    alpha: Any = 1.0,
    output_type: Any = dtypes.float32,
) -> tuple[Any, Any, Any]:
    """Compute `beta * values + alpha * (mat1 @ mat2)` at some indices only.

    Args:
        indices: `[..., count, 2]`: rows and columns.
        values: `[..., count]`.
        dense_shape: The shape of the product.
        mat1: `[..., m, k]`.
        mat2: `[..., k, n]`.
        beta: The factor of `values`.
        alpha: The factor of the product.
        output_type: The dtype of the values; float32 by default.

    Returns:
        The three parts of a sparse tensor: `(indices, values, dense_shape)`.
    """
    indices = dispatch.convert(indices)
    values, mat1, mat2 = (dispatch.convert(v, None, output_type) for v in (values, mat1, mat2))
    rank: int = TensorShape(indices.shape).rank or 2
    rows, columns = get_item(indices, (..., 0)), get_item(indices, (..., 1))
    at = scalar_int(rank - 2)
    left = gather_v2(mat1, rows, at, batch_dims=rank - 2)
    right = gather_v2(transposed(mat2), columns, at, batch_dims=rank - 2)
    products = sum_(mul(left, right), static_ints((rank - 1,)))
    total = add_v2(
        mul(dispatch.convert(alpha, products.dtype), products),
        mul(dispatch.convert(beta, values.dtype), values),
    )
    return indices, cast(total, DstT=output_type), dispatch.convert(dense_shape)
