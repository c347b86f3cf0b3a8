"""`tf.nn`: connectionist temporal classification."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.core import dispatch, dtypes
from tapeflow.ops import ctc as ctc_ops
from tapeflow.ops.array import concat_v2, scalar_int, static_ints
from tapeflow.ops.cast import cast
from tapeflow.ops.ctc_beam import ctc_beam_search_decoder as beam_op
from tapeflow.ops.movement import transpose
from tapeflow.ops.sparse_tensor import SparseTensor


def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Any:
    """Minus the log probability of `labels`, dense or sparse, given the logits of each time."""
    logits = dispatch.convert(logits)
    if not logits_time_major:
        logits = transpose(logits, static_ints((1, 0, 2)))
    classes = logits.shape[2]
    if blank_index is None:
        if isinstance(labels, SparseTensor):
            raise ValueError(
                "Argument `blank_index` must be provided when labels is a `SparseTensor`."
            )
        blank_index = 0
    blank = blank_index % classes if blank_index < 0 else blank_index
    if not 0 <= blank < classes:
        raise ValueError(f"`blank_index` must be in [{-classes}, {classes}), got {blank_index}")
    lengths = dispatch.convert(logit_length)
    if isinstance(labels, SparseTensor):
        indices, values = labels.indices, labels.values
    else:
        indices, values = _sparse_labels(labels, label_length)
    # The op's blank is the last class: the classes after ours move down by one.
    rolled = logits
    if blank != classes - 1:
        parts = [logits[..., :blank], logits[..., blank + 1 :], logits[..., blank : blank + 1]]
        rolled = concat_v2(parts, scalar_int(2))
        moved = values._static - (values._static > blank)
        values = dispatch.convert(moved.astype(np.int32))
    loss, _ = ctc_ops.ctc_loss(
        rolled, indices, cast(values, DstT=dtypes.int32), cast(lengths, DstT=dtypes.int32)
    )
    return loss


def _sparse_labels(labels: Any, label_length: Any) -> tuple[Any, Any]:
    """The coordinates and values of dense labels, each row as long as it says."""
    dense = dispatch.convert(labels)._static
    lengths = dispatch.convert(label_length)._static
    if dense.ndim != 2 or lengths.shape != dense.shape[:1]:
        raise ValueError(
            f"`labels` must be a matrix and `label_length` have one entry per row. Received: "
            f"labels.shape={dense.shape} and label_length.shape={lengths.shape}"
        )
    if lengths.size and lengths.max() > dense.shape[1]:
        raise ValueError(f"`label_length` must be at most {dense.shape[1]}, got {lengths.max()}.")
    rows, places = np.nonzero(np.arange(dense.shape[1]) < lengths[:, None])
    indices = np.stack([rows, places], axis=1).astype(np.int64)
    return dispatch.convert(indices), dispatch.convert(dense[rows, places].astype(np.int32))


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[SparseTensor], Any]:
    """The best class of each time, as a sparse matrix of labels, and minus that path's score."""
    indices, values, shape, score = ctc_ops.ctc_greedy_decoder(
        inputs,
        sequence_length,
        merge_repeated=merge_repeated,
        blank_index=-1 if blank_index is None else blank_index,
    )
    return [SparseTensor(indices, values, shape)], score


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Any]:
    """The likeliest label sequences as sparse matrices, and their log probabilities."""
    found = beam_op(
        inputs, sequence_length, beam_width=beam_width, top_paths=top_paths, merge_repeated=False
    )
    parts = [found[i * top_paths : (i + 1) * top_paths] for i in range(3)]
    return [SparseTensor(*item) for item in zip(*parts, strict=True)], found[-1]


def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Any, Any]:
    """Labels without repetitions of the one before, and how many are left."""
    dense = dispatch.convert(labels)._static
    lengths = dispatch.convert(seq_length)._static
    kept, sizes = ctc_ops.collapsed(dense, lengths)
    return (
        dispatch.convert(kept.astype(dense.dtype)),
        dispatch.convert(sizes.astype(lengths.dtype)),
    )


def ctc_unique_labels(labels: Any, name: str | None = None) -> tuple[Any, Any]:
    """The labels of each row without duplicates, and which of them each label is."""
    dense = dispatch.convert(labels)._static
    uniques = np.zeros(dense.shape, dense.dtype)
    places = np.zeros(dense.shape, np.int64)
    for i, row in enumerate(dense):
        values, first, inverse = np.unique(row, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        uniques[i, : len(values)] = values[order]
        places[i] = rank[inverse]
    return dispatch.convert(uniques), dispatch.convert(places)
