"""`RowPartition`: which of a sequence of values belong to which row.

Rows follow one another without gaps. `row_splits`, where they begin and the last one ends, says it
all and always exists; further encodings (such as a uniform row length) are stored beside it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.composite.ragged import sizes
from tapeflow._src.composite.ragged.checks import (
    require,
    require_equal,
    require_not_negative,
    require_sorted,
)
from tapeflow._src.core import dispatch, dtypes, nest
from tapeflow._src.core.composite import Dispatchable
from tapeflow._src.core.dtypes import DType, as_dtype
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.spec import TensorSpec, TypeSpec
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.array.broadcasting import sum_
from tapeflow._src.ops.array.filling import ones_like, zeros_like
from tapeflow._src.ops.array.gather import gather_v2
from tapeflow._src.ops.array.joining import concat_v2
from tapeflow._src.ops.array.shape import scalar_int, static_ints
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.math.arithmetic import add_v2, floor_div, mul, sub
from tapeflow._src.ops.math.comparison import equal, less_equal
from tapeflow._src.ops.math.elementwise import scalar
from tapeflow._src.ops.math.extremes import maximum
from tapeflow._src.ops.math.segment_sum import unsorted_segment_sum

_INVALID = "Arguments to {} do not form a valid RaggedTensor: {}"


class RowPartition(Dispatchable):
    """The division of a sequence of values into rows.

    Created by one of the factory methods, e.g. `RowPartition.from_row_splits`.

    Args:
        row_splits: Where the rows begin, and the last one ends.
        row_lengths: The length of each row, if it is known.
        value_rowids: The row of each value, if it is known.
        nrows: The number of rows, if it is known.
        uniform_row_length: The length of every row, if it is one.
        nvals: The number of values, if it is known.
        internal: Must be True: users call the factory methods.

    Example:
        >>> tf.experimental.RowPartition.from_row_lengths([2, 0, 1]).row_splits().numpy()
        array([0, 2, 2, 3])
    """

    def __init__(
        self,
        row_splits: Any,
        row_lengths: Any = None,
        value_rowids: Any = None,
        nrows: Any = None,
        uniform_row_length: Any = None,
        nvals: Any = None,
        internal: bool = False,
    ) -> None:
        if not internal:
            raise ValueError(
                "RowPartition is not made by its constructor. Use one of the factory methods, "
                "e.g. RowPartition.from_row_lengths()."
            )
        self._row_splits = row_splits
        self._row_lengths = row_lengths
        self._value_rowids = value_rowids
        self._nrows = nrows
        self._uniform_row_length = uniform_row_length
        self._nvals = nvals

    # -- making ------------------------------------------------------------------------------

    @classmethod
    @scoped("RowPartitionFromRowSplits")
    def from_row_splits(
        cls, row_splits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Create a partition from row splits: row `i` is `[row_splits[i], row_splits[i + 1])`.

        Args:
            row_splits: Sorted integers beginning with 0.
            validate: Whether to check the arguments.
            dtype: int32 or int64.
            dtype_hint: The dtype to prefer.
        """
        must_be_bool(validate)
        splits = as_partition(row_splits, "row_splits", dtype, dtype_hint)
        splits.shape.assert_has_rank(1)
        if splits.shape[0] == 0:
            raise ValueError("row_splits tensor may not be empty.")
        if validate:
            text = _INVALID.format("from_row_splits", "row_splits must start with zero")
            require(equal(get_item(splits, 0), scalar(0, splits)), text, splits)
            require_sorted(
                splits, _INVALID.format("from_row_splits", "row_splits must be monotonic")
            )
        return cls(splits, internal=True)

    @classmethod
    @scoped("RowPartitionFromRowLengths")
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Create a partition from the lengths of rows.

        Args:
            row_lengths: Integers, one per row.
            validate: Whether to check the arguments.
            dtype: int32 or int64.
            dtype_hint: The dtype to prefer.
        """
        must_be_bool(validate)
        lengths = as_partition(row_lengths, "row_lengths", dtype, dtype_hint)
        lengths.shape.assert_has_rank(1)
        if validate:
            text = _INVALID.format("from_row_lengths", "row_lengths must not be negative")
            require_not_negative(lengths, text)
        return cls._of_lengths(lengths)

    @classmethod
    def _of_lengths(cls, lengths: Any) -> RowPartition:
        return cls(sizes.splits_of(lengths), row_lengths=lengths, internal=True)

    @classmethod
    @scoped("RowPartitionFromRowStarts")
    def from_row_starts(
        cls,
        row_starts: Any,
        nvals: Any,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """Create a partition from the start index of each row, of `nvals` values.

        Args:
            row_starts: Sorted integers beginning with 0.
            nvals: The number of values.
            validate: Whether to check the arguments.
            dtype: int32 or int64.
            dtype_hint: The dtype to prefer.
        """
        must_be_bool(validate)
        starts = as_partition(row_starts, "row_starts", dtype, dtype_hint)
        starts.shape.assert_has_rank(1)
        total = sizes.as_dtype_of(dispatch.convert(nvals, None, starts.dtype), starts.dtype)
        splits = concat_v2([starts, sizes.vector(total)], scalar_int(0))
        if validate:
            # Of no rows there is no first one: then the splits are the number of values alone.
            first = get_item(starts, slice(None, 1))
            text = _INVALID.format("from_row_starts", "row_starts must start with zero")
            require_equal(first, zeros_like(first), text)
            text = _INVALID.format("from_row_starts", "row_starts must be sorted, up to nvals")
            require_sorted(splits, text)
        return cls(splits, nvals=total, internal=True)

    @classmethod
    @scoped("RowPartitionFromRowLimits")
    def from_row_limits(
        cls, row_limits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> RowPartition:
        """Create a partition from the end index of each row.

        Args:
            row_limits: Sorted integers.
            validate: Whether to check the arguments.
            dtype: int32 or int64.
            dtype_hint: The dtype to prefer.
        """
        must_be_bool(validate)
        limits = as_partition(row_limits, "row_limits", dtype, dtype_hint)
        limits.shape.assert_has_rank(1)
        splits = concat_v2([sizes.vector(scalar(0, limits)), limits], scalar_int(0))
        if validate:
            text = _INVALID.format("from_row_limits", "row_limits must be sorted, from zero on")
            require_sorted(splits, text)
        return cls(splits, internal=True)

    @classmethod
    @scoped("RowPartitionFromValueRowIds")
    def from_value_rowids(
        cls,
        value_rowids: Any,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """Create a partition: value `i` belongs to row `value_rowids[i]`.

        Args:
            value_rowids: Sorted integers, one per value.
            nrows: Number of rows; by default the last id plus 1.
            validate: Whether to check the arguments.
            dtype: int32 or int64.
            dtype_hint: The dtype to prefer.
        """
        must_be_bool(validate)
        ids = as_partition(value_rowids, "value_rowids", dtype, dtype_hint)
        ids.shape.assert_has_rank(1)
        return cls._of_ids(ids, nrows, validate)

    @classmethod
    def _of_ids(cls, ids: Any, nrows: Any, validate: bool) -> RowPartition:
        if nrows is None:
            rows = _rows_needed(ids)
        else:
            rows = sizes.as_dtype_of(dispatch.convert(nrows, None, ids.dtype), ids.dtype)
            rows.shape.assert_has_rank(0)
            _check_static_nrows(rows, ids)
        if validate:
            text = _INVALID.format("from_value_rowids", "value_rowids must not be negative")
            require_not_negative(ids, text)
            text = _INVALID.format("from_value_rowids", "value_rowids must be sorted")
            require_sorted(ids, text)
            if nrows is not None:
                text = _INVALID.format("from_value_rowids", "value_rowids must be less than nrows")
                require(less_equal(_rows_needed(ids), rows), text, ids, rows)
        lengths = unsorted_segment_sum(ones_like(ids), ids, rows)
        splits = sizes.splits_of(lengths)
        return cls(splits, row_lengths=lengths, value_rowids=ids, nrows=rows, internal=True)

    @classmethod
    @scoped("RowPartitionFromUniformRowLength")
    def from_uniform_row_length(
        cls,
        uniform_row_length: Any,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> RowPartition:
        """Create a partition of uniform rows, of `nvals` values or `nrows` rows.

        Args:
            uniform_row_length: The length of every row.
            nvals: The number of values.
            nrows: The number of rows.
            validate: Whether to check the arguments.
            dtype: int32 or int64.
            dtype_hint: The dtype to prefer.
        """
        must_be_bool(validate)
        if nvals is None and nrows is None:
            raise ValueError(
                "from_uniform_row_length: pass nvals, nrows or both, received neither."
            )
        length, total, rows = _scalars(uniform_row_length, nvals, nrows, dtype, dtype_hint)
        if rows is None:
            # Rows of no values could be any number: then there are none.
            divisor = maximum(length, scalar(1, length))
            rows = floor_div(total, divisor)
            if length.static_value == 0:
                rows = scalar(0, length)
        if total is None:
            total = mul(rows, length)
        _check_static_lengths(length, total, rows)
        if validate:
            require_not_negative(length, "uniform_row_length must be >= 0")
            text = "uniform_row_length times nrows must equal nvals"
            require(equal(mul(rows, length), total), text, length, rows, total)
        return cls(
            sizes.even_splits(rows, length),
            nrows=rows,
            uniform_row_length=length,
            nvals=total,
            internal=True,
        )

    # -- what it says ------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The dtype of the numbers of rows and of values."""
        return self._row_splits.dtype

    def row_splits(self) -> Any:
        """Return where the rows begin, and the last one ends."""
        return self._row_splits

    def row_starts(self) -> Any:
        """Return the start index of each row."""
        return get_item(self._row_splits, slice(None, -1))

    def row_limits(self) -> Any:
        """Return the end index of each row."""
        return get_item(self._row_splits, slice(1, None))

    def row_lengths(self) -> Any:
        """Return the length of each row."""
        if self._row_lengths is not None:
            return self._row_lengths
        return sizes.lengths_of(self._row_splits)

    def value_rowids(self) -> Any:
        """Return the row index of each value."""
        if self._value_rowids is not None:
            return self._value_rowids
        if self._uniform_row_length is not None:
            return sizes.even_row_numbers(self._uniform_row_length, self.nvals())
        return sizes.row_numbers(self._row_splits, self.nvals())

    def nrows(self) -> Any:
        """Return the number of rows."""
        if self._nrows is not None:
            return self._nrows
        return sub(sizes.count(self._row_splits, self.dtype), scalar(1, self._row_splits))

    def nvals(self) -> Any:
        """Return the number of values."""
        if self._nvals is not None:
            return self._nvals
        if self._value_rowids is not None:
            return sizes.count(self._value_rowids, self.dtype)
        return get_item(self._row_splits, -1)

    def uniform_row_length(self) -> Any:
        """Return the length of every row, if it is known to be one; else None."""
        return self._uniform_row_length

    def offsets_in_rows(self) -> Any:
        """Return the position of each value in its row."""
        starts = gather_v2(self._row_splits, self.value_rowids(), scalar_int(0))
        return sub(sizes.numbers_below(self.nvals()), starts)

    def is_uniform(self) -> bool:
        """Whether every row is known to have the same length."""
        return self._uniform_row_length is not None

    @property
    def static_nrows(self) -> int | None:
        """The number of rows, if it is known without running anything."""
        splits = self._row_splits.shape[0] if self._row_splits.shape.rank else None
        if splits is not None:
            return splits - 1
        lengths = self._row_lengths
        if lengths is not None and lengths.shape[0] is not None:
            return lengths.shape[0]
        return _static_int(self._nrows)

    @property
    def static_nvals(self) -> int | None:
        """The number of values, if it is known without running anything."""
        static_nvals = _static_int(self._nvals)
        if static_nvals is None and self._value_rowids is not None:
            static_nvals = self._value_rowids.shape[0]
        rows, length = self.static_nrows, self.static_uniform_row_length
        if static_nvals is None and rows is not None and length is not None:
            static_nvals = rows * length
        return static_nvals

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of every row, if it is one and known without running anything."""
        return _static_int(self._uniform_row_length)

    def with_dtype(self, dtype: Any) -> RowPartition:
        """Return the partition with encodings of another dtype.

        Args:
            dtype: int32 or int64.
        """
        dtype = as_dtype(dtype)
        if dtype not in dtypes.INDEX:
            raise ValueError("dtype must be int32 or int64")
        if dtype is self.dtype:
            return self
        tensors = self._encodings()
        return self._with_encodings(**{n: sizes.as_dtype_of(t, dtype) for n, t in tensors.items()})

    def _encodings(self) -> dict[str, Any]:
        """Return all encodings of the rows, by constructor argument."""
        return {name[1:]: tensor for name, tensor in vars(self).items() if tensor is not None}

    def _with_encodings(self, **tensors: Any) -> RowPartition:
        """Return a copy with further known encodings."""
        return RowPartition(**{**self._encodings(), **tensors}, internal=True)

    # -- what else is known ------------------------------------------------------------------

    def _of(self, nvals: Any) -> RowPartition:
        """Return a copy that is known to hold `nvals` values."""
        if self._nvals is not None:
            return self
        return self._with_encodings(nvals=nvals)

    def _with_length(self, length: int) -> RowPartition:
        """Return a copy whose rows are known to have that length."""
        return self._with_encodings(uniform_row_length=dispatch.convert(length, self.dtype))

    def _same_as(self, other: RowPartition) -> bool:
        """Whether both are known to have the same rows, whatever their number of values."""
        if self is other or self._row_splits is other._row_splits:
            return True
        splits, other_splits = self._row_splits.static_value, other._row_splits.static_value
        if splits is not None and other_splits is not None:
            return np.array_equal(splits, other_splits)
        return False

    @property
    def _type_spec(self) -> RowPartitionSpec:
        return RowPartitionSpec(
            self.static_nrows, self.static_nvals, self.static_uniform_row_length, self.dtype
        )

    def __repr__(self) -> str:
        if self._uniform_row_length is not None:
            rows, length = (
                _static_or_tensor(self.nrows()),
                _static_or_tensor(self._uniform_row_length),
            )
            return f"tf.RowPartition(nrows={rows}, uniform_row_length={length})"
        return f"tf.RowPartition(row_splits={_static_or_tensor(self._row_splits)})"


class RowPartitionSpec(TypeSpec):
    """The type spec of a `RowPartition`."""

    __slots__ = ("_dtype", "_nrows", "_nvals", "_uniform_row_length")

    def __init__(
        self,
        nrows: int | None = None,
        nvals: int | None = None,
        uniform_row_length: int | None = None,
        dtype: Any = dtypes.int64,
    ) -> None:
        self._nrows = nrows
        self._nvals = nvals
        self._uniform_row_length = uniform_row_length
        self._dtype = as_dtype(dtype)

    @classmethod
    def from_value(cls, value: RowPartition) -> RowPartitionSpec:
        """Return the spec of a partition."""
        return value._type_spec

    @property
    def value_type(self) -> type:
        return RowPartition

    @property
    def nrows(self) -> int | None:
        return self._nrows

    @property
    def nvals(self) -> int | None:
        return self._nvals

    @property
    def uniform_row_length(self) -> int | None:
        return self._uniform_row_length

    @property
    def dtype(self) -> DType:
        return self._dtype

    def _serialize(self) -> tuple[Any, ...]:
        sizes_known = (self._nrows, self._nvals, self._uniform_row_length)
        return (*(TensorShape([size]) for size in sizes_known), self._dtype)

    @classmethod
    def _deserialize(cls, serialization: tuple[Any, ...]) -> RowPartitionSpec:
        rows, values, length, dtype = serialization
        return cls(rows[0], values[0], length[0], dtype)

    @property
    def _component_specs(self) -> TensorSpec:
        return TensorSpec([None if self._nrows is None else self._nrows + 1], self._dtype)

    def _to_components(self, value: RowPartition) -> Any:
        return value.row_splits()

    def _from_components(self, components: Any) -> RowPartition:
        return self._filled(RowPartition(components, internal=True))

    def _filled(self, partition: RowPartition) -> RowPartition:
        """Return `partition` with the static facts of this spec."""
        if self._uniform_row_length is not None:
            partition = partition._with_length(self._uniform_row_length)
        if self._nvals is not None:
            partition = partition._of(dispatch.convert(self._nvals, self._dtype))
        return partition

    def __repr__(self) -> str:
        return (
            f"RowPartitionSpec(nrows={self._nrows}, nvals={self._nvals}, "
            f"uniform_row_length={self._uniform_row_length}, dtype={self._dtype!r})"
        )


nest.register_composite(
    RowPartition,
    lambda partition: [partition.row_splits()],
    lambda partition, parts: partition._type_spec._from_components(parts[0]),
    lambda a, b: isinstance(b, RowPartition) and a.dtype is b.dtype,
)


def must_be_bool(validate: Any) -> None:
    """Raise TypeError unless the argument of that name is a boolean."""
    if not isinstance(validate, bool):
        raise TypeError(f"validate must be True or False (bool), received {validate!r}.")


def as_partition(value: Any, name: str, dtype: Any = None, hint: Any = None) -> Any:
    """Convert `value` to an int64 tensor, or int32 if it is one already."""
    if dtype is None and isinstance(value, np.ndarray) and value.dtype == np.int32:
        tensor = dispatch.convert(value, None, None, name)
    else:
        tensor = dispatch.convert(value, dtype, dtypes.int64 if hint is None else hint, name)
    if tensor.dtype not in dtypes.INDEX:
        raise ValueError(f"{name} must have dtype int32 or int64. Received: {tensor.dtype!r}")
    return tensor


def _scalars(length: Any, nvals: Any, nrows: Any, dtype: Any, hint: Any) -> tuple[Any, ...]:
    """Convert all to scalars of one dtype: that of the first tensor among them."""
    tensors = [value for value in (length, nvals, nrows) if isinstance(value, Tensor)]
    dtype = dtype or next((v.dtype for v in tensors if v.dtype in dtypes.INDEX), None)
    dtype = as_dtype(dtype or hint or dtypes.int64)
    if dtype not in dtypes.INDEX:
        raise ValueError(f"A RowPartition has dtype int32 or int64, received {dtype!r}.")
    scalars = []
    for value in (length, nvals, nrows):
        if value is not None:
            is_tensor = isinstance(value, Tensor)
            value = sizes.as_dtype_of(value, dtype) if is_tensor else dispatch.convert(value, dtype)
            value.shape.assert_has_rank(0)
        scalars.append(value)
    return tuple(scalars)


def _rows_needed(ids: Any) -> Any:
    """Compute the number of rows: one more than the last row index, 0 if there is none."""
    last = get_item(ids, slice(-1, None))
    return sum_(add_v2(last, ones_like(last)), static_ints((0,)))


def _check_static_nrows(rows: Any, ids: Any) -> None:
    """Raise ValueError if the static row count and row ids are inconsistent."""
    static_rows, numbers = _static_int(rows), ids.static_value
    if static_rows is None:
        return
    if static_rows < 0:
        raise ValueError(f"Expected nrows >= 0; got {static_rows}")
    if numbers is not None and numbers.size and static_rows < numbers[-1] + 1:
        raise ValueError(
            f"Expected nrows >= value_rowids[-1] + 1; got nrows={static_rows}, "
            f"value_rowids[-1]={numbers[-1]}"
        )


def _check_static_lengths(length: Any, nvals: Any, nrows: Any) -> None:
    """Raise ValueError if static numbers are inconsistent."""
    static_length = _static_int(length)
    if static_length is not None and static_length < 0:
        raise ValueError(f"uniform_row_length must be >= 0. Received: {static_length}")
    values, rows = _static_int(nvals), _static_int(nrows)
    if (
        static_length is not None
        and values is not None
        and rows is not None
        and static_length * rows != values
    ):
        raise ValueError(
            f"uniform_row_length={static_length} times nrows={rows} must equal nvals={values}"
        )


def _static_int(scalar_tensor: Any) -> int | None:
    value = None if scalar_tensor is None else scalar_tensor.static_value
    return None if value is None else int(value)


def _static_or_tensor(tensor: Any) -> Any:
    return tensor if tensor.static_value is None else tensor.static_value
