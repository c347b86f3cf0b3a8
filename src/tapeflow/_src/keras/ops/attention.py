"""Scaled dot-product attention."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.internal.argument_types import DTypeLike
from tapeflow._src.keras.keras_tensor import KerasTensor
from tapeflow._src.keras.ops.declaring import declare
from tapeflow._src.keras.ops.promotion import result_type, to_tensor

# The share of the smallest number that masked logits have: the sum of two of them is finite.
_MASKED = -0.7


def _smallest(dtype: DTypeLike) -> Any:
    return tf.cast(_MASKED * (65500.0 if dtype is tf.float16 else 3.38953e38), dtype)


def _masked(logits: Any, mask: Any, is_causal: bool) -> Any:
    """Logits with those that are not attended to close to the smallest number."""
    if mask is not None:
        logits = tf.where(tf.cast(mask, tf.bool), logits, _smallest(logits.dtype))
    if is_causal:
        sizes = tf.shape(logits)
        earlier = tf.linalg.band_part(tf.ones((sizes[2], sizes[3]), tf.bool), -1, 0)
        logits = tf.where(earlier, logits, _smallest(logits.dtype))
    return logits


def _output_spec(operation: Any, query: Any, key: Any, value: Any, **others: Any) -> Any:
    return KerasTensor(query.shape, result_type(query.dtype, key.dtype, value.dtype))


@declare(
    family="nn",
    output_spec=_output_spec,
    call=("query", "key", "value", "bias", "mask", "scale"),
    keywords=("bias", "mask", "scale"),
)
def dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    bias: Any = None,
    mask: Any = None,
    scale: float | None = None,
    is_causal: bool = False,
    flash_attention: bool | None = None,
    attn_logits_soft_cap: float | None = None,
) -> Any:
    """Computes `softmax(query @ key * scale + bias) @ value` for each head.

    Args:
        query: Tensor of shape (batch, target length, heads, features).
        key: Tensor of shape (batch, source length, heads or a divisor above 1, features).
        value: Tensor of the shape of `key`.
        bias: Added to the logits (batch, heads, target length, source length), or None.
        mask: Booleans of that shape, false for what is not attended to.
        scale: Factor of the products; None is `1 / sqrt(features)`.
        is_causal: Whether each position attends to itself and those before only.
        flash_attention: Not available: None or False.
        attn_logits_soft_cap: Not available: None.

    Returns:
        A tensor of the shape of `query`. The softmax is computed in `float32` at least.

    Raises:
        ValueError: Something not available is requested, or `query` does not have 4 axes.

    Example:
        >>> tf.keras.ops.dot_product_attention(*[tf.ones((2, 5, 4, 8))] * 3).shape
        TensorShape([2, 5, 4, 8])
    """
    if flash_attention or attn_logits_soft_cap is not None:
        raise ValueError(
            "There is no flash attention here, nor are logits capped: leave `flash_attention` and "
            "`attn_logits_soft_cap` out."
        )
    query, key, value = to_tensor(query), to_tensor(key), to_tensor(value)
    if query.shape.rank != 4:
        raise ValueError(
            f"Attention takes (batch, length, heads, features). Received shapes {query.shape}, "
            f"{key.shape} and {value.shape}"
        )
    dtype = result_type(query.dtype, key.dtype, value.dtype)
    query, key, value = (tf.cast(each, dtype) for each in (query, key, value))
    heads, shared = query.shape[2], key.shape[2]
    if None not in (heads, shared) and heads > shared > 1:
        key, value = (tf.repeat(each, heads // shared, axis=2) for each in (key, value))
    if scale is None:
        factor: Any = 1.0 / tf.sqrt(tf.cast(tf.shape(key)[-1], tf.float32))
    else:
        factor = scale
    logits = tf.cast(tf.einsum("btnh,bsnh->bnts", query, key), result_type(dtype, "float32"))
    logits = logits * tf.cast(factor, logits.dtype)
    if bias is not None:
        logits = logits + tf.cast(bias, logits.dtype)
    logits = _masked(logits, mask, is_causal)
    return tf.einsum("bnts,bsnh->btnh", tf.cast(tf.nn.softmax(logits), dtype), value)
