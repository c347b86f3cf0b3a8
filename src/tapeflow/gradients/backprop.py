"""The backward pass: from gradients of targets to gradients of sources, over a list of records."""

from __future__ import annotations

from typing import Any

from tapeflow.gradients.record import Record
from tapeflow.ops.arithmetic import add_v2
from tapeflow.ops.indexed_slices import IndexedSlices, densify, join


def backpropagate(
    records: list[Record], seeds: list[tuple[int, Any]], sources: set[int], consume: bool
) -> dict[int, Any]:
    """The gradient of each source that the targets depend on.

    `seeds` are the targets' numbers and gradients. With `consume` the records are dropped as they
    are used, and what they keep is freed.
    """
    reachable = _reachable(records, sources)
    gradients: dict[int, Any] = {}
    for number, gradient in seeds:
        _accumulate(gradients, number, gradient)
    remaining = records if consume else list(records)
    while remaining:
        record = remaining.pop()
        arrived = [None if i is None else gradients.get(i) for i in record.output_ids]
        if all(g is None for g in arrived):
            continue
        needed = [i in reachable for i in record.input_ids]
        for i in record.output_ids:
            if i is not None and i not in sources:
                gradients.pop(i, None)
        if not any(needed):
            continue
        for number, gradient in zip(record.input_ids, record.pull(arrived, needed), strict=True):
            if number is not None and gradient is not None and number in reachable:
                _accumulate(gradients, number, gradient)
    return {i: g for i, g in gradients.items() if i in sources}


def _reachable(records: list[Record], sources: set[int]) -> set[int]:
    """The tensors that depend on a source: only through them do gradients need to flow."""
    reachable = set(sources)
    for record in records:
        for number in record.input_ids:
            if number in reachable:
                reachable.update(i for i in record.output_ids if i is not None)
                break
    return reachable


def _accumulate(gradients: dict[int, Any], number: int, gradient: Any) -> None:
    present = gradients.get(number)
    gradients[number] = gradient if present is None else add_gradients(present, gradient)


def add_gradients(a: Any, b: Any) -> Any:
    """Their sum, sparse while both are."""
    if isinstance(a, IndexedSlices) and isinstance(b, IndexedSlices):
        return join(a, b)
    return add_v2(densify(a), densify(b))
