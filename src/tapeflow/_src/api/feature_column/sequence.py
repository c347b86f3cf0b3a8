"""Columns of sequences: several categories or numbers one after the other in each row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tapeflow._src.api import arrays
from tapeflow._src.api.feature_column.categorical import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
)
from tapeflow._src.api.feature_column.column import (
    CategoricalColumn,
    IdWeightPair,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
)
from tapeflow._src.api.feature_column.numeric import check_function, check_number, check_shape
from tapeflow._src.api.feature_column.serialization import registered
from tapeflow._src.api.feature_column.vocabulary import (
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)
from tapeflow._src.api.io.features import VarLenFeature
from tapeflow._src.api.math.casting import cast
from tapeflow._src.api.math.reduction import reduce_prod
from tapeflow._src.api.math.segment import unsorted_segment_max
from tapeflow._src.api.sparse.functions import to_dense
from tapeflow._src.api.sparse.layout import reshape as sparse_reshape
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core.dtypes import DType, float32, int64, string
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import ShapeLike


def sequence_length(sequences: SparseTensor, num_elements: int = 1) -> Any:
    """Return how many steps each row of a sparse tensor has, of `num_elements` columns each."""
    rows, columns = sequences.indices[:, 0], sequences.indices[:, 1]
    count = cast(sequences.dense_shape[0], "int32")
    # A row without elements has the length 0.
    ends = unsorted_segment_max(columns + 1, rows, count)
    lengths = arrays.where(ends < 0, arrays.zeros_like(ends), ends)
    return cast((lengths + (num_elements - 1)) // num_elements, int64)


@registered
@dataclass(frozen=True)
class SequenceCategoricalColumn(CategoricalColumn):
    """The categories of a column, of which the second axis is that of time."""

    categorical_column: CategoricalColumn

    @property
    def name(self) -> str:
        return self.categorical_column.name

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return self.categorical_column.parse_example_spec

    @property
    def num_buckets(self) -> int:
        return self.categorical_column.num_buckets

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        return self.categorical_column.transform_feature(transformation_cache, state_manager)

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        ids, weights = self.categorical_column.get_sparse_tensors(
            transformation_cache, state_manager
        )
        # Rows, steps, and the categories of one step.
        shape = ids.dense_shape
        inner = reduce_prod(shape[2:], keepdims=True)
        target = arrays.concat([shape[:2], arrays.reshape(inner, [1])], 0)
        ids = sparse_reshape(ids, target)
        return IdWeightPair(ids, None if weights is None else sparse_reshape(weights, target))


def is_sequence(column: Any) -> bool:
    """Whether a column of categories has an axis of time."""
    return isinstance(column, SequenceCategoricalColumn)


def require_no_sequence(column: Any) -> None:
    """Raise a ValueError for a column that `DenseFeatures` cannot evaluate."""
    if is_sequence(column.categorical_column):
        raise ValueError(
            f"DenseFeatures cannot take the sequences of column '{column.name}'. Use "
            f"`tf.keras.experimental.SequenceFeatures`, or a `categorical_column_with_*` that is "
            f"no sequence. Received: {column.categorical_column}"
        )


def require_sequence(column: Any) -> None:
    """Raise a ValueError for a column that `SequenceFeatures` cannot evaluate."""
    if not is_sequence(column.categorical_column):
        raise ValueError(
            f"SequenceFeatures expected sequences, but column '{column.name}' has none. Use one of "
            f"`sequence_categorical_column_with_*`. Received: {column.categorical_column}"
        )


@registered
@dataclass(frozen=True)
class SequenceNumericColumn(SequenceDenseColumn):
    """Sequences of numbers, `shape` of them in each step."""

    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: DType
    normalizer_fn: Callable[[Any], Any] | None

    @property
    def name(self) -> str:
        return self.key

    @property
    def parents(self) -> list[Any]:
        return [self.key]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape(self.shape)

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        values = transformation_cache.get(self.key, state_manager)
        return values if self.normalizer_fn is None else self.normalizer_fn(values)

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any
    ) -> TensorSequenceLengthPair:
        values = transformation_cache.get(self, state_manager)
        padded = to_dense(values, self.default_value)
        shape = arrays.concat([arrays.shape(padded)[:1], [-1], list(self.shape)], 0)
        elements = self.variable_shape.num_elements() if values.shape.rank == 2 else 1
        lengths = sequence_length(values, elements or 1)
        return TensorSequenceLengthPair(arrays.reshape(padded, shape), lengths)


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> SequenceCategoricalColumn:
    """Return a column of sequences of integers; see `categorical_column_with_identity`.

    Args:
        key: The name of the feature, sparse or dense.
        num_buckets: The number of categories.
        default_value: What integers outside the range become; None leaves them as they are.

    Returns:
        A categorical column of sequences, for `tf.keras.experimental.SequenceFeatures`.

    Example:
        >>> word = tf.feature_column.sequence_categorical_column_with_identity("word", 4)
        >>> columns = [tf.feature_column.indicator_column(word)]
        >>> layer = tf.keras.experimental.SequenceFeatures(columns)
        >>> values, lengths = layer({"word": tf.sparse.from_dense([[1, 2], [3, 0]])})
        >>> values.shape, lengths.numpy()
        (TensorShape([2, 2, 4]), array([2, 1]))
    """
    return SequenceCategoricalColumn(
        categorical_column_with_identity(key, num_buckets, default_value)
    )


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DType = string
) -> SequenceCategoricalColumn:
    """Return a column of sequences of hashed categories; see `categorical_column_with_hash_bucket`.

    Args:
        key: The name of the feature, sparse or dense.
        hash_bucket_size: The number of buckets.
        dtype: That of the feature: strings or integers.

    Returns:
        A categorical column of sequences, for `tf.keras.experimental.SequenceFeatures`.

    Example:
        >>> fc = tf.feature_column
        >>> fc.sequence_categorical_column_with_hash_bucket("words", 100).name
        'words'
    """
    return SequenceCategoricalColumn(
        categorical_column_with_hash_bucket(key, hash_bucket_size, dtype)
    )


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DType = string,
) -> SequenceCategoricalColumn:
    """Return a column of sequences of terms of a file.

    Args:
        key: The name of the feature, sparse or dense.
        vocabulary_file: The path of the file, with one term in each line.
        vocabulary_size: How many terms to read; all of the file by default.
        num_oov_buckets: How many further ids there are for other terms.
        default_value: The id of other terms; None leaves them out.
        dtype: That of the feature: strings or integers.

    Returns:
        A categorical column of sequences, for `tf.keras.experimental.SequenceFeatures`.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_file(
            key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
        )
    )


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Any,
    dtype: DType | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> SequenceCategoricalColumn:
    """Return a column of sequences of terms of a list.

    Args:
        key: The name of the feature, sparse or dense.
        vocabulary_list: The terms, strings or integers, each once.
        dtype: The dtype of the feature, that of the terms by default.
        default_value: The id of other terms; -1 leaves them out.
        num_oov_buckets: How many further ids there are for other terms.

    Returns:
        A categorical column of sequences, for `tf.keras.experimental.SequenceFeatures`.

    Example:
        >>> fc = tf.feature_column
        >>> fc.sequence_categorical_column_with_vocabulary_list("words", ["a", "b"]).name
        'words'
    """
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_list(
            key, vocabulary_list, dtype, default_value, num_oov_buckets
        )
    )


def sequence_numeric_column(
    key: str,
    shape: ShapeLike = (1,),
    default_value: float = 0.0,
    dtype: DType = float32,
    normalizer_fn: Callable[[Any], Any] | None = None,
) -> SequenceNumericColumn:
    """Return a column of sequences of numbers of a sparse feature.

    Args:
        key: The name of the feature.
        shape: The shape of one step.
        default_value: What shorter sequences are padded with.
        dtype: The dtype of the feature.
        normalizer_fn: A function of the sparse tensor that is applied first.

    Returns:
        A column for `tf.keras.experimental.SequenceFeatures`.

    Example:
        >>> tf.feature_column.sequence_numeric_column("temperature", shape=(2,)).shape
        (2,)
    """
    shape = check_shape(shape, key)
    check_number(dtype, key)
    check_function(normalizer_fn)
    return SequenceNumericColumn(key, shape, default_value, dtype, normalizer_fn)
