"""`DynamicRaggedShape`: the shape of a ragged tensor, with the length of each row.

Its outer axes are row partitions; below them is a plain shape whose first size is the number of
values in all rows. A shape without row partitions is that of a tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.batching import ShapeEncoder
from tapeflow._src.composite.ragged.checks import every, require_equal
from tapeflow._src.composite.ragged.kinds import is_ragged
from tapeflow._src.composite.ragged.row_partition import RowPartition, RowPartitionSpec
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.composite import Dispatchable
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.registry import Op
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import scalar_int, shape, shape_of, static_ints
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.comparison import equal
from tapeflow._src.ops.math.logical import logical_and, logical_not


class DynamicRaggedShapeSpec(TypeSpec):
    """The type spec of a `DynamicRaggedShape`."""

    __slots__ = ("_dtype", "_row_partitions", "_static_inner_shape")

    __batch_encoder__ = ShapeEncoder()

    def __init__(
        self,
        row_partitions: tuple[RowPartitionSpec, ...],
        static_inner_shape: Any,
        dtype: Any,
    ) -> None:
        if not isinstance(row_partitions, Iterable):
            raise TypeError(f"row_partitions should be an Iterable. Received: {row_partitions!r}")
        self._row_partitions = tuple(row_partitions)
        self._static_inner_shape = as_shape(static_inner_shape)
        self._dtype = as_dtype(dtype)
        self._check()

    def _check(self) -> None:
        """Raise TypeError or ValueError if the parts are inconsistent."""
        if self._dtype not in dtypes.INDEX:
            raise ValueError(
                "The dtype of a DynamicRaggedShape is tf.int32 or tf.int64, received "
                f"{self._dtype!r}."
            )
        for rows in self._row_partitions:
            if not isinstance(rows, RowPartitionSpec):
                raise TypeError(f"row_partitions contains {rows!r}, which is no RowPartitionSpec")
            if rows.dtype is not self._dtype:
                raise ValueError(f"dtype of {rows} is {rows.dtype!r}: expected {self._dtype!r}")
        if not self._row_partitions:
            return
        if self.inner_rank == 0:
            raise ValueError(
                "A shape with row_partitions has at least one inner dimension, received "
                "inner_rank 0."
            )
        row_count = TensorShape([self._row_partitions[-1].nvals])
        below = self._static_inner_shape[:1]
        if not row_count.is_compatible_with(below):
            raise ValueError(
                f"Dimensions {row_count[0]} and {below[0]} are not compatible: the values of the "
                f"last row partition, and the first size of static_inner_shape."
            )

    @classmethod
    def from_value(cls, value: Any) -> DynamicRaggedShapeSpec:
        """Return the spec of a shape; of anything else, of its shape."""
        if not isinstance(value, DynamicRaggedShape):
            value = DynamicRaggedShape.from_tensor(value)
        static_shape = value._static_inner_shape
        if static_shape.rank is None and value.inner_rank is not None:
            static_shape = TensorShape([None] * value.inner_rank)
        return cls(tuple(p._type_spec for p in value.row_partitions), static_shape, value.dtype)

    @property
    def value_type(self) -> type:
        return DynamicRaggedShape

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def inner_rank(self) -> int | None:
        return self._static_inner_shape.rank

    @property
    def num_row_partitions(self) -> int:
        return len(self._row_partitions)

    @property
    def rank(self) -> int | None:
        inner = self.inner_rank
        return None if inner is None else inner + self.num_row_partitions

    def with_dtype(self, dtype: Any) -> DynamicRaggedShapeSpec:
        """Return the spec of the same sizes in another dtype."""
        kind = as_dtype(dtype)
        rows = (
            RowPartitionSpec(p.nrows, p.nvals, p.uniform_row_length, kind)
            for p in self._row_partitions
        )
        return DynamicRaggedShapeSpec(tuple(rows), self._static_inner_shape, kind)

    def _static_lengths(self) -> list[int | None] | None:
        """Return the static sizes of the axes, None where ragged or unknown.

        None if the rank is not.
        """
        if self.rank is None:
            return None
        below = self._static_inner_shape.as_list()
        if not self._row_partitions:
            return below
        rows = [self._row_partitions[0].nrows]
        return rows + [p.uniform_row_length for p in self._row_partitions] + below[1:]

    def _serialize(self) -> tuple[Any, ...]:
        # As files have it, which know the fields of such a shape by their names.
        return (
            ("_row_partitions", self._row_partitions),
            ("_inner_shape", TensorSpec([self.inner_rank], self._dtype)),
            ("_static_inner_shape", self._static_inner_shape),
        )

    @classmethod
    def _deserialize(cls, serialization: tuple[Any, ...]) -> DynamicRaggedShapeSpec:
        (_, rows), (_, inner), (_, static_shape) = serialization
        return cls(rows, static_shape, inner.dtype)

    @property
    def _component_specs(self) -> tuple[Any, ...]:
        return (TensorSpec([self.inner_rank], self._dtype), *self._row_partitions)

    def _to_components(self, value: DynamicRaggedShape) -> tuple[Any, ...]:
        return (value.inner_shape, *value.row_partitions)

    def _from_components(self, components: Any) -> DynamicRaggedShape:
        inner, *rows = components
        return DynamicRaggedShape(rows, inner, self._dtype, False, self._static_inner_shape)

    def _batch(self, batch_size: int | None) -> DynamicRaggedShapeSpec:
        batched: DynamicRaggedShapeSpec = self.__batch_encoder__.batch(self, batch_size)
        return batched

    def _unbatch(self) -> DynamicRaggedShapeSpec:
        unbatched: DynamicRaggedShapeSpec = self.__batch_encoder__.unbatch(self)
        return unbatched

    def __repr__(self) -> str:
        return (
            f"DynamicRaggedShape.Spec(row_partitions={self._row_partitions}, "
            f"static_inner_shape={self._static_inner_shape!r}, dtype={self._dtype!r})"
        )


class DynamicRaggedShape(Dispatchable):
    """The sizes of the axes of a ragged tensor: one for all rows, or one for each.

    Args:
        row_partitions: The rows of the outer axes, the outermost first.
        inner_shape: Vector: the number of values in all rows, then their sizes.
        dtype: int32 or int64; inferred by default.
        validate: Whether to check that the parts agree.
        static_inner_shape: What is known of `inner_shape` statically.

    Example:
        >>> rows = tf.ragged.constant([[1, 2], [3]])
        >>> tf.experimental.DynamicRaggedShape.from_tensor(rows).static_lengths()
        [2, (2, 1)]
    """

    __slots__ = ("__weakref__", "_declared", "_inner_shape", "_row_partitions")

    Spec = DynamicRaggedShapeSpec

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        inner_shape: Any,
        dtype: Any = None,
        validate: bool = False,
        static_inner_shape: Any = None,
    ) -> None:
        if not isinstance(row_partitions, (list, tuple)):
            raise TypeError(
                f"row_partitions must be a list of RowPartition, received {row_partitions!r}."
            )
        for partition in row_partitions:
            if not isinstance(partition, RowPartition):
                raise TypeError(f"row_partitions contains {partition} which is not a RowPartition")
        inner_dtype = inner_shape.dtype if isinstance(inner_shape, Tensor) else None
        wide = {p.dtype for p in row_partitions} | ({inner_dtype} if inner_dtype else set())
        kind = as_dtype(dtype or (wide.pop() if len(wide) == 1 else dtypes.int64))
        if kind not in dtypes.INDEX:
            raise ValueError(
                f"The dtype of a DynamicRaggedShape is tf.int32 or tf.int64, received {kind!r}."
            )
        if isinstance(inner_shape, Tensor):
            inner = sizes.as_dtype_of(inner_shape, kind)
        else:
            inner = dispatch.convert(inner_shape, kind)
        inner.shape.assert_has_rank(1)
        if row_partitions and inner.shape[0] == 0:
            raise IndexError(
                "inner_shape must start with the number of values in the innermost rows, received "
                "an empty one"
            )
        self._row_partitions = tuple(p.with_dtype(kind) for p in row_partitions)
        self._inner_shape = inner
        self._declared = as_shape(static_inner_shape)
        if validate:
            self._validate()

    def _validate(self) -> None:
        for outer, inner in zip(self._row_partitions, self._row_partitions[1:]):
            text = "RowPartitions in DynamicRaggedShape do not agree"
            require_equal(outer.nvals(), inner.nrows(), text)
        if self._row_partitions:
            text = "inner_shape must start with the number of values of the innermost row partition"
            require_equal(self._row_partitions[-1].nvals(), get_item(self._inner_shape, 0), text)

    # -- making ------------------------------------------------------------------------------

    @classmethod
    def from_lengths(
        cls,
        lengths: Sequence[Any],
        num_row_partitions: int | None = None,
        dtype: Any = dtypes.int64,
    ) -> DynamicRaggedShape:
        """Create a shape from sizes; a tuple of sizes for a ragged axis.

        Args:
            lengths: The size of each axis, or a tuple with the length of each row.
            num_row_partitions: How many axes have row partitions; by default up to the last ragged
                one.
            dtype: int32 or int64.

        Example:
            >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (2, 1)]).static_lengths()
            [2, (2, 1)]
        """
        _check_lengths(lengths)
        ragged = [i for i, size in enumerate(lengths) if not isinstance(size, int)]
        levels = ragged[-1] if ragged else 0
        if num_row_partitions is not None:
            if num_row_partitions and not lengths:
                raise ValueError("num_row_partitions==0 for a scalar shape")
            if num_row_partitions < levels:
                raise ValueError(
                    f"num_row_partitions={num_row_partitions} leaves out an axis with rows of "
                    f"different lengths: {lengths}"
                )
            levels = num_row_partitions
        if levels and levels >= len(lengths):
            raise ValueError(
                f"num_row_partitions ({levels}) must be less than the number of dimensions, "
                f"len(lengths) = {len(lengths)}."
            )
        partitions = []
        rows = lengths[0] if lengths else 1
        for size in lengths[1 : levels + 1]:
            if isinstance(size, int):
                partition = RowPartition.from_uniform_row_length(size, None, rows, True, dtype)
                rows *= size
            elif len(size) != rows:
                raise ValueError(f"Shape not consistent: {rows} rows have {len(size)} lengths.")
            else:
                partition = RowPartition.from_row_lengths(size, dtype=dtype)
                rows = sum(size)
            partitions.append(partition._of(dispatch.convert(rows, as_dtype(dtype))))
        inner = [rows, *lengths[levels + 1 :]] if lengths else []
        return cls(partitions, inner, dtype)

    @classmethod
    def from_row_partitions(
        cls, row_partitions: Sequence[RowPartition], dtype: Any = None
    ) -> DynamicRaggedShape:
        """Create the shape of scalars in these rows.

        Args:
            row_partitions: Row partitions, the outermost first.
            dtype: int32 or int64; that of the partitions by default.
        """
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        return cls(row_partitions, sizes.vector(row_partitions[-1].nvals()), dtype)

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> DynamicRaggedShape:
        """Return the shape of a ragged tensor, or of a tensor.

        Args:
            t: The tensor.
            dtype: int32 or int64.
        """
        if not is_ragged(t):
            tensor = dispatch.convert(t)
            kind = as_dtype(dtype or dtypes.int64)
            return cls((), shape(tensor, out_type=kind), kind, static_inner_shape=tensor.shape)
        kind = as_dtype(dtype or t._row_partition.dtype)
        flat = t.flat_values
        inner = shape(flat, out_type=kind)
        return cls(t._nested_row_partitions, inner, kind, static_inner_shape=flat.shape)

    # -- what it says ------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The dtype of the sizes."""
        return self._inner_shape.dtype

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The rows, the outermost first."""
        return self._row_partitions

    @property
    def num_row_partitions(self) -> int:
        """How many levels of rows there are."""
        return len(self._row_partitions)

    @property
    def inner_shape(self) -> Any:
        """The shape of the values below all rows."""
        return self._inner_shape

    @property
    def _static_inner_shape(self) -> TensorShape:
        static_shape = self._inner_shape.static_value
        return self._declared if static_shape is None else TensorShape(static_shape.tolist())

    @property
    def inner_rank(self) -> int | None:
        """How many axes the values have below all rows."""
        return self._inner_shape.shape[0]

    @property
    def rank(self) -> int | None:
        """How many axes there are."""
        inner = self.inner_rank
        return None if inner is None else inner + self.num_row_partitions

    def is_uniform(self, axis: int) -> bool:
        """Return whether all rows along an axis are known to have one length.

        Args:
            axis: The axis, not negative.
        """
        if not isinstance(axis, int):
            raise TypeError(f"axis must be an integer. Received: {axis!r}")
        if axis < 0:
            raise IndexError(f"Negative axis values are not supported. Received: {axis}")
        at, rank = axis, self.rank
        if rank is not None and at >= rank:
            raise IndexError(f"Expected axis={axis} < rank={rank}")
        inside = 0 < at <= self.num_row_partitions
        return not inside or self._row_partitions[at - 1].is_uniform()

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """Return the sizes of the axes, a tuple for rows of different lengths; None if not known.

        Args:
            ragged_lengths: False for None for rows of different lengths as well.
        """
        rank = self.rank
        if rank is None:
            return [*self._outer_lengths(ragged_lengths), ...]
        if not self._row_partitions:
            static_shape = self._static_inner_shape
            return [None] * rank if static_shape.rank is None else static_shape.as_list()
        inner = self._static_inner_shape
        below = [None] * (rank - self.num_row_partitions) if inner.rank is None else inner.as_list()
        return [*self._outer_lengths(ragged_lengths), *below[1:]]

    def _outer_lengths(self, ragged_lengths: bool) -> list[Any]:
        if not self._row_partitions:
            return []
        static_lengths: list[Any] = [self._row_partitions[0].static_nrows]
        for partition in self._row_partitions:
            static_length = partition.static_uniform_row_length
            lengths = (
                partition.row_lengths().static_value
                if ragged_lengths and static_length is None
                else None
            )
            static_lengths.append(static_length if lengths is None else tuple(lengths.tolist()))
        return static_lengths

    def with_dtype(self, dtype: Any) -> DynamicRaggedShape:
        """Return the shape with sizes of another dtype.

        Args:
            dtype: int32 or int64.
        """
        return DynamicRaggedShape(
            self._row_partitions, self._inner_shape, dtype, False, self._declared
        )

    def _with_levels(self, levels: int) -> DynamicRaggedShape:
        """Return the shape with at least `levels` row partitions; added ones are uniform."""
        rows = list(self._row_partitions)
        static_shape = self._static_inner_shape
        below: list[Any] = [
            get_item(self._inner_shape, i) if size is None else size
            for i, size in enumerate(
                [None] * (self.inner_rank or 0) if static_shape.rank is None else static_shape
            )
        ]
        while len(rows) < levels:
            count, length, *rest = below
            even = RowPartition.from_uniform_row_length(length, None, count, False, self.dtype)
            rows.append(even)
            total = even.static_nvals
            below = [even.nvals() if total is None else total, *rest]
        if len(rows) == self.num_row_partitions:
            return self
        static_inner = TensorShape([size if isinstance(size, int) else None for size in below])
        return DynamicRaggedShape(
            rows, sizes.as_vector(below, self.dtype), self.dtype, False, static_inner
        )

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._slice(index)
        if not isinstance(index, int):
            raise TypeError(
                f"A DynamicRaggedShape is indexed by an int or a slice, received {index!r}."
            )
        rank = self.rank
        at = index + rank if index < 0 and rank is not None else index
        if rank is not None and not 0 <= at < rank:
            raise IndexError(f"Expected axis={index} < rank={rank}")
        if at == 0 and self._row_partitions:
            return self._row_partitions[0].nrows()
        if not self.is_uniform(at):
            raise ValueError(f"Index {at} is not uniform")
        if 0 < at <= self.num_row_partitions:
            return self._row_partitions[at - 1].uniform_row_length()
        return get_item(self._inner_shape, at - self.num_row_partitions)

    def _slice(self, index: slice) -> DynamicRaggedShape:
        if index.step not in (None, 1):
            raise IndexError("Cannot stride through a shape")
        if self.rank is None:
            raise ValueError("Rank must be known to slice a DynamicRaggedShape")
        first, last, _ = index.indices(self.rank)
        if last <= first:
            return DynamicRaggedShape((), static_ints(()), self.dtype)
        levels = self.num_row_partitions
        if first == 0 and last <= levels:
            if last == 1:
                return DynamicRaggedShape((), sizes.vector(self[0]), self.dtype)
            return DynamicRaggedShape.from_row_partitions(self._row_partitions[: last - 1])
        if first == 0:
            inner = get_item(self._inner_shape, slice(None, last - levels))
            return DynamicRaggedShape(self._row_partitions, inner, self.dtype)
        if any(not self.is_uniform(axis) for axis in range(self.rank)):
            raise ValueError("All relevant dimensions must be uniform")
        parts = [sizes.vector(self[axis]) for axis in range(first, last)]
        return DynamicRaggedShape((), concat_v2(parts, scalar_int(0)), self.dtype)

    def __iter__(self) -> Iterator[Any]:
        if self.rank is None:
            raise ValueError("Rank must be known to iterate over a DynamicRaggedShape")
        return (self[axis] for axis in range(self.rank))

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, DynamicRaggedShape) or self._differs_in_kind(other):
            return False
        result = _equal_tensors(self._inner_shape, other._inner_shape)
        for partition, other_partition in zip(self._row_partitions, other._row_partitions):
            result = logical_and(
                result, _equal_tensors(partition.row_splits(), other_partition.row_splits())
            )
        return result

    def _differs_in_kind(self, other: DynamicRaggedShape) -> bool:
        levels = self.num_row_partitions != other.num_row_partitions
        return levels or self.rank != other.rank or self.dtype is not other.dtype

    def __ne__(self, other: object) -> Any:
        same = self == other
        return not same if isinstance(same, bool) else logical_not(same)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        lengths = ", ".join("..." if size is ... else str(size) for size in self.static_lengths())
        levels = self.num_row_partitions
        return f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={levels}>"

    # -- for ops and functions ---------------------------------------------------------------

    def _call_op(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None
    ) -> Any:
        implementation = _IMPLEMENTATIONS.get(op)
        return NotImplemented if implementation is None else implementation(*inputs)

    @property
    def _type_spec(self) -> DynamicRaggedShapeSpec:
        return DynamicRaggedShapeSpec.from_value(self)


# Implementations of ops for such a shape.
_IMPLEMENTATIONS: dict[Op, Callable[..., Any]] = {}


def implements_for_shape(op: Op) -> Any:
    """Register `fn(*inputs)` for calls of `op` with a ragged shape."""

    def declare(fn: Any) -> Any:
        _IMPLEMENTATIONS[op] = fn
        return fn

    return declare


def _equal_tensors(a: Any, b: Any) -> Any:
    if (
        a.static_shape != b.static_shape
        and a.static_shape is not None
        and None not in (*a.static_shape, *(b.static_shape or ()))
    ):
        return dispatch.convert(False)
    same_size = every(equal(shape_of(a), shape_of(b)))
    return logical_and(same_size, every(equal(a, b)))


def _check_lengths(lengths: Any) -> None:
    if not isinstance(lengths, (list, tuple)):
        raise ValueError("lengths should be a list")
    for size in lengths:
        parts = size if isinstance(size, (list, tuple)) else (size,)
        if not all(isinstance(part, int) for part in parts):
            raise ValueError(
                "An entry of `lengths` must be an int (uniform) or a tuple of int (row lengths), "
                f"received {size!r}."
            )
    if lengths and not isinstance(lengths[0], int):
        raise ValueError("The first of the lengths must be an int: the number of rows.")


def _rebuilt(like: DynamicRaggedShape, parts: list[Any]) -> DynamicRaggedShape:
    """Return a shape with other components."""
    inner, *splits = parts
    rows = [p._type_spec._from_components(s) for p, s in zip(like.row_partitions, splits)]
    return DynamicRaggedShape(rows, inner, inner.dtype)


nest.register_composite(
    DynamicRaggedShape,
    lambda value: [value.inner_shape] + [p.row_splits() for p in value.row_partitions],
    _rebuilt,
    lambda a, b: isinstance(b, DynamicRaggedShape) and not a._differs_in_kind(b),
)
