"""Products and transposes of matrices: `tf.linalg.matmul`, `matvec`, `tensordot`, …"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.api.arrays.shapes import expand_dims, reshape, squeeze
from tapeflow._src.api.arrays.shapes import shape as shape_of
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert, operand
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.axes import axes_last
from tapeflow._src.ops.array.common import concat_v2, scalar_int, size, static_ints
from tapeflow._src.ops.array.common import reshape as reshape_op
from tapeflow._src.ops.array.diag import cross as cross_op
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.array.transpose import transpose
from tapeflow._src.ops.linalg import matmul as ops
from tapeflow._src.ops.linalg.matrix import adjoint as adjoint_of
from tapeflow._src.ops.linalg.matrix import transposed
from tapeflow._src.ops.math.arithmetic import conj_of, sub
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.product import prod

_SPARSE = (dtypes.float32, dtypes.bfloat16)


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiply matrices in the last two axes; also written `a @ b`.

    Args:
        a: `[..., m, k]`; batch axes broadcast. `tf.linalg.matvec` takes vectors.
        b: `[..., k, n]`, of the same dtype.
        transpose_a: Whether to transpose `a` first.
        transpose_b: Whether to transpose `b` first.
        adjoint_a: Whether to conjugate and transpose `a` first.
        adjoint_b: Whether to conjugate and transpose `b` first.
        a_is_sparse: A hint that most elements of `a` are zero.
        b_is_sparse: A hint that most elements of `b` are zero.
        output_type: The dtype of the result, for int8 operands.
        grad_a: Whether the product is a gradient with respect to `a`.
        grad_b: Whether the product is a gradient with respect to `b`.

    Returns:
        A tensor of shape `[..., m, n]`.

    Example:

        >>> tf.matmul([[1, 2], [3, 4]], [[1], [10]]).numpy().tolist()
        [[21], [43]]
    """
    if (
        output_type is name is None
        and not (transpose_a or transpose_b or adjoint_a or adjoint_b or a_is_sparse or b_is_sparse)
        and isinstance(a, Tensor)
        and isinstance(b, Tensor)
    ):
        return ops.matmul(a, b, "MatMul")
    for letter, both in (("a", transpose_a and adjoint_a), ("b", transpose_b and adjoint_b)):
        if both:
            raise ValueError(
                f"Only one of `transpose_{letter}` and `adjoint_{letter}` can be True. "
                f"Received `transpose_{letter}`=True, `adjoint_{letter}`=True."
            )
    if not isinstance(a, Tensor):
        a = operand(a)
    if not isinstance(b, Tensor):
        b = operand(b, None, a.dtype)
    sparse = {"a_is_sparse": a_is_sparse, "b_is_sparse": b_is_sparse}
    grads = (grad_a, grad_b)
    return _product(
        a, b, (transpose_a, transpose_b), (adjoint_a, adjoint_b), sparse, output_type, grads, name
    )


@scoped("MatMul", names_result=True)
def _product(
    a: Any,
    b: Any,
    transposes: tuple[bool, bool],
    adjoints: tuple[bool, bool],
    sparse: dict[str, bool],
    output_type: Any,
    grads: tuple[bool, bool],
    name: str | None = None,
) -> Any:
    """Multiply two tensors by the op for their rank and dtype."""
    turn_a, turn_b = (bool(t or c) for t, c in zip(transposes, adjoints, strict=True))
    turned = {"transpose_a": turn_a, "transpose_b": turn_b}
    if any(sparse.values()) and a.dtype in _SPARSE and b.dtype in _SPARSE and output_type is None:
        product = ops.sparse_mat_mul(a, b, **sparse, **turned, name=name)
        both_half = a.dtype is dtypes.bfloat16 and b.dtype is dtypes.bfloat16
        return cast(product, DstT=dtypes.bfloat16) if both_half else product
    if output_type is None or as_dtype(output_type) is a.dtype is b.dtype:
        if _are_matrices(a, b):
            a, b = (conj_of(m) if c else m for m, c in zip((a, b), adjoints, strict=True))
            return ops.mat_mul(a, b, **turned, grad_a=grads[0], grad_b=grads[1], name=name)
        product_of: Any = ops.batch_mat_mul_v2
        kind = {}
    else:
        product_of, kind = ops.batch_mat_mul_v3, {"Tout": as_dtype(output_type)}
    a, b = (conj_of(m) if t else m for m, t in zip((a, b), transposes, strict=True))
    flags = {"adj_x": turn_a, "adj_y": turn_b, "grad_x": grads[0], "grad_y": grads[1]}
    return product_of(a, b, **flags, **kind, name=name)


def _are_matrices(a: Any, b: Any) -> bool:
    dims_a, dims_b = a.static_shape, b.static_shape
    return dims_a is not None and dims_b is not None and len(dims_a) <= 2 and len(dims_b) <= 2


@scoped("MatVec")
def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Multiply matrices by vectors in the last axes.

    Args:
        a: `[..., m, k]`.
        b: `[..., k]`, of the same dtype; batch axes broadcast.
        transpose_a: Whether to transpose `a` first.
        adjoint_a: Whether to conjugate and transpose `a` first.
        a_is_sparse: A hint that most elements of `a` are zero.
        b_is_sparse: A hint that most elements of `b` are zero.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[..., m]`.

    Example:

        >>> tf.linalg.matvec([[1, 2], [3, 4]], [1, 10]).numpy().tolist()
        [21, 43]
    """
    a = convert(a)
    columns = expand_dims(convert(b, None, a.dtype), -1)
    product = matmul(
        a,
        columns,
        transpose_a=transpose_a,
        adjoint_a=adjoint_a,
        a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse,
    )
    return squeeze(product, -1)


def _require_matrix(a: Any) -> None:
    if a.shape.rank is not None and a.shape.rank < 2:
        raise ValueError(
            f"`a` must be one matrix or a batch of them (rank 2 or more), received shape {a.shape}."
        )


@scoped("matrix_transpose")
def matrix_transpose(
    a: TensorLike, name: str = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """Transpose matrices in the last two axes.

    Args:
        a: A tensor of rank 2 or more.
        conjugate: Whether to conjugate as well.
        name: Name of the op in a graph.

    Returns:
        A tensor with the last two axes swapped; `tf.transpose` reverses all of them.

    Raises:
        ValueError: The rank is below 2.

    Example:

        >>> tf.linalg.matrix_transpose(tf.zeros((5, 2, 3))).shape
        TensorShape([5, 3, 2])
    """
    a = convert(a)
    _require_matrix(a)
    return adjoint_of(a, name="transpose") if conjugate else transposed(a)


@scoped("adjoint")
def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Compute the conjugate transpose of matrices in the last two axes.

    Args:
        matrix: A tensor of rank 2 or more.
        name: Name of the op in a graph.

    Returns:
        A tensor with the last two axes swapped.

    Example:

        >>> tf.linalg.adjoint([[1 + 2j, 3 + 0j]]).numpy().tolist()
        [[(1-2j)], [(3-0j)]]
    """
    return matrix_transpose(matrix, conjugate=True)


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """Compute the cross product of 3-element vectors in the last axis.

    Args:
        a: A numeric tensor of shape `[..., 3]`.
        b: A tensor of the same shape and dtype.
        name: Name of the op in a graph.

    Returns:
        A tensor of the same shape.

    Example:

        >>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy().tolist()
        [0, 0, 1]
    """
    return cross_op(a, b, name=name)


# -- tensordot ---------------------------------------------------------------------------------


@scoped("Tensordot", names_result=True)
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Contract two tensors over `axes`.

    With `axes=1` it is a matrix product, with `axes=0` an outer one.

    Args:
        a: The first tensor.
        b: The second tensor, of the same dtype.
        axes: How many trailing axes of `a` and leading ones of `b`; or two lists of axes.
        name: Name of the op in a graph.

    Returns:
        A tensor with the other axes of `a`, then those of `b`.

    Raises:
        ValueError: `axes` has another form.
        IndexError: An axis is out of range.

    Example:

        >>> tf.tensordot([[1, 2], [3, 4]], [1, 10], axes=1).numpy().tolist()
        [21, 43]
        >>> tf.tensordot(tf.zeros((2, 3, 4)), tf.zeros((4, 3)), axes=[[1, 2], [1, 0]]).shape
        TensorShape([2])
    """
    a = convert(a)
    b = convert(b, None, a.dtype)
    of_a, of_b = _contraction_axes(a, b, axes)
    rows, kept_a = _flattened(a, of_a, summed_last=True)
    columns, kept_b = _flattened(b, of_b, summed_last=False)
    product = ops.mat_mul(rows, columns)
    if type(kept_a) is tuple and type(kept_b) is tuple:
        return _reshaped(product, kept_a + kept_b, name)
    sizes = [static_ints(free) if type(free) is tuple else free for free in (kept_a, kept_b)]
    return reshape(product, concat_v2(sizes, scalar_int(0)), name=name)


def _reshaped(tensor: Any, dims: tuple[int, ...], name: str | None = None) -> Any:
    return (
        tensor if tensor.static_shape == dims else reshape_op(tensor, static_ints(dims), name=name)
    )


def _contraction_axes(a: Any, b: Any, axes: Any) -> tuple[list[int], list[int]]:
    """Return the contracted axes of both tensors as non-negative indices."""
    if isinstance(axes, Tensor):
        axes = axes.static_value
        if axes is None:
            raise ValueError("tensordot: `axes` must be known when the function is traced.")
    elif not isinstance(axes, (int, np.integer, list, tuple, np.ndarray)):
        axes = convert(axes, dtypes.int32).static_value
    if not isinstance(axes, (list, tuple)) and np.ndim(axes) == 0:
        count = int(axes)
        if count < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {count}.")
        for tensor in (a, b):
            if tensor.static_shape is not None and count > len(tensor.static_shape):
                raise ValueError(
                    f"tensordot: axes={count} contracts {count} axes, but a tensor of shape "
                    f"{tensor.shape} has only {len(tensor.static_shape)}."
                )
        return _counted_from_front(list(range(-count, 0)), a, "a"), list(range(count))
    if len(axes) != 2:
        raise ValueError(
            "tensordot: `axes` must be an integer or a pair (axes of a, axes of b), received "
            f"{axes}."
        )
    of_a, of_b = ([int(i) for i in np.reshape(np.asarray(part), -1)] for part in axes)
    if len(of_a) != len(of_b):
        raise ValueError(
            f"tensordot: `axes` must list equally many axes of `a` and `b`, received {len(of_a)} "
            f"and {len(of_b)}: {axes}."
        )
    return _counted_from_front(of_a, a, "a"), _counted_from_front(of_b, b, "b")


def _counted_from_front(axes: list[int], tensor: Any, name: str) -> list[int]:
    """Return non-negative axes, if the rank is known statically."""
    if tensor.static_shape is None:
        return axes
    rank = len(tensor.static_shape)
    for axis in axes:
        if not -rank <= axis < rank:
            raise IndexError(f"tensordot: axis {axis} is out of range for `{name}` of rank {rank}.")
    return [axis % rank for axis in axes]


def _flattened(tensor: Any, summed: list[int], summed_last: bool) -> tuple[Any, Any]:
    """Reshape to a matrix with the contracted axes on one side; also return the other sizes."""
    dims = tensor.static_shape
    if dims is None:
        return _flattened_unknown(tensor, summed, summed_last)
    free = [i for i in range(len(dims)) if i not in summed]
    order = (*free, *summed) if summed_last else (*summed, *free)
    if order != tuple(range(len(dims))):
        tensor = transpose(tensor, static_ints(order))
    if None not in dims:
        free_sizes = tuple(dims[i] for i in free)
        sides = (math.prod(free_sizes), math.prod(dims[i] for i in summed))
        return _reshaped(tensor, sides if summed_last else sides[::-1]), free_sizes
    sizes = shape_of(tensor)
    split = len(free) if summed_last else len(summed)
    halves = [range(split), range(split, len(dims))]
    parts = [gather_v2(sizes, static_ints(tuple(h)), scalar_int(0)) for h in halves]
    totals = [prod(p, static_ints((0,)), keep_dims=True) for p in parts]
    matrix = reshape(tensor, concat_v2(totals, scalar_int(0)))
    return matrix, parts[0] if summed_last else parts[1]


def _flattened_unknown(tensor: TensorLike, summed: list[int], summed_last: bool) -> tuple[Any, Any]:
    """Implement `_flattened` for a tensor of unknown rank."""
    tensor = transpose(tensor, axes_last(tensor, summed))
    sizes = shape_of(tensor)
    count = sub(size(sizes), scalar_int(len(summed)))
    free_sizes, rest = get_item(sizes, slice(None, count)), get_item(sizes, slice(count, None))
    totals = [prod(part, static_ints((0,)), keep_dims=True) for part in (free_sizes, rest)]
    matrix = reshape(tensor, concat_v2(totals, scalar_int(0)))
    return (matrix if summed_last else transposed(matrix)), free_sizes
