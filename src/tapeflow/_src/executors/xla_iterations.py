"""How often a loop of compiled code runs, where that follows from static values.

The variables that decide it are computed with NumPy while tracing. What they are after the last
iteration is static, too: the loop of a gradient, which counts back from there, is known as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tapeflow._src.executors.xla_trace import is_static, results_if_static
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.operation import Operation
from tapeflow._src.graph.tensor import SymbolicTensor

# The most iterations that are simulated to count them.
MOST_COUNTED = 100_000


class Course(NamedTuple):
    """The number of iterations, and the final values of the loop variables that decide it."""

    iterations: int
    final: dict[int, Any]


class CourseOf:
    """The course of a loop with these initial values, computed at the first call."""

    def __init__(self, node: Operation, values: Sequence[Any]) -> None:
        self._cond: Body = node.attrs["cond"]
        self._body: Body = node.attrs["body"]
        self._values = list(values)
        self._tried = 0
        self._course: Course | None = None

    def __call__(self, most: int = MOST_COUNTED) -> Course | None:
        """Return the course, if it is static and has at most that many iterations."""
        if self._course is None and self._tried < most:
            self._tried = most
            self._course = self._simulated(most)
        return self._course

    @property
    def final(self) -> dict[int, Any]:
        """The final values of loop variables, as far as they were computed."""
        return {} if self._course is None else self._course.final

    def _simulated(self, most: int) -> Course | None:
        indices = self._deciding()
        if not all(is_static(self._values[i]) for i in indices):
            return None
        goes_on = _Static(self._cond, self._cond.outputs)
        step = _Static(self._body, [self._body.outputs[i] for i in indices])
        current = list(self._values)
        for count in range(most):
            go = goes_on(current)
            if go is None:
                return None
            if not go[0]:
                return Course(count, {index: current[index] for index in indices})
            following = step(current)
            if following is None:
                return None
            for index, value in zip(indices, following, strict=True):
                current[index] = value
        return None

    def values_of(self, tensor: SymbolicTensor) -> list[Any] | None:
        """Return the value of a tensor of the body in each iteration, if it is static."""
        if self._course is None:
            return None
        indices = list(self._course.final)
        step = _Static(self._body, [*(self._body.outputs[i] for i in indices), tensor])
        current, values = list(self._values), []
        for _ in range(self._course.iterations):
            computed = step(current)
            if computed is None:
                return None
            *following, value = computed
            values.append(value)
            for index, new in zip(indices, following, strict=True):
                current[index] = new
        return values

    def _deciding(self) -> list[int]:
        """Return the loop variables on which the condition depends."""
        needed = _inputs_needed(self._cond, [0])
        grown = True
        while grown:
            more = needed | _inputs_needed(self._body, sorted(needed))
            grown, needed = more != needed, more
        return sorted(needed)


def _inputs_needed(body: Body, outputs: Sequence[int]) -> set[int]:
    """Return the indices of the inputs on which these outputs depend."""
    pruned = Body(body.graph, tuple(body.outputs[i] for i in outputs), body.inputs, effects=False)
    used = {id(t) for node in pruned.nodes() for t in node.inputs}
    used |= {id(t) for t in pruned.outputs}
    return {i for i, t in enumerate(body.inputs) if id(t) in used}


class _Static:
    """Outputs of a body, computed with NumPy for static values of its inputs."""

    def __init__(self, body: Body, outputs: Sequence[SymbolicTensor | None]) -> None:
        pruned = Body(body.graph, tuple(outputs), body.inputs, effects=False)
        self._inputs, self._outputs = body.inputs, pruned.outputs
        self._nodes = [node for node in pruned.nodes() if not node.definition.is_argument]

    def __call__(self, values: Sequence[Any]) -> list[Any] | None:
        """Return the outputs, or None if they are not static."""
        of: dict[int, Any] = {id(t): v for t, v in zip(self._inputs, values, strict=True)}
        for node in self._nodes:
            operands = [
                [of.get(id(t)) for t in operand] if type(operand) is tuple else of.get(id(operand))
                for operand in node.operands
            ]
            results = (
                [node.attrs["value"]]
                if node.definition.is_constant
                else results_if_static(node, operands)
            )
            if results is None:
                return None
            for tensor, result in zip(node.outputs, results, strict=True):
                of[id(tensor)] = result
        return [of[id(t)] for t in self._outputs]
