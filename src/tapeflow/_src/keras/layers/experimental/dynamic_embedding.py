"""`DynamicEmbedding`: embeddings whose vocabulary follows the data, as in Keras 2."""

from __future__ import annotations

import os
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.core.embedding import Embedding
from tapeflow._src.keras.layers.experimental.dynamic_lookup import (
    DynamicLookup,
    terms_of,
    top_terms,
)
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.utils.embeddings import warmstart_embedding_matrix


class DynamicEmbedding(Layer):
    """Embeds terms; `update_embeddings` replaces those that are hardly used by frequent ones.

    Args:
        input_dim: the number of terms.
        output_dim: the size of an embedding.
        initial_vocabulary: as for `DynamicLookup`.
        eviction_policy: "LFU".
        input_length: the length of sequences; not needed.
        embedding_initializer: for the embeddings of new terms.
        num_oov_indices: rows for what is not in the vocabulary; 1.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        initial_vocabulary: Any,
        eviction_policy: str = "LFU",
        input_length: int | None = None,
        embedding_initializer: Any = "uniform",
        num_oov_indices: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.input_length = input_length
        self.embedding_initializer = embedding_initializer
        self.num_oov_indices = num_oov_indices
        self.embedding_layer = Embedding(
            input_dim + num_oov_indices, output_dim, embeddings_initializer=embedding_initializer
        )
        self.dynamic_lookup_layer = DynamicLookup(input_dim, initial_vocabulary, eviction_policy)

    @property
    def input_dtype(self) -> str:
        """That of the terms."""
        return self.dynamic_lookup_layer.input_dtype

    def build(self, input_shape: Any = None) -> None:
        self.dynamic_lookup_layer.build(input_shape)
        self.dynamic_lookup_layer.built = True
        self.embedding_layer.build(input_shape)

    def call(self, inputs: Any, learn_vocab: bool = True) -> Any:
        return self.embedding_layer(self.dynamic_lookup_layer(inputs, learn_vocab=learn_vocab))

    def get_vocabulary(self) -> Any:
        """The variable with the terms."""
        return self.dynamic_lookup_layer.get_vocabulary()

    def aggregate_lookup_table(self, keys_list: Any, values_list: Any) -> tuple[Any, Any]:
        """Return the terms of several tables, each once, and the sums of their counts."""
        keys, positions = tf.unique(tf.reshape(keys_list, [-1]))
        counts = tf.reshape(values_list, [-1])
        return keys, tf.math.unsorted_segment_sum(counts, positions, tf.size(keys))

    def get_top_vocabulary(self, keys: Any, values: TensorLike, k: int) -> Any:
        """Return the `k` keys with the highest values."""
        return top_terms(tf.convert_to_tensor(keys), values, k)

    def update_embeddings(self, strategy: Any = None) -> None:
        """Take the most frequent terms as the vocabulary; known ones keep their embeddings."""
        lookup, embedding = self.dynamic_lookup_layer, self.embedding_layer
        new = lookup.get_top_vocabulary(lookup.vocabulary_size)
        # The rows of what is not in the vocabulary have no term that could be known.
        nothing = [f"[UNK]{n}" if new.dtype == tf.string else -1 - n for n in self._oov]
        matrix = warmstart_embedding_matrix(
            lookup.vocabulary.numpy().tolist(),
            [*new.numpy().tolist(), *nothing],
            embedding.embeddings,
            self.embedding_initializer,
        )
        lookup.vocabulary.assign(new)
        embedding.embeddings.assign(matrix)

    @property
    def _oov(self) -> range:
        return range(self.num_oov_indices)

    def get_config(self) -> dict[str, Any]:
        lookup = self.dynamic_lookup_layer
        return {
            **super().get_config(),
            "input_dim": lookup.vocabulary_size,
            "output_dim": self.embedding_layer.output_dim,
            "input_length": self.input_length,
            "eviction_policy": lookup.eviction_policy,
            "initial_vocabulary": terms_of(lookup.initial_vocabulary),
            "embedding_initializer": self.embedding_initializer,
            "num_oov_indices": self.num_oov_indices,
        }

    def save_assets(self, dir_path: Any) -> None:
        path = os.path.join(os.fspath(dir_path), "initial_vocabulary.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(map(str, terms_of(self.dynamic_lookup_layer.initial_vocabulary))))
