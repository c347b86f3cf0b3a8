"""`tf.distribute.experimental.partitioners`: into how many parts variables are cut."""

from __future__ import annotations

import math
from typing import Any

from tapeflow._src.core.dtypes import as_dtype, string
from tapeflow._src.core.shape import TensorShape, as_shape

__all__ = ["FixedShardsPartitioner", "MaxSizePartitioner", "MinSizePartitioner", "Partitioner"]


class Partitioner:
    """A callable from the shape and dtype of a variable to the number of parts of each axis.

    Subclasses define `__call__(shape, dtype, axis=0)`.

    Example:
        >>> class Halves(tf.distribute.experimental.partitioners.Partitioner):
        ...     def __call__(self, shape, dtype, axis=0):
        ...         return [2] + [1] * (len(shape) - 1)
        >>> Halves()(tf.TensorShape([4, 3]), tf.float32)
        [2, 1]
    """

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> Any:
        """Return the number of parts of each axis."""
        raise NotImplementedError(f"{type(self).__name__} does not say how variables are cut.")


class FixedShardsPartitioner(Partitioner):
    """Cuts every variable into a fixed number of parts, at most one for each slice.

    Args:
        num_shards: Number of parts.

    Example:
        >>> partitioner = tf.distribute.experimental.partitioners.FixedShardsPartitioner(2)
        >>> partitioner(tf.TensorShape([10, 3]), tf.float32)
        [2, 1]
    """

    def __init__(self, num_shards: int) -> None:
        self._num_shards = num_shards

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Return the number of parts of each axis: 1 but for `axis`."""
        return _parts_along_axis(as_shape(shape), axis, self._num_shards)


class MinSizePartitioner(Partitioner):
    """Cuts a variable into as many parts of at least a given size as possible.

    Args:
        min_shard_bytes: Smallest size of a part.
        max_shards: Largest number of parts.
        bytes_per_string: Size that a string counts as.

    Raises:
        ValueError: A number is not positive, or the shape of a variable is not fully defined.

    Example:
        >>> partitioner = tf.distribute.experimental.partitioners.MinSizePartitioner(
        ...     min_shard_bytes=4, max_shards=2
        ... )
        >>> partitioner(tf.TensorShape([6, 1]), tf.float32)
        [2, 1]
    """

    def __init__(
        self, min_shard_bytes: int = 256 << 10, max_shards: int = 1, bytes_per_string: int = 16
    ) -> None:
        _check_positive("min_shard_bytes", min_shard_bytes)
        _check_positive("max_shards", max_shards)
        _check_positive("bytes_per_string", bytes_per_string)
        self._min_shard_bytes = min_shard_bytes
        self._max_shards = max_shards
        self._bytes_per_string = bytes_per_string

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Return the number of parts of each axis: 1 but for `axis`."""
        dims = _complete(shape)
        if not -len(dims) <= axis < len(dims):
            raise ValueError(f"A variable of the shape {dims} cannot be cut along axis {axis}.")
        size = math.prod(dims) * _element_bytes(dtype, self._bytes_per_string)
        # The last part may be smaller.
        parts = math.ceil(size / self._min_shard_bytes)
        parts_along_axis = max(1, min(parts, self._max_shards, dims[axis]))
        return [parts_along_axis if i == axis % len(dims) else 1 for i in range(len(dims))]


class MaxSizePartitioner(Partitioner):
    """Cuts a variable into the fewest parts of at most a given size.

    Args:
        max_shard_bytes: Largest size of a part; a slice is never cut, however large it is.
        max_shards: Largest number of parts; None for no limit.
        bytes_per_string: Size that a string counts as.

    Raises:
        ValueError: A number is not positive, or the shape of a variable is not fully defined.

    Example:
        >>> partitioner = tf.distribute.experimental.partitioners.MaxSizePartitioner(4)
        >>> partitioner(tf.TensorShape([6, 1]), tf.float32)
        [6, 1]
    """

    def __init__(
        self, max_shard_bytes: int, max_shards: int | None = None, bytes_per_string: int = 16
    ) -> None:
        _check_positive("max_shard_bytes", max_shard_bytes)
        if max_shards:
            _check_positive("max_shards", max_shards)
        _check_positive("bytes_per_string", bytes_per_string)
        self._max_shard_bytes = max_shard_bytes
        self._max_shards = max_shards
        self._bytes_per_string = bytes_per_string

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """Return the number of parts of each axis: 1 but for `axis`."""
        dims = _complete(shape)
        slices = dims[axis]
        if slices == 0:
            return _parts_along_axis(dims, axis, 1)
        slice_bytes = math.prod(dims) // slices * _element_bytes(dtype, self._bytes_per_string)
        # A slice is never cut, however large it is.
        slices_per_part = max(1, self._max_shard_bytes // max(1, slice_bytes))
        parts = math.ceil(slices / slices_per_part)
        return _parts_along_axis(
            dims, axis, min(parts, self._max_shards) if self._max_shards else parts
        )


def _parts_along_axis(dims: Any, axis: int, parts: int) -> list[int]:
    """Return the numbers of parts: `parts` along an axis, but no more than it has slices."""
    numbers = [1] * len(dims)
    numbers[axis] = min(parts, dims[axis])
    return numbers


def _complete(shape: Any) -> list[int]:
    static_shape: TensorShape = as_shape(shape)
    if not static_shape.is_fully_defined():
        raise ValueError(
            f"A variable is cut by its size, so its shape must be fully defined. "
            f"Received: {static_shape}"
        )
    return [size for size in static_shape.as_list() if size is not None]


def _element_bytes(dtype: Any, bytes_per_string: int) -> int:
    dtype = as_dtype(dtype)
    return bytes_per_string if dtype is string else dtype.size


def _check_positive(argument: str, value: int) -> None:
    if value < 1:
        raise ValueError(f"`{argument}` must be positive. Received: {value}")
