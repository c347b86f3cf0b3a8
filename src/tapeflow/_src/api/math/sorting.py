"""Sorting along an axis, top-k, and search in sorted sequences."""

from __future__ import annotations

import math
from typing import Any

from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import Axis, DTypeLike, TensorLike
from tapeflow._src.ops.array.axes import swapped_with_last
from tapeflow._src.ops.array.common import pack, reshape, scalar_int, shape_of, static_ints
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.shape import rank
from tapeflow._src.ops.array.transpose import transpose
from tapeflow._src.ops.math import sorting
from tapeflow._src.ops.math.arithmetic import neg, sub
from tapeflow._src.ops.math.bitwise import invert
from tapeflow._src.ops.math.cast import as_index


@scoped("sort")
def sort(
    values: TensorLike, axis: Axis = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """Sort `values` along `axis`.

    Args:
        values: A real tensor.
        axis: The axis, whose value must be known when a graph is traced; the last by default.
        direction: "ASCENDING" or "DESCENDING".
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape and dtype of `values`.

    Raises:
        ValueError: `direction` is neither, or `axis` is None or unknown.
        InvalidArgumentError: `axis` is out of range.

    Example:

        >>> tf.sort([[3, 1, 2], [9, 7, 8]]).numpy().tolist()
        [[1, 2, 3], [7, 8, 9]]
        >>> tf.sort([3, 1, 2], direction="DESCENDING").numpy().tolist()
        [3, 2, 1]
    """
    (ordered, _), order, flip = _largest_first(values, axis, direction)
    ordered = _in_order(ordered, order)
    return ordered if flip is None else flip(ordered)


@scoped("argsort")
def argsort(
    values: TensorLike,
    axis: Axis = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the indices that sort `values` along `axis`; always stable.

    `tf.gather(values, indices, axis=axis, batch_dims=axis)` applies them.

    Args:
        values: A real tensor.
        axis: The axis, whose value must be known when a graph is traced; the last by default.
        direction: "ASCENDING" or "DESCENDING".
        stable: Whether equal elements keep their order; they always do.
        name: Name of the op in a graph.

    Returns:
        An int32 tensor of the shape of `values`.

    Raises:
        ValueError: `direction` is neither, or `axis` is None or unknown.
        InvalidArgumentError: `axis` is out of range.

    Example:

        >>> tf.argsort([30, 10, 20]).numpy().tolist()
        [1, 2, 0]
    """
    (_, order_indices), order, _ = _largest_first(values, axis, direction)
    return _in_order(order_indices, order)


def _largest_first(values: Any, axis: Any, direction: str) -> tuple[Any, Any, Any]:
    """Sort along the last axis in descending order.

    Return the values and their indices; the permutation that moves the axis last and back, and the
    function that reversed the order of the values, each None if not needed.
    """
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. "
            f"Received: direction={direction}"
        )
    values = dispatch.convert(values)
    order = _swap_with_last(values, _as_int(axis))
    flip = _reversal(values.dtype) if direction == "ASCENDING" else None
    moved = _in_order(values if flip is None else flip(values), order)
    return sorting.top_k_v2(moved, _size_of_last(moved)), order, flip


def _in_order(tensor: TensorLike, order: Any) -> Any:
    return tensor if order is None else transpose(tensor, order)


def _reversal(dtype: Any) -> Any:
    """Return the involution that reverses the order of a dtype."""
    # The negative of the least integer is itself, and unsigned integers have none.
    return invert if dtype.is_integer else neg


def _as_int(axis: Any) -> int:
    if axis is None:
        raise ValueError("Argument `axis` must be an integer, not None.")
    static_axis = getattr(axis, "static_value", axis)
    if static_axis is None:
        raise ValueError(f"Argument `axis` must be known when sorting is traced, got {axis}.")
    return int(static_axis)


def _swap_with_last(values: Any, axis: int) -> Any:
    """Return the permutation that swaps `axis` with the last one; None if it is the last."""
    dims = values.static_shape
    if axis == -1 and (dims is None or dims):
        return None
    if dims is None:
        return swapped_with_last(values, axis)
    count = len(dims)
    if not -count <= axis < count:
        raise InvalidArgumentError(
            None, None, f"sort: axis {axis} is out of bounds for a tensor of rank {count}"
        )
    return None if axis % count == count - 1 else swapped_with_last(values, axis % count)


def _size_of_last(tensor: Any) -> Any:
    dims = tensor.static_shape
    if dims is not None and dims[-1] is not None:
        return scalar_int(dims[-1])
    shape = shape_of(tensor)
    return gather_v2(shape, sub(rank(tensor), scalar_int(1)), scalar_int(0))


def top_k(
    input: TensorLike,
    k: Any = 1,
    sorted: bool = True,
    index_type: Any = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Return the `k` largest elements along the last axis and their indices.

    Of equal elements, those with lower indices come first.

    Args:
        input: A real tensor of rank 1 or more.
        k: The number of elements, at most the size of the last axis.
        sorted: Whether they are in descending order; they always are.
        index_type: int32 or int64.
        name: Name of the op in a graph.

    Returns:
        A named tuple `(values, indices)` of tensors whose last axis has size `k`.

    Raises:
        InvalidArgumentError: The last axis has fewer than `k` elements.

    Example:

        >>> values, indices = tf.math.top_k([[1, 9, 3], [7, 2, 8]], k=2)
        >>> values.numpy().tolist(), indices.numpy().tolist()
        ([[9, 3], [8, 7]], [[1, 2], [2, 0]])
    """
    options = {"sorted": bool(sorted), "index_type": as_dtype(index_type)}
    result = sorting.top_k_v2(input, as_index(k), **options, name=name)
    return sorting.top_k_v2.result_type(*result)


def in_top_k(
    targets: TensorLike, predictions: TensorLike, k: Any, name: str | None = None
) -> Tensor:
    """Return whether the target of each row is among its `k` largest predictions.

    A target whose prediction ties with the k-th largest counts. Rows with a prediction that is not
    finite, and targets out of range, do not.

    Args:
        targets: The class of each row, int32 or int64 of shape `[batch]`.
        predictions: Scores of shape `[batch, classes]`, float32.
        k: How many of the largest to consider.
        name: Name of the op in a graph.

    Returns:
        A bool tensor of shape `[batch]`.

    Example:

        >>> tf.math.in_top_k([1, 0], [[0.1, 0.9, 0.0], [0.2, 0.3, 0.5]], k=1).numpy().tolist()
        [True, False]
    """
    return _in_top_k(targets, predictions, k, name, name=name)


@scoped("in_top_k")
def _in_top_k(
    targets: TensorLike,
    predictions: TensorLike,
    k: Any,
    called: str | None,
    name: str | None = None,
) -> Any:
    predictions = dispatch.convert(predictions, dtypes.float32)
    return sorting.in_top_k_v2(predictions, targets, k, name=called)


def _approx(operand: Any, k: int, largest: bool, name: str | None, **options: Any) -> Any:
    result = sorting.approx_top_k(operand, k=int(k), is_max_k=largest, name=name, **options)
    return sorting.approx_top_k.result_type(*result)


def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Return the `k` largest elements along an axis and their indices; exact here.

    The options that trade recall for speed on TPUs are accepted and change nothing.

    Args:
        operand: A floating-point tensor.
        k: The number of elements.
        reduction_dimension: The axis; the last by default.
        recall_target: Ignored: the recall is 1.
        reduction_input_size_override: Ignored.
        aggregate_to_topk: Ignored: the result always has `k` elements.
        name: Name of the op in a graph.

    Returns:
        A named tuple `(values, indices)`.

    Example:

        >>> values, indices = tf.nn.approx_max_k([1.0, 5.0, 3.0], k=2)
        >>> values.numpy().tolist(), indices.numpy().tolist()
        ([5.0, 3.0], [1, 2])
    """
    return _approx(
        operand,
        k,
        True,
        name,
        reduction_dimension=reduction_dimension,
        recall_target=recall_target,
        reduction_input_size_override=reduction_input_size_override,
        aggregate_to_topk=aggregate_to_topk,
    )


def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Return the `k` smallest elements along an axis and their indices; exact here.

    Args:
        operand: A floating-point tensor.
        k: The number of elements.
        reduction_dimension: The axis; the last by default.
        recall_target: Ignored: the recall is 1.
        reduction_input_size_override: Ignored.
        aggregate_to_topk: Ignored: the result always has `k` elements.
        name: Name of the op in a graph.

    Returns:
        A named tuple `(values, indices)`.

    Example:

        >>> values, indices = tf.nn.approx_min_k([1.0, 5.0, 3.0], k=2)
        >>> values.numpy().tolist(), indices.numpy().tolist()
        ([1.0, 3.0], [0, 2])
    """
    return _approx(
        operand,
        k,
        False,
        name,
        reduction_dimension=reduction_dimension,
        recall_target=recall_target,
        reduction_input_size_override=reduction_input_size_override,
        aggregate_to_topk=aggregate_to_topk,
    )


def searchsorted(
    sorted_sequence: Any,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Return the insertion index of each value in the sorted sequence of its row.

    Args:
        sorted_sequence: Sorted along the last axis, of rank 1 or more.
        values: Values to insert, with the same leading axes.
        side: "left" to insert before equal elements, "right" after them.
        out_type: int32 or int64.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `values`.

    Raises:
        ValueError: `side` is neither "left" nor "right".
        InvalidArgumentError: An argument is a scalar.

    Example:

        >>> tf.searchsorted([1, 3, 5], [0, 3, 9]).numpy().tolist()
        [0, 1, 3]
        >>> tf.searchsorted([1, 3, 5], [0, 3, 9], side="right").numpy().tolist()
        [0, 2, 3]
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', received {side!r}.")
    bound = sorting.lower_bound if side == "left" else sorting.upper_bound
    sequence = dispatch.convert(sorted_sequence)
    queries = dispatch.convert(values, None, sequence.dtype)
    indices = bound(_as_rows(sequence), _as_rows(queries), out_type=as_dtype(out_type), name=name)
    return reshape(indices, shape_of(queries))


def _as_rows(tensor: Any) -> Any:
    """Reshape to a matrix with the same last axis."""
    dims = tensor.static_shape
    if dims == ():
        raise InvalidArgumentError(
            None, None, "searchsorted: both arguments need at least one axis, got a scalar"
        )
    if dims is not None and None not in dims:
        return reshape(tensor, static_ints((math.prod(dims[:-1]), dims[-1])))
    return reshape(tensor, pack([scalar_int(-1), _size_of_last(tensor)]))
