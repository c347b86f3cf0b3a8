"""The losses."""

from __future__ import annotations

from typing import Any

from tapeflow import math, nn
from tapeflow._src.api import arrays
from tapeflow._src.api.math.casting import cast
from tapeflow._src.compat.v1.graphs import GraphKeys, name_scope
from tapeflow._src.compat.v1.losses.collecting import add_loss
from tapeflow._src.compat.v1.losses.reduction import (
    Reduction,
    check_shapes,
    check_weights,
    compute_weighted_loss,
    number_present,
)
from tapeflow._src.core import dispatch
from tapeflow._src.core.dtypes import float32
from tapeflow._src.core.types import TensorLike

_LOSSES = GraphKeys.LOSSES
_BY_WEIGHTS = Reduction.SUM_BY_NONZERO_WEIGHTS


def _required(**values: Any) -> None:
    for name, value in values.items():
        if value is None:
            raise ValueError(f"{name} must be a tensor, received None.")


def _floats(labels: TensorLike, predictions: TensorLike) -> tuple[Any, Any]:
    """Return both as float32 tensors of one shape."""
    predictions = cast(dispatch.convert(predictions), float32)
    labels = cast(dispatch.convert(labels), float32)
    check_shapes(labels, predictions)
    return labels, predictions


def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Compute the weighted `|predictions - labels|`."""
    _required(labels=labels, predictions=predictions)
    with name_scope(scope, "absolute_difference", (predictions, labels, weights)) as scope:
        labels, predictions = _floats(labels, predictions)
        losses = math.abs(math.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = _LOSSES,
    reduction: str = _BY_WEIGHTS,
    dim: int | None = None,
) -> Any:
    """Compute the weighted `1 - labels · predictions` along `axis`, of unit vectors."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("cosine_distance needs `axis`, received None.")
    _required(labels=labels, predictions=predictions)
    with name_scope(scope, "cosine_distance_loss", (predictions, labels, weights)) as scope:
        labels, predictions = _floats(labels, predictions)
        products = math.multiply(predictions, labels)
        losses = 1 - math.reduce_sum(products, axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Compute the weighted `max(0, 1 - sign * logits)`, where labels 0 and 1 are the signs -1 and
    1.
    """
    _required(labels=labels, logits=logits)
    with name_scope(scope, "hinge_loss", (logits, labels, weights)) as scope:
        labels, logits = _floats(labels, logits)
        signs = 2 * labels - 1
        losses = nn.relu(1 - math.multiply(signs, logits))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: Any = 1.0,
    delta: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: Any = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Compute the weighted Huber loss: half the squared error up to `delta`, linear beyond it."""
    _required(labels=labels, predictions=predictions)
    with name_scope(scope, "huber_loss", (predictions, labels, weights)) as scope:
        labels, predictions = _floats(labels, predictions)
        error = math.abs(math.subtract(predictions, labels))
        delta = dispatch.convert(delta, error.dtype)
        quadratic = math.minimum(error, delta)
        losses = 0.5 * quadratic * quadratic + delta * (error - quadratic)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: Any = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Compute the weighted cross entropy of probabilities, each offset from 0 by `epsilon`."""
    _required(labels=labels, predictions=predictions)
    with name_scope(scope, "log_loss", (predictions, labels, weights)) as scope:
        labels, predictions = _floats(labels, predictions)
        hits = labels * math.log(predictions + epsilon)
        misses = (1 - labels) * math.log(1 - predictions + epsilon)
        return compute_weighted_loss(-hits - misses, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = _LOSSES,
) -> Any:
    """Compute the weighted mean, over pairs of elements of an item, of the squared error of their
    difference.

    With n elements whose errors have the sum S and the squares Q, that is
    `2 * (Q / (n - 1) - S² / (n * (n - 1)))`.
    """
    _required(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_pairwise_squared_error", (predictions, labels, weights)):
        weights = cast(dispatch.convert(weights), float32)
        labels, predictions = _floats(labels, predictions)
        check_weights(weights, labels)
        errors = math.subtract(predictions, labels)
        axes = arrays.range(1, arrays.rank(errors))
        squares = math.reduce_sum(math.square(errors), axes, keepdims=True)
        total = math.reduce_sum(errors, axes, keepdims=True)
        count = number_present(errors, weights, per_batch=True)
        others = math.maximum(count - 1, 0.0)
        means = math.divide_no_nan(squares, others)
        means -= math.divide_no_nan(math.square(total), math.multiply(count, others))
        summed = math.reduce_sum(math.multiply(2.0 * means, weights))
        loss = arrays.where(math.reduce_sum(count) > 0, summed, arrays.zeros_like(summed))
        add_loss(loss, loss_collection)
        return loss


def mean_squared_error(
    labels: TensorLike,
    predictions: TensorLike,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Compute the weighted `(predictions - labels)²`."""
    _required(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_squared_error", (predictions, labels, weights)) as scope:
        labels, predictions = _floats(labels, predictions)
        losses = math.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: Any = 0,
    scope: str | None = None,
    loss_collection: Any = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Compute the weighted cross entropy of independent classes, with label smoothing."""
    _required(multi_class_labels=multi_class_labels, logits=logits)
    values = (logits, multi_class_labels, weights)
    with name_scope(scope, "sigmoid_cross_entropy_loss", values) as scope:
        logits = dispatch.convert(logits)
        labels = cast(dispatch.convert(multi_class_labels), logits.dtype)
        check_shapes(labels, logits)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: Any = 0,
    scope: str | None = None,
    loss_collection: Any = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Compute the weighted cross entropy of exclusive classes, with label smoothing."""
    _required(onehot_labels=onehot_labels, logits=logits)
    with name_scope(scope, "softmax_cross_entropy_loss", (logits, onehot_labels, weights)) as scope:
        logits = dispatch.convert(logits)
        labels = cast(dispatch.convert(onehot_labels), logits.dtype)
        check_shapes(labels, logits)
        if label_smoothing > 0:
            classes = cast(arrays.shape(labels)[-1], logits.dtype)
            labels = labels * (1 - label_smoothing) + label_smoothing / classes
        labels = arrays.stop_gradient(labels)
        losses = nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = _LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Any:
    """Compute the weighted cross entropy of exclusive classes, whose labels are indices."""
    _required(labels=labels, logits=logits)
    values = (logits, labels, weights)
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", values) as scope:
        labels, logits, weights = map(dispatch.convert, (labels, logits, weights))
        labels = _without_last_axis(labels, logits.shape.rank)
        if weights.shape.rank not in (0, None):
            weights = _without_last_axis(weights, logits.shape.rank)
        losses = nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def _without_last_axis(tensor: Any, rank: int | None) -> Any:
    """Return the tensor, without a last axis of size 1 if it has the rank of logits."""
    has_one = tensor.shape.rank == rank and rank and tensor.shape[-1] in (1, None)
    return arrays.squeeze(tensor, [-1]) if has_one else tensor
