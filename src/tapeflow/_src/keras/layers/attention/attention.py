"""`Attention`: values averaged with weights that depend on queries and keys."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.attention.dot_product import causal_mask
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.random.seed_generator import SeedGenerator
from tapeflow.keras import random

_MODES = ("dot", "concat")


class Attention(Layer):
    """Dot-product attention over the second axis, as in Luong et al. (2015).

    The inputs are a list `[query, value]` or `[query, value, key]` of tensors of shape (batch,
    length, features); without `key`, `value` is used for it.

    Args:
        use_scale: Whether the scores are multiplied by a trainable scalar.
        score_mode: `"dot"` for dot products; `"concat"` for the sum of `tanh(query + key)` over
            the features, times a trainable scalar.
        dropout: The fraction of weights to drop while the layer is trained.
        seed: A seed for dropout.

    Example:

    >>> query, value = tf.ones((1, 2, 4)), tf.ones((1, 3, 4))
    >>> tf.keras.layers.Attention()([query, value]).shape
    TensorShape([1, 2, 4])

    Call arguments:
        inputs: List `[query, value]` or `[query, value, key]`; the query of shape (batch, target
            length, features), the others (batch, source length, features).
        mask: List with the mask of the query and of the value, each of shape (batch, length) or
            None. Masked values are not attended to; outputs of masked queries are zeros.
        training: Whether attention weights are dropped.
        return_attention_scores: Whether to return the weights, too.
        use_causal_mask: Whether a position attends only to itself and earlier ones.

    Raises:
        ValueError: `score_mode` is unknown, or the inputs are no list of two or three.
    """

    def __init__(
        self,
        use_scale: bool = False,
        score_mode: str = "dot",
        dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if score_mode not in _MODES:
            raise ValueError(
                f"{type(self).__name__}: `score_mode` must be 'dot' or 'concat'. Received: "
                f"score_mode={score_mode!r}"
            )
        self.use_scale = use_scale
        self.score_mode = score_mode
        self.dropout = dropout
        self.seed = seed
        if dropout > 0:
            self.seed_generator = SeedGenerator(seed)
        self.scale: Any = None
        self.concat_score_weight: Any = None

    def build(self, input_shape: Any) -> None:
        self._check_inputs(input_shape)
        if self.use_scale:
            self.scale = self.add_weight(name="scale", shape=(), initializer="ones")
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight(
                name="concat_score_weight", shape=(), initializer="ones"
            )

    def _check_inputs(self, inputs: Any, mask: Any = None) -> None:
        """Raise unless inputs and masks are lists of two or three."""
        kind = type(self).__name__
        if not isinstance(inputs, list) or not 2 <= len(inputs) <= 3:
            raise ValueError(
                f"{kind} '{self.name}' expected a list of inputs of length 2 or 3, such as `layer("
                f"[query, value])`, with the key as a third item. Received: {inputs}"
            )
        if mask is not None and (not isinstance(mask, list) or not 2 <= len(mask) <= 3):
            raise ValueError(
                f"{kind} '{self.name}': expected `mask` as a list with a mask or None for each "
                f"input, of length 2 or 3. Received: {mask}"
            )

    def _calculate_scores(self, query: TensorLike, key: Any) -> Any:
        """Return scores of shape (batch, target length, source length)."""
        if self.score_mode == "dot":
            scores = tf.matmul(query, key, transpose_b=True)
            return scores if self.scale is None else scores * self.scale.value()
        summed = tf.expand_dims(query, -2) + tf.expand_dims(key, -3)
        if self.scale is not None:
            summed = self.scale.value() * summed
        return self.concat_score_weight.value() * tf.reduce_sum(tf.tanh(summed), -1)

    def _apply_scores(
        self, scores: Any, value: Any, scores_mask: Any = None, training: Any = False
    ) -> tuple[Any, Any]:
        """Return the averages of `value` and the weights, the softmax of `scores`."""
        if scores_mask is not None:
            if len(scores_mask.shape) == 2:
                scores_mask = tf.expand_dims(scores_mask, -2)
            lowest = 65504.0 if scores.dtype is tf.float16 else 1.0e9
            scores = tf.where(scores_mask, scores, scores - lowest)
        weights = tf.nn.softmax(scores)
        if training and self.dropout > 0:
            weights = random.dropout(weights, self.dropout, seed=self.seed_generator)
        return tf.matmul(weights, value), weights

    def _calculate_score_mask(self, scores: TensorLike, v_mask: Any, use_causal_mask: bool) -> Any:
        """Return the mask of the scores: that of the value, the causal one, or both."""
        if not use_causal_mask:
            return v_mask
        sizes = tf.shape(scores)
        causal = causal_mask(sizes[-2], sizes[-1])[tf.newaxis]
        return causal if v_mask is None else tf.logical_and(tf.expand_dims(v_mask, -2), causal)

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = False,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        """Attend to the values.

        Args:
            inputs: List `[query, value]` or `[query, value, key]`; the query of shape (batch,
                target length, features), the others (batch, source length, features).
            mask: List with the mask of the query and of the value, each of shape (batch, length) or
                None. Masked values are not attended to; outputs of masked queries are zeros.
            training: Whether attention weights are dropped.
            return_attention_scores: Whether to return the weights, too.
            use_causal_mask: Whether a position attends only to itself and earlier ones.

        Returns:
            Outputs of shape (batch, target length, features of the value); with
            `return_attention_scores` also the weights, of shape (batch, target length, source
            length).
        """
        self._check_inputs(inputs, mask)
        query, value = inputs[:2]
        key = inputs[2] if len(inputs) > 2 else value
        q_mask, v_mask = (
            (None if each is None else tf.cast(each, tf.bool)) for each in (mask or [None] * 2)[:2]
        )
        scores = self._calculate_scores(query, key)
        scores_mask = self._calculate_score_mask(scores, v_mask, use_causal_mask)
        outputs, weights = self._apply_scores(scores, value, scores_mask, training)
        if q_mask is not None:
            outputs = tf.where(tf.expand_dims(q_mask, -1), outputs, tf.zeros_like(outputs))
        return (outputs, weights) if return_attention_scores else outputs

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        self._check_inputs(inputs, mask)
        if mask is None or mask[0] is None:
            return None
        return tf.convert_to_tensor(mask[0])

    def compute_output_shape(self, input_shape: Any) -> tuple[int | None, ...]:
        return (*input_shape[0][:-1], input_shape[1][-1])

    def compute_output_spec(
        self,
        inputs: Any,
        mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        """Infer the outputs of a call with KerasTensors.

        Args:
            inputs: List `[query, value]` or `[query, value, key]`; the query of shape (batch,
                target length, features), the others (batch, source length, features).
            mask: List with the mask of the query and of the value, each of shape (batch, length) or
                None. Masked values are not attended to; outputs of masked queries are zeros.
            training: Whether attention weights are dropped.
            return_attention_scores: Whether to return the weights, too.
            use_causal_mask: Whether a position attends only to itself and earlier ones.

        Returns:
            A KerasTensor, or with `return_attention_scores` two.
        """
        self._check_inputs(inputs, mask)
        shape = self.compute_output_shape([each.shape for each in inputs])
        outputs = KerasTensor(shape, dtype=self.compute_dtype)
        if not return_attention_scores:
            return outputs
        weights = (*inputs[0].shape[:-1], inputs[-1].shape[-2])
        return outputs, KerasTensor(weights, dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "use_scale": self.use_scale,
            "score_mode": self.score_mode,
            "dropout": self.dropout,
            "seed": self.seed,
        }


class AdditiveAttention(Attention):
    """Additive attention over the second axis, as in Bahdanau et al. (2014).

    The score of a query and a key is the sum of `scale * tanh(query + key)` over the features,
    with a trainable `scale`. Inputs are those of `Attention`.

    Args:
        use_scale: Whether there is a `scale`, a factor for each feature.
        dropout: The fraction of weights to drop while the layer is trained.

    Call arguments:
        As those of `Attention`.

    Example:
        >>> query, value = tf.ones((1, 2, 4)), tf.ones((1, 3, 4))
        >>> tf.keras.layers.AdditiveAttention()([query, value]).shape
        TensorShape([1, 2, 4])
    """

    def __init__(self, use_scale: bool = True, dropout: float = 0.0, **kwargs: Any) -> None:
        super().__init__(use_scale=use_scale, dropout=dropout, **kwargs)

    def build(self, input_shape: Any) -> None:
        self._check_inputs(input_shape)
        if self.use_scale:
            self.scale = self.add_weight(
                name="scale", shape=(input_shape[0][-1],), initializer="glorot_uniform"
            )

    def _calculate_scores(self, query: TensorLike, key: Any) -> Any:
        summed = tf.tanh(tf.expand_dims(query, -2) + tf.expand_dims(key, -3))
        if self.scale is not None:
            summed = self.scale.value() * summed
        return tf.reduce_sum(summed, -1)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["score_mode"]
        return config
