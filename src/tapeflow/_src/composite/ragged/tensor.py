"""`RaggedTensor`: values in rows of different lengths, and the spec of such tensors.

This part knows the components of a ragged tensor. What ops compute of one stands in
`ragged.implementations`; how rows are described, indexed and shown, in the other files there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from tapeflow._src.composite.ragged import dense, sizes, sparse
from tapeflow._src.composite.ragged import stacking as merging
from tapeflow._src.composite.ragged.axes import positive_axis
from tapeflow._src.composite.ragged.construction import FromParts
from tapeflow._src.composite.ragged.formatting import as_array, as_list, text_of
from tapeflow._src.composite.ragged.implementations import call_implementation
from tapeflow._src.composite.ragged.indexing import get_ragged_item
from tapeflow._src.composite.ragged.kinds import as_values
from tapeflow._src.composite.ragged.row_partition import RowPartition
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.errors import OperatorNotAllowedInGraphError
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.shape import TensorShape, as_shape
from tapeflow._src.core.spec import TensorSpec, TypeSpec, describes_composites
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.filling import fill
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import scalar_int, shape, static_ints
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.reduction import max_
from tapeflow._src.ops.operators import Operators


class RaggedTensor(FromParts, Operators):
    """Row `i` is `values[row_splits[i]:row_splits[i + 1]]`; `values` may be ragged itself.

    Created by `RaggedTensor.from_row_splits` and its kin, or by `tf.ragged.constant`.

    Args:
        values: The values of all rows.
        row_partition: How they are divided.
        internal: Must be True: users call the factory methods.

    Example:
        >>> rows = tf.ragged.constant([[1, 2], [], [3]])
        >>> rows.shape, rows.values.numpy(), rows[0].numpy()
        (TensorShape([3, None]), array([1, 2, 3], dtype=int32), array([1, 2], dtype=int32))
        >>> rows + 10
        <tf.RaggedTensor [[11, 12], [], [13]]>
    """

    _repair = "Use ragged.to_tensor() to pad its rows, or ragged.flat_values for all values."
    # NumPy must leave `array + ragged` to the ragged tensor.
    __array_priority__ = 100

    def __init__(self, values: Any, row_partition: Any, internal: bool = False) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor is not constructed directly: use RaggedTensor.from_row_lengths, "
                "from_row_splits, from_value_rowids or tf.ragged.constant."
            )
        self._values = values
        self._row_partition: RowPartition = row_partition

    # -- what it consists of -----------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The sizes of the axes; None for those that are not known, or not one."""
        rows = self._row_partition
        outer = TensorShape([rows.static_nrows, rows.static_uniform_row_length])
        return outer.concatenate(self._values.shape[1:])

    def get_shape(self) -> TensorShape:
        """Return the shape: the same as `.shape`."""
        return self.shape

    @property
    def ragged_rank(self) -> int:
        """The number of ragged axes."""
        inner = self._values
        return 1 + (inner.ragged_rank if isinstance(inner, RaggedTensor) else 0)

    @property
    def values(self) -> Any:
        """The concatenated values of all rows."""
        return self._values

    @property
    def flat_values(self) -> Any:
        """The innermost values."""
        inner = self._values
        return inner.flat_values if isinstance(inner, RaggedTensor) else inner

    @property
    def row_splits(self) -> Any:
        """Where the rows begin, and the last one ends."""
        return self._row_partition.row_splits()

    @property
    def uniform_row_length(self) -> Any:
        """The length of every row, if it is known to be one; else None."""
        return self._row_partition.uniform_row_length()

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The splits of every level, the outermost first."""
        return tuple(level.row_splits() for level in self._nested_row_partitions)

    @property
    def _nested_row_partitions(self) -> tuple[RowPartition, ...]:
        inner = self._values
        rest = inner._nested_row_partitions if isinstance(inner, RaggedTensor) else ()
        return (self._row_partition, *rest)

    @scoped("RaggedValueRowIds")
    def value_rowids(self, name: str | None = None) -> Any:
        """Return the row index of each value.

        Example:
            >>> tf.ragged.constant([[1, 2], [], [3]]).value_rowids().numpy()
            array([0, 0, 2])
        """
        return self._row_partition.value_rowids()

    @scoped("RaggedNestedValueRowIds")
    def nested_value_rowids(self, name: str | None = None) -> tuple[Any, ...]:
        """Return the row numbers of every level, the outermost first."""
        return tuple(level.value_rowids() for level in self._nested_row_partitions)

    @scoped("RaggedNRows")
    def nrows(self, out_type: Any = None, name: str | None = None) -> Any:
        """Return the number of rows.

        Args:
            out_type: The dtype of the number; that of the row splits by default.

        Example:
            >>> int(tf.ragged.constant([[1, 2], [], [3]]).nrows())
            3
        """
        rows = self._row_partition.nrows()
        return rows if out_type is None else sizes.as_dtype_of(rows, as_dtype(out_type))

    @scoped("RaggedRowStarts")
    def row_starts(self, name: str | None = None) -> Any:
        """Return the start index of each row."""
        return self._row_partition.row_starts()

    @scoped("RaggedRowLimits")
    def row_limits(self, name: str | None = None) -> Any:
        """Return the end index of each row."""
        return self._row_partition.row_limits()

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """Return the lengths of the rows along `axis`, one for each row.

        Args:
            axis: The axis; a ragged tensor is returned beyond the first ragged one.

        Example:
            >>> tf.ragged.constant([[1, 2], [], [3]]).row_lengths().numpy()
            array([2, 0, 1])
        """
        axis = positive_axis(axis, self.shape.rank)
        rows = self._row_partition
        if axis == 0:
            return rows.nrows()
        if axis == 1:
            return rows.row_lengths()
        inner = self._values
        if isinstance(inner, RaggedTensor):
            return self.with_values(inner.row_lengths(axis - 1))
        dims = shape(inner, out_type=rows.dtype)
        size = get_item(dims, axis - 1)
        return self.with_values(fill(get_item(dims, slice(None, axis - 1)), size))

    @scoped("RaggedNestedRowLengths")
    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """Return the lengths of the rows of every level, the outermost first."""
        return tuple(level.row_lengths() for level in self._nested_row_partitions)

    @scoped("RaggedBoundingBox")
    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> Any:
        """Return the tightest dense shape that holds all rows, or its size along `axis`.

        Args:
            axis: One axis, or several; all by default.
            out_type: The dtype of the result.

        Example:
            >>> tf.ragged.constant([[1, 2, 3], [4]]).bounding_shape().numpy()
            array([2, 3])
        """
        dtype = self._row_partition.dtype if out_type is None else as_dtype(out_type)
        sizes_of_axes = [self._row_partition.nrows()]
        for level in self._nested_row_partitions:
            lengths = concat_v2(
                [level.row_lengths(), sizes.vector(scalar(0, level.row_splits()))], scalar_int(0)
            )
            sizes_of_axes.append(max_(lengths, static_ints((0,))))
        outer = [sizes.vector(sizes.as_dtype_of(size, dtype)) for size in sizes_of_axes]
        inner = get_item(shape(self.flat_values, out_type=dtype), slice(1, None))
        bounds = concat_v2([*outer, inner], scalar_int(0))
        return bounds if axis is None else gather_v2(bounds, axis, scalar_int(0))

    # -- as something else -------------------------------------------------------------------

    def with_values(self, new_values: Any) -> RaggedTensor:
        """Return a ragged tensor with other values and the same row partition.

        Args:
            new_values: As many values, of any dtype and inner shape.

        Example:
            >>> tf.ragged.constant([[1, 2], [3]]).with_values(["a", "b", "c"])
            <tf.RaggedTensor [[b'a', b'b'], [b'c']]>
        """
        values = as_values(new_values)
        values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(values.shape[:1])
        if isinstance(values, RaggedTensor) and values._row_partition.dtype is not self._splits:
            raise ValueError(
                f"RaggedTensor.with_values: the row_splits of the new values have dtype "
                f"{values._row_partition.dtype!r}, not {self._splits!r}; use "
                f"with_row_splits_dtype() first."
            )
        return RaggedTensor(values, self._row_partition, internal=True)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """Return a ragged tensor with other innermost values and the same row partitions.

        Args:
            new_values: As many innermost values, of any dtype and inner shape.
        """
        inner = self._values
        if isinstance(inner, RaggedTensor):
            return self.with_values(inner.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """Return the ragged tensor with row partitions of another dtype.

        Args:
            dtype: int32 or int64.

        Raises:
            ValueError: If it is another dtype.
        """
        kind = as_dtype(dtype)
        if kind not in dtypes.INDEX:
            raise ValueError(f"row_splits are int32 or int64, received {dtype!r}.")
        if kind is self._splits:
            return self
        inner = self._values
        if isinstance(inner, RaggedTensor):
            inner = inner.with_row_splits_dtype(kind)
        return RaggedTensor(inner, self._row_partition.with_dtype(kind), internal=True)

    @property
    def _splits(self) -> DType:
        return self._row_partition.dtype

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Merge the axes from `outer_axis` to `inner_axis` into one.

        Args:
            outer_axis: The first axis to merge.
            inner_axis: The last axis to merge.

        Example:
            >>> tf.ragged.constant([[[1], [2, 3]], [[4]]]).merge_dims(1, 2)
            <tf.RaggedTensor [[1, 2, 3], [4]]>
        """
        outer = positive_axis(outer_axis, self.shape.rank, "outer_axis")
        inner = positive_axis(inner_axis, self.shape.rank, "inner_axis")
        if not outer <= inner:
            raise ValueError(
                f"merge_dims: outer_axis ({outer_axis}) must not lie behind inner_axis "
                f"({inner_axis})."
            )
        return merging.merge_dims(self, outer, inner)

    @scoped("RaggedToTensor")
    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Any:
        """Convert to a dense tensor, padded with `default_value` or cut to `shape`.

        Args:
            default_value: The value to pad with; 0, False or "" by default.
            shape: The shape of the result, None for the size that fits; by default the bounding
                shape.

        Example:
            >>> tf.ragged.constant([[1, 2], [3]]).to_tensor(default_value=-1).numpy()
            array([[ 1,  2],
                   [ 3, -1]], dtype=int32)
        """
        return dense.to_tensor(self, default_value, shape)

    @scoped("RaggedToSparse")
    def to_sparse(self, name: str | None = None) -> Any:
        """Convert to a sparse tensor."""
        return sparse.to_sparse(self)

    def consumers(self) -> list[Any]:
        """Return the operations that take one of the tensors that this one consists of."""
        if self._is_eager():
            return []
        parts = (self.flat_values, *self.nested_row_splits)
        return [operation for part in parts for operation in part.consumers()]

    def to_list(self) -> list[Any]:
        """Convert to nested Python lists.

        Example:
            >>> tf.ragged.constant([[1, 2], [3]]).to_list()
            [[1, 2], [3]]
        """
        self._require_values("to_list")
        return as_list(self)

    def numpy(self) -> Any:
        """Convert to an array of arrays; one array where all rows have one length."""
        self._require_values("numpy")
        return as_array(self)

    def _require_values(self, method: str) -> None:
        if not self._is_eager():
            raise ValueError(
                f"RaggedTensor.{method}() is only supported in eager mode; in a tf.function, "
                f"return the ragged tensor and call it outside."
            )

    def _is_eager(self) -> bool:
        parts = (self.flat_values, *self.nested_row_splits)
        return all(hasattr(part, "numpy") for part in parts)

    # -- with Python's syntax ----------------------------------------------------------------

    @scoped("RaggedGetItem")
    def __getitem__(self, key: Any) -> Any:
        return get_ragged_item(self, key)

    def __iter__(self) -> Iterator[Any]:
        rows = self._row_partition.static_nrows
        if rows is None or not self._is_eager():
            raise OperatorNotAllowedInGraphError(
                "Iterating over a symbolic `tf.RaggedTensor` is not allowed: its rows are only "
                "there when the graph runs. Use a `for` statement that AutoGraph can see, or "
                "tf.map_fn."
            )
        for index in range(rows):
            yield self[index]

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "The truth value of a RaggedTensor is ambiguous: reduce it first, tf.reduce_any(x) or "
            "tf.reduce_all(x)."
        )

    def __hash__(self) -> int:
        raise TypeError("RaggedTensor is unhashable.")

    def __repr__(self) -> str:
        if self._is_eager():
            return f"<tf.RaggedTensor {text_of(self.numpy())}>"
        return f"tf.RaggedTensor(values={self._values!s}, row_splits={self.row_splits!s})"

    # -- for ops and functions ---------------------------------------------------------------

    def _call_op(
        self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None
    ) -> Any:
        return call_implementation(op, inputs, attrs, name)

    def _map_values(self, fn: Callable[[Any], Any]) -> RaggedTensor:
        return self.with_flat_values(fn(self.flat_values))

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec.from_value(self)

    def _shape_invariant_to_type_spec(self, shape: Any) -> RaggedTensorSpec:
        """Return the spec of a loop variable with this initial value."""
        static_shape = as_shape(shape)
        if static_shape.rank is None:
            inner = self.flat_values.shape[1:]
            static_shape = TensorShape([None] * (self.ragged_rank + 1)).concatenate(inner)
        return RaggedTensorSpec(static_shape, self.dtype, self.ragged_rank, self._splits)

    def _with_shape(self, shape: TensorShape) -> RaggedTensor:
        """Return the ragged tensor with a more specific static shape."""
        if shape.rank is None:
            return self
        rows, inner = self._row_partition, self._values
        if shape[0] is not None and rows.static_nrows is None:
            rows.row_splits().set_shape([shape[0] + 1])
        if shape[1] is not None and not rows.is_uniform():
            rows = rows._with_length(shape[1])
        rest = TensorShape([rows.static_nvals]).concatenate(shape[2:])
        if isinstance(inner, RaggedTensor):
            inner = inner._with_shape(rest)
        else:
            inner.set_shape(rest)
        return RaggedTensor(inner, rows, internal=True)


class RaggedTensorSpec(TypeSpec):
    """The type spec of a ragged tensor: shape, dtype and ragged rank.

    Args:
        shape: The shape, None for ragged and unknown axes.
        dtype: The dtype of the values.
        ragged_rank: The number of ragged axes; by default all but the first axis.
        row_splits_dtype: int32 or int64.
        flat_values_spec: The spec of the innermost values, instead of `dtype`.

    Example:
        >>> tf.RaggedTensorSpec([2, None], tf.int32).ragged_rank
        1
    """

    __slots__ = ("_dtype", "_flat_values_spec", "_ragged_rank", "_row_splits_dtype", "_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = dtypes.int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        if flat_values_spec is not None:
            if dtype is None:
                dtype = flat_values_spec.dtype
            elif as_dtype(dtype) is not flat_values_spec.dtype:
                raise ValueError(
                    f"dtype ({dtype}) contradicts flat_values_spec, whose dtype is "
                    f"{flat_values_spec.dtype.name}."
                )
        elif dtype is None:
            raise ValueError(
                "RaggedTensorSpec needs dtype, flat_values_spec or both, received neither."
            )
        self._dtype = as_dtype(dtype)
        self._flat_values_spec = flat_values_spec
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError(
                    "RaggedTensorSpec needs ragged_rank unless the rank of `shape` is known."
                )
            ragged_rank = rank - 1
        if isinstance(ragged_rank, bool) or not isinstance(ragged_rank, int):
            raise TypeError(
                f"ragged_rank must be an int, received {ragged_rank!r} of type "
                f"{type(ragged_rank).__name__}."
            )
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"ragged_rank ({ragged_rank}) must be below the rank of the shape ({rank})."
            )
        self._ragged_rank = ragged_rank

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """Return the spec of a ragged tensor, or of a tensor as one without ragged axes.

        Args:
            value: The ragged tensor.
        """
        if not isinstance(value, RaggedTensor):
            tensor = dispatch.convert(value)
            return cls(tensor.shape, tensor.dtype, 0)
        return cls(value.shape, value.dtype, value.ragged_rank, value._splits)

    @property
    def value_type(self) -> type:
        return RaggedTensor if self._ragged_rank else Tensor

    @property
    def shape(self) -> TensorShape:
        return self._shape

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> Any:
        return self._flat_values_spec

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Return whether the value, or some value of the spec, fits; a tensor has no ragged axes.

        Args:
            spec_or_value: A spec or a value.
        """
        if not self._ragged_rank and isinstance(spec_or_value, (Tensor, TensorSpec)):
            return self._component_specs[0].is_compatible_with(spec_or_value)
        return super().is_compatible_with(spec_or_value)

    def _serialize(self) -> tuple[Any, ...]:
        listed = self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype
        return listed if self._flat_values_spec is None else (*listed, self._flat_values_spec)

    @property
    def _component_specs(self) -> tuple[Any, ...]:
        levels, static_shape = self._ragged_rank, self._shape
        values = self._flat_values_spec
        if values is None:
            inner = (
                TensorShape([None]).concatenate(static_shape[levels + 1 :])
                if levels
                else static_shape
            )
            values = TensorSpec(inner, self._dtype)
        rows = None if static_shape.rank is None else static_shape[0]
        counts = [None if rows is None else rows + 1, *[None] * (levels - 1)][:levels]
        return (values, *(TensorSpec([count], self._row_splits_dtype) for count in counts))

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        if not self._ragged_rank:
            return (value,)
        return (value.flat_values, *value.nested_row_splits)

    def _from_components(self, components: Any) -> Any:
        result, *splits = components
        for each in reversed(splits):
            result = _in_rows(result, RowPartition(each, internal=True))
        return result._with_shape(self._shape) if splits else result

    def _batch(self, batch_size: int | None) -> RaggedTensorSpec:
        """Return the spec of several such values along a new first axis."""
        static_shape = TensorShape([batch_size]).concatenate(self._shape)
        return RaggedTensorSpec(
            static_shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype
        )

    def _unbatch(self) -> RaggedTensorSpec:
        """Return the spec of one of the values along the first axis."""
        levels = max(0, self._ragged_rank - 1)
        return RaggedTensorSpec(self._shape[1:], self._dtype, levels, self._row_splits_dtype)


def _rebuilt(like: RaggedTensor, parts: Any) -> Any:
    """Return a ragged tensor with other components."""
    result, *splits = parts
    for each, level in zip(reversed(splits), reversed(like._nested_row_partitions)):
        rows, length = RowPartition(each, internal=True), level.static_uniform_row_length
        result = _in_rows(result, rows if length is None else rows._with_length(length))
    return result


def _in_rows(values: Any, rows: RowPartition) -> RaggedTensor:
    """Wrap `values` in rows known to hold all of them: compiled code needs their number."""
    if isinstance(values, RaggedTensor):
        total = values._row_partition.nrows()
    else:
        total = sizes.count(values, rows.dtype)
    return RaggedTensor(values, rows._of(total), internal=True)


nest.register_composite(
    RaggedTensor,
    lambda rows: (rows.flat_values, *rows.nested_row_splits),
    _rebuilt,
    lambda a, b: isinstance(b, RaggedTensor) and a.ragged_rank == b.ragged_rank,
)
describes_composites(RaggedTensorSpec)
