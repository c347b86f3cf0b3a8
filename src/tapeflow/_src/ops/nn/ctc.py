"""Connectionist temporal classification: its loss and its decoders.

Labels are a sparse matrix, as in TF, so these run on the host: their number is data.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from tapeflow._src.core.dtypes import float32, float64, int32, int64
from tapeflow._src.core.errors import FailedPreconditionError, InvalidArgumentError
from tapeflow._src.core.infer import merge_shape, require_rank
from tapeflow._src.core.registry import Free, Index, InferError, op
from tapeflow._src.core.spec import Spec
from tapeflow._src.ops.array.common import reshape, static_ints
from tapeflow._src.ops.array.shape import prevent_gradient
from tapeflow._src.ops.math.arithmetic import mul

_HOST = "the labels are sparse"
_SCORES = frozenset({float32, float64})


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Log probabilities from logits, over the last axis."""
    shifted = logits - logits.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def _dense_labels(indices: Any, values: Any, batch: int, blank: int) -> tuple[Any, Any]:
    """Return labels as a matrix padded with blanks, which end a row, and their numbers."""
    rows = indices[:, 0]
    _check_indices(indices, batch)
    counts = np.bincount(rows, minlength=batch)
    if batch and counts.min() == 0:
        _refuse(f"Labels length is zero in batch {int(counts.argmin())}")
    if values.size and values.min() < 0:
        _refuse(f"All labels must be nonnegative integers, got {values.tolist()}")
    dense = np.full((batch, int(counts.max(initial=0))), blank)
    dense[rows, np.arange(len(rows)) - (np.cumsum(counts) - counts)[rows]] = values
    ended = np.logical_or.accumulate(dense >= blank, axis=1)
    if (ended & (dense < blank)).any():
        row = int((ended & (dense < blank)).any(1).argmax())
        _refuse(
            f"Saw a non-null label (index >= num_classes - 1) following a null label, batch: {row} "
            f"num_classes: {blank + 1} labels: {dense[row].tolist()}"
        )
    return np.where(ended, blank, dense), (~ended).sum(1)


def _check_indices(indices: Any, batch: int) -> None:
    """Check the coordinates of a sparse matrix with `batch` rows: in range, and in order."""
    outside = (indices[:, 0] < 0) | (indices[:, 0] >= batch) | (indices[:, 1] < 0)
    after = (indices[1:, 0] > indices[:-1, 0]) | (
        (indices[1:, 0] == indices[:-1, 0]) & (indices[1:, 1] > indices[:-1, 1])
    )
    for bad, why in ((outside, "out of bounds"), (np.append(False, ~after), "out of order")):
        if bad.any():
            at = int(bad.argmax())
            _refuse(
                f"label SparseTensor is not valid: indices[{at}] = {indices[at].tolist()} is {why} "
                f"for a batch of {batch}"
            )


def _refuse(message: str) -> NoReturn:
    raise InvalidArgumentError(None, None, message)


def _collapsed(labels: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return labels without repetitions."""
    rows = []
    for row, length in zip(labels, lengths, strict=True):
        cut = row[:length]
        rows.append(cut[np.append(True, cut[1:] != cut[:-1])] if length else cut)
    sizes = np.array([len(r) for r in rows])
    dense = np.zeros((len(rows), int(sizes.max(initial=0))), np.int64)
    for i, row in enumerate(rows):
        dense[i, : len(row)] = row
    return dense, sizes


class _Lattice:
    """The states of all label sequences of a batch: a blank, a label, a blank, …"""

    def __init__(
        self, log_probs: np.ndarray, labels: np.ndarray, lengths: np.ndarray, merge_repeated: bool
    ) -> None:
        _, batch, classes = log_probs.shape
        states = 2 * labels.shape[1] + 1
        self.symbols = np.full((batch, states), classes - 1)
        self.symbols[:, 1::2] = labels
        self.last = 2 * lengths
        is_label = np.arange(states) % 2 == 1
        self.inside = np.arange(states) <= self.last[:, None]
        repeats = np.zeros((batch, states), bool)
        repeats[:, 3::2] = labels[:, 1:] == labels[:, :-1]
        # A label may follow the label before it directly, unless the two would merge.
        self.skip = is_label & (np.arange(states) >= 2) & ~(repeats & merge_repeated)
        self.stay = np.broadcast_to(~is_label | merge_repeated, (batch, states))
        rows = np.arange(batch)[:, None]
        self.emission = log_probs[:, rows, self.symbols]

    def step(self, scores: np.ndarray, skip: np.ndarray) -> np.ndarray:
        """Return the scores of states reached by staying, or from one or two states before."""
        minus = np.full_like(scores, -np.inf)
        one, two = minus.copy(), minus.copy()
        one[:, 1:] = scores[:, :-1]
        two[:, 2:] = scores[:, :-2]
        return np.logaddexp(
            np.logaddexp(np.where(self.stay, scores, minus), one), np.where(skip, two, minus)
        )

    def forward(self) -> np.ndarray:
        """Return per time and state the score of all paths to it, including its emission."""
        alpha = np.full_like(self.emission, -np.inf)
        alpha[:1, :, :2] = self.emission[:1, :, :2]
        for t in range(1, len(alpha)):
            alpha[t] = self.step(alpha[t - 1], self.skip) + self.emission[t]
        return np.where(self.inside, alpha, -np.inf)

    def backward(self, sequence_length: np.ndarray) -> np.ndarray:
        """Return per time and state the score of all paths from it, without its emission."""
        beta = np.full_like(self.emission, -np.inf)
        rows = np.arange(beta.shape[1])
        end = np.full(beta.shape[1:], -np.inf)
        end[rows, self.last] = 0.0
        end[rows, np.maximum(self.last - 1, 0)] = 0.0
        # From a state to itself, the next, or the one after: the forward step mirrored.
        skip = np.zeros_like(self.skip)
        skip[:, :-2] = self.skip[:, 2:]
        for t in range(len(beta) - 1, -1, -1):
            is_last = np.equal(t, sequence_length - 1)[:, None]
            following = np.full(beta.shape[1:], -np.inf)
            if t + 1 < len(beta):
                ahead = np.where(self.inside, beta[t + 1] + self.emission[t + 1], -np.inf)
                one, two = np.full_like(ahead, -np.inf), np.full_like(ahead, -np.inf)
                one[:, :-1] = ahead[:, 1:]
                two[:, :-2] = ahead[:, 2:]
                staying = np.where(self.stay, ahead, -np.inf)
                following = np.logaddexp(np.logaddexp(staying, one), np.where(skip, two, -np.inf))
            active = (t < sequence_length)[:, None]
            beta[t] = np.where(is_last, end, np.where(active, following, -np.inf))
        return beta


def _check_lengths(lengths: np.ndarray, available: np.ndarray, times: int, ignore: bool) -> None:
    if available.size and not 0 <= available.min() <= available.max() <= times:
        _refuse(f"sequence_length must be between 0 and {times}, got {available.tolist()}")
    short = lengths > available
    if short.any() and not ignore:
        row = int(short.argmax())
        _refuse(
            f"Not enough time for target transition sequence (required: {lengths[row]}, available: "
            f"{available[row]}) in batch {row}. ignore_longer_outputs_than_inputs=True allows it"
        )


@op("CTCLoss", dtypes=_SCORES, outputs=("loss", "gradient"), host=_HOST, checked=True)
def ctc_loss(
    xp,
    inputs,
    labels_indices: Index,
    labels_values: Free,
    sequence_length: Free,
    *,
    preprocess_collapse_repeated=False,
    ctc_merge_repeated=True,
    ignore_longer_outputs_than_inputs=False,
):
    """Compute minus the log probability of the labels given `[time, batch, classes]`.

    The blank is last.
    """
    times, batch, classes = inputs.shape
    labels, lengths = _dense_labels(labels_indices, labels_values, batch, classes - 1)
    if preprocess_collapse_repeated:
        labels, lengths = _collapsed(labels, lengths)
    _check_lengths(lengths, sequence_length, times, ignore_longer_outputs_than_inputs)
    log_probs = log_softmax(inputs.astype(np.float64))
    lattice = _Lattice(log_probs, labels, lengths, ctc_merge_repeated)
    scores = lattice.forward() + lattice.backward(sequence_length)
    total = np.logaddexp.reduce(scores[0], axis=-1) if times else np.zeros(batch)
    # For impossible labels, the share of every path is 0.
    share = np.exp(np.where(np.isfinite(scores), scores - total[:, None], -np.inf))
    gradient = np.exp(log_probs)
    time, row = np.indices(scores.shape)[:2]
    np.subtract.at(gradient, (time, row, np.broadcast_to(lattice.symbols, scores.shape)), share)
    # Rows with more labels than time steps, if they are allowed at all, count for nothing.
    counts = (sequence_length > 0) & (lengths <= sequence_length)
    active = (np.arange(times)[:, None] < sequence_length) & counts
    gradient = np.where(active[..., None], gradient, 0.0)
    loss = np.where(counts, -total, 0.0)
    return loss.astype(inputs.dtype), gradient.astype(inputs.dtype)


@ctc_loss.infer
def _(inputs, labels_indices, labels_values, sequence_length, **attrs):
    require_rank(inputs, 3, "inputs")
    require_rank(labels_indices, 2, "labels_indices")
    require_rank(labels_values, 1, "labels_values")
    require_rank(sequence_length, 1, "sequence_length")
    if labels_indices.dtype is not int64:
        raise InferError(f"labels_indices must be int64, got {labels_indices.dtype.name}")
    for name, spec in (("labels_values", labels_values), ("sequence_length", sequence_length)):
        if spec.dtype is not int32:
            raise InferError(f"{name} must be int32, got {spec.dtype.name}")
    if labels_indices.shape is not None and labels_indices.shape[1] not in (None, 2):
        raise InferError("labels_indices must have rows of two numbers: batch and place")
    if labels_indices.shape is not None and labels_values.shape is not None:
        merge_shape(labels_indices.shape[:1], labels_values.shape, "as many indices as labels")
    batch = None if inputs.shape is None else inputs.shape[1]
    rows = merge_shape((batch,), sequence_length.shape, "sequence_length needs one entry per row")
    if inputs.shape is not None and inputs.shape[2] == 0:
        raise InferError("inputs must have at least one class, the blank")
    return Spec(rows, inputs.dtype), Spec(inputs.shape, inputs.dtype)


_NO_SECOND_DERIVATIVE = (
    "CTCLoss computes its own gradient together with the loss, so the gradient cannot be "
    "differentiated again"
)


@ctc_loss.gradient
def _(dloss, dgradient, *, gradient):
    # `gradient` exists for this; other upstream gradients of it are dropped, as TF does.
    fixed = prevent_gradient(gradient, message=_NO_SECOND_DERIVATIVE)
    return mul(reshape(dloss, static_ints((1, -1, 1))), fixed)


# -- decoding ----------------------------------------------------------------------------------

_DECODED = ("decoded_indices", "decoded_values", "decoded_shape", "log_probability")


def sparse_rows(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows of labels as the three components of a sparse matrix."""
    coordinates = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    longest = max((len(row) for row in rows), default=0)
    return (
        np.array(coordinates, np.int64).reshape(-1, 2),
        np.array([label for row in rows for label in row], np.int64),
        np.array([len(rows), longest], np.int64),
    )


def require_times(sequence_length: np.ndarray, times: int) -> None:
    """Check that no sequence is longer than the time axis."""
    for row in np.flatnonzero((sequence_length > times) | (sequence_length < 0)).tolist():
        raise FailedPreconditionError(
            None,
            None,
            f"sequence_length({row}) <= {times} does not hold: it is {sequence_length[row]}",
        )


@op("CTCGreedyDecoder", dtypes=_SCORES, outputs=_DECODED, grad=None, host=_HOST, checked=True)
def ctc_greedy_decoder(xp, inputs, sequence_length: Free, *, merge_repeated=False, blank_index=-1):
    """Compute the best class of each time step without blanks, and minus the score of that path."""
    times, batch, classes = inputs.shape
    require_times(sequence_length, times)
    blank = blank_index % classes
    best, scores = inputs.argmax(-1), inputs.max(-1)
    rows = []
    total = np.zeros((batch, 1), inputs.dtype)
    for b in range(batch):
        path = best[: sequence_length[b], b].tolist()
        total[b] = -scores[: sequence_length[b], b].sum()
        before = [None, *path][: len(path)]
        rows.append(
            [
                s
                for s, p in zip(path, before, strict=True)
                if s != blank and not (merge_repeated and s == p)
            ]
        )
    return (*sparse_rows(rows), total)


@ctc_greedy_decoder.infer
def _(inputs, sequence_length, *, merge_repeated, blank_index):
    batch = _infer_decoder(inputs, sequence_length)
    if (
        inputs.shape is not None
        and inputs.shape[2] is not None
        and not (-inputs.shape[2] <= blank_index < inputs.shape[2])
    ):
        raise InferError(
            f"blank_index expected to be between {-inputs.shape[2]} and {inputs.shape[2] - 1} but "
            f"was {blank_index}"
        )
    return (
        Spec((None, 2), int64),
        Spec((None,), int64),
        Spec((2,), int64),
        Spec((batch, 1), inputs.dtype),
    )


def _infer_decoder(inputs: Spec, sequence_length: Spec) -> int | None:
    require_rank(inputs, 3, "inputs")
    require_rank(sequence_length, 1, "sequence_length")
    if sequence_length.dtype is not int32:
        raise InferError(f"sequence_length must be int32, got {sequence_length.dtype.name}")
    if inputs.shape is not None and inputs.shape[2] == 0:
        raise InferError("inputs must have at least one class")
    batch = None if inputs.shape is None else inputs.shape[1]
    merged = merge_shape((batch,), sequence_length.shape, "one sequence_length per row")
    return merged[0] if merged else None
