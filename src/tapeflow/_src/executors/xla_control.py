"""Branches in compiled code, by `lax.switch`, and the state that control flow carries.

A body closes over the values around it. The state it changes (variables, random streams and
failures) is returned beside its results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tapeflow._src.backends.jax_flags import collect_failures, note, together
from tapeflow._src.backends.jax_lists import DenseList
from tapeflow._src.core.dtypes import resource as resource_dtype
from tapeflow._src.core.dtypes import variant as variant_dtype
from tapeflow._src.core.traits import CONDITIONAL, SWITCH
from tapeflow._src.executors.xla_carried import Carried
from tapeflow._src.executors.xla_replicas import replicated
from tapeflow._src.executors.xla_state import Box
from tapeflow._src.executors.xla_trace import (
    STRUCTURES,
    CannotCompileError,
    Trace,
    is_static,
    traced,
)
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.operation import Operation
from tapeflow._src.ops.graph.replicas import on_replicas


def refuse_handles(node: Operation, values: Sequence[Any]) -> None:
    """Raise for results that are handles: which variable it is must not depend on values."""
    if any(isinstance(value, Box) for value in values):
        raise CannotCompileError(node, "which variable it gives depends on values")


class _Branches:
    """One of several bodies, selected by a traced index."""

    def __init__(
        self, trace: Trace, node: Operation, bodies: Sequence[Body], values: list[Any]
    ) -> None:
        self._trace = trace
        self._node = node
        self._bodies = bodies
        self._values = values
        self._carried = Carried(trace, bodies, values)
        self._can_fail = False
        # The results of each branch when it was traced.
        self._branch_results: list[list[Any]] = [[] for _ in bodies]
        # For lists whose form differs between branches: a common form.
        self._forms: dict[int, Callable[[DenseList], DenseList]] = {}

    def run(self, index: Any) -> Sequence[Any]:
        branches = [self._branch(i) for i in range(len(self._bodies))]
        try:
            outputs, state, wrong = lax.switch(index, branches)
        except TypeError as error:
            if self._forms or not self._find_forms():
                raise CannotCompileError(
                    self._node,
                    f"the branches give results of different shapes or dtypes: {error}",
                ) from error
            return self.run(index)
        self._carried.put(state)
        if self._can_fail:
            note(wrong)
        return [
            _common([results[i] for results in self._branch_results], output)
            for i, output in enumerate(outputs)
        ]

    def _branch(self, number: int) -> Callable[[], Any]:
        def run() -> Any:
            before = self._carried.now()
            try:
                with collect_failures() as failures:
                    results = self._trace.run(self._bodies[number], self._values)
                self._branch_results[number] = results
                self._can_fail = self._can_fail or bool(failures)
                outputs = [self._result(i, value) for i, value in enumerate(results)]
                return outputs, self._carried.now(), together(failures)
            finally:
                self._carried.put(before)

        return run

    def _result(self, index: int, value: Any) -> Any:
        if isinstance(value, DenseList):
            return self._forms[index](value) if index in self._forms else value
        if value is not None:
            return traced(value, self._node)
        # Undefined in this branch: nothing reads it, but it must have a shape.
        return jax.tree.map(lambda one: jnp.zeros(one.shape, one.dtype), self._like(index))

    def _like(self, index: int) -> Any:
        """Return a description of a result that some branch defines."""
        tensor = self._node.outputs[index]
        if (
            tensor.dtype is not variant_dtype
            and tensor.static_shape
            and None not in tensor.static_shape
        ):
            return jax.ShapeDtypeStruct(tensor.static_shape, tensor.dtype.np)
        for body in self._bodies:
            if body.outputs[index] is not None:
                return self._described(body, index)
        raise CannotCompileError(self._node, "a result that no branch gives")

    def _described(self, body: Body, index: int) -> Any:
        def run() -> Any:
            before = self._carried.now()
            try:
                with collect_failures():
                    return traced(self._trace.run(body, self._values)[index], self._node)
            finally:
                self._carried.put(before)

        return jax.eval_shape(run)

    def _find_forms(self) -> bool:
        """Find common forms for lists that differ between branches; return whether any do."""
        for index, values in enumerate(zip(*self._branch_results)):
            lists = [v for v in values if isinstance(v, DenseList)]
            if len({handle.kind() for handle in lists}) > 1:
                shaped = [handle for handle in lists if handle.items is not None]
                if not shaped:
                    return False
                self._forms[index] = _form(shaped[0].item, max(handle.rows for handle in lists))
        return bool(self._forms)


def _form(item: Any, rows: int) -> Callable[[DenseList], DenseList]:
    return lambda handle: handle.shaped(item).with_rows(rows).counting()


def _common(values: list[Any], output: Any) -> Any:
    """Return the static result common to all branches, else the traced one."""
    first = values[0]
    if all(is_static(v) and v.dtype == first.dtype for v in values) and all(
        np.array_equal(first, v) for v in values[1:]
    ):
        return first
    return output


def _branch(
    trace: Trace, node: Operation, bodies: Sequence[Body], index: Any, values: list[Any]
) -> Sequence[Any]:
    if any(t.dtype is resource_dtype for t in node.outputs):
        raise CannotCompileError(node, "which variable it gives depends on values")
    return _Branches(trace, node, bodies, values).run(index)


def if_(trace: Trace, node: Operation, operands: list[Any]) -> Sequence[Any]:
    """Run a branch if the first operand holds."""
    cond, values = operands
    source = node.operands[0].op
    if source.definition is on_replicas:
        return replicated(trace, node, source.attrs["devices"], values)
    then, other = node.attrs["then_branch"], node.attrs["else_branch"]
    if is_static(cond):
        return trace.run(then if cond else other, values)
    return _branch(trace, node, (other, then), cond.astype(np.int32), values)


def case(trace: Trace, node: Operation, operands: list[Any]) -> Sequence[Any]:
    """Run the branch selected by the first operand; the last one if it is out of range."""
    index, values = operands
    branches = node.attrs["branches"]
    last = len(branches) - 1
    if is_static(index):
        chosen = int(index)
        return trace.run(branches[chosen if 0 <= chosen <= last else last], values)
    chosen = jnp.where((index < 0) | (index > last), last, index).astype(np.int32)
    return _branch(trace, node, branches, chosen, values)


STRUCTURES.update({CONDITIONAL: if_, SWITCH: case})
