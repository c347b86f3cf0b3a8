"""Columns of counts of categories: one-hot, or multi-hot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tapeflow._src.api import arrays
from tapeflow._src.api.feature_column.column import (
    CategoricalColumn,
    DenseColumn,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
)
from tapeflow._src.api.feature_column.sequence import (
    require_no_sequence,
    require_sequence,
    sequence_length,
)
from tapeflow._src.api.feature_column.serialization import registered
from tapeflow._src.api.math.casting import cast
from tapeflow._src.api.math.comparison import greater_equal, less, logical_and
from tapeflow._src.core.dtypes import int64
from tapeflow._src.core.shape import TensorShape


@registered
@dataclass(frozen=True)
class IndicatorColumn(DenseColumn, SequenceDenseColumn):
    """How often each category occurs in a row, or the sum of its weights."""

    categorical_column: CategoricalColumn

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_indicator"

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([1, self.categorical_column.num_buckets])

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        ids, weights = self.categorical_column.get_sparse_tensors(
            transformation_cache, state_manager
        )
        size = self.categorical_column.num_buckets
        categories = cast(ids.values, int64)
        in_vocabulary = logical_and(greater_equal(categories, 0), less(categories, size))
        # Out-of-vocabulary values count beyond the last one and are dropped: static shapes.
        categories = arrays.where(in_vocabulary, categories, arrays.constant(size, int64))
        counts = arrays.ones_like(categories, "float32") if weights is None else weights.values
        indices = arrays.concat([ids.indices[:, :-1], categories[:, None]], 1)
        shape = arrays.concat([ids.dense_shape[:-1], [size + 1]], 0)
        return arrays.scatter_nd(indices, counts, shape)[..., :-1]

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        require_no_sequence(self)
        return transformation_cache.get(self, state_manager)

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any
    ) -> TensorSequenceLengthPair:
        require_sequence(self)
        ids = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        counts = transformation_cache.get(self, state_manager)
        return TensorSequenceLengthPair(counts, sequence_length(ids.id_tensor))


def indicator_column(categorical_column: Any) -> IndicatorColumn:
    """Return a multi-hot column: the number of occurrences of each category in a row.

    Args:
        categorical_column: The column of the categories.

    Returns:
        A column for `tf.keras.layers.DenseFeatures`.

    Example:
        >>> day = tf.feature_column.categorical_column_with_identity("day", 3)
        >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(day)])
        >>> layer({"day": [[2, 2], [0, 1]]}).numpy()
        array([[0., 0., 2.],
               [1., 1., 0.]], dtype=float32)
    """
    if not isinstance(categorical_column, CategoricalColumn):
        raise ValueError(
            f"indicator_column: expected a categorical column. Received: {categorical_column!r}"
        )
    return IndicatorColumn(categorical_column)
