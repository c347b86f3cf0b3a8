"""`tf.nn`: cross entropies and other losses."""

from __future__ import annotations

import math
from typing import Any

from tapeflow._src.api.math.arithmetic import divide_no_nan
from tapeflow._src.api.nn.activation import relu
from tapeflow._src.api.nn.arguments import axis_of
from tapeflow._src.core import dispatch
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.replicas import replicas
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.eager.fused import fused
from tapeflow._src.ops.array.axes import axes_last, every_axis
from tapeflow._src.ops.array.common import (
    concat_v2,
    reshape,
    scalar_int,
    shape,
    shape_of,
    squeeze,
    static_ints,
    sum_,
    zeros_like,
)
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.strided import strided_slice
from tapeflow._src.ops.array.transpose import transpose
from tapeflow._src.ops.math.arithmetic import add_v2
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal, greater_equal, less_equal
from tapeflow._src.ops.math.elementwise import exp, log, log1p, scalar
from tapeflow._src.ops.math.logical import logical_and
from tapeflow._src.ops.math.reduction import mean
from tapeflow._src.ops.nn import bias
from tapeflow._src.ops.nn import softmax as softmax_ops


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Compute `sum(t ** 2) / 2`, a penalty on weights.

    Args:
        t: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A scalar tensor.

    Example:

        >>> tf.nn.l2_loss([3.0, 4.0]).numpy()
        np.float32(12.5)
    """
    return bias.l2_loss(t, name=name)


def _same_shape(labels: Any, logits: Any) -> None:
    if not labels.shape.is_compatible_with(logits.shape):
        raise ValueError(
            f"The shapes must be the same: `logits` have {logits.shape}, `labels` {labels.shape}."
        )


@scoped("logistic_loss", names_result=True)
@fused
def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """Compute the binary cross entropy between labels and logits, element-wise.

    For classes that do not exclude each other. It takes logits, not the results of `tf.sigmoid`,
    and does not overflow.

    Args:
        labels: Probabilities in [0, 1], of the shape of `logits`.
        logits: A floating-point tensor.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `logits`; reduce it with `tf.reduce_mean`.

    Raises:
        ValueError: The shapes differ, or one argument is missing.

    Example:

        >>> labels, logits = [1.0, 0.0, 1.0], [0.0, -1000.0, -1000.0]
        >>> loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        >>> loss.numpy().round(3).tolist()
        [0.6930000185966492, 0.0, 1000.0]
    """
    if labels is None or logits is None:
        raise ValueError(
            "sigmoid_cross_entropy_with_logits needs `labels` and `logits`, received None for one "
            "of them."
        )
    logits = dispatch.operand(logits)
    labels = dispatch.operand(labels, None, logits.dtype)
    _same_shape(labels, logits)
    # max(x, 0) - x·z + log(1 + exp(-|x|)) does not overflow, and its gradient is right at 0.
    zero = scalar(0, logits)
    positive = greater_equal(logits, zero)
    above = select_v2(positive, logits, zero)
    minus_abs = select_v2(positive, -logits, logits)
    return add_v2(above - logits * labels, log1p(exp(minus_abs)), name=name)


@scoped("logistic_loss", names_result=True)
@fused
def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Tensor:
    """Compute the binary cross entropy with positive labels weighted by `pos_weight`.

    Args:
        labels: Probabilities in [0, 1], of the shape of `logits`.
        logits: A floating-point tensor.
        pos_weight: The weight of positive labels: above 1 it raises recall, below 1 precision.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `logits`.

    Raises:
        ValueError: The shapes differ.

    Example:

        >>> loss = tf.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [0.0, 0.0], pos_weight=2.0)
        >>> loss.numpy().round(3).tolist()
        [1.3860000371932983, 0.6930000185966492]
    """
    logits = dispatch.convert(logits)
    labels = dispatch.convert(labels, None, logits.dtype)
    _same_shape(labels, logits)
    weight = 1 + (dispatch.convert(pos_weight, None, logits.dtype) - 1) * labels
    negative = (1 - labels) * logits
    return add_v2(negative, weight * (log1p(exp(-abs(logits))) + relu(-logits)), name=name)


@scoped("log_poisson_loss")
@fused
def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """Compute the Poisson log-likelihood loss `exp(log_input) - log_input * targets`.

    Args:
        targets: The counts.
        log_input: The logarithm of the predicted rate.
        compute_full_loss: Whether to add Stirling's approximation of the constant term.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `log_input`.

    Raises:
        ValueError: The shapes differ.

    Example:

        >>> tf.nn.log_poisson_loss([1.0, 2.0], [0.0, 0.0]).numpy().tolist()
        [1.0, 1.0]
    """
    log_input = dispatch.convert(log_input)
    targets = dispatch.convert(targets, None, log_input.dtype)
    if not targets.shape.is_compatible_with(log_input.shape):
        raise ValueError(
            f"The shapes must be the same: `log_input` has {log_input.shape}, "
            f"`targets` {targets.shape}."
        )
    result = exp(log_input) - log_input * targets
    if compute_full_loss:
        stirling = targets * log(targets) - targets + 0.5 * log(2 * math.pi * targets)
        zero, one = scalar(0, targets), scalar(1, targets)
        small = logical_and(greater_equal(targets, zero), less_equal(targets, one))
        result = result + select_v2(small, zero, stirling)
    return result


@scoped("softmax_cross_entropy_with_logits", names_result=True)
def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: str | None = None
) -> Tensor:
    """Compute the cross entropy between label distributions and logits.

    For classes that exclude each other. It takes logits, not the results of `tf.nn.softmax`. With
    class numbers as labels, use `sparse_softmax_cross_entropy_with_logits`.

    Args:
        labels: Probabilities along `axis`, of the shape of `logits`. Gradients flow into them, too.
        logits: Unnormalised log probabilities.
        axis: The axis of the classes.
        name: Name of the op in a graph.

    Returns:
        A tensor without that axis: the loss of each example.

    Raises:
        ValueError: The ranks differ, or are 0.

    Example:

        >>> logits = [[0.0, 0.0], [1000.0, 0.0]]
        >>> loss = tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0], [1.0, 0.0]], logits)
        >>> loss.numpy().round(3).tolist()
        [0.6930000185966492, 0.0]
    """
    logits = dispatch.convert(logits)
    labels = dispatch.convert(labels, None, logits.dtype)
    if labels.dtype is not logits.dtype:
        labels = cast(labels, DstT=logits.dtype)
    ranks = {t.shape.rank for t in (logits, labels)} - {None}
    if 0 in ranks or len(ranks) > 1:
        raise ValueError(
            f"softmax_cross_entropy_with_logits: `labels` and `logits` must have the same rank of "
            f"at least 1. Received: labels.shape={labels.shape} and logits.shape={logits.shape}"
        )
    rank = min(ranks, default=None)
    at = axis_of(axis, rank, "softmax_cross_entropy_with_logits")
    if at != -1 and at + 1 != rank:
        order = axes_last(logits, (at,))
        logits, labels = transpose(logits, order), transpose(labels, order)
    if rank == 2:
        return softmax_ops.softmax_cross_entropy_with_logits(logits, labels, name=name)[0]
    outer = _without_last(logits)
    loss, _ = softmax_ops.softmax_cross_entropy_with_logits(
        _as_rows(logits), _as_rows(labels), name=name
    )
    return reshape(loss, outer)


def _without_last(tensor: TensorLike) -> Any:
    """Return the shape of `tensor` without its last axis."""
    return strided_slice(shape_of(tensor), static_ints((0,)), static_ints((-1,)), static_ints((1,)))


def _as_rows(tensor: Any) -> Any:
    """Reshape `[..., classes]` to a matrix."""
    dims = tensor.static_shape
    if dims is not None and dims[-1]:
        return reshape(tensor, static_ints((-1, dims[-1])))
    count = reshape(shape(tensor)[-1], static_ints((1,)))
    return reshape(tensor, dispatch.convert([-1, count[0]]))


def sparse_softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, name: str | None = None
) -> Tensor:
    """Compute the cross entropy between class indices and logits.

    Args:
        labels: The class of each row, int32 or int64: one axis less than `logits`.
        logits: Unnormalised log probabilities, classes in the last axis.
        name: Name of the op in a graph.

    Returns:
        A tensor of the shape of `labels`.

    Raises:
        ValueError: The shapes do not match.
        InvalidArgumentError: A label is out of range.

    Example:

        >>> logits = [[0.0, 0.0], [1000.0, 0.0]]
        >>> loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 0], logits=logits)
        >>> loss.numpy().round(3).tolist()
        [0.6930000185966492, 0.0]
    """
    return _sparse_loss(labels, logits, name, name=name)


@scoped("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_loss(labels: Any, logits: Any, op_name: str | None, name: str | None) -> Any:
    """Compute the loss in a name scope of the name that its op may have."""
    labels = dispatch.convert(labels)
    logits = dispatch.convert(logits)
    dims = logits.static_shape
    if dims == ():
        raise ValueError(
            f"`logits` must have at least one axis, the classes; received a scalar: {logits}"
        )
    rank = labels.shape.rank
    if dims is not None and rank is not None and rank != len(dims) - 1:
        raise ValueError(
            "`labels` must have one axis less than `logits`: class numbers without the axis of "
            f"classes. Received labels of shape {labels.shape} and logits of shape {logits.shape}. "
            "For one-hot labels use softmax_cross_entropy_with_logits."
        )
    fits = dims is not None and labels.static_shape == dims[:-1]
    if not fits and not labels.shape.is_compatible_with(logits.shape[:-1]):
        raise ValueError(
            f"There must be one label per row of logits: received labels of shape {labels.shape} "
            f"and logits of shape {logits.shape}"
        )
    if dims is not None and len(dims) == 2:
        return softmax_ops.sparse_softmax_cross_entropy_with_logits(logits, labels, name=op_name)[0]
    flat = reshape(labels, static_ints((-1,)))
    loss, _ = softmax_ops.sparse_softmax_cross_entropy_with_logits(
        _as_rows(logits), flat, name=op_name
    )
    return reshape(loss, shape_of(labels))


def compute_average_loss(
    per_example_loss: Any, sample_weight: TensorLike | None = None, global_batch_size: Any = None
) -> Tensor:
    """Sum the losses of examples and divide by the global batch size.

    Args:
        per_example_loss: The loss of each example.
        sample_weight: The weight of each example.
        global_batch_size: The divisor; by default the number of examples times that of replicas.

    Returns:
        A scalar tensor.

    Raises:
        ValueError: The losses are a scalar, or the batch size is not.
        TypeError: The batch size is not an integer.

    Example:

        >>> tf.nn.compute_average_loss([1.0, 2.0], global_batch_size=4).numpy()
        np.float32(0.75)
    """
    losses = dispatch.convert(per_example_loss)
    dtype = losses.dtype
    if losses.shape.rank == 0:
        raise ValueError(
            "per_example_loss must have at least one axis, the examples; received a scalar: "
            f"{per_example_loss}"
        )
    if sample_weight is not None:
        losses = cast(_weighted(losses, sample_weight), DstT=dtype)
    if global_batch_size is None:
        count: Any = shape(losses)[0] * replicas.count()
    else:
        count = dispatch.convert(global_batch_size)
        if not count.dtype.is_integer:
            raise TypeError(
                f"compute_average_loss: global_batch_size must be an integer. Received: "
                f"global_batch_size={global_batch_size}"
            )
        if count.shape.rank:
            raise ValueError(
                f"compute_average_loss: global_batch_size must be scalar. Received: "
                f"global_batch_size={global_batch_size}"
            )
    return divide_no_nan(sum_(losses, every_axis(losses)), cast(count, DstT=dtype))


def _weighted(losses: Any, sample_weight: TensorLike) -> Any:
    """Multiply losses by weights, which may lack the last axes or have an extra one of size 1."""
    wide = losses if losses.dtype.is_floating else cast(losses, DstT="float32")
    weights = cast(dispatch.convert(sample_weight), DstT=wide.dtype)
    if wide.static_shape is None or weights.static_shape is None:
        return wide * weights
    missing = len(wide.static_shape) - len(weights.static_shape)
    if missing == -1 and weights.static_shape[-1] == 1:
        weights = squeeze(weights, axis=[-1])
    elif missing > 0 and weights.static_shape:
        ones = static_ints((1,) * missing)
        weights = reshape(weights, concat_v2([shape_of(weights), ones], scalar_int(0)))
    return wide * weights


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """Sum a regularization loss and divide it by the number of replicas.

    Args:
        regularization_loss: A tensor of losses.

    Returns:
        A scalar tensor.

    Example:

        >>> tf.nn.scale_regularization_loss([1.0, 2.0]).numpy()
        np.float32(3.0)
    """
    loss = dispatch.convert(regularization_loss)
    total = sum_(loss, every_axis(loss))
    count = replicas.count()
    return total if count == 1 else total / count


@scoped("zero_fraction")
@fused
def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """Compute the fraction of zeros, such as inactive units behind a ReLU.

    Args:
        value: A numeric tensor.
        name: Name of the op in a graph.

    Returns:
        A float32 scalar tensor.

    Example:

        >>> tf.nn.zero_fraction([0, 1, 0, 2]).numpy()
        np.float32(0.5)
    """
    value = dispatch.convert(value)
    zeros = cast(equal(value, zeros_like(value)), DstT="float32")
    return mean(reshape(zeros, static_ints((-1,))), static_ints((0,)), name="fraction")
