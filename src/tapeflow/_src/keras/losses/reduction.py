"""From the losses of samples to one loss: ranks, weights, masks, sums and means."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow._src.keras.replicas import replica_count, share_of_loss

_REDUCTIONS = ("sum_over_batch_size", "sum", None, "none", "mean", "mean_with_sample_weight")
_MEANS = ("sum_over_batch_size", "mean", "mean_with_sample_weight")


def standardize_reduction(reduction: str | None) -> str | None:
    """The name of a reduction, checked."""
    if reduction not in _REDUCTIONS:
        raise ValueError(
            f"`reduction` must be one of {list(_REDUCTIONS)}. Received: reduction={reduction!r}"
        )
    return reduction


def same_rank(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Two tensors of one rank, if one has a last axis of size 1 that the other lacks.

    A vector gets that axis; from others it is taken.
    """
    rank1, rank2 = x1.shape.rank, x2.shape.rank
    if rank1 is None or rank2 is None or rank1 == rank2:
        return x1, x2
    if rank1 == rank2 + 1 and x1.shape[-1] == 1:
        return (x1, tf.expand_dims(x2, -1)) if rank2 == 1 else (tf.squeeze(x1, -1), x2)
    if rank2 == rank1 + 1 and x2.shape[-1] == 1:
        return (tf.expand_dims(x1, -1), x2) if rank1 == 1 else (x1, tf.squeeze(x2, -1))
    return x1, x2


def reduce_weighted(
    values: Any, sample_weight: Any = None, mask: Any = None, reduction: Any = "mean"
) -> Any:
    """Values times weights, where the mask lets them through, reduced to one."""
    if sample_weight is not None:
        sample_weight = tf.cast(sample_weight, values.dtype)
    if mask is not None:
        sample_weight = _with_mask(sample_weight, mask, values.dtype, reduction)
    if sample_weight is not None:
        values, sample_weight = same_rank(values, sample_weight)
        values = values * sample_weight
    return _reduced(values, sample_weight, reduction)


def _with_mask(sample_weight: Any, mask: Any, dtype: Any, reduction: Any) -> Any:
    """Weights that leave out what the mask does; a mean is then one of what is left."""
    weights = tf.cast(mask, dtype)
    if reduction in ("mean", "sum_over_batch_size"):
        total = tf.cast(tf.size(mask), dtype)
        share = tf.math.divide_no_nan(total, tf.reduce_sum(weights))
        weights = tf.where(tf.cast(mask, tf.bool), share, tf.zeros_like(share))
    if sample_weight is None:
        return weights
    weights, sample_weight = same_rank(weights, sample_weight)
    return sample_weight * weights


def _reduced(values: Any, sample_weight: Any, reduction: Any) -> Any:
    if reduction in (None, "none") or values.shape.rank == 0:
        return values
    if values.shape == (0,) and replica_count() == 1:
        return values
    total = tf.reduce_sum(values)
    if reduction not in _MEANS:
        return total
    if reduction == "mean_with_sample_weight" and sample_weight is not None:
        return share_of_loss(tf.math.divide_no_nan(total, tf.reduce_sum(sample_weight)))
    mean = tf.math.divide_no_nan(total, tf.cast(tf.size(values), total.dtype))
    return share_of_loss(mean)
