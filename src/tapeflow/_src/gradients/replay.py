"""Replay a graph operation by operation, in the current mode and with its recorders.

In a trace, this inlines the operations of an inner function into the outer graph. Eagerly, it runs
them as if the user had called them: tapes record each of them, so that derivatives of any order
follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapeflow._src.core import dispatch
from tapeflow._src.core.errors import OpError
from tapeflow._src.core.traits import CONDITIONAL, LOOP, SWITCH
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.gradients.batched_flow import chosen_branch, loop, mode_of, numbered
from tapeflow._src.gradients.custom import CustomPull, with_gradient
from tapeflow._src.gradients.vectorize import BatchedTensor
from tapeflow._src.graph.body import Body, attributes, embedded, has_effect
from tapeflow._src.graph.failures import located
from tapeflow._src.graph.implementations import ReplaceableCall, mark
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor, replacing_tensors
from tapeflow._src.graph.undefined_outputs import absent
from tapeflow._src.ops.array.shape import identity


def replay(body: Body, values: Sequence[Any]) -> list[Any]:
    """Return the outputs of `body` for these tensors."""
    return _Replay(body, values).outputs()


class _Replay:
    def __init__(self, body: Body, values: Sequence[Any]) -> None:
        self._body = body
        self._used_ids: set[int] | None = None
        # A tape may watch the very tensors that the graph holds as constants.
        self._originals = {id(inner): tensor for tensor, inner in embedded(body.graph)}
        self._replayed: dict[int, Any] = {
            id(tensor): value for tensor, value in zip(body.inputs, values, strict=True)
        }

    def outputs(self) -> list[Any]:
        mode = dispatch.state.mode
        tracing = mode.graph is not None
        outside = mode.source if tracing else None
        before = len(mode.graph.nodes) if tracing else 0
        try:
            for node in self._body.nodes():
                if node.definition.is_argument:
                    continue
                if tracing:
                    mode.source = node.source
                try:
                    results = self._placed_results(node, tracing)
                except OpError as error:
                    raise located(error, node) from error
                for tensor, result in zip(node.outputs, results, strict=True):
                    self._replayed[id(tensor)] = result
        finally:
            if tracing:
                mode.source = outside
        results = [None if t is None else self._value(t) for t in self._body.outputs]
        if tracing and not mode.graph.building_function:
            return self._after_effects(mode.graph, before, results)
        return results

    def _placed_results(self, node: Any, tracing: bool) -> Sequence[Any]:
        """Run an operation; recorders may ask for the device that its block requested."""
        if tracing or not node.device:
            return self._results(node, tracing)
        state = dispatch.state
        outer, state.requested_device = state.requested_device, node.device
        try:
            return self._results(node, tracing)
        finally:
            state.requested_device = outer

    @staticmethod
    def _after_effects(graph: Any, before: int, results: list[Any]) -> list[Any]:
        """Return the results with control dependencies on all effects of the call."""
        effects = [node for node in graph.nodes[before:] if has_effect(node)]
        if not effects:
            # Constants become tensors as well, so that they can be fetched.
            return [None if value is None else graph.adopt(value) for value in results]
        with graph.control_dependencies(effects):
            return [None if value is None else identity(value) for value in results]

    def _value(self, tensor: SymbolicTensor) -> Any:
        return self._replayed[id(tensor)]

    def _used(self) -> set[int]:
        """Return the tensors that are used. Gradients may have added other outputs to nodes."""
        if self._used_ids is None:
            used = {id(t) for node in self._body.nodes() for t in node.inputs}
            self._used_ids = used | {id(t) for t in self._body.outputs}
        return self._used_ids

    def _results(self, node: Operation, tracing: bool) -> Sequence[Any]:
        if node.definition.is_constant:
            original = self._originals.get(id(node.outputs[0]))
            if original is not None:
                return (original,)
            value = node.attrs["value"]
            return (dispatch.base_mode().convert(value, node.attrs["dtype"], None, None),)
        inputs = tuple(
            tuple(self._value(t) for t in operand)
            if type(operand) is tuple
            else self._value(operand)
            for operand in node.operands
        )
        if "_gradient" in node.attrs:
            return self._custom(node.attrs["_gradient"], inputs[0])
        if "_call" in node.attrs:
            return _call(node.attrs["_call"], inputs[0], tracing)
        if not tracing and node.definition.structure is not None:
            return _STRUCTURES[node.definition.structure](node, inputs, self._used())
        op = node.definition
        result = dispatch.state.mode.execute(op, inputs, attributes(node), node.name)
        if result is None:
            return ()
        return (result,) if op.single_output else result

    def _custom(self, gradient: CustomPull, values: tuple[Any, ...]) -> Sequence[Any]:
        """Return results with a custom gradient, whose function may name tensors of this graph."""
        stand_ins = self._replayed

        def pull(*gradients: Any) -> list[Any]:
            with replacing_tensors(stand_ins):
                return gradient.pull(*gradients)

        count = gradient.results
        results = with_gradient(list(values[:count]), values[count:], pull)
        return (*results, *values[count:])


def _call(call: ReplaceableCall, values: tuple[Any, ...], tracing: bool) -> Sequence[Any]:
    """Return the values of a call that stays replaceable in a trace, and is replaced eagerly."""
    arguments = values[call.results :]
    if tracing:
        return (*mark(call, values), *arguments)
    body = call.replacement(values)
    return values if body is None else (*replay(body, arguments), *arguments)


# -- control flow, run in Python ----------------------------------------------------------------


def _if(node: Operation, inputs: tuple[Any, ...], used: set[int]) -> Sequence[Any]:
    cond, values = inputs
    if type(cond) is BatchedTensor:
        branches = node.attrs["then_branch"], node.attrs["else_branch"]
        return chosen_branch([cond], branches, lambda b: _branch(node, b, values, used))
    return _branch(node, node.attrs["then_branch" if cond else "else_branch"], values, used)


def _case(node: Operation, inputs: tuple[Any, ...], used: set[int]) -> Sequence[Any]:
    index, values = inputs
    branches = node.attrs["branches"]
    if type(index) is BatchedTensor:
        conditions = numbered(index, len(branches) - 1)
        return chosen_branch(conditions, branches, lambda b: _branch(node, b, values, used))
    chosen = int(index)
    branch = branches[chosen if 0 <= chosen < len(branches) else -1]
    return _branch(node, branch, values, used)


def _branch(node: Operation, branch: Body, values: Any, used: set[int]) -> Sequence[Any]:
    """Return the results of a branch; those that are undefined or unused do not matter."""
    outputs = tuple(
        t if id(result) in used else None
        for t, result in zip(branch.outputs, node.outputs, strict=True)
    )
    results = replay(Body(branch.graph, outputs, branch.inputs), values)
    return [
        EagerTensor(absent(like)) if result is None else result
        for result, like in zip(results, node.outputs, strict=True)
    ]


def _while(node: Operation, inputs: tuple[Any, ...], used: set[int]) -> Sequence[Any]:
    (values,) = inputs
    cond, body = node.attrs["cond"], node.attrs["body"]
    added = node.attrs.get("_added", {})
    if any(id(t) in used for t in added.values()):
        added = {}
    # Variables that a gradient has added to the loop come last, and nothing before depends on them.
    count = len(values) - len(added)
    step = Body(body.graph, body.outputs[:count], body.inputs[:count])
    test = Body(cond.graph, cond.outputs, cond.inputs[:count])
    current = values[:count]
    mode = mode_of(current)
    if mode is not None:
        current = loop(mode, test, step, current, replay)
    else:
        while replay(test, current)[0]:
            current = replay(step, current)
    return [*current, *values[count:]]


_STRUCTURES = {CONDITIONAL: _if, SWITCH: _case, LOOP: _while}
