"""How many changes turn one sequence into another, for batches of sequences of any lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow._src.core import dtypes
from tapeflow._src.core.errors import InternalError, fmt_shape
from tapeflow._src.core.registry import Index, InferError, Static, op
from tapeflow._src.core.spec import Spec


def _check_sequences(name: str, indices: Spec, values: Spec, shape: Spec) -> None:
    """Raise unless these are the parts of one sparse tensor."""
    for part, spec, rank, kind in (
        ("indices", indices, 2, "matrix"),
        ("values", values, 1, "vector"),
        ("shape", shape, 1, "vector"),
    ):
        if spec.shape is not None and len(spec.shape) != rank:
            raise InferError(f"{name}_{part} should be a {kind}, got shape {fmt_shape(spec.shape)}")
    rows, columns = indices.shape or (None, None)
    for part, spec, expected, what in (
        ("shape", shape, columns, "cols"),
        ("values", values, rows, "rows"),
    ):
        count = spec.shape[0] if spec.shape else None
        if count is not None and expected is not None and count != expected:
            raise InferError(
                f"Expected {name}_{part}.NumElements == #{what}({name}_indices), their shapes are: "
                f"{fmt_shape(spec.shape)} and {fmt_shape(indices.shape)}"
            )


@op("EditDistance", grad=None, host="sequences of different lengths", checked=True)
def edit_distance(
    xp,
    hypothesis_indices: Index,
    hypothesis_values,
    hypothesis_shape: Static,
    truth_indices: Index,
    truth_values,
    truth_shape: Static,
    *,
    normalize=True,
):
    """Compute the Levenshtein distance of each hypothesis to its truth.

    Divided by the length of the truth on request: infinite where only that is empty.
    """
    dims = tuple(np.maximum(hypothesis_shape, truth_shape)[:-1].tolist())
    hypotheses = _by_cell("hypothesis", hypothesis_indices, hypothesis_values, dims)
    truths = _by_cell("truth", truth_indices, truth_values, dims)
    result = np.zeros(dims, np.float32)
    flat = result.reshape(-1)
    empty = truth_values[:0]
    for index in hypotheses.keys() | truths.keys():
        truth = truths.get(index, empty)
        distance = levenshtein(hypotheses.get(index, empty), truth)
        if normalize:
            flat[index] = distance / len(truth) if len(truth) else np.inf
        else:
            flat[index] = distance
    return result


@edit_distance.infer
def _(
    hypothesis_indices,
    hypothesis_values,
    hypothesis_shape,
    truth_indices,
    truth_values,
    truth_shape,
    *,
    normalize,
):
    _check_sequences("hypothesis", hypothesis_indices, hypothesis_values, hypothesis_shape)
    _check_sequences("truth", truth_indices, truth_values, truth_shape)
    ranks = [spec.shape[0] if spec.shape else None for spec in (truth_shape, hypothesis_shape)]
    if None not in ranks and ranks[0] != ranks[1]:
        raise InferError(
            f"Expected truth and hypothesis to have matching ranks, but their shapes are: "
            f"{fmt_shape(truth_shape.shape)} and {fmt_shape(hypothesis_shape.shape)}"
        )
    rank = ranks[1] if ranks[0] is None else ranks[0]
    if rank is None:
        return Spec(None, dtypes.float32)
    if rank < 2:
        raise InferError(
            f"Input SparseTensors must have rank at least 2, but truth_shape rank is: {rank}"
        )
    if hypothesis_shape.value is None or truth_shape.value is None:
        return Spec((None,) * (rank - 1), dtypes.float32)
    sizes = np.maximum(hypothesis_shape.value, truth_shape.value)[:-1]
    dims = tuple(int(size) for size in sizes)
    if min(dims) < 0:
        raise InferError(f"The sizes of hypothesis and truth must be >= 0, got {fmt_shape(dims)}")
    if 0 in dims:
        raise InferError(f"Got output shape {fmt_shape(dims)} which has 0 elements")
    return Spec(dims, dtypes.float32)


def _by_cell(name: str, indices: Any, values: Any, dims: tuple[int, ...]) -> dict[int, Any]:
    """Return the sequences by their flat index in the result."""
    if not len(values):
        return {}
    batch = indices[:, :-1]
    bad = ((batch < 0) | (batch >= np.array(dims))).any(axis=1)
    if bad.any():
        at = int(bad.argmax())
        raise InternalError(
            None,
            None,
            f"{name}_indices[{at}] = {indices[at].tolist()} is outside of the result, "
            f"which has shape {fmt_shape(dims)}",
        )
    batch_indices = np.ravel_multi_index(tuple(batch.T), dims)
    order = np.argsort(batch_indices, kind="stable")
    cells, starts = np.unique(batch_indices[order], return_index=True)
    return dict(zip(cells.tolist(), np.split(values[order], starts[1:]), strict=True))


def levenshtein(a: Any, b: Any) -> int:
    """Compute the Levenshtein distance of `a` and `b`."""
    steps = np.arange(len(b) + 1)
    row = steps
    for count, item in enumerate(a, 1):
        # From the row above: deletion of `item`, or its replacement by an item of `b`.
        cost = np.minimum(row[1:] + 1, row[:-1] + (b != item))
        # From the left: putting in items of `b`, each at the cost of one.
        row = np.minimum.accumulate(np.concatenate(([count], cost)) - steps) + steps
    return int(row[-1])
