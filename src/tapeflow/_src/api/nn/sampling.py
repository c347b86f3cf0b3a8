"""`tf.nn`: losses over many classes, estimated from sampled ones."""

from __future__ import annotations

from typing import Any

from tapeflow._src.api.arrays.creation import zeros
from tapeflow._src.api.arrays.slicing import tensor_scatter_nd_add
from tapeflow._src.api.nn.arguments import number
from tapeflow._src.api.nn.embedding import embedding_lookup
from tapeflow._src.api.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
)
from tapeflow._src.api.random.candidates import (
    compute_accidental_hits,
    log_uniform_candidate_sampler,
)
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import (
    concat_v2,
    expand_dims,
    ones_like,
    pack,
    reshape,
    scalar_int,
    shape_of,
    static_ints,
    stop_gradient,
    sum_,
    zeros_like,
)
from tapeflow._src.ops.linalg.matmul import mat_mul
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.elementwise import log, scalar


def nce_loss(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str = "nce_loss",
) -> Tensor:
    """Compute the noise-contrastive estimation loss: binary losses of true and sampled classes.

    For training with many classes; evaluate with all of them.

    Args:
        weights: `[num_classes, width]`, or a list of parts.
        biases: `[num_classes]`.
        labels: `[batch, num_true]` integers.
        inputs: `[batch, width]` activations.
        num_sampled: The number of classes to draw for the whole batch.
        num_classes: The number of classes.
        num_true: The number of true classes per row.
        sampled_values: The result of a candidate sampler of `tf.random`; log-uniform by default,
            which suits classes numbered by falling frequency.
        remove_accidental_hits: Whether drawn classes that are true ones of a row do not count for
            it.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[batch]`.

    Example:

        >>> weights, biases = tf.zeros((100, 4)), tf.zeros((100,))
        >>> inputs, labels = tf.ones((2, 4)), tf.constant([[3], [7]])
        >>> tf.nn.nce_loss(weights, biases, labels, inputs, 10, 100).shape
        TensorShape([2])
    """
    logits, targets = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        None,
        name=name,
    )
    losses = sigmoid_cross_entropy_with_logits(targets, logits, name="sampled_losses")
    return sum_(losses, static_ints((1,)))


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: Any = None,
    name: str = "sampled_softmax_loss",
) -> Tensor:
    """Compute the softmax cross entropy over the true and sampled classes.

    An underestimate of the loss over all classes, for training only.

    Args:
        weights: `[num_classes, width]`, or a list of parts.
        biases: `[num_classes]`.
        labels: `[batch, num_true]` integers.
        inputs: `[batch, width]` activations.
        num_sampled: The number of classes to draw for the whole batch.
        num_classes: The number of classes.
        num_true: The number of true classes per row.
        sampled_values: The result of a candidate sampler of `tf.random`; log-uniform by default,
            which suits classes numbered by falling frequency.
        remove_accidental_hits: Whether drawn classes that are true ones of a row do not count for
            it.
        seed: An op seed for the sampler.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[batch]`.

    Example:

        >>> weights, biases = tf.zeros((100, 4)), tf.zeros((100,))
        >>> inputs, labels = tf.ones((2, 4)), tf.constant([[3], [7]])
        >>> tf.nn.sampled_softmax_loss(weights, biases, labels, inputs, 10, 100).shape
        TensorShape([2])
    """
    logits, targets = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
        name=name,
    )
    targets = stop_gradient(targets, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits(labels=targets, logits=logits)


@scoped("compute_sampled_logits")
def _sampled_logits(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
    seed: Any,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Compute the logits and targets of the true and sampled classes of each row."""
    labels = cast(dispatch.convert(labels), DstT=dtypes.int64)
    inputs = dispatch.convert(inputs)
    function = "sampled losses"
    num_true = number(num_true, function, "num_true")
    num_sampled = number(num_sampled, function, "num_sampled")
    num_classes = number(num_classes, function, "num_classes")
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(
            labels, num_true, num_sampled, True, num_classes, seed
        )
    sampled, true_count, sampled_count = (stop_gradient(v) for v in sampled_values)
    sampled = cast(sampled, DstT=dtypes.int64)
    flat = reshape(labels, static_ints((-1,)))
    ids = concat_v2([flat, sampled], scalar_int(0))
    rows, offsets = embedding_lookup(weights, ids), embedding_lookup(biases, ids)
    count = shape_of(flat)[0]
    true_logits = _true_logits(inputs, rows[:count], offsets[:count], num_true)
    sampled_logits = mat_mul(inputs, rows[count:], transpose_b=True) + offsets[count:]
    if remove_accidental_hits:
        hits = compute_accidental_hits(labels, sampled, num_true)
        sampled_logits = _without_hits(sampled_logits, hits)
    # How often a class was to be expected among the candidates is no merit of it.
    true_logits = true_logits - log(true_count)
    sampled_logits = sampled_logits - log(sampled_count)
    share = ones_like(true_logits) / scalar(num_true, true_logits)
    targets = concat_v2([share, zeros_like(sampled_logits)], scalar_int(1))
    return concat_v2([true_logits, sampled_logits], scalar_int(1)), targets


def _true_logits(inputs: TensorLike, rows: Any, offsets: Any, num_true: int) -> Any:
    """Compute the logits of each row's own classes: `[batch, num_true]`."""
    width = shape_of(rows)[1]
    own = reshape(rows, pack([scalar_int(-1), scalar_int(num_true), width]))
    products = expand_dims(inputs, scalar_int(1)) * own
    scores = sum_(products, static_ints((2,)))
    return scores + reshape(offsets, static_ints((-1, num_true)))


def _without_hits(logits: Any, hits: Any) -> Any:
    """Lower the logits of sampled classes that are true ones, so that they do not count."""
    rows, ids, weights = hits
    columns = cast(ids, DstT=dtypes.int32)
    coordinates = pack([rows, columns], axis=1)
    return logits + tensor_scatter_nd_add(
        zeros(shape_of(logits), logits.dtype), coordinates, cast(weights, DstT=logits.dtype)
    )
