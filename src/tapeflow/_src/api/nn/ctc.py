"""`tf.nn`: connectionist temporal classification."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapeflow._src.api.arrays.creation import sequence_mask
from tapeflow._src.api.arrays.slicing import boolean_mask, gather, scatter_nd, where
from tapeflow._src.api.math.reduction import argmax, cumsum
from tapeflow._src.api.nn.arguments import number
from tapeflow._src.composite.sparse_tensor import SparseTensor
from tapeflow._src.core import dispatch, dtypes
from tapeflow._src.core.naming import scoped
from tapeflow._src.core.tensor import Tensor
from tapeflow._src.core.types import TensorLike
from tapeflow._src.ops.array.common import (
    concat_v2,
    expand_dims,
    ones_like,
    pack,
    pad,
    range_,
    reshape,
    scalar_int,
    shape,
    static_ints,
    sum_,
)
from tapeflow._src.ops.array.select import select_v2
from tapeflow._src.ops.array.slicing import get_item
from tapeflow._src.ops.array.transpose import transpose
from tapeflow._src.ops.math.cast import cast
from tapeflow._src.ops.math.comparison import equal, less, not_equal
from tapeflow._src.ops.math.elementwise import exp, log1p, scalar
from tapeflow._src.ops.math.logical import logical_and
from tapeflow._src.ops.math.reduction import max_
from tapeflow._src.ops.nn import ctc as ctc_ops
from tapeflow._src.ops.nn.ctc_beam import ctc_beam_search_decoder as beam_op
from tapeflow._src.ops.nn.softmax import log_softmax


def ctc_loss(
    labels: TensorLike,
    logits: TensorLike,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Compute the CTC loss: the negative log probability of `labels` under the logits.

    Args:
        labels: Dense `[batch, length]` or sparse labels.
        logits: `[time, batch, classes]`, unnormalised.
        label_length: The lengths of dense labels; ignored for sparse ones.
        logit_length: The lengths of the logits in time.
        logits_time_major: Whether the first axis of `logits` is time; else it is the batch.
        unique: The result of `ctc_unique_labels`; not needed.
        blank_index: The class of the blank; negative values count from the end. By default 0 for
            dense labels; required for sparse ones.
        name: Name of the op in a graph.

    Returns:
        A tensor of shape `[batch]`; infinite for dense labels that are longer than their logits.

    Raises:
        ValueError: Shapes, lengths or labels are not valid.

    Example:

        >>> logits = tf.math.log([[[0.1, 0.8, 0.1]], [[0.1, 0.1, 0.8]]])
        >>> loss = tf.nn.ctc_loss([[1, 2]], logits, label_length=[2], logit_length=[2])
        >>> tf.exp(-loss).numpy().round(2).tolist()
        [0.6399999856948853]
    """
    loss = _loss if isinstance(labels, SparseTensor) else _dense_loss
    return loss(labels, logits, label_length, logit_length, logits_time_major, blank_index, name)


def _loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool,
    blank_index: int | None,
    name: str | None,
) -> Any:
    logits = dispatch.convert(logits)
    if logits.shape.rank not in (None, 3):
        raise ValueError(f"ctc_loss: `logits` must have rank 3. Received: shape {logits.shape}")
    if not logits_time_major:
        logits = transpose(logits, static_ints((1, 0, 2)))
    classes = _class_count(logits)
    sparse = isinstance(labels, SparseTensor)
    blank = _blank(blank_index, classes, sparse)
    half = logits.dtype in (dtypes.float16, dtypes.bfloat16)
    exact = cast(logits, DstT=dtypes.float32) if half else logits
    doubled = False
    if sparse:
        indices, values = labels.indices, _without_blank(labels.values, blank)
    else:
        doubled = _may_contain(labels, label_length, blank, classes)
        last = classes if doubled else classes - 1
        indices, values = _sparse_labels(labels, label_length, blank, classes, last)
    times = cast(dispatch.convert(logit_length), DstT=dtypes.int32)
    loss, _ = ctc_ops.ctc_loss(
        _blank_last(exact, blank, classes, doubled),
        indices,
        values,
        times,
        ignore_longer_outputs_than_inputs=not sparse,
        name=name,
    )
    if doubled:
        loss = loss - _weight_of_double(exact, blank, times)
    if not sparse:
        # The op skips rows with fewer time steps than labels; no path emits such labels.
        short = less(times, cast(dispatch.convert(label_length), DstT=dtypes.int32))
        loss = select_v2(short, scalar(math.inf, loss), loss)
    return cast(loss, DstT=logits.dtype) if half else loss


_dense_loss = scoped("ctc_loss_dense")(_loss)


def _class_count(logits: Any) -> Any:
    """Return the size of the last axis: an int, or a scalar tensor if unknown."""
    static_count = None if logits.static_shape is None else logits.static_shape[2]
    return get_item(shape(logits), 2) if static_count is None else static_count


def _blank(blank_index: int | None, classes: Any, sparse: bool) -> Any:
    """Return the blank class as a non-negative index."""
    if blank_index is None and sparse:
        raise ValueError(
            "ctc_loss: blank_index is required with labels in a SparseTensor; -1 is the last class."
        )
    blank = blank_index or 0
    if not isinstance(classes, int):
        return classes + blank if blank < 0 else blank
    if not -classes <= blank < classes:
        raise ValueError(
            f"ctc_loss: `blank_index` must be in [{-classes}, {classes}). Received: {blank_index}"
        )
    return blank % classes


def _blank_last(logits: Any, blank: Any, classes: Any, doubled: bool) -> Any:
    """Return logits with the blank, once or twice, behind the other classes."""
    if isinstance(classes, int) and blank == classes - 1 and not doubled:
        return logits
    last = logits[..., blank : blank + 1]
    others = [logits[..., :blank], logits[..., blank + 1 :]]
    return concat_v2([*others, *[last] * (1 + doubled)], scalar_int(2))


def _weight_of_double(logits: TensorLike, blank: Any, times: Any) -> Any:
    """Return what a second class with the logit of the blank adds to the loss.

    The op takes a blank among the labels for their end, so such labels are of a class of their
    own with the same logit. It increases the sum that each probability is divided by.
    """
    probability = exp(log_softmax(logits))[..., blank]
    steps = cast(sequence_mask(times, shape(logits)[0]), DstT=probability.dtype)
    return sum_(log1p(probability) * transpose(steps, static_ints((1, 0))), scalar_int(0))


def _without_blank(values: Any, blank: Any) -> Any:
    """Return labels numbered as if the blank were the last class."""
    values = cast(values, DstT=dtypes.int32)
    return select_v2(less(values, dispatch.convert(blank, dtypes.int32)), values, values - 1)


def _may_contain(labels: Any, label_length: Any, blank: Any, classes: Any) -> bool:
    """Return whether the blank may be among dense labels: it may, unless all are known."""
    labels = dispatch.convert(labels, None, dtypes.int32)
    lengths = dispatch.convert(label_length, None, dtypes.int32)
    _check_dense(labels, lengths, classes)
    static_labels, ends = labels.static_value, lengths.static_value
    if static_labels is None or ends is None or not isinstance(blank, int):
        return True
    return bool((static_labels[np.arange(static_labels.shape[1]) < ends[:, None]] == blank).any())


def _sparse_labels(
    labels: TensorLike, label_length: Any, blank: Any, classes: Any, end: Any
) -> tuple[Any, Any]:
    """Return the coordinates and values of dense labels, one more than the longest row has.

    Where a row ends stands `end`, the class that the op takes for a blank and so for an end.
    """
    labels = cast(dispatch.convert(labels, None, dtypes.int32), DstT=dtypes.int32)
    lengths = dispatch.convert(label_length, None, dtypes.int32)
    padded = pad(labels, reshape(static_ints((0, 0, 0, 1)), static_ints((2, 2))))
    within = sequence_mask(lengths, shape(padded)[1])
    blank, double, end = (dispatch.convert(n, dtypes.int32) for n in (blank, classes - 1, end))
    classes_of = select_v2(equal(padded, blank), double, _without_blank(padded, blank))
    values = select_v2(within, classes_of, end)
    positions = where(ones_like(within))
    return positions, reshape(values, static_ints((-1,)))


def _check_dense(labels: Any, lengths: Any, classes: Any) -> None:
    """Raise for wrong labels that the op would not notice."""
    if labels.shape.rank not in (None, 2) or not lengths.shape.is_compatible_with(labels.shape[:1]):
        raise ValueError(
            f"ctc_loss: `labels` must be a matrix and `label_length` have one entry per row. "
            f"Received: labels.shape={labels.shape} and label_length.shape={lengths.shape}"
        )
    static_labels, ends = labels.static_value, lengths.static_value
    if static_labels is None or ends is None or not isinstance(classes, int):
        return
    if ends.size and not 0 <= ends.min() <= ends.max() <= static_labels.shape[1]:
        raise ValueError(
            f"ctc_loss: `label_length` must be between 0 and {static_labels.shape[1]}, the columns "
            f"of `labels`. Received: {ends.tolist()}"
        )
    used = static_labels[np.arange(static_labels.shape[1]) < ends[:, None]]
    if ((used < 0) | (used >= classes)).any():
        raise ValueError(
            f"ctc_loss: `labels` must be classes in [0, {classes}). "
            f"Received: {static_labels.tolist()} with `label_length` {ends.tolist()}"
        )


def ctc_greedy_decoder(
    inputs: TensorLike,
    sequence_length: Any,
    merge_repeated: bool = True,
    blank_index: int | None = None,
) -> tuple[list[SparseTensor], Any]:
    """Decode the best class per step: sparse labels, and the negative score of the path.

    Args:
        inputs: Logits of shape `[time, batch, classes]`.
        sequence_length: The length of each sequence, int32.
        merge_repeated: Whether a class that is best in several steps without a blank between counts
            once.
        blank_index: The class of the blank; the last by default.

    Returns:
        A list with one `tf.SparseTensor` of labels, and the negative sum of the best logits of each
        sequence, `[batch, 1]`.

    Example:

        >>> logits = tf.constant([[[0.0, 9.0, 1.0]], [[0.0, 9.0, 1.0]], [[9.0, 0.0, 1.0]]])
        >>> (decoded,), score = tf.nn.ctc_greedy_decoder(logits, sequence_length=[3])
        >>> tf.sparse.to_dense(decoded).numpy().tolist(), score.numpy().tolist()
        ([[1, 0]], [[-27.0]])
    """
    indices, values, shape, score = ctc_ops.ctc_greedy_decoder(
        inputs,
        sequence_length,
        merge_repeated=merge_repeated,
        blank_index=-1 if blank_index is None else blank_index,
    )
    return [SparseTensor(indices, values, shape)], score


def ctc_beam_search_decoder(
    inputs: TensorLike, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Any]:
    """Decode by beam search: the likeliest sequences, sparse, and their log probabilities.

    The blank is the last class.

    Args:
        inputs: Logits of shape `[time, batch, classes]`.
        sequence_length: The length of each sequence, int32.
        beam_width: How many prefixes are followed.
        top_paths: How many sequences to return, at most `beam_width`.

    Returns:
        A list of `top_paths` sparse tensors of labels, and their log probabilities,
        `[batch, top_paths]`.

    Example:

        >>> logits = tf.constant([[[0.0, 9.0, 1.0]], [[0.0, 9.0, 1.0]], [[9.0, 0.0, 1.0]]])
        >>> (decoded,), _ = tf.nn.ctc_beam_search_decoder(logits, [3], beam_width=4)
        >>> tf.sparse.to_dense(decoded).numpy().tolist()
        [[1, 0]]
    """
    top_paths = number(top_paths, "ctc_beam_search_decoder", "top_paths")
    decoded = beam_op(
        inputs,
        sequence_length,
        beam_width=number(beam_width, "ctc_beam_search_decoder", "beam_width"),
        top_paths=top_paths,
        merge_repeated=False,
    )
    parts = [decoded[i * top_paths : (i + 1) * top_paths] for i in range(3)]
    return [SparseTensor(*item) for item in zip(*parts, strict=True)], decoded[-1]


@scoped("collapse_repeated_labels")
def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Any, Any]:
    """Merge repeated labels; return the labels and their new lengths.

    Args:
        labels: `[batch, time]`.
        seq_length: The length of each row; labels behind it are dropped.
        name: Name of the op in a graph.

    Returns:
        A tuple of the labels, padded with zeros, and their lengths.

    Raises:
        ValueError: The ranks are not 2 and 1.

    Example:

        >>> labels, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 3]], [4])
        >>> labels.numpy().tolist(), lengths.numpy().tolist()
        ([[1, 2]], [2])
    """
    labels, lengths = dispatch.convert(labels), dispatch.convert(seq_length)
    if labels.shape.rank not in (None, 2) or lengths.shape.rank not in (None, 1):
        raise ValueError(
            f"collapse_repeated: `labels` must have rank 2 and `seq_length` rank 1. Received: "
            f"shapes {labels.shape} and {lengths.shape}"
        )
    first = ones_like(equal(labels[:, :1], labels[:, :1]))
    changes = concat_v2([first, not_equal(labels[:, 1:], labels[:, :-1])], scalar_int(1))
    mask = logical_and(changes, sequence_mask(lengths, shape(labels)[1]))
    left = sum_(cast(mask, DstT=lengths.dtype), static_ints((1,)))
    longest = max_(left, static_ints((0,)))
    positions = where(sequence_mask(left, longest))
    sizes = pack([cast(shape(labels)[0], DstT=dtypes.int64), cast(longest, DstT=dtypes.int64)])
    return scatter_nd(positions, boolean_mask(labels, mask), sizes), left


@scoped("ctc_unique_labels")
def ctc_unique_labels(labels: Any, name: str | None = None) -> list[Any]:
    """Return the unique labels of each row, and the index of each label among them.

    Args:
        labels: `[batch, length]` integers.
        name: Name of the op in a graph.

    Returns:
        A list of the unique labels (int64, padded with zeros) and the indices (int32), both of the
        shape of `labels`.

    Raises:
        ValueError: The rank is not 2.

    Example:

        >>> [part.numpy().tolist() for part in tf.nn.ctc_unique_labels([[7, 7, 4, 7]])]
        [[[7, 4, 0, 0]], [[0, 0, 1, 0]]]
    """
    labels = dispatch.convert(labels)
    if labels.shape.rank not in (None, 2):
        raise ValueError(
            f"ctc_unique_labels: `labels` must have rank 2. Received: shape {labels.shape}"
        )
    columns = range_(scalar_int(0), shape(labels)[1], scalar_int(1))
    alike = equal(expand_dims(labels, scalar_int(2)), expand_dims(labels, scalar_int(1)))
    first = argmax(cast(alike, DstT=dtypes.int32), 2, output_type=dtypes.int32)
    is_first = equal(first, columns)
    numbers = cumsum(cast(is_first, DstT=dtypes.int32), 1) - 1
    # Each column of the result takes the label that is the first of its kind with that number.
    is_unique = logical_and(
        expand_dims(is_first, scalar_int(1)),
        equal(expand_dims(numbers, scalar_int(1)), expand_dims(columns, scalar_int(1))),
    )
    wide = expand_dims(cast(labels, DstT=dtypes.int64), scalar_int(1))
    uniques = sum_(select_v2(is_unique, wide, scalar(0, wide)), static_ints((2,)))
    return [uniques, gather(numbers, first, batch_dims=1)]
