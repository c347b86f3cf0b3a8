"""Static shapes: `TensorShape`, where sizes or even the rank may be unknown, and broadcasting.

Rules and hot paths work on plain tuples (`tuple[int | None, ...]`, or None for unknown rank);
`TensorShape` is what users see of them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, overload

from tapeflow._src.core import protos
from tapeflow._src.core.dimension import Dimension as Dimension
from tapeflow._src.core.dimension import dimension_value
from tapeflow._src.core.errors import fmt_shape
from tapeflow._src.core.protos.values import shape_from_proto, shape_to_proto

Dims: TypeAlias = tuple[int | None, ...]


class TensorShape:
    """The static shape of a tensor: `[16, 256]`, `[None, 256]` or `None`.

    Built from a list of sizes (None where unknown), a single size, another shape, a
    TensorShapeProto, or None when not even the rank is known.

    Args:
        dims: The sizes.

    Example:
        >>> tf.TensorShape([None, 256]), tf.TensorShape(None)
        (TensorShape([None, 256]), TensorShape(None))
    """

    __slots__ = ("_dims",)

    _dims: Dims | None

    def __init__(self, dims: Any) -> None:
        self._dims = as_dims(dims)

    @staticmethod
    def _from_tuple(dims: Dims | None) -> TensorShape:
        """Return the shape of a tuple such as `array.shape`: for the library's hot paths."""
        return _SHAPES[dims]

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None if unknown."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes as `Dimension` objects, or None if the rank is unknown."""
        return None if self._dims is None else [Dimension(size) for size in self._dims]

    def as_list(self) -> list[int | None]:
        """Return the sizes as a list of ints, None where unknown.

        Raises:
            ValueError: For a shape of unknown rank.

        Example:
            >>> tf.TensorShape([None, 3]).as_list()
            [None, 3]
        """
        if self._dims is None:
            raise ValueError("as_list() needs a known rank; this TensorShape is unknown.")
        return list(self._dims)

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """Return the message class that shapes are serialised as."""
        return protos.TensorShapeProto

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> TensorShape:
        """Return the shape of a TensorShapeProto message.

        Args:
            proto: The message.
        """
        return cls(proto)

    def experimental_as_proto(self) -> Any:
        """Return the shape as a TensorShapeProto message."""
        return self.as_proto()

    def as_proto(self) -> Any:
        """Return the shape as a TensorShapeProto.

        Example:
            >>> len(tf.TensorShape([2, None]).as_proto().dim)
            2
        """
        return shape_to_proto(self._dims)

    def num_elements(self) -> int | None:
        """Return the number of elements, or None if a size is unknown.

        Example:
            >>> tf.TensorShape([2, 3]).num_elements()
            6
        """
        if self._dims is None or None in self._dims:
            return None
        return math.prod(self._dims)  # type: ignore[arg-type]

    def is_fully_defined(self) -> bool:
        """Return whether all sizes are known.

        Example:
            >>> tf.TensorShape([2, None]).is_fully_defined()
            False
        """
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError unless all sizes are known.

        Example:
            >>> tf.TensorShape([2, 3]).assert_is_fully_defined()
        """
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    # As a sequence of sizes.

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("len() needs a known rank; this TensorShape is unknown.")
        return len(self._dims)

    def __bool__(self) -> bool:
        """Whether the rank is known (a scalar's shape is true)."""
        return self._dims is not None

    def __iter__(self) -> Iterator[Any]:
        if self._dims is None:
            raise ValueError("A TensorShape of unknown rank has no sizes to iterate over.")
        return iter(self._dims)

    @overload
    def __getitem__(self, key: int) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    def __getitem__(self, key: int | slice) -> int | TensorShape | None:
        if self._dims is None:
            return _slice_of_unknown(key) if isinstance(key, slice) else None
        if isinstance(key, slice):
            return TensorShape._from_tuple(self._dims[key])
        return self._dims[key]

    def concatenate(self, other: Any) -> TensorShape:
        """Return the sizes of this shape followed by those of `other`; unknown if a rank is.

        Args:
            other: A shape, or what converts to one.

        Example:
            >>> tf.TensorShape([2]).concatenate([3, 4])
            TensorShape([2, 3, 4])
        """
        tail = as_dims(other)
        if self._dims is None or tail is None:
            return TensorShape._from_tuple(None)
        return TensorShape._from_tuple(self._dims + tail)

    __add__ = concatenate

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    # Rank.

    def with_rank(self, rank: int | None) -> TensorShape:
        """Return this shape with rank `rank`; ValueError if it has another rank.

        Args:
            rank: The number of axes.

        Example:
            >>> tf.TensorShape(None).with_rank(2)
            TensorShape([None, None])
        """
        try:
            return self.merge_with(unknown_shape(rank))
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank}") from None

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Return this shape; ValueError if its rank is smaller.

        Args:
            rank: The number of axes.

        Example:
            >>> tf.TensorShape([2, 3]).with_rank_at_least(1)
            TensorShape([2, 3])
        """
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Return this shape; ValueError if its rank is larger.

        Args:
            rank: The number of axes.

        Example:
            >>> tf.TensorShape([2, 3]).with_rank_at_most(2)
            TensorShape([2, 3])
        """
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int | None) -> None:
        """Raise ValueError if the rank is known to be another.

        Args:
            rank: The number of axes.

        Example:
            >>> tf.TensorShape([2, 3]).assert_has_rank(2)
        """
        if self._dims is not None and rank is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """Raise ValueError if both ranks are known and differ.

        Args:
            other: A shape, or what converts to one.

        Example:
            >>> tf.TensorShape([2, 3]).assert_same_rank([None, None])
        """
        other = as_shape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    # Compatibility: two shapes that one tensor could have.

    def is_compatible_with(self, other: Any) -> bool:
        """Return whether some fully known shape agrees with both.

        Args:
            other: A shape, or what converts to one.

        Example:
            >>> tf.TensorShape([None, 3]).is_compatible_with([2, 3])
            True
        """
        dims = as_dims(other)
        if self._dims is None or dims is None:
            return True
        return len(self._dims) == len(dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, dims)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raise ValueError unless some fully known shape agrees with both.

        Args:
            other: A shape, or what converts to one.

        Example:
            >>> tf.TensorShape([2, None]).assert_is_compatible_with([2, 3])
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def merge_with(self, other: Any) -> TensorShape:
        """Merge two static shapes; raise ValueError if they are incompatible.

        Args:
            other: A shape, or what converts to one.

        Example:
            >>> tf.TensorShape([None, 3]).merge_with([2, None])
            TensorShape([2, 3])
        """
        shape = as_shape(other)
        if self._dims is None:
            return shape
        if shape._dims is None:
            return self
        if not self.is_compatible_with(shape):
            raise ValueError(f"Shapes {self} and {shape} are not compatible")
        return TensorShape._from_tuple(
            tuple(b if a is None else a for a, b in zip(self._dims, shape._dims))
        )

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """Return the most specific shape that admits whatever either shape admits.

        Args:
            other: A shape, or what converts to one.

        Example:
            >>> tf.TensorShape([2, 3]).most_specific_compatible_shape([2, 4])
            TensorShape([2, None])
        """
        dims = as_dims(other)
        if self._dims is None or dims is None or len(self._dims) != len(dims):
            return TensorShape._from_tuple(None)
        return TensorShape._from_tuple(
            tuple(a if a == b else None for a, b in zip(self._dims, dims))
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Return whether every tensor of this shape also has shape `other`.

        Args:
            other: A shape, or what converts to one.

        Example:
            >>> tf.TensorShape([2, 3]).is_subtype_of(tf.TensorShape([2, None]))
            True
        """
        if not isinstance(other, TensorShape):
            return False
        if other._dims is None:
            return True
        if self._dims is None or len(self._dims) != len(other._dims):
            return False
        return all(b is None or a == b for a, b in zip(self._dims, other._dims))

    def most_specific_common_supertype(self, others: Iterable[Any]) -> TensorShape | None:
        """Return the most specific shape of which this one and all `others` are subtypes.

        Args:
            others: Shapes.

        Example:
            >>> tf.TensorShape([2, 3]).most_specific_common_supertype([tf.TensorShape([2, 4])])
            TensorShape([2, None])
        """
        common = self
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            common = common.most_specific_compatible_shape(other)
        return common

    # As a value.

    def __eq__(self, other: object) -> bool:
        """Whether sizes are equal, unknown ones at the same positions; lists and tuples compare
        too.
        """
        if isinstance(other, TensorShape):
            return self._dims == other._dims
        try:
            return self._dims == as_dims(other)
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)

    def __reduce__(self) -> tuple[Any, tuple[Dims | None]]:
        return TensorShape, (self._dims,)


class _Shapes(dict[Dims | None, TensorShape]):
    """Cached shapes. They are immutable, so they are shared: a lookup is several times cheaper than
    a new object, and the shapes of eager tensors are read all the time.
    """

    def __missing__(self, dims: Dims | None) -> TensorShape:
        if len(self) >= 4096:
            self.clear()
        shape = self[dims] = TensorShape(dims)
        return shape


_SHAPES = _Shapes()


def _slice_of_unknown(key: slice) -> TensorShape:
    """Return the slice of a shape of unknown rank: at most its maximum rank is known."""
    if key.step is not None:
        raise ValueError("A shape of unknown rank cannot be sliced with a step.")
    start = key.start or 0
    if key.stop is None or start < 0 or key.stop < 0:
        return TensorShape._from_tuple(None)
    return unknown_shape(max(0, key.stop - start))


def as_dims(shape: Any) -> Dims | None:
    """Convert any description of a shape to a checked tuple of sizes; None for unknown rank."""
    if shape is None:
        return None
    if isinstance(shape, TensorShape):
        return shape._dims
    if not isinstance(shape, (tuple, list)):
        if hasattr(shape, "unknown_rank"):
            return shape_from_proto(shape)
        try:
            shape = tuple(shape)
        except TypeError:  # not iterable (or a scalar tensor): the size of a single dimension
            return (dimension_value(shape),)
    return tuple([dimension_value(size) for size in shape])


def as_shape(shape: Any) -> TensorShape:
    """Return `shape` as a `TensorShape`, unchanged if it is one."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank: int | None = None) -> TensorShape:
    """Return a shape of which only the rank is known, or nothing."""
    return TensorShape._from_tuple(None if rank is None else (None,) * operator.index(rank))


def broadcast_shapes(a: Dims | None, b: Dims | None) -> Dims | None:
    """Return the shape of an element-wise result; ValueError where sizes differ and none is 1.

    An unknown size against a known one above 1 must be that size or 1, so the result is known.
    """
    if a == b:
        return a
    if a is None or b is None:
        return None
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    skip = len(longer) - len(shorter)
    sizes = list(longer)
    for i, y in enumerate(shorter, skip):
        x = sizes[i]
        if x == y or y == 1:
            continue
        if x == 1:
            sizes[i] = y
        elif x is None or y is None:
            size = y if x is None else x
            sizes[i] = size if size else None
        else:
            raise ValueError(
                f"Incompatible shapes: {fmt_shape(a)} vs. {fmt_shape(b)}; "
                f"{x} and {y} must be equal or 1"
            )
    return tuple(sizes)
