"""`ReversibleEmbedding`: an embedding that also maps vectors back to scores of the indices."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.keras.keras_tensor import KerasTensor
from tapeflow.keras.layers.core.embedding import Embedding
from tapeflow.keras.layers.masks import set_mask


class ReversibleEmbedding(Embedding):
    """Embeds indices, or with `reverse=True` projects vectors onto the vocabulary.

    Language models use one table for both, at their beginning and at their end.

    Args:
        input_dim: The number of indices.
        output_dim: The number of features of each.
        tie_weights: Whether both directions use the same table.
        reverse_dtype: The dtype in which scores are computed; None for that of the layer.
        logit_soft_cap: Scores are `cap * tanh(scores / cap)` if this is not None.

    Example:

    >>> layer = tf.keras.layers.ReversibleEmbedding(input_dim=10, output_dim=4)
    >>> vectors = layer(tf.constant([[1, 2]]))
    >>> layer(vectors, reverse=True).shape
    TensorShape([1, 2, 10])
    """

    tie_weights: bool
    embeddings_initializer: Any

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        tie_weights: bool = True,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        reverse_dtype: Any = None,
        logit_soft_cap: float | None = None,
        **kwargs: Any,
    ) -> None:
        # Before the layer is built, which given weights have done at once.
        object.__setattr__(self, "tie_weights", tie_weights)
        super().__init__(
            input_dim,
            output_dim,
            embeddings_initializer=embeddings_initializer,
            embeddings_regularizer=embeddings_regularizer,
            embeddings_constraint=embeddings_constraint,
            mask_zero=mask_zero,
            **kwargs,
        )
        self.reverse_dtype = reverse_dtype
        self.logit_soft_cap = logit_soft_cap

    def build(self, input_shape: Any = None) -> None:
        super().build(input_shape)
        if not self.tie_weights:
            self.reverse_embeddings = self.add_weight(
                name="reverse_embeddings",
                shape=(self.output_dim, self.input_dim),
                initializer=self.embeddings_initializer,
            )

    def call(self, inputs: Any, reverse: bool = False) -> Any:
        if not reverse:
            found = super().call(inputs)
            if self.mask_zero:
                set_mask(found, inputs != 0)
            return found
        tied = self.tie_weights
        kernel = tf.convert_to_tensor(self.embeddings if tied else self.reverse_embeddings)
        dtype = self.reverse_dtype or self.compute_dtype
        scores = tf.matmul(tf.cast(inputs, dtype), tf.cast(kernel, dtype), transpose_b=tied)
        if self.logit_soft_cap is None:
            return scores
        return tf.tanh(scores / self.logit_soft_cap) * self.logit_soft_cap

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None

    def compute_output_shape(
        self, input_shape: Any, reverse: bool = False
    ) -> tuple[int | None, ...]:
        if reverse:
            return (*input_shape[:-1], self.input_dim)
        return (*input_shape, self.output_dim)

    def compute_output_spec(self, inputs: Any, reverse: bool = False) -> Any:
        shape = self.compute_output_shape(inputs.shape, reverse)
        return KerasTensor(shape, dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "tie_weights": self.tie_weights,
            "reverse_dtype": self.reverse_dtype,
            "logit_soft_cap": self.logit_soft_cap,
        }
