"""The ways to make a ragged tensor: from values and anything that says how they make up rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from tapeflow._src.composite.ragged import dense, sizes, sparse
from tapeflow._src.composite.ragged.checks import require
from tapeflow._src.composite.ragged.kinds import Ragged, as_values, is_ragged
from tapeflow._src.composite.ragged.row_partition import RowPartition, must_be_bool
from tapeflow._src.core import dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.ops.math.comparison import equal


class FromParts(Ragged):
    """The factory methods of `RaggedTensor`."""

    @classmethod
    def _from_row_partition(
        cls, values: Any, row_partition: RowPartition, validate: bool = True
    ) -> Self:
        """Create a ragged tensor from a row partition of as many values."""
        if not isinstance(row_partition, RowPartition):
            raise TypeError(f"row_partition must be a RowPartition, received {row_partition!r}.")
        must_be_bool(validate)
        values = as_values(values)
        values.shape.with_rank_at_least(1)
        if is_ragged(values) and values._row_partition.dtype is not row_partition.dtype:
            raise ValueError(
                f"`values` has row_splits of dtype {values._row_partition.dtype.name}, the "
                f"partition {row_partition.dtype.name}: convert one of them with "
                ".with_row_splits_dtype."
            )
        ids = row_partition._value_rowids
        if ids is not None and values.shape.rank is not None:
            values.shape[:1].assert_is_compatible_with(ids.shape)
        total = _count(values, row_partition.dtype)
        if validate:
            text = (
                "Arguments do not form a valid RaggedTensor: the rows must hold as many values "
                "as there are"
            )
            nvals = row_partition.nvals()
            require(equal(nvals, total), text, nvals, total)
        return cls(values, row_partition._of(total), internal=True)  # type: ignore[call-arg]

    @classmethod
    @scoped("RaggedFromValueRowIds")
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Self:
        """Create a ragged tensor: value `i` belongs to row `value_rowids[i]`.

        Args:
            values: Tensor or ragged tensor of the values of all rows.
            value_rowids: Sorted integers, one per value.
            nrows: Number of rows; by default, the last id plus 1.
            validate: Whether to check the arguments.

        Example:
            >>> tf.RaggedTensor.from_value_rowids([3, 1, 4], value_rowids=[0, 0, 2])
            <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        dtype = _splits_dtype(values)
        rows = RowPartition.from_value_rowids(value_rowids, nrows, validate, dtype_hint=dtype)
        return cls._from_row_partition(values, rows, validate)

    @classmethod
    @scoped("RaggedFromRowSplits")
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Create a ragged tensor: row `i` is `values[row_splits[i]:row_splits[i + 1]]`.

        Args:
            values: Tensor or ragged tensor of the values of all rows.
            row_splits: Sorted integers, from 0 to the number of values.
            validate: Whether to check the arguments.

        Raises:
            ValueError: If there are no splits.
            tf.errors.InvalidArgumentError: If they do not fit the values.

        Example:
            >>> tf.RaggedTensor.from_row_splits([3, 1, 4], row_splits=[0, 2, 2, 3])
            <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        dtype = _splits_dtype(values)
        rows = RowPartition.from_row_splits(row_splits, validate, dtype_hint=dtype)
        return cls._from_row_partition(values, rows, validate)

    @classmethod
    @scoped("RaggedFromRowLengths")
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Create a ragged tensor from the lengths of its rows.

        Args:
            values: Tensor or ragged tensor of the values of all rows.
            row_lengths: Integers, one per row, whose sum is the number of values.
            validate: Whether to check the arguments.

        Example:
            >>> tf.RaggedTensor.from_row_lengths([3, 1, 4], row_lengths=[2, 0, 1])
            <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        dtype = _splits_dtype(values)
        rows = RowPartition.from_row_lengths(row_lengths, validate, dtype_hint=dtype)
        return cls._from_row_partition(values, rows, validate)

    @classmethod
    @scoped("RaggedFromRowStarts")
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Create a ragged tensor from the start index of each row.

        Args:
            values: Tensor or ragged tensor of the values of all rows.
            row_starts: Sorted integers, one per row, beginning with 0.
            validate: Whether to check the arguments.

        Example:
            >>> tf.RaggedTensor.from_row_starts([3, 1, 4], row_starts=[0, 2, 2])
            <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        values = as_values(values)
        total = _count(values, dtypes.int64)
        dtype = _splits_dtype(values)
        rows = RowPartition.from_row_starts(row_starts, total, validate, dtype_hint=dtype)
        return cls._from_row_partition(values, rows, validate)

    @classmethod
    @scoped("RaggedFromRowLimits")
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> Self:
        """Create a ragged tensor from the end index of each row.

        Args:
            values: Tensor or ragged tensor of the values of all rows.
            row_limits: Sorted integers, one per row, ending with the number of values.
            validate: Whether to check the arguments.

        Example:
            >>> tf.RaggedTensor.from_row_limits([3, 1, 4], row_limits=[2, 2, 3])
            <tf.RaggedTensor [[3, 1], [], [4]]>
        """
        dtype = _splits_dtype(values)
        rows = RowPartition.from_row_limits(row_limits, validate, dtype_hint=dtype)
        return cls._from_row_partition(values, rows, validate)

    @classmethod
    @scoped("RaggedFromUniformRowLength")
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Self:
        """Create a ragged tensor with rows of one length.

        Args:
            values: Tensor or ragged tensor of the values of all rows.
            uniform_row_length: The length of every row.
            nrows: The number of rows; required if the length is 0.
            validate: Whether to check the arguments.

        Example:
            >>> tf.RaggedTensor.from_uniform_row_length([3, 1, 4, 1], 2)
            <tf.RaggedTensor [[3, 1],
             [4, 1]]>
        """
        values = as_values(values)
        dtype = _splits_dtype(values)
        total = _count(values, dtype or dtypes.int64)
        is_tensor = isinstance(uniform_row_length, Tensor)
        dtype = dtype or (uniform_row_length.dtype if is_tensor else dtypes.int64)
        rows = RowPartition.from_uniform_row_length(
            uniform_row_length, sizes.as_dtype_of(total, dtype), nrows, validate, dtype
        )
        return cls._from_row_partition(values, rows, validate)

    # -- several levels ----------------------------------------------------------------------

    @classmethod
    @scoped("RaggedFromNestedRowSplits")
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Create a ragged tensor from nested row splits, the outermost first.

        Args:
            flat_values: Tensor of the innermost values.
            nested_row_splits: List of row splits, one per ragged axis.
            validate: Whether to check the arguments.

        Raises:
            TypeError: If there is no list.

        Example:
            >>> tf.RaggedTensor.from_nested_row_splits([3, 1, 4], [[0, 1, 2], [0, 2, 3]])
            <tf.RaggedTensor [[[3, 1]],
             [[4]]]>
        """
        _must_be_list("nested_row_splits", nested_row_splits)
        result = flat_values
        for splits in reversed(nested_row_splits):
            result = cls.from_row_splits(result, splits, validate=validate)
        return result

    @classmethod
    @scoped("RaggedFromNestedRowlengths")
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Create a ragged tensor from nested row lengths, the outermost first.

        Args:
            flat_values: Tensor of the innermost values.
            nested_row_lengths: List of row lengths, one per ragged axis.
            validate: Whether to check the arguments.

        Raises:
            TypeError: If there is no list.

        Example:
            >>> tf.RaggedTensor.from_nested_row_lengths([3, 1, 4], [[1, 1], [2, 1]])
            <tf.RaggedTensor [[[3, 1]],
             [[4]]]>
        """
        _must_be_list("nested_row_lengths", nested_row_lengths)
        result = flat_values
        for lengths in reversed(nested_row_lengths):
            result = cls.from_row_lengths(result, lengths, validate=validate)
        return result

    @classmethod
    @scoped("RaggedFromNestedValueRowIds")
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Create a ragged tensor from nested row ids, the outermost first.

        Args:
            flat_values: Tensor of the innermost values.
            nested_value_rowids: List of row ids, one tensor per ragged axis.
            nested_nrows: List of the number of rows of each axis; by default the last id plus 1.
            validate: Whether to check the arguments.

        Raises:
            TypeError: If there is no list.
            ValueError: If the lists have different lengths.

        Example:
            >>> tf.RaggedTensor.from_nested_value_rowids([3, 1, 4], [[0, 1], [0, 0, 1]])
            <tf.RaggedTensor [[[3, 1]],
             [[4]]]>
        """
        _must_be_list("nested_value_rowids", nested_value_rowids)
        if nested_nrows is None:
            nested_nrows = [None] * len(nested_value_rowids)
        _must_be_list("nested_nrows", nested_nrows)
        if len(nested_nrows) != len(nested_value_rowids):
            raise ValueError(
                "nested_nrows must list one number per entry of nested_value_rowids, received "
                f"{len(nested_nrows)} and {len(nested_value_rowids)}."
            )
        result = flat_values
        for ids, rows in zip(reversed(nested_value_rowids), reversed(nested_nrows)):
            result = cls.from_value_rowids(result, ids, rows, validate=validate)
        return result

    # -- from other kinds of tensors ---------------------------------------------------------

    @classmethod
    @scoped("RaggedFromTensor")
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = dtypes.int64,
    ) -> Any:
        """Create a ragged tensor from a dense one, without trailing `padding` or cut to `lengths`.

        Args:
            tensor: The dense tensor.
            lengths: The lengths of the rows, or a tuple of them for each ragged axis.
            padding: A value whose repetition at the end of a row is removed.
            ragged_rank: The number of ragged axes.
            name: Name of the op in a graph.
            row_splits_dtype: int32 or int64.

        Example:
            >>> tf.RaggedTensor.from_tensor([[5, 7, 0], [6, 0, 0]], padding=0)
            <tf.RaggedTensor [[5, 7], [6]]>
        """
        return dense.from_tensor(cls, tensor, lengths, padding, ragged_rank, row_splits_dtype)

    @classmethod
    @scoped("RaggedFromSparse")
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = dtypes.int64
    ) -> Any:
        """Create a ragged tensor from a sparse matrix whose rows have no gaps.

        Args:
            st_input: A `tf.SparseTensor` of rank 2.
            row_splits_dtype: int32 or int64.

        Example:
            >>> sparse = tf.sparse.from_dense([[1, 2], [3, 0]])
            >>> tf.RaggedTensor.from_sparse(sparse)
            <tf.RaggedTensor [[1, 2], [3]]>
        """
        return sparse.from_sparse(cls, st_input, row_splits_dtype)


def _splits_dtype(values: Any) -> Any:
    return values._row_partition.dtype if is_ragged(values) else None


def _count(values: Any, dtype: Any) -> Any:
    """Return the size of the first axis."""
    if is_ragged(values):
        return sizes.as_dtype_of(values._row_partition.nrows(), dtype)
    return sizes.count(values, dtype)


def _must_be_list(name: str, value: Any) -> None:
    if isinstance(value, Tensor) or not isinstance(value, Sequence):
        raise TypeError(
            f"`{name}` must be a list of tensors, one per ragged dimension; received {value!r}."
        )
