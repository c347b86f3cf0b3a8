"""Slice, gather, mask and scatter."""

from __future__ import annotations

import builtins
from typing import Any

from tapeflow._src.api.arrays.arguments import int_vector, same_dtype
from tapeflow._src.core import dtypes
from tapeflow._src.core.dispatch import convert, operand
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import ShapeLike, TensorLike
from tapeflow._src.eager.variable import Variable
from tapeflow._src.ops.array import gather as ops
from tapeflow._src.ops.array import gather_nd as coordinates
from tapeflow._src.ops.array import masking, scatter, strided
from tapeflow._src.ops.array import pad_slice as boxes
from tapeflow._src.ops.array.broadcasting import broadcast_to
from tapeflow._src.ops.array.filling import ones_like
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.ranges import range_
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.shape import reshape, scalar_int, shape_of, static_ints
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.array.stacking import pack
from tapeflow._src.ops.math.cast import as_index, cast


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """Extract the slice that starts at `begin` and has shape `size`; -1 extends to the end.

    `tensor[a:b]` is easier to read where the bounds are Python ints.

    Args:
        input_: The tensor.
        begin: The first index along each axis.
        size: The number of elements along each axis; -1 for all from `begin` on.
        name: Name of the op in a graph.

    Returns:
        A tensor of the same rank.

    Raises:
        InvalidArgumentError: The slice does not lie within the tensor.

    Example:

        >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).numpy().tolist()
        [[2, 3], [5, 6]]
    """
    return boxes.slice_(input_, int_vector(begin), int_vector(size), name=name)


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute `input_[begin:end:strides]`, with NumPy's notation encoded as bit masks.

    What indexing a tensor calls; programs rarely need to.

    Args:
        input_: The tensor.
        begin: The first index along each of the first axes.
        end: The end index, excluded.
        strides: The steps; 1 by default. Negative ones read backwards.
        begin_mask: Bit `i` set: ignore `begin[i]`.
        end_mask: Bit `i` set: ignore `end[i]`.
        ellipsis_mask: The bit of the entry that is `...`.
        new_axis_mask: The bits of entries that insert an axis.
        shrink_axis_mask: The bits of entries that are a single index and remove the axis.
        var: The variable that the result can be assigned to.
        name: Name of the op in a graph.

    Returns:
        A tensor.

    Example:

        >>> tf.strided_slice([1, 2, 3, 4, 5], [0], [4], [2]).numpy().tolist()
        [1, 3]
        >>> tf.strided_slice([1, 2, 3], [2], [0], [-1], end_mask=1).numpy().tolist()
        [3, 2, 1]
    """
    begin = as_index(convert(int_vector(begin), None, dtypes.int32))
    return strided.strided_slice(
        input_,
        begin,
        as_index(int_vector(end)),
        ones_like(begin, name="ones_like") if strides is None else as_index(int_vector(strides)),
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
        name=name or "StridedSlice",
    )


# -- by index ---------------------------------------------------------------------------------


def gather(
    params: Any,
    indices: Any,
    validate_indices: bool | None = None,
    axis: Any = None,
    batch_dims: int | None = 0,
    name: str | None = None,
) -> Tensor:
    """Gather slices of `params` along `axis` at `indices`.

    Args:
        params: The tensor to read.
        indices: Integers of any shape, in `[0, params.shape[axis])`: negative ones do not count
            from the end.
        validate_indices: Ignored; indices are always checked.
        axis: The axis; the one after the batch axes by default.
        batch_dims: The number of leading axes that both have in common: within each batch, its own
            indices are used.
        name: Name of the op in a graph.

    Returns:
        A tensor in which `axis` of `params` is replaced by the axes of `indices` (without those of
        the batch).

    Raises:
        InvalidArgumentError: An index is out of range.

    Example:

        >>> tf.gather([10, 20, 30, 40], [3, 0, 0]).numpy().tolist()
        [40, 10, 10]
        >>> tf.gather([[1, 2, 3], [4, 5, 6]], [2, 0], axis=1).numpy().tolist()
        [[3, 1], [6, 4]]
        >>> tf.gather([[1, 2, 3], [4, 5, 6]], [[2], [0]], batch_dims=1).numpy().tolist()
        [[3], [4]]
    """
    batch_dims = 0 if batch_dims is None else batch_dims
    at: Any = batch_dims if axis is None else axis
    if isinstance(at, Tensor) and at.static_value is not None and not at.static_shape:
        at = int(at.static_value)
    if isinstance(at, int) and at == 0:
        # Along the first axis there is nothing to be within.
        batch_dims = 0
        if isinstance(params, Variable):
            return params.sparse_read(indices, name=name)
    return ops.gather_v2(params, as_index(indices), at, batch_dims=batch_dims, name=name)


def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    batch_dims: Any = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """Gather slices of `params` at the coordinates in the last axis of `indices`.

    With as many coordinates as `params` has axes, single elements are gathered; with fewer, whole
    slices.

    Args:
        params: The tensor to read.
        indices: Integers of shape `[..., depth]`, with `depth` at most the rank of `params`.
        batch_dims: The number of leading axes that both have in common; an int, or a tensor whose
            value is known.
        name: Name of the op in a graph.
        bad_indices_policy: "" or "ERROR" raise for coordinates out of range, "IGNORE" returns zeros
            for them.

    Returns:
        A tensor of shape `indices.shape[:-1] + params.shape[depth:]`.

    Raises:
        InvalidArgumentError: A coordinate is out of range.
        ValueError: `batch_dims` is negative or not below the ranks.

    Example:

        >>> tf.gather_nd([["a", "b"], ["c", "d"]], [[0, 1], [1, 0]]).numpy().tolist()
        [b'b', b'c']
        >>> tf.gather_nd([["a", "b"], ["c", "d"]], [[1]]).numpy().tolist()
        [[b'c', b'd']]
        >>> tf.gather_nd([[1, 2], [3, 4]], [[1], [0]], batch_dims=1).numpy().tolist()
        [2, 3]
    """
    batch = batch_dims
    if isinstance(batch, Tensor):
        if batch.static_value is None:
            raise NotImplementedError("tf.gather_nd needs batch_dims whose value is known.")
        batch = int(batch.static_value)
    if batch:
        return _batch_gather_nd(params, indices, batch, bad_indices_policy, name=name)
    return coordinates.gather_nd(
        params, as_index(indices), bad_indices_policy=bad_indices_policy, name=name
    )


@scoped("BatchGatherND")
def _batch_gather_nd(
    params: TensorLike, indices: TensorLike, batch: int, policy: str, name: str | None = None
) -> Any:
    """Gather as `gather_nd` within the first `batch` axes."""
    params, indices = convert(params), convert(indices, None, dtypes.int32)
    full_indices = as_index(_with_batch_coordinates(params, indices, batch))
    return coordinates.gather_nd(params, full_indices, bad_indices_policy=policy)


def _with_batch_coordinates(params: Any, indices: Any, batch: int) -> Any:
    """Prepend the batch coordinates to `indices`."""
    rank, params_rank = indices.shape.rank, params.shape.rank
    if batch < 0:
        raise ValueError(f"gather_nd: batch_dims must be 0 or more, received {batch}.")
    if rank is None or params_rank is None:
        raise ValueError("tf.gather_nd with batch_dims needs params and indices of known rank.")
    for label, operand_rank in (("params", params_rank), ("indices", rank)):
        if batch >= operand_rank:
            raise ValueError(
                f"gather_nd: batch_dims ({batch}) must be below the rank of {label}, "
                f"{operand_rank}."
            )
    shape = shape_of(indices)
    row_shape = get_item(shape, builtins.slice(None, -1))
    columns = []
    for axis in range(batch):
        every = range_(0, get_item(shape, axis), 1)
        spread = static_ints((1,) * axis + (-1,) + (1,) * (rank - 2 - axis))
        columns.append(broadcast_to(reshape(every, spread), row_shape))
    coordinates = cast(pack(columns, axis=-1), DstT=indices.dtype)
    return concat_v2([coordinates, indices], scalar_int(-1))


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Select elements of `x` or `y` by `condition`; alone, return the indices of true elements.

    Both branches are computed. Where one of them has an infinite or undefined gradient, its zero
    share still becomes NaN: replace the bad inputs before the function (a second `tf.where`).

    Args:
        condition: Booleans. Alone, numbers work too: what is not zero is true.
        x: Values where the condition is true; broadcast with the others.
        y: Values where it is false. `x` and `y` are passed both or not at all.
        name: Name of the op in a graph.

    Returns:
        A tensor of the common shape; without `x` and `y`, int64 coordinates of shape
        `[count, rank]` in row-major order.

    Raises:
        ValueError: Only one of `x` and `y` is passed.

    Example:

        >>> tf.where([True, False, True], [1, 2, 3], 0).numpy().tolist()
        [1, 0, 3]
        >>> tf.where([[True, False], [False, True]]).numpy().tolist()
        [[0, 0], [1, 1]]
    """
    if x is None and y is None:
        return masking.where(operand(condition, None, dtypes.bool), name=name)
    if x is None or y is None:
        raise ValueError(
            "tf.where: pass x and y together, or neither of them (for the indices of true "
            "elements)."
        )
    if not isinstance(condition, Tensor):
        condition = operand(condition, dtypes.bool)
    return select_v2(condition, *same_dtype(x, y), name=name)


def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Tensor:
    """Return the slices of `tensor` along `axis` where `mask` is true.

    Args:
        tensor: The tensor.
        mask: Booleans of rank 1 or more, whose shape equals that of `tensor` from `axis` on.
        axis: The first axis that the mask covers; the first of all by default.
        name: Name of the op in a graph.

    Returns:
        A tensor in which the axes of the mask have become one, of the number of true elements.

    Raises:
        ValueError: The mask is a scalar, or the shapes do not match.

    Example:

        >>> tf.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]).numpy().tolist()
        [[1, 2], [5, 6]]
        >>> tf.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]).numpy().tolist()
        [1, 3, 4]
    """
    at = 0 if axis is None else getattr(axis, "static_value", axis)
    return masking.boolean_mask(
        convert(tensor), convert(mask), axis if at is None else int(at), name=name
    )


# -- writing ----------------------------------------------------------------------------------


def scatter_nd(
    indices: TensorLike,
    updates: TensorLike,
    shape: ShapeLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Scatter `updates` into zeros of `shape`; duplicate indices add up.

    Args:
        indices: Integers of shape `[..., depth]`: coordinates of the first axes of the result.
        updates: Values of shape `indices.shape[:-1] + shape[depth:]`.
        shape: The shape of the result.
        bad_indices_policy: "" or "ERROR" raise for coordinates out of range, "IGNORE" skips them.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `shape` and of the dtype of `updates`.

    Raises:
        InvalidArgumentError: A coordinate is out of range, or the shapes do not match.

    Example:

        >>> tf.scatter_nd([[1], [3], [1]], [10, 20, 5], shape=[5]).numpy().tolist()
        [0, 15, 0, 20, 0]
        >>> tf.scatter_nd([[1]], [[7, 8]], shape=[2, 2]).numpy().tolist()
        [[0, 0], [7, 8]]
    """
    return coordinates.scatter_nd(
        indices, updates, int_vector(shape), bad_indices_policy=bad_indices_policy, name=name
    )


def tensor_scatter_nd_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """Replace the slices of `tensor` at `indices` by `updates`.

    The result is a new tensor; for a variable, use `tf.Variable.scatter_nd_update`.

    Args:
        tensor: The tensor.
        indices: Integers of shape `[..., depth]`: coordinates of its first axes. Of duplicates, one
            wins.
        updates: Values of shape `indices.shape[:-1] + tensor.shape[depth:]`.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `tensor`.

    Raises:
        InvalidArgumentError: A coordinate is out of range, or the shapes do not match.

    Example:

        >>> tf.tensor_scatter_nd_update([1, 2, 3, 4], [[0], [2]], [10, 30]).numpy().tolist()
        [10, 2, 30, 4]
    """
    tensor, updates = same_dtype(tensor, updates)
    return scatter.tensor_scatter_update(tensor, indices, updates, name=name)


def tensor_scatter_nd_add(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Add `updates` to the slices of `tensor` at `indices`; duplicates accumulate.

    Args:
        tensor: The tensor.
        indices: Integers of shape `[..., depth]`: coordinates of its first axes.
        updates: Values of shape `indices.shape[:-1] + tensor.shape[depth:]`.
        bad_indices_policy: "" or "ERROR" raise for coordinates out of range, "IGNORE" skips them.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `tensor`.

    Raises:
        InvalidArgumentError: A coordinate is out of range, or the shapes do not match.

    Example:

        >>> tf.tensor_scatter_nd_add([1, 1, 1], [[0], [2], [2]], [1, 5, 5]).numpy().tolist()
        [2, 1, 11]
    """
    tensor, updates = same_dtype(tensor, updates)
    return scatter.tensor_scatter_add(
        tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name
    )


def tensor_scatter_nd_sub(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Subtract `updates` from the slices of `tensor` at `indices`; duplicates accumulate.

    Args:
        tensor: The tensor.
        indices: Integers of shape `[..., depth]`: coordinates of its first axes.
        updates: Values of shape `indices.shape[:-1] + tensor.shape[depth:]`.
        bad_indices_policy: "" or "ERROR" raise for coordinates out of range, "IGNORE" skips them.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `tensor`.

    Example:

        >>> tf.tensor_scatter_nd_sub([9, 9, 9], [[0], [2]], [1, 5]).numpy().tolist()
        [8, 9, 4]
    """
    tensor, updates = same_dtype(tensor, updates)
    return scatter.tensor_scatter_sub(
        tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name
    )


def tensor_scatter_nd_max(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Take the element-wise maximum of `updates` and the slices of `tensor` at `indices`.

    Args:
        tensor: The tensor.
        indices: Integers of shape `[..., depth]`: coordinates of its first axes.
        updates: Values of shape `indices.shape[:-1] + tensor.shape[depth:]`.
        bad_indices_policy: "" or "ERROR" raise for coordinates out of range, "IGNORE" skips them.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `tensor`.

    Example:

        >>> tf.tensor_scatter_nd_max([1, 5, 3], [[0], [1]], [4, 4]).numpy().tolist()
        [4, 5, 3]
    """
    tensor, updates = same_dtype(tensor, updates)
    return scatter.tensor_scatter_max(
        tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name
    )


def tensor_scatter_nd_min(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Take the element-wise minimum of `updates` and the slices of `tensor` at `indices`.

    Args:
        tensor: The tensor.
        indices: Integers of shape `[..., depth]`: coordinates of its first axes.
        updates: Values of shape `indices.shape[:-1] + tensor.shape[depth:]`.
        bad_indices_policy: "" or "ERROR" raise for coordinates out of range, "IGNORE" skips them.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `tensor`.

    Example:

        >>> tf.tensor_scatter_nd_min([1, 5, 3], [[0], [1]], [4, 4]).numpy().tolist()
        [1, 4, 3]
    """
    tensor, updates = same_dtype(tensor, updates)
    return scatter.tensor_scatter_min(
        tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name
    )
