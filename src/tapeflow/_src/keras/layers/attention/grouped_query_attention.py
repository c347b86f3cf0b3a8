"""`GroupQueryAttention`: multi-head attention whose query heads share keys and values."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.activations.layers import Softmax
from tapeflow._src.keras.layers.attention.projections import ProjectedAttention, check_lengths_agree
from tapeflow._src.keras.layers.regularization.dropout import Dropout
from tapeflow._src.keras.layers.weight_arguments import set_weight_arguments, weight_config
from tapeflow._src.keras.utils.naming import auto_name


class GroupQueryAttention(ProjectedAttention):
    """Grouped-query attention (Ainslie et al., 2023): several query heads use one key head.

    With one head of keys and values it is multi-query attention; with as many as of queries it
    is multi-head attention. Inputs have the shape (batch, length, features).

    Args:
        head_dim: Number of features of each head.
        num_query_heads: Number of heads of the query.
        num_key_value_heads: That of key and value, which must divide the former.
        dropout: Fraction of attention weights to drop in training.
        use_bias: Whether the projections have biases.
        sliding_window: A position attends to those less than this far away; None for all.
        flash_attention: Whether to ask for a kernel without stored scores, which needs a GPU.
        kernel_initializer: Initializer of the kernels of all projections.
        bias_initializer: Initializer of their biases.
        kernel_regularizer: Penalty on the kernels.
        bias_regularizer: Penalty on the biases.
        activity_regularizer: Penalty on the outputs of the projections.
        kernel_constraint: Projection of the kernels after each optimizer step.
        bias_constraint: Projection of the biases after each optimizer step.
        use_gate: Whether outputs are multiplied by the sigmoid of a projection of the query.
        seed: Seed of dropout.

    Call arguments:
        query: Tensor of shape (batch, target length, features).
        value: Tensor of shape (batch, source length, features).
        key: Tensor of the length of `value`; `value` if None.
        query_mask: Boolean mask of the query, (batch, target length); taken from the tensor if
            None.
        value_mask: Boolean mask of the value, likewise.
        key_mask: Boolean mask of the key, likewise.
        attention_mask: Boolean mask of shape (batch, target length, source length).
        return_attention_scores: Whether to return the weights, too.
        training: Whether attention weights are dropped.
        use_causal_mask: Whether a position attends only to itself and earlier ones.

    Raises:
        ValueError: The heads of keys do not divide those of queries, `sliding_window` is not
            positive, or flash attention is combined with dropout.

    Example:
        >>> layer = tf.keras.layers.GroupQueryAttention(4, num_query_heads=4, num_key_value_heads=2)
        >>> x = tf.ones((1, 5, 8))
        >>> layer(x, x).shape
        TensorShape([1, 5, 8])
    """

    def __init__(
        self,
        head_dim: int,
        num_query_heads: int,
        num_key_value_heads: int,
        dropout: float = 0.0,
        use_bias: bool = True,
        sliding_window: int | None = None,
        flash_attention: bool | None = None,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        use_gate: bool = False,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        # The name that Keras numbers these layers under differs from the public one.
        name = kwargs.pop("name", None) or auto_name("GroupedQueryAttention")
        super().__init__(activity_regularizer=activity_regularizer, name=name, **kwargs)
        if num_query_heads % num_key_value_heads:
            raise ValueError(
                f"{type(self).__name__}: `num_query_heads` must be a multiple of "
                f"`num_key_value_heads`. Received: {num_query_heads} and {num_key_value_heads}"
            )
        self.head_dim = head_dim
        self.num_query_heads = num_query_heads
        self.num_key_value_heads = num_key_value_heads
        self.num_repeats = num_query_heads // num_key_value_heads
        self.dropout = dropout
        self.use_bias = use_bias
        self.use_gate = use_gate
        self.sliding_window = sliding_window
        self._scale = head_dim**-0.5
        self._return_attention_scores = False
        self._set_options(dropout, sliding_window, flash_attention, seed)
        set_weight_arguments(
            self, "kernel", kernel_initializer, kernel_regularizer, kernel_constraint
        )
        set_weight_arguments(self, "bias", bias_initializer, bias_regularizer, bias_constraint)

    def build(  # type: ignore[override]
        self, query_shape: Any, value_shape: Any, key_shape: Any = None
    ) -> None:
        """Create the projections of query, key, value and outputs.

        Args:
            query_shape: Shape of the query with the batch axis.
            value_shape: Shape of the value.
            key_shape: Shape of the key; that of the value if None.
        """
        key_shape = value_shape if key_shape is None else key_shape
        self.feature_dim = query_shape[-1]
        of_query = (self.num_query_heads, self.head_dim)
        of_key = (self.num_key_value_heads, self.head_dim)
        axes = "de" if self.use_bias else None
        equation = "abc,cde->abde"
        self._query_dense = self._project("query", equation, of_query, axes, query_shape)
        self._key_dense = self._project("key", equation, of_key, axes, key_shape)
        if self.use_gate:
            self._gate_dense = self._project(
                "gate", equation, of_query, axes, query_shape, activation="sigmoid"
            )
        self._value_dense = self._project("value", equation, of_key, axes, value_shape)
        self._softmax = Softmax(axis=-1, dtype=self._dtype_policy)
        self._dropout_layer = Dropout(self.dropout, dtype=self._dtype_policy, seed=self.seed)
        self._dot_product_equation = "bquh,bkuh->buqk"
        self._combine_equation = "buqk,bkuh->bquh"
        self._output_dense = self._project(
            "attention_output",
            "abcd,cde->abe",
            (self.feature_dim,),
            "e" if self.use_bias else None,
            (None, None, *of_query),
        )

    def _compute_attention(
        self,
        query: TensorLike,
        key: Any,
        value: Any,
        attention_mask: Any = None,
        training: Any = None,
        use_causal_mask: bool = False,
    ) -> tuple[Any, Any]:
        """Attend to projected values; subclasses may define another kind of attention."""
        return_scores = self._return_attention_scores
        return self._attend(
            query, key, value, attention_mask, training, return_scores, use_causal_mask
        )

    def _to_heads(self, query: TensorLike, key: Any, value: Any) -> tuple[Any, Any, Any]:
        query, key, value = super()._to_heads(query, key, value)
        repeats = self.num_repeats
        return query, tf.repeat(key, repeats, axis=2), tf.repeat(value, repeats, axis=2)

    def _heads_and_scores(
        self, heads: Any, mask: Any, training: Any, return_scores: bool, options: dict[str, Any]
    ) -> tuple[Any, Any]:
        object.__setattr__(self, "_return_attention_scores", return_scores)
        query, key, value = heads
        return self._compute_attention(
            query, key, value, attention_mask=mask, training=training, **options
        )

    def compute_output_shape(
        self, query_shape: Any, value_shape: Any, key_shape: Any = None
    ) -> tuple[int | None, ...]:
        """Return the shape of the outputs: that of the query.

        Args:
            query_shape: Shape of the query with the batch axis.
            value_shape: Shape of the value.
            key_shape: Shape of the key; that of the value if None.

        Raises:
            ValueError: Query and value differ in the number of features, or value and key in
                length.
        """
        if query_shape[-1] != value_shape[-1]:
            raise ValueError(
                f"{type(self).__name__} '{self.name}': `query` and `value` must have the same "
                f"number of features. Received the shapes {tuple(query_shape)} and "
                f"{tuple(value_shape)}."
            )
        check_lengths_agree(self, value_shape, value_shape if key_shape is None else key_shape)
        return tuple(query_shape)

    def _scores_shape(self, query_shape: Any, value_shape: Any) -> tuple[int | None, ...]:
        return (query_shape[0], self.num_query_heads, query_shape[1], value_shape[1])

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        penalty = config.pop("activity_regularizer", None)
        return {
            **config,
            "head_dim": self.head_dim,
            "num_query_heads": self.num_query_heads,
            "num_key_value_heads": self.num_key_value_heads,
            "use_bias": self.use_bias,
            "use_gate": self.use_gate,
            "dropout": self.dropout,
            "sliding_window": self.sliding_window,
            **weight_config(self, "kernel"),
            **weight_config(self, "bias"),
            "activity_regularizer": penalty,
            "seed": self.seed,
        }
