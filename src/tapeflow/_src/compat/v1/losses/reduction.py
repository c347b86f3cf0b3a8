"""How the losses of the elements become the loss of a batch."""

from __future__ import annotations

from typing import Any

from tapeflow import math
from tapeflow._src.api import arrays
from tapeflow._src.api.math.casting import cast
from tapeflow._src.compat.v1.graphs import GraphKeys, name_scope
from tapeflow._src.compat.v1.losses.collecting import add_loss
from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import float32


class Reduction:
    """The ways to reduce weighted losses."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Return all reductions."""
        return (
            *(cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE),
            *(cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS),
        )

    @classmethod
    def validate(cls, key: Any) -> None:
        """Raise ValueError unless `key` is one of them."""
        if key not in cls.all():
            raise ValueError(f"reduction must be one of {cls.all()}, received {key!r}.")


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Multiply losses by weights, which broadcast to them, and reduce the products.

    The result has the dtype of the losses, and is added to `loss_collection`.
    """
    Reduction.validate(reduction)
    with name_scope(scope, "weighted_loss", (losses, weights)):
        losses = dispatch.convert(losses)
        dtype = losses.dtype
        losses = cast(losses, float32)
        weights = cast(dispatch.convert(weights), float32)
        check_weights(weights, losses)
        loss = cast(_reduced(math.multiply(losses, weights), losses, weights, reduction), dtype)
        add_loss(loss, loss_collection)
        return loss


def _reduced(weighted: Any, losses: Any, weights: Any, reduction: str) -> Any:
    if reduction == Reduction.NONE:
        return weighted
    total = math.reduce_sum(weighted)
    if reduction == Reduction.MEAN:
        ones = math.multiply(arrays.ones_like(losses), weights)
        return math.divide_no_nan(total, math.reduce_sum(ones))
    if reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        return math.divide_no_nan(total, number_present(losses, weights))
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return math.divide_no_nan(total, cast(arrays.size(losses), float32))
    return total


def number_present(losses: Any, weights: Any, per_batch: bool = False) -> Any:
    """Return how many losses have a weight that is not zero, of all or of each item
    of the batch.
    """
    present = cast(math.not_equal(weights, 0.0), float32)
    present = math.multiply(present, arrays.ones_like(losses))
    if not per_batch:
        return math.reduce_sum(present)
    axes = arrays.range(1, arrays.rank(present))
    return math.reduce_sum(present, axes, keepdims=True)


def check_weights(weights: Any, losses: Any) -> None:
    """Raise ValueError unless weights are scalar, or have sizes that are 1 or those of losses."""
    received, expected = weights.shape, losses.shape
    if received.rank is None or expected.rank is None or received.rank == 0:
        return
    pairs = zip(received, expected) if received.rank == expected.rank else [(-1, -2)]
    if not all(a in (None, 1) or b is None or a == b for a, b in pairs):
        raise ValueError(
            f"weights of shape {received} cannot be broadcast to losses of shape {expected}. "
            f"Expected a scalar, or a shape of the same rank whose sizes are 1 or those of losses."
        )


def check_shapes(labels: Any, predictions: Any) -> None:
    """Raise ValueError unless labels and predictions have one shape."""
    if not labels.shape.is_compatible_with(predictions.shape):
        raise ValueError(
            f"labels and predictions must have one shape, received {labels.shape} and "
            f"{predictions.shape}."
        )
