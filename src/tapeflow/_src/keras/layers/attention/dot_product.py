"""Scaled dot-product attention and the masks that restrict it."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import TensorLike

_DIMS = "`query`, `key` and `value` must have 4 axes: batch, length, heads and features. Received"


def dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    mask: Any = None,
    scale: float | None = None,
    is_causal: bool = False,
) -> Any:
    """Average `value` with the softmax of the dot products of `query` and `key` as weights.

    Args:
        query: A tensor of shape (batch, target length, heads, features).
        key: A tensor of shape (batch, source length, heads, features).
        value: A tensor of shape (batch, source length, heads, value features).
        bias: A tensor to add to the scores before the softmax, of a shape that broadcasts to
            (batch, heads, target length, source length).
        mask: A boolean tensor of such a shape: False where a source position must not be
            attended to.
        scale: The factor of the scores; `1 / sqrt(features)` if it is None.
        is_causal: Whether a position attends to no later one.

    Returns:
        A tensor of shape (batch, target length, heads, value features).
    """
    if not len(query.shape) == len(key.shape) == len(value.shape) == 4:
        raise ValueError(f"{_DIMS}: {query.shape}, {key.shape} and {value.shape}")
    query, key, value = promoted(query, key, value)
    if scale is None:
        scale = key.shape[-1] ** -0.5
    scores = tf.einsum("btnh,bsnh->bnts", query * tf.cast(scale, query.dtype), key)
    scores = tf.cast(scores, tf.float64 if scores.dtype is tf.float64 else tf.float32)
    if bias is not None:
        scores = scores + tf.cast(bias, scores.dtype)
    if is_causal:
        causal = causal_mask(tf.shape(scores)[-2], tf.shape(scores)[-1])
        mask = causal if mask is None else tf.logical_and(mask, causal)
    if mask is not None:
        # A finite number, so that rows without any position are averaged rather than NaN.
        scores = tf.where(mask, scores, tf.constant(-0.7 * 3.38953e38, scores.dtype))
    weights = tf.cast(tf.nn.softmax(scores), query.dtype)
    return tf.einsum("bnts,bsnh->btnh", weights, value)


def promoted(*tensors: Any) -> tuple[Any, ...]:
    """The tensors in one dtype: float32, or float64 if there is one, unless they agree."""
    dtypes = {tensor.dtype for tensor in tensors}
    if len(dtypes) == 1:
        return tensors
    common = tf.float64 if tf.float64 in dtypes else tf.float32
    return tuple(tf.cast(tensor, common) for tensor in tensors)


def causal_mask(targets: TensorLike, sources: Any) -> Any:
    """A mask of shape (targets, sources) that is true up to the diagonal."""
    return tf.range(targets)[:, tf.newaxis] >= tf.range(sources)


def sliding_window_mask(targets: TensorLike, sources: Any, window: int) -> Any:
    """A mask of shape (targets, sources) that is true less than `window` off the diagonal."""
    return tf.abs(tf.range(targets)[:, tf.newaxis] - tf.range(sources)) < window


def both(mask: Any, other: Any) -> Any:
    """True where both masks are, either of which may be None."""
    if mask is None or other is None:
        return other if mask is None else mask
    return tf.logical_and(mask, other)


def with_heads(mask: Any, rank: int, attention_axes: int = 1) -> Any:
    """`mask` with axes for heads, so that it broadcasts to scores of rank `rank`."""
    for _ in range(rank - len(mask.shape)):
        mask = tf.expand_dims(mask, -2 * attention_axes - 1)
    return mask
