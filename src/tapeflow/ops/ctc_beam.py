"""Beam search for the likeliest label sequences of connectionist temporal classification."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.core.dtypes import float32, float64, int32, int64
from tapeflow.core.infer import merge_shape, require_rank
from tapeflow.core.registry import MANY_OUTPUTS, Free, InferError, op
from tapeflow.core.spec import Spec
from tapeflow.ops.ctc import log_softmax, require_times, sparse_rows

_Prefix = tuple[int, ...]
_NEVER = -np.inf


def _search(log_probs: np.ndarray, width: int) -> list[tuple[_Prefix, float]]:
    """Label sequences and their log probabilities, best first. The last class is the blank.

    Each prefix has two scores: of the paths to it that end in a blank, and of those that end in its
    last label. Both are needed to know whether a repeated label is a new one.
    """
    blank = log_probs.shape[1] - 1
    beam: dict[_Prefix, tuple[float, float]] = {(): (0.0, _NEVER)}
    for scores in log_probs:
        grown: dict[_Prefix, tuple[float, float]] = {}

        def add(prefix: _Prefix, ends_blank: float, ends_label: float, into: Any = grown) -> None:
            old_blank, old_label = into.get(prefix, (_NEVER, _NEVER))
            into[prefix] = (
                float(np.logaddexp(old_blank, ends_blank)),
                float(np.logaddexp(old_label, ends_label)),
            )

        for prefix, (by_blank, by_label) in beam.items():
            either = float(np.logaddexp(by_blank, by_label))
            add(prefix, either + float(scores[blank]), _NEVER)
            if prefix:
                add(prefix, _NEVER, by_label + float(scores[prefix[-1]]))
            for label in range(blank):
                repeated = bool(prefix) and label == prefix[-1]
                start = by_blank if repeated else either
                add((*prefix, label), _NEVER, start + float(scores[label]))
        ranked = sorted(grown.items(), key=lambda item: -float(np.logaddexp(*item[1])))
        beam = dict(ranked[:width])
    return [(prefix, float(np.logaddexp(*scores))) for prefix, scores in beam.items()]


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
    """The `top_paths` likeliest label sequences of each row: indices, values and shapes, scores."""
    times, batch, _ = inputs.shape
    require_times(sequence_length, times)
    log_probs = log_softmax(inputs.astype(np.float64))
    found = [_search(log_probs[: sequence_length[b], b], beam_width) for b in range(batch)]
    xp.require(
        all(len(paths) >= top_paths for paths in found),
        f"Less leaves in the beam search than requested: top_paths = {top_paths}",
    )
    scores = np.array([[s for _, s in paths[:top_paths]] for paths in found], inputs.dtype)
    parts = []
    for k in range(top_paths):
        rows = [paths[k][0] for paths in found]
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
