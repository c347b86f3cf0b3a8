"""Concatenate, split, repeat and partition tensors."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from tapeflow._src.api.arrays.arguments import as_int, int_vector, must_be_integer, same_dtype
from tapeflow._src.api.arrays.creation import sequence_mask
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.dispatch import convert
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import Axis, TensorLike
from tapeflow._src.eager.conversion import counts_as_tensor
from tapeflow._src.ops.array import dynamic_stitch as stitching
from tapeflow._src.ops.array import joining, padding, stacking
from tapeflow._src.ops.array import pad_slice as boxes
from tapeflow._src.ops.array.broadcasting import broadcast_to
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.masking import where
from tapeflow._src.ops.array.shape import (
    expand_dims,
    identity,
    reshape,
    scalar_int,
    shape_of,
    static_ints,
)
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import mul
from tapeflow._src.ops.math.cast import cast


def concat(values: TensorLike, axis: Axis, name: str = "concat") -> Tensor:
    """Concatenate tensors along an existing axis.

    `tf.stack` joins along a new one.

    Args:
        values: Tensors of equal rank and dtype, whose other sizes agree. Python values take the
            dtype of the tensors among them.
        axis: The axis along which they are joined; negative ones count from the end.
        name: Name of the op in a graph.

    Returns:
        A tensor whose size along `axis` is the sum of theirs.

    Raises:
        InvalidArgumentError: Ranks or sizes differ (ValueError while a graph is traced).

    Example:

        >>> tf.concat([[[1, 2], [3, 4]], [[5, 6]]], axis=0).numpy().tolist()
        [[1, 2], [3, 4], [5, 6]]
        >>> tf.concat([tf.zeros((2, 3)), tf.zeros((2, 1))], axis=-1).shape
        TensorShape([2, 4])
    """
    if not isinstance(values, (list, tuple)):
        # A list that is filled in a loop of a graph joins its items itself.
        join = getattr(type(values), "__tf_concat__", None)
        if join is not None:
            return join(values, axis)
        values = [values]
    at = axis if isinstance(axis, Tensor) else convert(axis, dtypes.int32)
    tensors = same_dtype(*values)
    if len(tensors) == 1:
        return _named_identity(tensors[0], name, name=name)
    return joining.concat_v2(tensors, at, name=name)


@scoped("concat")
def _named_identity(tensor: TensorLike, called: str, name: str | None = None) -> Any:
    return identity(tensor, name=called)


def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """Stack tensors of one shape along a new axis.

    Args:
        values: Tensors of the same shape and dtype.
        axis: The position of the new axis in the result.
        name: Name of the op in a graph.

    Returns:
        A tensor of one rank more, of size `len(values)` along `axis`.

    Raises:
        ValueError: `axis` is out of range.
        InvalidArgumentError: The shapes differ.

    Example:

        >>> tf.stack([[1, 2], [3, 4], [5, 6]]).numpy().tolist()
        [[1, 2], [3, 4], [5, 6]]
        >>> tf.stack([[1, 2], [3, 4], [5, 6]], axis=1).numpy().tolist()
        [[1, 3, 5], [2, 4, 6]]
    """
    axis = as_int(axis, "axis")
    sequence = isinstance(values, (list, tuple))
    if axis == 0 and not (sequence and any(map(counts_as_tensor, values))):
        try:
            return convert(values, None, None, name)
        except ValueError:
            if not sequence:
                raise
    tensors = same_dtype(*values)
    dims = tensors[0].static_shape
    if dims is not None and not -len(dims) - 1 <= axis <= len(dims):
        raise ValueError(
            f"Argument `axis` = {axis} not in range [{-len(dims) - 1}, {len(dims) + 1})"
        )
    return stacking.pack(tensors, axis=axis, name=name)


@scoped("parallel_stack")
def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """Stack tensors along a new first axis; in graphs only.

    The result is that of `tf.stack`; no order in which the values are computed is implied.

    Args:
        values: Tensors of the same static shape and dtype.
        name: Name of the op in a graph.

    Returns:
        A tensor of one rank more.

    Raises:
        RuntimeError: Called outside of a graph.

    Example:

        >>> @tf.function
        ... def joined(x, y):
        ...     return tf.parallel_stack([x, y])
        >>> joined(tf.constant([1, 2]), tf.constant([3, 4])).numpy().tolist()
        [[1, 2], [3, 4]]
    """
    if dispatch.state.mode is dispatch.base_mode():
        raise RuntimeError(
            "tf.parallel_stack works in graphs only: call it inside tf.function, or use tf.stack."
        )
    return stacking.pack(same_dtype(*values), name="ParallelConcat")


def unstack(
    value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack"
) -> list[Any]:
    """Split a tensor into its slices along an axis, which is removed.

    Args:
        value: A tensor of rank 1 or more.
        num: The size of the axis; required if it is not known statically.
        axis: The axis to remove.
        name: Name of the op in a graph.

    Returns:
        A list of tensors.

    Raises:
        ValueError: `axis` is out of range, or the size is unknown and `num` is not passed.

    Example:

        >>> [part.numpy().tolist() for part in tf.unstack([[1, 2], [3, 4]], axis=1)]
        [[1, 3], [2, 4]]
    """
    tensor = convert(value)
    axis = as_int(axis, "axis")
    dims = tensor.static_shape
    if num is None:
        if dims is not None:
            if not -len(dims) <= axis < len(dims):
                raise ValueError(
                    f"Argument `axis` = {axis} not in range [{-len(dims)}, {len(dims)})"
                )
            num = dims[axis]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {tensor.shape}")
    return list(stacking.unpack(tensor, num=num, axis=axis, name=name))


def split(
    value: TensorLike,
    num_or_size_splits: Any,
    axis: Axis = 0,
    num: int | None = None,
    name: str = "split",
) -> list[Any]:
    """Split a tensor along an axis.

    The axis stays; `tf.unstack` removes it.

    Args:
        value: The tensor.
        num_or_size_splits: The number of equal parts (a Python int that divides the size), or the
            size of each part; one size may be -1 and takes what is left.
        axis: The axis.
        num: The number of parts, where `num_or_size_splits` is a tensor of unknown size.
        name: Name of the op in a graph.

    Returns:
        A list of tensors.

    Raises:
        ValueError: The number of parts is a scalar tensor or cannot be inferred.
        InvalidArgumentError: The sizes do not add up to that of the axis.

    Example:

        >>> [part.numpy().tolist() for part in tf.split([1, 2, 3, 4, 5, 6], 3)]
        [[1, 2], [3, 4], [5, 6]]
        >>> [part.numpy().tolist() for part in tf.split([1, 2, 3, 4, 5, 6], [1, -1, 2])]
        [[1], [2, 3, 4], [5, 6]]
    """
    at = axis if isinstance(axis, Tensor) else convert(axis, dtypes.int32)
    if isinstance(num_or_size_splits, Integral):
        count = int(num_or_size_splits)
        return list(joining.split(at, value, num_split=count, name=name))
    sizes = convert(num_or_size_splits, None, dtypes.int32, "Const")
    if sizes.static_shape == ():
        raise ValueError(
            "split: num_or_size_splits must be a Python int or a vector of sizes, received the "
            f"scalar tensor {num_or_size_splits!s}: pass int(...)."
        )
    if num is None:
        num = None if sizes.static_shape is None else sizes.static_shape[0]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {sizes.shape}")
    return list(joining.split_v(value, sizes, at, num_split=num, name=name))


# -- larger -----------------------------------------------------------------------------------


def tile(input: TensorLike, multiples: Any, name: str | None = None) -> Tensor:
    """Repeat a tensor as a whole, `multiples[i]` times along axis `i`.

    `tf.repeat` repeats each element instead.

    Args:
        input: The tensor.
        multiples: One count per axis of `input`.
        name: Name of the op in a graph.

    Returns:
        A tensor of size `input.shape[i] * multiples[i]` along axis `i`.

    Example:

        >>> tf.tile([1, 2, 3], [2]).numpy().tolist()
        [1, 2, 3, 1, 2, 3]
        >>> tf.tile([[1], [2]], [1, 3]).numpy().tolist()
        [[1, 1, 1], [2, 2, 2]]
    """
    return padding.tile(input, int_vector(multiples), name=name)


def repeat(
    input: TensorLike, repeats: Any, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Repeat each element, or each slice along `axis`, `repeats` times.

    Args:
        input: The tensor; flattened first if `axis` is None.
        repeats: The number of repetitions: one for all, or one for each element along the axis.
        axis: The axis.
        name: Name of the op in a graph.

    Returns:
        A tensor whose size along the axis is the sum of all repetitions.

    Raises:
        ValueError: `axis` is out of range, or `repeats` has another length than the axis.
        TypeError: `repeats` is not of an integer dtype.

    Example:

        >>> tf.repeat(["a", "b"], repeats=[3, 1]).numpy().tolist()
        [b'a', b'a', b'a', b'b']
        >>> tf.repeat([[1, 2], [3, 4]], repeats=2, axis=0).numpy().tolist()
        [[1, 2], [1, 2], [3, 4], [3, 4]]
    """
    if axis is None:
        input, axis = reshape(input, static_ints((-1,))), 0
    return _repeat(convert(input), repeats, axis, name=name)


@scoped("Repeat")
def _repeat(data: Any, repeats: Any, axis: int, name: str | None = None) -> Any:
    count = must_be_integer(convert(repeats), repeats, "repeats")
    count.shape.with_rank_at_most(1)
    if data.static_shape is None or count.static_shape is None:
        length = get_item(shape_of(data), axis)
        each = broadcast_to(count, reshape(length, static_ints((1,))))
        return gather_v2(data, _repeated_indices(each), scalar_int(axis))
    rank = len(data.shape) or 1
    data = reshape(data, static_ints((-1,))) if not data.shape.rank else data
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    axis %= rank
    if count.static_shape == () or count.static_shape == (1,):
        return _repeat_evenly(data, reshape(count, static_ints((1,))), axis)
    size, repeat_count = data.static_shape[axis], count.static_shape[0]
    if None not in (size, repeat_count) and size != repeat_count:
        raise ValueError(f"Dimensions {size} and {repeat_count} are not compatible")
    result = gather_v2(data, _repeated_indices(count), scalar_int(axis))
    if count.static_value is not None:
        result.set_shape(
            (
                *data.static_shape[:axis],
                int(count.static_value.sum()),
                *data.static_shape[axis + 1 :],
            )
        )
    return result


def _repeated_indices(repeats: Any) -> Any:
    """Return the indices 0, 1, 2, …, index `i` repeated `repeats[i]` times."""
    # Row i of the mask has repeats[i] true: the row numbers are the indices.
    rows = where(sequence_mask(repeats))
    positions, _ = stacking.unpack(rows, num=2, axis=1)
    return positions


def _repeat_evenly(data: Any, count: Any, axis: int) -> Any:
    before, after = static_ints((1,) * axis), static_ints((1,) * (len(data.shape) - axis - 1))
    times = cast(count, DstT=dtypes.int32)
    multiples = joining.concat_v2([before, static_ints((1,)), times, after], scalar_int(0))
    tiled = padding.tile(expand_dims(data, scalar_int(axis + 1)), multiples)
    sizes = shape_of(data)
    if None in data.static_shape or times.static_value is None:
        # Axis by axis: the static sizes of the other axes are kept.
        changed = mul(get_item(sizes, slice(axis, axis + 1)), times)
        parts = [get_item(sizes, slice(axis)), changed, get_item(sizes, slice(axis + 1, None))]
        return reshape(tiled, joining.concat_v2(parts, scalar_int(0)))
    factors = joining.concat_v2([before, times, after], scalar_int(0))
    return reshape(tiled, mul(sizes, factors))


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:
    """Pad a tensor before and after each axis.

    Args:
        tensor: The tensor.
        paddings: `[rank, 2]` integers: the number of values before and after each axis.
        mode: "CONSTANT", "REFLECT" (without the edge) or "SYMMETRIC" (with the edge), in any case.
        constant_values: The value to pad with in mode "CONSTANT".
        name: Name of the op in a graph.

    Returns:
        A tensor larger by `sum(paddings[i])` along axis `i`.

    Raises:
        ValueError: `mode` is none of the three.
        InvalidArgumentError: A padding is negative, or, in the mirror modes, larger than what there
            is to mirror.

    Example:

        >>> tf.pad([[1, 2], [3, 4]], [[1, 0], [0, 2]]).numpy().tolist()
        [[0, 0, 0, 0], [1, 2, 0, 0], [3, 4, 0, 0]]
        >>> tf.pad([1, 2, 3], [[2, 2]], mode="REFLECT").numpy().tolist()
        [3, 2, 1, 2, 3, 2, 1]
        >>> tf.pad([1, 2, 3], [[2, 2]], mode="SYMMETRIC").numpy().tolist()
        [2, 1, 1, 2, 3, 3, 2]
    """
    kind = mode.upper()
    if kind in ("REFLECT", "SYMMETRIC"):
        return padding.mirror_pad(tensor, paddings, mode=kind, name=name)
    if kind != "CONSTANT":
        raise ValueError(
            f"pad: mode must be 'CONSTANT', 'REFLECT' or 'SYMMETRIC', received {mode!r}."
        )
    if isinstance(constant_values, (int, float, np.number)) and constant_values == 0:
        return boxes.pad(tensor, paddings, name=name)
    tensor = convert(tensor)
    return boxes.pad_v2(tensor, paddings, convert(constant_values, tensor.dtype), name=name)


# -- parts by number --------------------------------------------------------------------------


def dynamic_partition(
    data: TensorLike, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Any]:
    """Distribute the slices of `data` over `num_partitions` tensors.

    The slices keep their order. `tf.dynamic_stitch` puts them together again.

    Args:
        data: The tensor; its first axes have the shape of `partitions`.
        partitions: Integers in `[0, num_partitions)`: the tensor that each slice goes to.
        num_partitions: The number of results, a Python int.
        name: Name of the op in a graph.

    Returns:
        A list of `num_partitions` tensors, of which some may be empty.

    Example:

        >>> parts = tf.dynamic_partition([10, 20, 30, 40], [0, 1, 1, 0], num_partitions=2)
        >>> [part.numpy().tolist() for part in parts]
        [[10, 40], [20, 30]]
    """
    numbers = convert(partitions, dtypes.int32)
    parts = stitching.dynamic_partition(data, numbers, num_partitions=num_partitions, name=name)
    return list(parts)


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Interleave tensors: `result[indices[k][i]] = data[k][i]`; later values win.

    Args:
        indices: A list of integer tensors: where the slices of `data[k]` go.
        data: A list of tensors of one dtype; the first axes of `data[k]` have the shape of
            `indices[k]`, the rest of the shape is the same for all.
        name: Name of the op in a graph.

    Returns:
        A tensor with as many slices as the largest index plus one. Those that no index names are
        zero.

    Example:

        >>> tf.dynamic_stitch([[0, 3], [1, 2]], [[10, 40], [20, 30]]).numpy().tolist()
        [10, 20, 30, 40]
    """
    positions = [convert(where, dtypes.int32) for where in indices]
    return stitching.dynamic_stitch(positions, same_dtype(*data), name=name)
