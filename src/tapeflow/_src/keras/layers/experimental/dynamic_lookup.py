"""`DynamicLookup`: a vocabulary that is learned from what the layer is called with (Keras 2)."""

from __future__ import annotations

import os
import random
import string
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike
from tapeflow._src.keras.layers.layer import Layer


class DynamicLookup(Layer):
    """Returns the index of each input in a vocabulary, and counts the inputs.

    Terms that are not in the vocabulary have the index `vocabulary_size`. The counts do not change
    the vocabulary by themselves: `DynamicEmbedding.update_embeddings` does.

    Args:
        vocabulary_size: the number of terms.
        initial_vocabulary: a tensor of the terms at the beginning, or `tf.string`, `tf.int32` or
            `tf.int64` for random ones.
        eviction_policy: "LFU": if there are too many, the least frequent terms are not counted
            any more.
    """

    def __init__(
        self,
        vocabulary_size: int,
        initial_vocabulary: Any,
        eviction_policy: str = "LFU",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if eviction_policy != "LFU":
            raise ValueError(
                f"`eviction_policy` must be 'LFU'. Received: eviction_policy={eviction_policy!r}"
            )
        self.vocabulary_size = vocabulary_size
        self.eviction_policy = eviction_policy
        if isinstance(initial_vocabulary, (list, tuple, np.ndarray)):
            initial_vocabulary = tf.constant(initial_vocabulary)
        elif not tf.is_tensor(initial_vocabulary):
            initial_vocabulary = _random_terms(vocabulary_size, initial_vocabulary)
        self.initial_vocabulary = initial_vocabulary
        self.vocabulary_dtype = initial_vocabulary.dtype
        self._padding = "unk" if self.vocabulary_dtype == tf.string else -1
        # There is room for a fifth more than the vocabulary has.
        self.internal_table_size = int(vocabulary_size * 1.2)
        zeros = tf.zeros_like(initial_vocabulary, dtype=tf.int32)
        self.vocabulary_table_keys = tf.Variable(
            self._padded(initial_vocabulary, self._padding),
            trainable=False,
            name="vocabulary_table_keys",
        )
        self.vocabulary_table_values = tf.Variable(
            self._padded(zeros, -1), trainable=False, name="vocabulary_table_values"
        )

    def _padded(self, values: Any, padding: Any) -> Any:
        missing = tf.maximum(self.internal_table_size - tf.shape(values)[0], 0)
        values = tf.concat([values, tf.fill([missing], tf.constant(padding, values.dtype))], 0)
        return tf.ensure_shape(values[: self.internal_table_size], [self.internal_table_size])

    @property
    def input_dtype(self) -> str:
        """That of the terms."""
        return self.vocabulary_dtype.name

    def build(self, input_shape: Any = None) -> None:
        self.vocabulary = tf.Variable(self.initial_vocabulary, trainable=False, name="vocabulary")

    def call(self, inputs: Any, learn_vocab: bool = True) -> Any:
        flat = tf.reshape(inputs, [-1])
        if learn_vocab:
            self.update_internal_vocabulary(tf.unique(flat)[0])
        matches = tf.cast(flat[:, None] == self.vocabulary[None, :], tf.int32)
        in_vocabulary = tf.reduce_any(matches > 0, axis=1)
        missing = tf.cast(self.vocabulary_size, tf.int64)
        indices = tf.where(in_vocabulary, tf.argmax(matches, axis=1), missing)
        return tf.reshape(indices, tf.shape(inputs))

    def compute_output_spec(self, inputs: Any, learn_vocab: bool = True) -> Any:
        return tf.keras.KerasTensor(inputs.shape, "int64")

    def update_internal_vocabulary(self, unique: Any) -> Any:
        """Count terms, each once; the least frequent ones make place for new ones."""
        used = self.vocabulary_table_values >= 0
        keys = tf.boolean_mask(self.vocabulary_table_keys, used)
        counts = tf.boolean_mask(self.vocabulary_table_values, used)
        new = tf.sets.difference(unique[None], keys[None]).values
        excess = tf.maximum(tf.shape(keys)[0] + tf.shape(new)[0] - self.internal_table_size, 0)
        rank = tf.argsort(tf.argsort(counts, stable=True), stable=True)
        keys, counts = (tf.boolean_mask(each, rank >= excess) for each in (keys, counts))
        seen = tf.reduce_any(keys[:, None] == unique[None, :], axis=1)
        counts = tf.concat([counts + tf.cast(seen, tf.int32), tf.ones_like(new, tf.int32)], 0)
        self.vocabulary_table_keys.assign(self._padded(tf.concat([keys, new], 0), self._padding))
        self.vocabulary_table_values.assign(self._padded(counts, -1))
        return unique

    def get_top_vocabulary(self, k: int) -> Any:
        """The `k` terms that were counted most."""
        return top_terms(self.vocabulary_table_keys, self.vocabulary_table_values, k)

    def get_vocabulary(self) -> Any:
        """The variable with the terms."""
        return self.vocabulary

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "vocabulary_size": self.vocabulary_size,
            "initial_vocabulary": terms_of(self.initial_vocabulary),
            "eviction_policy": self.eviction_policy,
        }

    def save_assets(self, dir_path: Any) -> None:
        path = os.path.join(os.fspath(dir_path), "vocabulary.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(map(str, terms_of(self.vocabulary))))


def top_terms(keys: Any, counts: Any, k: int) -> Any:
    """The `k` keys with the highest counts."""
    return tf.gather(keys, tf.math.top_k(counts, k=min(k, keys.shape[0])).indices)


def terms_of(vocabulary: Any) -> list[Any]:
    """The terms of a tensor as Python values that JSON has."""
    values = vocabulary.numpy().tolist()
    return [each.decode() if isinstance(each, bytes) else each for each in values]


def _random_terms(count: int, dtype: DTypeLike) -> Any:
    if dtype not in (tf.string, tf.int32, tf.int64):
        raise ValueError(
            f"`initial_vocabulary` must be a tensor of terms, or tf.string, tf.int32 or tf.int64 "
            f"for random ones. Received: {dtype!r}"
        )
    if dtype == tf.string:
        return tf.constant(
            ["".join(random.choices(string.ascii_letters, k=10)) for _ in range(count)]
        )
    return tf.random.uniform([count], 0, count, dtype=dtype)
