"""`MultiHeadAttention`: the attention of transformers."""

from __future__ import annotations

import string
from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike
from tapeflow._src.keras.layers.activations.layers import Softmax
from tapeflow._src.keras.layers.arguments import positive
from tapeflow._src.keras.layers.attention.projections import ProjectedAttention, check_lengths_agree
from tapeflow._src.keras.layers.regularization.dropout import Dropout
from tapeflow._src.keras.layers.weight_arguments import set_weight_arguments, weight_config


class MultiHeadAttention(ProjectedAttention):
    """Multi-head attention, as in the transformer (Vaswani et al., 2017).

    Queries, keys and values are projected onto `num_heads` heads, attended, and the heads are
    projected back to the size of the query. `layer(x, x)` is self-attention.

    Args:
        num_heads: Number of heads.
        key_dim: Number of features of each head of queries and keys.
        value_dim: That of values; `key_dim` if None.
        dropout: Fraction of attention weights to drop in training.
        use_bias: Whether the projections have biases.
        output_shape: Sizes that outputs end in, instead of the last one of the query.
        attention_axes: Axes that attention is applied over; None for all but the batch, the
            heads and the features.
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
        ValueError: A size is not positive, or flash attention is combined with dropout.

    Example:
        >>> layer = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
        >>> x = tf.ones((1, 5, 8))
        >>> layer(x, x, use_causal_mask=True).shape
        TensorShape([1, 5, 8])
        >>> outputs, scores = layer(x, x, return_attention_scores=True)
        >>> scores.shape
        TensorShape([1, 2, 5, 5])
    """

    _kernel_initializer: Any
    _bias_initializer: Any

    _weight_prefix = "_"

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: Any = None,
        attention_axes: Any = None,
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
        kwargs.pop("softmax_robust_masking", None)  # of Keras 2; masking is robust
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self._num_heads = positive("num_heads", num_heads)
        self._key_dim = positive("key_dim", key_dim)
        self._value_dim = key_dim if value_dim is None else positive("value_dim", value_dim)
        self._use_bias = use_bias
        self._use_gate = use_gate
        self._output_shape = _as_sizes(output_shape)
        self._attention_axes = _as_axes(attention_axes)
        self._scale = key_dim**-0.5
        self._set_options(dropout, sliding_window, flash_attention, seed)
        set_weight_arguments(
            self, "_kernel", kernel_initializer, kernel_regularizer, kernel_constraint
        )
        set_weight_arguments(self, "_bias", bias_initializer, bias_regularizer, bias_constraint)

    @property
    def num_heads(self) -> int:
        return self._num_heads

    @property
    def key_dim(self) -> int:
        return self._key_dim

    @property
    def value_dim(self) -> int:
        return self._value_dim

    @property
    def dropout(self) -> float:
        return self._dropout_rate

    @property
    def use_bias(self) -> bool:
        return self._use_bias

    @property
    def attention_axes(self) -> Any:
        """The axes that attention is applied over."""
        return self._attention_axes

    @property
    def query_dense(self) -> Any:
        """The projection of the query."""
        return self._query_dense

    @property
    def key_dense(self) -> Any:
        """The projection of the key."""
        return self._key_dense

    @property
    def value_dense(self) -> Any:
        """The projection of the value."""
        return self._value_dense

    @property
    def output_dense(self) -> Any:
        """The projection of the heads to the outputs."""
        return self._output_dense

    # -- building ----------------------------------------------------------------------------

    def build(  # type: ignore[override]
        self, query_shape: Any, value_shape: Any, key_shape: Any = None
    ) -> None:
        """Create the projections of query, key, value and outputs.

        Args:
            query_shape: Shape of the query with the batch axis.
            value_shape: Shape of the value.
            key_shape: Shape of the key; that of the value if None.

        Raises:
            ValueError: Value and key differ in an axis other than the last.
        """
        key_shape = value_shape if key_shape is None else key_shape
        check_lengths_agree(self, value_shape, key_shape)
        heads = self._num_heads
        self._query_dense = self._head_projection("query", query_shape, self._key_dim)
        self._key_dense = self._head_projection("key", key_shape, self._key_dim)
        if self._use_gate:
            self._gate_dense = self._head_projection(
                "gate", query_shape, self._value_dim, activation="sigmoid"
            )
        self._value_dense = self._head_projection("value", value_shape, self._value_dim)
        self._build_attention(len(value_shape) + 1)
        sizes = self._output_shape or (query_shape[-1],)
        equation, bias_axes = _projection(len(query_shape) - 1, 2, len(sizes))
        self._output_dense = self._project(
            "attention_output",
            equation,
            sizes,
            bias_axes if self._use_bias else None,
            (*query_shape[:-1], heads, self._value_dim),
        )

    def _head_projection(self, name: str, shape: Any, size: int, **more: Any) -> Any:
        equation, bias_axes = _projection(len(shape) - 1, 1, 2)
        sizes = (self._num_heads, size)
        return self._project(
            name, equation, sizes, bias_axes if self._use_bias else None, shape, **more
        )

    def _build_attention(self, rank: int) -> None:
        """Prepare attention between projections of rank `rank`."""
        if self._attention_axes is None:
            axes = tuple(range(1, rank - 2))
        else:
            axes = tuple(axis if axis >= 0 else rank - 1 + axis for axis in self._attention_axes)
        self._attention_axes = axes
        self._attended = len(axes)
        dot, self._combine_equation, scores = _attention_equations(rank, axes)
        self._dot_product_equation = dot
        over = tuple(range(scores - len(axes), scores))
        self._softmax = Softmax(axis=over, dtype=self._dtype_policy)
        self._dropout_layer = Dropout(self._dropout_rate, dtype=self._dtype_policy, seed=self.seed)

    # -- calling -----------------------------------------------------------------------------

    def _compute_attention(
        self,
        query: TensorLike,
        key: Any,
        value: Any,
        attention_mask: Any = None,
        training: Any = None,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> tuple[Any, Any]:
        """Attend to projected values; subclasses may define another kind of attention.

        Returns:
            The heads of shape (batch, target length, heads, value features), and the attention
            scores or None.
        """
        return self._attend(
            query, key, value, attention_mask, training, return_attention_scores, use_causal_mask
        )

    def _scores(self, query: TensorLike, key: Any) -> Any:
        return tf.einsum(self._dot_product_equation, key, query)

    def _heads_and_scores(
        self, heads: Any, mask: Any, training: Any, return_scores: bool, options: dict[str, Any]
    ) -> tuple[Any, Any]:
        query, key, value = heads
        return self._compute_attention(query, key, value, mask, training, return_scores, **options)

    def compute_output_shape(
        self, query_shape: Any, value_shape: Any, key_shape: Any = None
    ) -> tuple[int | None, ...]:
        """Return the shape of the outputs: that of the query, or one that ends in `output_shape`.

        Args:
            query_shape: Shape of the query with the batch axis.
            value_shape: Shape of the value.
            key_shape: Shape of the key; that of the value if None.

        Raises:
            ValueError: Value and key differ in an axis other than the last.
        """
        check_lengths_agree(self, value_shape, value_shape if key_shape is None else key_shape)
        sizes = self._output_shape
        return (*query_shape[:-1], *sizes) if sizes else tuple(query_shape)

    def _scores_shape(self, query_shape: Any, value_shape: Any) -> tuple[int | None, ...]:
        axes = self._attention_axes
        rest = [size for axis, size in enumerate(query_shape[:-1]) if axis not in axes]
        lengths = [shape[axis] for shape in (query_shape, value_shape) for axis in axes]
        return (*rest, self._num_heads, *lengths)

    def get_config(self) -> dict[str, Any]:
        weights = {**weight_config(self, "_kernel"), **weight_config(self, "_bias")}
        config = super().get_config()
        penalty = config.pop("activity_regularizer", None)
        return {
            **config,
            "num_heads": self._num_heads,
            "key_dim": self._key_dim,
            "value_dim": self._value_dim,
            "dropout": self._dropout_rate,
            "use_bias": self._use_bias,
            "use_gate": self._use_gate,
            "output_shape": self._output_shape,
            "attention_axes": self._attention_axes,
            "sliding_window": self._sliding_window,
            **{name[1:]: value for name, value in weights.items()},
            "activity_regularizer": penalty,
            "seed": self.seed,
        }


def _as_sizes(output_shape: Any) -> tuple[int, ...] | None:
    if not output_shape:
        return None
    if isinstance(output_shape, int):
        return (output_shape,)
    try:
        return tuple(output_shape)
    except TypeError:
        raise ValueError(
            f"MultiHeadAttention: `output_shape` must be an integer, or a tuple or list of them. "
            f"Received: output_shape={output_shape!r}"
        ) from None


def _as_axes(attention_axes: Any) -> Any:
    if isinstance(attention_axes, int):
        return (attention_axes,)
    if attention_axes and not isinstance(attention_axes, (list, tuple)):
        raise ValueError(
            f"MultiHeadAttention: `attention_axes` must be an integer, or several in a list. "
            f"Received: attention_axes={attention_axes!r}"
        )
    return attention_axes


def _projection(free: int, bound: int, outputs: int) -> tuple[str, str]:
    """The einsum equation of a projection, and the axes of its bias.

    The inputs have `free` axes that stay and `bound` axes that are summed over; `outputs` new
    axes take the place of the latter.
    """
    letters = string.ascii_lowercase
    outer, summed = letters[:free], letters[free : free + bound]
    new = letters[free + bound : free + bound + outputs]
    return f"{outer}{summed},{summed}{new}->{outer}{new}", new


def _attention_equations(rank: int, axes: tuple[int, ...]) -> tuple[str, str, int]:
    """The einsum equations of the scores and of the averages, and the rank of the scores.

    Projections have the axes: batch and others, heads, features. Of those before the heads, `axes`
    attend: they differ between targets and sources.
    """
    letters = string.ascii_lowercase
    target = letters[:rank]
    fresh = iter(letters[rank:])
    source = "".join(next(fresh) if i in axes else letter for i, letter in enumerate(target))
    shared = "".join(target[i] for i in range(rank - 1) if i not in axes)
    product = shared + "".join(target[i] for i in axes) + "".join(source[i] for i in axes)
    return f"{source},{target}->{product}", f"{product},{source}->{target}", len(product)
