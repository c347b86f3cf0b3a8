"""Columns of embeddings: a vector for each category, learned, and combined for each row."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from tapeflow._src.api.feature_column.categorical import WeightedCategoricalColumn
from tapeflow._src.api.feature_column.column import (
    CategoricalColumn,
    DenseColumn,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
)
from tapeflow._src.api.feature_column.sequence import (
    is_sequence,
    require_no_sequence,
    require_sequence,
    sequence_length,
)
from tapeflow._src.api.feature_column.serialization import registered
from tapeflow._src.api.nn.embedding_sparse import (
    embedding_lookup_sparse,
    safe_embedding_lookup_sparse,
)
from tapeflow._src.compat.v1.initializers.classes import truncated_normal_initializer
from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.shape import TensorShape
from tapeflow._src.core.types import Identifier

_WEIGHTS = "embedding_weights"


@registered
class TruncatedNormal(truncated_normal_initializer):
    """Truncated normal initializer, the default of embeddings."""

    def get_config(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "stddev": self.stddev,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class _Embeds(DenseColumn, SequenceDenseColumn):
    """Base class of embedding columns."""

    categorical_column: CategoricalColumn
    combiner: str
    max_norm: float | None
    use_safe_embedding_lookup: bool

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return self.categorical_column.parse_example_spec

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        return transformation_cache.get(self.categorical_column, state_manager)

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        require_no_sequence(self)
        return self._combined(transformation_cache, state_manager)[0]

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any
    ) -> TensorSequenceLengthPair:
        require_sequence(self)
        vectors, ids = self._combined(transformation_cache, state_manager)
        return TensorSequenceLengthPair(vectors, sequence_length(ids))

    def _combined(self, transformation_cache: Any, state_manager: Any) -> tuple[Any, Any]:
        """Return the vectors of the categories, combined for each row or step,
        and the categories.
        """
        ids, weights = self.categorical_column.get_sparse_tensors(
            transformation_cache, state_manager
        )
        table = state_manager.get_variable(self, _WEIGHTS)
        lookup: Any = safe_embedding_lookup_sparse
        if not self.use_safe_embedding_lookup and ids.shape.rank in (1, 2):
            lookup = embedding_lookup_sparse
        vectors = lookup(table, ids, weights, combiner=self.combiner, max_norm=self.max_norm)
        return vectors, ids


@registered
@dataclass(frozen=True)
class EmbeddingColumn(_Embeds):
    """A vector for each category."""

    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool = True

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_embedding"

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def create_state(self, state_manager: Any) -> None:
        state_manager.create_variable(
            self,
            name=_WEIGHTS,
            shape=(self.categorical_column.num_buckets, self.dimension),
            dtype=float32,
            trainable=self.trainable,
            initializer=self.initializer,
        )
        if self.ckpt_to_load_from is not None:
            state_manager.restore_variable(
                self, _WEIGHTS, self.ckpt_to_load_from, self.tensor_name_in_ckpt
            )


@dataclass
class SharedEmbeddingColumnCreator:
    """The vectors that several columns share: the first layer that is built creates them."""

    name: str
    dimension: int
    initializer: Any
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    num_buckets: int
    trainable: bool
    variable: Any = field(default=None, repr=False)

    __hash__ = object.__hash__

    def create_for(self, column: Any, state_manager: Any) -> None:
        """Have a layer own the variable for one of the columns."""
        if self.variable is not None:
            state_manager.add_variable(column, self.variable, _WEIGHTS)
            return
        self.variable = state_manager.create_variable(
            column,
            name=_WEIGHTS,
            shape=(self.num_buckets, self.dimension),
            dtype=float32,
            trainable=self.trainable,
            initializer=self.initializer,
            variable_name=self.name,
        )
        if self.ckpt_to_load_from is not None:
            state_manager.restore_variable(
                column, _WEIGHTS, self.ckpt_to_load_from, self.tensor_name_in_ckpt
            )


@dataclass(frozen=True)
class SharedEmbeddingColumn(_Embeds):
    """A vector for each category, shared with other columns."""

    categorical_column: CategoricalColumn
    shared_embedding_column_creator: SharedEmbeddingColumnCreator
    combiner: str
    max_norm: float | None
    use_safe_embedding_lookup: bool = True

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.shared_embedding_column_creator.dimension])

    def create_state(self, state_manager: Any) -> None:
        self.shared_embedding_column_creator.create_for(self, state_manager)

    def get_config(self) -> dict[str, Any]:
        raise NotImplementedError(
            f"Column '{self.name}': shared embeddings have no config, so a layer with them cannot "
            f"be saved as a whole; save its weights."
        )


def embedding_column(
    categorical_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Identifier | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> EmbeddingColumn:
    """Return a learned vector for each category of a column.

    Args:
        categorical_column: The column of the categories.
        dimension: The length of a vector.
        combiner: How the vectors of several categories in one row are combined: "mean", "sqrtn" or
            "sum".
        initializer: A function of a shape and a dtype; by default, truncated normal values of
            deviation `1 / sqrt(dimension)`.
        ckpt_to_load_from: A checkpoint to take the vectors from.
        tensor_name_in_ckpt: The name of the variable in that checkpoint.
        max_norm: Vectors that are longer are scaled to this length.
        trainable: Whether the vectors are learned.
        use_safe_embedding_lookup: Whether rows may be empty; without it, ids must be valid.

    Returns:
        A column for `tf.keras.layers.DenseFeatures`.

    Example:
        >>> city = tf.feature_column.categorical_column_with_hash_bucket("city", 100)
        >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.embedding_column(city, 3)])
        >>> layer({"city": [["Oslo"], ["Rome"]]}).shape
        TensorShape([2, 3])
    """
    initializer = _checked(
        categorical_column, dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt
    )
    return EmbeddingColumn(
        categorical_column,
        dimension,
        combiner,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
        use_safe_embedding_lookup,
    )


def shared_embeddings(
    categorical_columns: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Identifier | None = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[SharedEmbeddingColumn]:
    """Return embeddings of several columns with the same categories, which share their vectors.

    Args:
        categorical_columns: The columns, of one kind and with the same number of categories.
        dimension: The length of a vector.
        combiner: How the vectors of several categories in one row are combined: "mean", "sqrtn" or
            "sum".
        initializer: A function of a shape and a dtype.
        shared_embedding_collection_name: The name of the variable.
        ckpt_to_load_from: A checkpoint to take the vectors from.
        tensor_name_in_ckpt: The name of the variable in that checkpoint.
        max_norm: Vectors that are longer are scaled to this length.
        trainable: Whether the vectors are learned.
        use_safe_embedding_lookup: Whether rows may be empty; without it, ids must be valid.

    Returns:
        A list with one column per categorical column.

    Example:
        >>> FC = tf.feature_column
        >>> ends = [FC.categorical_column_with_identity(key, 5) for key in ("start", "goal")]
        >>> layer = tf.keras.layers.DenseFeatures(FC.shared_embeddings(ends, 2))
        >>> layer({"start": [[1]], "goal": [[4]]}).shape, len(layer.weights)
        (TensorShape([1, 4]), 1)
    """
    columns = sorted(categorical_columns, key=lambda column: column.name)
    initializer = _checked(
        columns[0], dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt
    )
    _check_alike(columns)
    name = shared_embedding_collection_name
    name = name or "_".join(column.name for column in columns) + "_shared_embedding"
    creator = SharedEmbeddingColumnCreator(
        name,
        dimension,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        columns[0].num_buckets,
        trainable,
    )
    return [
        SharedEmbeddingColumn(column, creator, combiner, max_norm, use_safe_embedding_lookup)
        for column in categorical_columns
    ]


def _checked(column: Any, dimension: Any, initializer: Any, checkpoint: Any, tensor: Any) -> Any:
    """Check the arguments of embeddings, and return their initializer."""
    if not isinstance(column, CategoricalColumn):
        raise ValueError(f"Expected a categorical column. Received: {column!r}")
    if dimension is None or dimension < 1:
        raise ValueError(f"`dimension` must be 1 or more. Received: {dimension}")
    if (checkpoint is None) != (tensor is None):
        raise ValueError(
            f"Pass both of `ckpt_to_load_from` and `tensor_name_in_ckpt`, or none. Received: "
            f"{checkpoint!r} and {tensor!r}"
        )
    if initializer is None:
        return TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(dimension))
    if not callable(initializer):
        raise ValueError(
            f"The `initializer` of the embedding of '{column.name}' must be callable. Received: "
            f"{initializer!r}"
        )
    return initializer


def _check_alike(columns: list[Any]) -> None:
    """Raise a ValueError unless columns can share their vectors."""
    kinds = []
    for column in columns:
        while is_sequence(column) or isinstance(column, WeightedCategoricalColumn):
            column = column.categorical_column
        kinds.append((type(column).__name__, column.num_buckets))
    if len(set(kinds)) > 1:
        raise ValueError(
            f"Columns that share embeddings must be of one kind and have the same number of "
            f"buckets. Received: {dict(zip([column.name for column in columns], kinds))}"
        )
