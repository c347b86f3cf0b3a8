"""Feature descriptions for `tf.io.parse_example` and related functions."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from tapeflow._src.core import dtypes
from tapeflow._src.core.dtypes import as_dtype
from tapeflow._src.core.types import DTypeLike


class FixedLenFeature(NamedTuple):
    """A feature of fixed `shape`, parsed to a dense tensor; required unless it has a default.

    Args:
        shape: The shape of the feature, such as `[]` for a scalar.
        dtype: `tf.float32`, `tf.int64` or `tf.string`.
        default_value: The value of examples without the feature.

    Example:
        >>> tf.io.FixedLenFeature([2], tf.float32, default_value=[0.0, 0.0]).shape
        [2]
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature with any number of values, parsed to a sparse tensor.

    Args:
        dtype: `tf.float32`, `tf.int64` or `tf.string`.

    Example:
        >>> tf.io.VarLenFeature(tf.string)
        VarLenFeature(dtype=tf.string)
    """

    dtype: Any


class FixedLenSequenceFeature(NamedTuple):
    """A feature with any number of rows of fixed shape, parsed to a padded dense tensor.

    Args:
        shape: The shape of a row.
        dtype: `tf.float32`, `tf.int64` or `tf.string`.
        allow_missing: Whether examples may lack the feature; needed by `tf.io.parse_example`.
        default_value: The value to pad with.

    Example:
        >>> tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True).dtype
        tf.int64
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """A sparse tensor whose indices and values are separate features.

    Args:
        index_key: The feature of the indices, or one for each axis.
        value_key: The feature of the values.
        dtype: The dtype of the values.
        size: The size, or sizes, of the indexed axes.
        already_sorted: Whether the indices are in row-major order.

    Example:
        >>> feature = tf.io.SparseFeature("where", "what", tf.float32, size=10)
        >>> feature.index_key, feature.value_key
        ('where', 'what')
    """

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class _RowSplits(NamedTuple):
    """The row splits."""

    key: str


class _RowLengths(NamedTuple):
    """The lengths of rows."""

    key: str


class _RowStarts(NamedTuple):
    """The index at which each row begins."""

    key: str


class _RowLimits(NamedTuple):
    """The index at which each row ends."""

    key: str


class _ValueRowIds(NamedTuple):
    """The row of each value."""

    key: str


class _UniformRowLength(NamedTuple):
    """One length of all rows."""

    length: int


_PARTITIONS = (_RowSplits, _RowLengths, _RowStarts, _RowLimits, _ValueRowIds, _UniformRowLength)


class _RaggedFields(NamedTuple):
    dtype: Any
    value_key: str | None
    partitions: tuple[Any, ...]
    row_splits_dtype: Any
    validate: bool


class RaggedFeature(_RaggedFields):
    """A feature with any number of values, parsed to a ragged tensor.

    Args:
        dtype: The dtype of the values.
        value_key: The feature of the values; by default the key of the result.
        partitions: Features that partition the values into rows, the outermost first.
        row_splits_dtype: int32 or int64.
        validate: Whether to check the partitions.

    Raises:
        ValueError: If a key or dtype is wrong.
        TypeError: If something else than partitions is listed.

    Example:
        >>> sizes = tf.io.RaggedFeature.RowLengths("sizes")
        >>> tf.io.RaggedFeature(tf.int64, partitions=[sizes]).dtype
        tf.int64
    """

    __slots__ = ()

    RowSplits = _RowSplits
    RowLengths = _RowLengths
    RowStarts = _RowStarts
    RowLimits = _RowLimits
    ValueRowIds = _ValueRowIds
    UniformRowLength = _UniformRowLength

    def __new__(  # type: ignore[misc]
        cls,
        dtype: DTypeLike,
        value_key: str | None = None,
        partitions: Any = (),
        row_splits_dtype: Any = dtypes.int32,
        validate: bool = False,
    ) -> Self:
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(
                f"RaggedFeature: `value_key` must be None or a string. Received: {value_key!r}"
            )
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(
                f"RaggedFeature: `partitions` must be several in a list. Received: {partitions!r}"
            )
        for partition in partitions:
            if not isinstance(partition, _PARTITIONS):
                raise TypeError(
                    f"RaggedFeature: each of `partitions` must be a partition, such as "
                    f"tf.io.RaggedFeature.RowLengths('key'). Received: {partition!r}"
                )
        splits = as_dtype(row_splits_dtype)
        if splits not in (dtypes.int32, dtypes.int64):
            raise ValueError(
                f"RaggedFeature: `row_splits_dtype` must be either tf.int32 or tf.int64. "
                f"Received: {row_splits_dtype!r}"
            )
        if not isinstance(validate, bool):
            raise TypeError(
                f"RaggedFeature: `validate` must be True or False. Received: {validate!r}"
            )
        return super().__new__(cls, as_dtype(dtype), value_key, tuple(partitions), splits, validate)
