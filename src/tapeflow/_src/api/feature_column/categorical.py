"""Columns of categories without a vocabulary: by hash, by number, and with weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tapeflow._src.api import arrays
from tapeflow._src.api.feature_column.column import (
    CategoricalColumn,
    IdWeightPair,
    as_sparse,
    require_categories,
    require_key,
)
from tapeflow._src.api.feature_column.numeric import check_number
from tapeflow._src.api.feature_column.serialization import registered
from tapeflow._src.api.io.features import VarLenFeature
from tapeflow._src.api.math.casting import cast
from tapeflow._src.api.math.comparison import greater_equal, less, logical_or
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core.dtypes import DType, float32, int64, string
from tapeflow.strings import as_string, to_hash_bucket_fast


@dataclass(frozen=True)
class KeyedColumn(CategoricalColumn):
    """A column of the categories of one feature."""

    key: str

    @property
    def name(self) -> str:
        return self.key

    @property
    def parents(self) -> list[Any]:
        return [self.key]

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        return self._ids(
            as_sparse(transformation_cache.get(self.key, state_manager)), state_manager
        )

    def _ids(self, categories: SparseTensor, state_manager: Any) -> SparseTensor:
        """Return the ids of categories."""
        raise NotImplementedError(f"{type(self).__name__} must define `_ids`.")


def check_same_kind(key: str, expected: DType, received: DType) -> None:
    """Raise a ValueError unless a column and its feature are both of strings or of integers."""
    require_categories(received, f"The feature of column '{key}'")
    if expected.is_integer != received.is_integer:
        raise ValueError(
            f"Column '{key}' expected a feature of dtype {expected.name}. Received one of dtype "
            f"{received.name}: pass the `dtype` that the feature has."
        )


@registered
@dataclass(frozen=True)
class HashedCategoricalColumn(KeyedColumn):
    """Categories by their fingerprints."""

    hash_bucket_size: int
    dtype: DType

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size

    def _ids(self, categories: SparseTensor, state_manager: Any) -> SparseTensor:
        check_same_kind(self.key, self.dtype, categories.dtype)
        texts = categories.values if self.dtype == string else as_string(categories.values)
        buckets = to_hash_bucket_fast(texts, self.hash_bucket_size)
        return SparseTensor(categories.indices, buckets, categories.dense_shape)


@registered
@dataclass(frozen=True)
class IdentityCategoricalColumn(KeyedColumn):
    """Categories that are numbers already."""

    number_buckets: int
    default_value: int | None

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(int64)}

    @property
    def num_buckets(self) -> int:
        return self.number_buckets

    def _ids(self, categories: SparseTensor, state_manager: Any) -> SparseTensor:
        if not categories.dtype.is_integer:
            raise ValueError(
                f"categorical_column_with_identity('{self.key}') expected a feature of integers. "
                f"Received the dtype {categories.dtype.name}"
            )
        ids = cast(categories.values, int64)
        if self.default_value is not None:
            outside = logical_or(less(ids, 0), greater_equal(ids, self.number_buckets))
            default = arrays.constant(self.default_value, int64)
            ids = arrays.where(outside, default, ids)
        return SparseTensor(categories.indices, ids, categories.dense_shape)


@registered
@dataclass(frozen=True)
class WeightedCategoricalColumn(CategoricalColumn):
    """The categories of a column, with weights of another feature."""

    categorical_column: CategoricalColumn
    weight_feature_key: str
    dtype: DType

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column, self.weight_feature_key]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        spec = dict(self.categorical_column.parse_example_spec)
        if self.weight_feature_key in spec:
            raise ValueError(
                f"The feature '{self.weight_feature_key}' cannot be both the categories and the "
                f"weights of a weighted_categorical_column."
            )
        return {**spec, self.weight_feature_key: VarLenFeature(self.dtype)}

    @property
    def num_buckets(self) -> int:
        return self.categorical_column.num_buckets

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        weights = transformation_cache.get(self.weight_feature_key, state_manager)
        if weights.dtype != self.dtype:
            raise ValueError(
                f"The weights '{self.weight_feature_key}' must be of dtype {self.dtype.name}. "
                f"Received: {weights.dtype.name}"
            )
        weights = as_sparse(weights, 0)
        if not weights.dtype.is_floating:
            values = cast(weights.values, float32)
            weights = SparseTensor(weights.indices, values, weights.dense_shape)
        return transformation_cache.get(self.categorical_column, state_manager), weights

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        return IdWeightPair(*transformation_cache.get(self, state_manager))


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DType = string
) -> HashedCategoricalColumn:
    """Return a categorical column whose ids are hash buckets of the values.

    Args:
        key: The name of the feature; "" and -1 are missing values.
        hash_bucket_size: The number of buckets.
        dtype: That of the feature: strings or integers.

    Returns:
        A categorical column, for `indicator_column`, `embedding_column` and crosses.

    Example:
        >>> city = tf.feature_column.categorical_column_with_hash_bucket("city", 4)
        >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(city)])
        >>> layer({"city": [["Oslo"], ["Rome"]]}).shape
        TensorShape([2, 4])
    """
    if hash_bucket_size is None or hash_bucket_size < 1:
        raise ValueError(
            f"Column '{key}': `hash_bucket_size` must be 1 or more. Received: {hash_bucket_size}"
        )
    require_key(key)
    require_categories(dtype, f"Column '{key}'")
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """Return a categorical column whose values are the ids, in `[0, num_buckets)`.

    Args:
        key: The name of the feature; -1 is a missing value.
        num_buckets: The number of categories.
        default_value: What integers outside the range become; None leaves them as they are.

    Returns:
        A categorical column, for `indicator_column`, `embedding_column` and crosses.

    Example:
        >>> day = tf.feature_column.categorical_column_with_identity("day", 3, default_value=0)
        >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(day)])
        >>> layer({"day": [[2], [9]]}).numpy()
        array([[0., 0., 1.],
               [1., 0., 0.]], dtype=float32)
    """
    if num_buckets < 1:
        raise ValueError(
            f"Column '{key}': `num_buckets` must be 1 or more. Received: {num_buckets}"
        )
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(
            f"Column '{key}': `default_value` must be one of the {num_buckets} categories. "
            f"Received: {default_value}"
        )
    require_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


def weighted_categorical_column(
    categorical_column: Any, weight_feature_key: str, dtype: DType = float32
) -> WeightedCategoricalColumn:
    """Return a categorical column whose values are weighted by another feature.

    Args:
        categorical_column: The column of the categories.
        weight_feature_key: The name of the feature of the weights, of the shape of the categories.
        dtype: The dtype of the weights, which are used as float32.

    Returns:
        A categorical column, for `indicator_column`, `embedding_column` and crosses.

    Example:
        >>> words = tf.feature_column.categorical_column_with_identity("words", 4)
        >>> tf.feature_column.weighted_categorical_column(words, "frequencies").name
        'words_weighted_by_frequencies'
    """
    check_number(dtype, weight_feature_key)
    if not isinstance(categorical_column, CategoricalColumn):
        raise ValueError(f"Expected a categorical column. Received: {categorical_column!r}")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)
