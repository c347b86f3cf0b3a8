"""Columns of combinations of categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tapeflow._src.api.feature_column.categorical import HashedCategoricalColumn
from tapeflow._src.api.feature_column.column import CategoricalColumn
from tapeflow._src.api.feature_column.serialization import registered
from tapeflow._src.api.io.features import VarLenFeature
from tapeflow._src.api.sparse.counting import cross_hashed
from tapeflow._src.core.dtypes import string


@registered
@dataclass(frozen=True)
class CrossedColumn(CategoricalColumn):
    """All combinations of the categories of columns and features, by their hash."""

    keys: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: int | None

    @property
    def _leaves(self) -> list[Any]:
        """Return the columns and keys that are combined: crosses of crosses are flattened."""
        leaves: list[Any] = []
        for key in self.keys:
            leaves += key._leaves if isinstance(key, CrossedColumn) else [key]
        return leaves

    @property
    def name(self) -> str:
        return "_X_".join(
            sorted(leaf if isinstance(leaf, str) else leaf.name for leaf in self._leaves)
        )

    @property
    def parents(self) -> list[Any]:
        return list(self.keys)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = {}
        for key in self.keys:
            spec |= {key: VarLenFeature(string)} if isinstance(key, str) else key.parse_example_spec
        return spec

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        features = []
        for leaf in self._leaves:
            if isinstance(leaf, str):
                features.append(transformation_cache.get(leaf, state_manager))
                continue
            ids, weights = leaf.get_sparse_tensors(transformation_cache, state_manager)
            if weights is not None:
                raise ValueError(
                    f"crossed_column cannot combine categories with weights. Received the column "
                    f"{leaf.name}"
                )
            features.append(ids)
        return cross_hashed(features, self.hash_bucket_size, self.hash_key)


def crossed_column(keys: Any, hash_bucket_size: int, hash_key: int | None = None) -> CrossedColumn:
    """Return a categorical column of hashed combinations of columns and features.

    Args:
        keys: Two or more categorical columns, bucketized columns, or names of features.
        hash_bucket_size: The number of buckets that combinations are spread over.
        hash_key: A key of the hash function.

    Returns:
        A categorical column, for `indicator_column`, `embedding_column` and crosses.

    Example:
        >>> cross = tf.feature_column.crossed_column(["city", "day"], 10)
        >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(cross)])
        >>> layer({"city": [["Oslo"]], "day": [["Monday"]]}).shape
        TensorShape([1, 10])
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(
            f"crossed_column: `hash_bucket_size` must be 1 or more. Received: {hash_bucket_size}"
        )
    if not keys or len(keys) < 2:
        raise ValueError(f"crossed_column: `keys` must be two columns or more. Received: {keys}")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError(
                f"crossed_column: expected names of features and categorical columns. Received: "
                f"{key!r}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                f"crossed_column: a column that is hashed already would collide more often: pass "
                f"the name of the feature, '{key.key}', instead of {key}."
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
