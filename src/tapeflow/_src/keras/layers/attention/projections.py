"""Base class of multi-head attention: projections, masks, and attention itself."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import ShapeLike, TensorLike
from tapeflow._src.keras import config
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.layers.attention.dot_product import (
    both,
    causal_mask,
    dot_product_attention,
    promoted,
    sliding_window_mask,
    with_heads,
)
from tapeflow._src.keras.layers.core.einsum_dense import EinsumDense
from tapeflow._src.keras.layers.layer import Layer
from tapeflow._src.keras.layers.masks import get_mask, set_mask
from tapeflow.keras import constraints, initializers, regularizers

_WEIGHTS = ("kernel", "bias")
_KINDS: dict[str, Any] = {
    "initializer": initializers,
    "regularizer": regularizers,
    "constraint": constraints,
}


class ProjectedAttention(Layer):
    """Attention between projections of queries, keys and values onto several heads."""

    # The factor of the scores, and the rate of dropout.
    _scale: float
    _dropout_rate: float
    _sliding_window: int | None
    _query_dense: Any
    _key_dense: Any
    _value_dense: Any
    _gate_dense: Any = None
    _output_dense: Any
    _softmax: Any
    _dropout_layer: Any
    _dot_product_equation: str
    _combine_equation: str
    # What stands before the names of attributes such as `kernel_initializer`.
    _weight_prefix = ""
    # How many axes of the queries attend.
    _attended = 1
    # Layers inside are built by `build`.
    _tpf_builds_nothing = False

    def _set_options(
        self, dropout: float, sliding_window: Any, flash_attention: Any, seed: Any
    ) -> None:
        if sliding_window is not None and (
            not isinstance(sliding_window, int) or sliding_window <= 0
        ):
            raise ValueError(
                f"{type(self).__name__}: expected a positive integer or None as the "
                f"window of positions. Received: sliding_window={sliding_window!r}"
            )
        self._sliding_window = sliding_window
        self._dropout_rate = dropout
        self._flash_attention = flash_attention or config.is_flash_attention_enabled()
        if self._flash_attention and dropout > 0:
            raise ValueError(
                f"{type(self).__name__}: dropout of attention weights needs "
                f"`flash_attention=False`. Received: dropout={dropout}"
            )
        self.seed = seed
        self.supports_masking = True

    # -- projections -------------------------------------------------------------------------

    def _arguments_for_projections(self, of_weights: dict[str, Any]) -> dict[str, Any]:
        """The arguments of the layers inside, each with initializers of its own."""
        arguments = dict(of_weights)
        for weight in _WEIGHTS:
            initializer = of_weights[f"{weight}_initializer"]
            if hasattr(initializer, "get_config"):
                arguments[f"{weight}_initializer"] = type(initializer).from_config(
                    initializer.get_config()
                )
        return {
            **arguments,
            "activity_regularizer": self.activity_regularizer,
            "dtype": self._dtype_policy,
        }

    def _project(
        self,
        name: str,
        equation: str,
        sizes: Any,
        bias_axes: str | None,
        shape: ShapeLike,
        **more: Any,
    ) -> Any:
        """A built EinsumDense layer whose outputs end in `sizes`."""
        rank = len(equation.partition("->")[2])
        layer = EinsumDense(
            equation,
            output_shape=[None] * (rank - 1 - len(sizes)) + list(sizes),
            bias_axes=bias_axes,
            name=name,
            **self._get_common_kwargs_for_sublayer(),
            **more,
        )
        layer.build(shape)
        return layer

    def _get_common_kwargs_for_sublayer(self) -> dict[str, Any]:
        names = [f"{weight}_{kind}" for weight in _WEIGHTS for kind in _KINDS]
        return self._arguments_for_projections(
            {name: getattr(self, self._weight_prefix + name) for name in names}
        )

    def _to_heads(self, query: TensorLike, key: Any, value: Any) -> tuple[Any, Any, Any]:
        """Project queries, keys and values onto as many heads as queries have."""
        return self._query_dense(query), self._key_dense(key), self._value_dense(value)

    # -- masks -------------------------------------------------------------------------------

    def _compute_attention_mask(
        self,
        query: TensorLike,
        value: Any,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        """Merge all masks into one of shape (batch, target length, source length)."""
        combined = None if query_mask is None else tf.cast(query_mask, tf.bool)[..., tf.newaxis]
        for mask in (value_mask, key_mask):
            if mask is not None:
                combined = both(combined, tf.expand_dims(tf.cast(mask, tf.bool), -2))
        if use_causal_mask:
            combined = both(combined, self._compute_causal_mask(query, value))
        if self._sliding_window is not None:
            combined = both(combined, self._compute_sliding_window_mask(query, value))
        if attention_mask is not None:
            combined = both(tf.cast(attention_mask, tf.bool), combined)
        return combined

    def _compute_causal_mask(self, query: TensorLike, value: Any = None) -> Any:
        """A mask of shape (1, target length, source length): no later position is attended to."""
        return causal_mask(*_lengths(query, value))[tf.newaxis]

    def _compute_sliding_window_mask(self, query: TensorLike, value: Any = None) -> Any:
        """A mask of shape (1, target length, source length) with a band along the diagonal."""
        lengths = _lengths(query, value)
        return sliding_window_mask(*lengths, self._sliding_window or 0)[tf.newaxis]

    # -- calls -------------------------------------------------------------------------------

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        """Attend to `value`; masks of tensors are used where no other is passed.

        Args:
            query: Tensor of shape (batch, target length, features).
            value: Tensor of shape (batch, source length, features).
            key: Tensor of the length of `value`; `value` if None.
            query_mask: Boolean mask of the query, (batch, target length).
            value_mask: Boolean mask of the value, (batch, source length).
            key_mask: Boolean mask of the key, (batch, source length).
            attention_mask: Boolean mask of shape (batch, target length, source length).
            return_attention_scores: Whether to return the weights of the heads, too.
            training: Whether attention weights are dropped.
            use_causal_mask: Whether a position attends only to itself and earlier ones.
        """
        query, value = without_mask(query), without_mask(value)
        key = value if key is None else without_mask(key)
        masks = (query_mask, value_mask, key_mask, attention_mask)
        options: dict[str, Any] = {}
        only_causal = use_causal_mask and self._sliding_window is None
        if only_causal and not self._attends_otherwise() and all(mask is None for mask in masks):
            options, mask = {"use_causal_mask": True}, None
        else:
            mask = self._compute_attention_mask(
                query,
                value,
                query_mask=query_mask,
                value_mask=value_mask,
                key_mask=key_mask,
                attention_mask=attention_mask,
                use_causal_mask=use_causal_mask,
            )
        gate = None if self._gate_dense is None else self._gate_dense(query)
        heads, scores = self._heads_and_scores(
            self._to_heads(query, key, value), mask, training, return_attention_scores, options
        )
        outputs = self._output_dense(heads if gate is None else heads * gate)
        outputs = with_mask(outputs, query_mask)
        return (outputs, scores) if return_attention_scores else outputs

    def _heads_and_scores(
        self, heads: Any, mask: Any, training: Any, return_scores: bool, options: dict[str, Any]
    ) -> tuple[Any, Any]:
        """Call `_compute_attention`, whose parameters differ between the layers."""
        raise NotImplementedError(f"{type(self).__name__} does not define how it attends.")

    def _attends_otherwise(self) -> bool:
        """Whether a subclass overrides `_compute_attention`: it may not know all options."""
        plain: Any = next(c for c in type(self).__mro__ if ProjectedAttention in c.__bases__)
        own: Any = type(self)
        return own._compute_attention is not plain._compute_attention

    def compute_output_spec(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        """Infer the outputs of a call with KerasTensors.

        Args:
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

        Returns:
            A KerasTensor, or with `return_attention_scores` two.
        """
        key_shape = None if key is None else key.shape
        shape = self.compute_output_shape(query.shape, value.shape, key_shape)
        outputs = KerasTensor(shape, dtype=self.compute_dtype)
        if not return_attention_scores:
            return outputs
        scores = self._scores_shape(query.shape, value.shape)
        return outputs, KerasTensor(scores, dtype=self.compute_dtype)

    def _scores_shape(self, query_shape: Any, value_shape: Any) -> tuple[int | None, ...]:
        raise NotImplementedError(f"{type(self).__name__} does not define the shape of scores.")

    # -- attention ---------------------------------------------------------------------------

    def _masked_softmax(self, scores: Any, attention_mask: Any = None) -> Any:
        if attention_mask is not None:
            attention_mask = with_heads(attention_mask, len(scores.shape), self._attended)
        return self._softmax(scores, mask=attention_mask)

    def _attend(
        self,
        query: Any,
        key: Any,
        value: Any,
        mask: Any,
        training: Any,
        return_attention_scores: bool,
        is_causal: bool,
    ) -> tuple[Any, Any]:
        """Return the attended values, and the weights if they are asked for or dropped."""
        if self._flash_attention and return_attention_scores:
            raise ValueError(
                f"{type(self).__name__} '{self.name}' was created with flash attention, which "
                f"computes no attention scores: set `flash_attention=False` to return them."
            )
        if not (self._dropout_rate > 0 or return_attention_scores or len(query.shape) != 4):
            if self._flash_attention:
                raise ValueError(
                    f"{type(self).__name__} '{self.name}': flash attention needs a GPU. Create the "
                    f"layer with `flash_attention=False`."
                )
            if mask is not None:
                mask = tf.cast(with_heads(mask, 4, self._attended), tf.bool)
            outputs = dot_product_attention(
                query, key, value, mask=mask, scale=self._scale, is_causal=is_causal
            )
            return outputs, None
        if is_causal:
            causal = self._compute_causal_mask(query, value)
            mask = causal if mask is None else both(tf.cast(mask, tf.bool), causal)
        query, key, value = promoted(query, key, value)
        query = query * tf.cast(self._scale, query.dtype)
        scores = self._masked_softmax(self._scores(query, key), mask)
        weights = scores
        if self._dropout_rate > 0:
            weights = self._dropout_layer(scores, training=training)
        return tf.einsum(self._combine_equation, weights, value), scores

    def _scores(self, query: TensorLike, key: Any) -> Any:
        return tf.einsum(self._dot_product_equation, query, key)


def without_mask(x: TensorLike) -> Any:
    """A tensor that no mask travels with: layers inside must not see it."""
    return x if get_mask(x) is None else tf.identity(x)


def with_mask(x: TensorLike, mask: TensorLike) -> Any:
    """`x`, which `mask` travels with unless it is None."""
    if mask is not None:
        set_mask(x, mask)
    return x


def check_lengths_agree(layer: Any, value_shape: Any, key_shape: Any) -> None:
    """Raise unless values and keys agree in all axes between the batch and the features."""
    if tuple(value_shape[1:-1]) != tuple(key_shape[1:-1]):
        raise ValueError(
            f"{type(layer).__name__} '{layer.name}': `value` and `key` must agree in all axes but "
            f"the last. Received the shapes {tuple(value_shape)} and {tuple(key_shape)}."
        )


def _lengths(query: TensorLike, value: Any) -> tuple[Any, Any]:
    targets = tf.shape(query)[1]
    return targets, targets if value is None else tf.shape(value)[1]
