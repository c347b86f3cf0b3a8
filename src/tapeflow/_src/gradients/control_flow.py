"""The gradients of the ops that hold functions, for tapes and for the gradients of graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.registry import Op
from tapeflow._src.gradients.branches import pull_branches
from tapeflow._src.gradients.loops import pull_loop
from tapeflow._src.gradients.record import flat_inputs
from tapeflow._src.graph.operation import Operation
from tapeflow._src.ops.graph import control_flow as ops


class ControlFlowGradient:
    """The gradient rule of an op that holds functions: the node itself is saved.

    Differentiating a node may add outputs to it. Tapes that are recording then, for higher-order
    gradients, record these as another call with the same inputs.
    """

    __slots__ = ("_pull",)

    def __init__(self, pull: Callable[..., list[Any]]) -> None:
        self._pull = pull

    def record(
        self, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any], outputs: tuple[Any, ...]
    ) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Return the pull function of a call and its payload."""
        indices = [output.value_index for output in outputs]
        return _pull, (self._pull, outputs[0].op, flat_inputs(op, inputs), indices)


def _pull(
    payload: tuple[Any, ...], gradients: Sequence[Any], needed: list[bool], tokens: Any
) -> list[Any]:
    pull, node, inputs, indices = payload
    seeds = {
        index: gradient
        for index, gradient in zip(indices, gradients, strict=True)
        if gradient is not None
    }
    gradient: list[Any] = pull(
        node, inputs, seeds, needed, _extension_recorder(dispatch.state.recorders)
    )
    return gradient


def _extension_recorder(recorders: Sequence[Any]) -> Callable[..., None]:
    """Return a function that records outputs added to a node with those who record the gradient."""

    def record(node: Operation, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
        op = node.definition
        structured = (inputs,) if op in ops.LOOPS else (inputs[0], tuple(inputs[1:]))
        for recorder in recorders:
            recorder.record(op, structured, node.attrs, outputs)

    return record


for _op in ops.BRANCHES:
    _op.gradient_rule = ControlFlowGradient(pull_branches)
for _op in ops.LOOPS:
    _op.gradient_rule = ControlFlowGradient(pull_loop)
