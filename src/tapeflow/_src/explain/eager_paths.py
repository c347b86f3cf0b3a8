"""The path of a gradient through the records of a tape, and where it becomes zero."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow._src.core import dispatch
from tapeflow._src.gradients.backprop import backpropagate
from tapeflow._src.gradients.endings import body_of, op_name, record_of
from tapeflow._src.gradients.endpoints import seeds
from tapeflow._src.gradients.explanation import Step
from tapeflow._src.gradients.graph_paths import GraphStep, find_path
from tapeflow._src.gradients.ledger import Ledger, Record
from tapeflow._src.gradients.lined_ledger import LinedLedger
from tapeflow._src.gradients.record import DIFFERENTIABLE
from tapeflow._src.gradients.token import Call, Token
from tapeflow._src.ops.indexed_slices import densify


def steps_of(steps: Sequence[GraphStep]) -> tuple[Step, ...]:
    """Return the operations of a path through a graph."""
    return tuple(Step(step.node.type, step.node.source, step.kind is not None) for step in steps)


def path_in_records(ledger: Ledger, targets: list[Token], source: Token) -> tuple[Step, ...]:
    """Return the shortest path of recorded calls from the source to a target."""
    waiting: deque[tuple[Token, tuple[Step, ...]]] = deque((target, ()) for target in targets)
    visited: set[Token] = set(targets)
    while waiting:
        token, path = waiting.popleft()
        if token is source:
            return path
        record = record_of(ledger, token)
        if record is None:
            continue
        inputs, _, payload = record
        for index, entered in enumerate(inputs):
            if entered not in visited and ledger.follows(entered):
                visited.add(entered)
                waiting.append((entered, (*_steps(ledger, token, payload, index), *path)))
    return ()


def _steps(ledger: Ledger, token: Token, payload: Any, index: int) -> tuple[Step, ...]:
    """Return a recorded call as a step, with the operations of the graph that it called."""
    line = ledger.line_of(token) if isinstance(ledger, LinedLedger) else None
    step = Step(op_name(payload), line)
    body = body_of(payload)
    if body is None or index >= len(body.inputs):
        return (step,)
    entered = body.inputs[index]
    inside = find_path([t for t in body.outputs if t is not None], lambda t: t is entered)
    return (step, *steps_of(inside or []))


def vanishing(ledger: Ledger, targets: list[Any], source: Token) -> Step | None:
    """Return the call nearest to the target whose gradient for the source is all zeros."""
    depends = _descendants(ledger, source)
    steps: list[Step] = []
    records = ledger.entries
    ledger.entries = {
        reference: (inputs, _observed(ledger, reference, pull, inputs, depends, steps), payload)
        for reference, (inputs, pull, payload) in records.items()
    }
    try:
        with dispatch.use_recorders(()):
            start = seeds([t for t in targets if t.dtype in DIFFERENTIABLE], ())
            backpropagate(ledger, start, {source}, consume=False)
    finally:
        ledger.entries = records
    return steps[0] if steps else None


def _observed(
    ledger: Ledger,
    reference: Any,
    pull: Any,
    inputs: list[Token],
    depends: set[Token],
    steps: list[Step],
) -> Any:
    """Return a pull function that notes where gradients become zero."""

    def observed(payload: Any, gradients: Any, needed: Any, tokens: Any) -> Any:
        pulled = pull(payload, gradients, needed, tokens)
        if any(map(_has_nonzero, gradients)):
            relevant = [g for g, token in zip(pulled, inputs) if token in depends]
            present = [g for g in relevant if g is not None]
            if present and not any(map(_has_nonzero, present)):
                result = reference()
                token = tokens[0] if type(result) is Call else result
                line = ledger.line_of(token) if isinstance(ledger, LinedLedger) else None
                steps.append(Step(op_name(payload), line))
        return pulled

    return observed


def _has_nonzero(gradient: Any) -> bool:
    if gradient is None:
        return False
    array = densify(gradient)._array
    return bool(np.any(array)) if isinstance(array, np.ndarray) else True


def _descendants(ledger: Ledger, source: Token) -> set[Token]:
    """Return the tensors that depend on the source, and the source."""
    depends = {source}
    records: list[tuple[Any, Record]] = list(ledger.entries.items())
    for reference, (inputs, _, _) in records:
        if not depends.isdisjoint(inputs):
            result = reference()
            depends.update(t for t in _results(result) if t is not None)
    return depends


def _results(result: Any) -> Sequence[Any]:
    return result.living() if type(result) is Call else (result,)
