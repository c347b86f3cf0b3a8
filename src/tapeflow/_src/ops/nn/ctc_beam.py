"""Beam search for the most likely label sequences of CTC."""

from __future__ import annotations

import numpy as np

from tapeflow._src.core.dtypes import float32, float64, int32, int64
from tapeflow._src.core.infer import merge_shape, require_rank
from tapeflow._src.core.registry import MANY_OUTPUTS, Free, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.nn.ctc import log_softmax, require_times, sparse_rows

_Prefix = tuple[int, ...]


def _search(log_probs: np.ndarray, width: int) -> list[tuple[_Prefix, float]]:
    """Return label sequences and their log probabilities, best first. The last class is blank.

    Each prefix has two scores: of the paths to it that end in a blank, and of those that end in its
    last label. Both are needed to know whether a repeated label is a new one.
    """
    blank = log_probs.shape[1] - 1
    prefixes: list[_Prefix] = [()]
    by_blank, by_label = np.zeros(1), np.full(1, -np.inf)
    for scores in log_probs:
        either = np.logaddexp(by_blank, by_label)
        # The class of the blank stands for the last label of the empty prefix, which has none.
        last = np.array([p[-1] if p else blank for p in prefixes], np.int64)
        stays_label = by_label + scores[last]
        grown = either[:, None] + scores[:blank]
        repeats = np.flatnonzero(last < blank)
        grown[repeats, last[repeats]] = by_blank[repeats] + scores[last[repeats]]
        _merge_existing(prefixes, grown, stays_label)
        stays_blank = either + scores[blank]
        every = np.concatenate([np.logaddexp(stays_blank, stays_label), grown.reshape(-1)])
        best = np.argsort(-every, kind="stable")[:width]
        best = best[np.isfinite(every[best])]
        count = len(prefixes)
        stays, (parents, labels) = best < count, np.divmod(best - count, max(blank, 1))
        by_blank = np.where(stays, stays_blank[np.minimum(best, count - 1)], -np.inf)
        by_label = np.where(stays, stays_label[np.minimum(best, count - 1)], every[best])
        prefixes = [
            prefixes[i] if stay else (*prefixes[parent], label)
            for i, stay, parent, label in zip(
                best.tolist(), stays.tolist(), parents.tolist(), labels.tolist(), strict=True
            )
        ]
    order = np.argsort(-np.logaddexp(by_blank, by_label), kind="stable")
    return [(prefixes[i], float(np.logaddexp(by_blank[i], by_label[i]))) for i in order]


def _merge_existing(prefixes: list[_Prefix], grown: np.ndarray, stays_label: np.ndarray) -> None:
    """Merge the scores of extensions that equal an existing prefix into that prefix."""
    index_of = {prefix: i for i, prefix in enumerate(prefixes)}
    for i, prefix in enumerate(prefixes):
        parent = index_of.get(prefix[:-1]) if prefix else None
        if parent is not None:
            stays_label[i] = np.logaddexp(stays_label[i], grown[parent, prefix[-1]])
            grown[parent, prefix[-1]] = -np.inf


def _merged(prefix: _Prefix) -> list[int]:
    return [s for i, s in enumerate(prefix) if i == 0 or s != prefix[i - 1]]


@op(
    "CTCBeamSearchDecoder",
    dtypes=frozenset({float32, float64}),
    outputs=MANY_OUTPUTS,
    grad=None,
    host="the labels are sparse",
    checked=True,
)
def ctc_beam_search_decoder(
    xp, inputs, sequence_length: Free, *, beam_width, top_paths, merge_repeated=True
):
    """Compute the `top_paths` most likely label sequences of each row: indices, values, shapes,
    scores.
    """
    times, batch, _ = inputs.shape
    require_times(sequence_length, times)
    log_probs = log_softmax(inputs.astype(np.float64))
    beams = [_search(log_probs[: sequence_length[b], b], beam_width) for b in range(batch)]
    xp.require(
        all(len(paths) >= top_paths for paths in beams),
        f"Less leaves in the beam search than requested: top_paths = {top_paths}",
    )
    scores = np.array([[s for _, s in paths[:top_paths]] for paths in beams], inputs.dtype)
    parts = []
    for k in range(top_paths):
        rows = [paths[k][0] for paths in beams]
        parts.append(sparse_rows([_merged(r) if merge_repeated else list(r) for r in rows]))
    indices, values, shapes = zip(*parts, strict=True)
    return [*indices, *values, *shapes, scores.reshape(batch, top_paths)]


@ctc_beam_search_decoder.infer
def _(inputs, sequence_length, *, beam_width, top_paths, merge_repeated):
    require_rank(inputs, 3, "inputs")
    require_rank(sequence_length, 1, "sequence_length")
    if sequence_length.dtype is not int32:
        raise InferError(f"sequence_length must be int32, got {sequence_length.dtype.name}")
    if not 1 <= top_paths <= beam_width:
        raise InferError(
            f"requested more paths than the beam width, or none: top_paths = {top_paths}, "
            f"beam_width = {beam_width}"
        )
    batch = None if inputs.shape is None else inputs.shape[1]
    (batch,) = merge_shape((batch,), sequence_length.shape or (None,), "one length per row")
    if inputs.shape is not None and inputs.shape[2] == 0:
        raise InferError("inputs must have at least one class, the blank")
    return (
        *(Spec((None, 2), int64),) * top_paths,
        *(Spec((None,), int64),) * top_paths,
        *(Spec((2,), int64),) * top_paths,
        Spec((batch, top_paths), inputs.dtype),
    )
