"""Running a traced function on eager tensors, or within a trace, and recording it on tapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.core import dispatch, probes
from tapeflow._src.core.dtypes import FLOATING_COMPLEX
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.eager.dtensor import DTensor, MeshPlacer, meshes
from tapeflow._src.eager.packed_tensor import operand_of, value_of, wrap
from tapeflow._src.eager.placement import Placer, placer_in_force
from tapeflow._src.eager.tensor import EagerTensor
from tapeflow._src.executors.program import Program
from tapeflow._src.gradients.backprop import backpropagate
from tapeflow._src.gradients.endings import INTEGER
from tapeflow._src.gradients.graph import Backward
from tapeflow._src.gradients.ledger import Ledger
from tapeflow._src.gradients.record import CallPull
from tapeflow._src.gradients.replay import replay
from tapeflow._src.gradients.token import token_of
from tapeflow._src.graph.body import Body, bodies_of, embedded
from tapeflow._src.graph.graph import FuncGraph
from tapeflow._src.graph.implementations import add_implementation, mark_call
from tapeflow._src.kernels.strings.packed import PackedStrings

# Needed only once a function is traced.
passes = LazyModule("tapeflow._src.passes.pipeline", "functions")
parts = LazyModule("tapeflow._src.passes.partition", "functions")


class Callee:
    """A graph that is called with tensors for its arguments and for its captures.

    `variables` are those it reads, in order: tapes watch the trainable ones.
    """

    def __init__(
        self,
        graph: FuncGraph,
        variables: Callable[[], Sequence[Any]],
        jit_compile: bool | None,
        checked: bool = False,
    ) -> None:
        self.graph = graph
        self._variables = variables
        self._jit_compile = jit_compile
        self._checked = checked
        self.body = Body(graph)
        self.program = _program(self.body, jit_compile, checked)
        # The same with checks for NaN and infinity, once it was called with them.
        self._twin: Callee | None = None
        self._differentiable: _Differentiable | None = None
        self._embedded: list[Any] | None = None

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the flat outputs for these tensors: arguments, then captures."""
        state = dispatch.state
        if state.mode is not dispatch.base_mode():
            return self.one_by_one(inputs)
        if meshes.active and meshes.runner.mesh_of_call(inputs) is not None:
            return self._call_on_mesh(inputs)
        if state.recorders:
            return self._call_recorded(inputs)
        if self.program.has_strings:
            return _run_on_strings(self.program, inputs)
        return [EagerTensor(a) for a in self.program([t._array for t in inputs])]

    def _call_on_mesh(self, inputs: Sequence[Any]) -> list[Any]:
        """Run one program on all devices of the mesh that the inputs lie on."""
        recorders = tuple(r for r in dispatch.state.recorders if not isinstance(r, MeshPlacer))
        for variable in self._variables() if recorders else ():
            dispatch.variable_accessed(variable)
        taking = [r for r in recorders if r.takes(inputs) or r.takes(self._constants())]
        if not taking:
            outputs = _run(self.program, inputs)
            _follow_endings([r for r in recorders if isinstance(r, Ledger)], inputs, outputs)
            return outputs
        if len(taking) == 1 and all(isinstance(r, Ledger) for r in recorders):
            return self._call_differentiable(tuple(inputs), taking[0])
        return replay(self.body, inputs)

    def one_by_one(self, inputs: Sequence[Any]) -> list[Any]:
        """Like a call, but run the operations one by one: each checks the shapes it receives."""
        for variable in self._variables() if dispatch.state.recorders else ():
            dispatch.variable_accessed(variable)
        return replay(self.body, inputs)

    def _call_recorded(self, inputs: Sequence[Any]) -> list[Any]:
        recorders = dispatch.state.recorders
        if len(recorders) == 1 and _checks_numerics(recorders[0]):
            return self._call_checked(inputs, ())
        placer = placer_in_force()
        if placer is not None:
            with dispatch.use_recorders(tuple(r for r in recorders if not isinstance(r, Placer))):
                outputs = self(inputs)
            placer.place(outputs)
            return outputs
        for variable in self._variables():
            dispatch.variable_accessed(variable)
        if any(r.takes(self._constants()) for r in recorders):
            # Compiled code computes no gradients w.r.t. its constants.
            return replay(self.body, inputs)
        taking = [r for r in recorders if r.takes(inputs)]
        if any(map(_checks_numerics, recorders)):
            tapes = tuple(r for r in recorders if not _checks_numerics(r))
            if len(taking) < 2 and all(isinstance(r, Ledger) for r in tapes):
                return self._call_checked(inputs, tapes)
        if not taking and all(isinstance(r, Ledger) for r in recorders):
            outputs = _run(self.program, inputs)
            _follow_endings(recorders, inputs, outputs)
            return outputs
        if len(taking) == 1 and all(isinstance(r, Ledger) for r in recorders):
            outputs = self._call_differentiable(tuple(inputs), taking[0])
            _follow_endings(recorders, inputs, outputs)
            return outputs
        # Higher-order or forward-mode derivatives: every operation must be recorded.
        return replay(self.body, inputs)

    def _call_checked(self, inputs: Sequence[Any], tapes: tuple[Any, ...]) -> list[Any]:
        """Run a twin that checks all results by itself; only the tapes are notified of it."""
        if self._twin is None:
            self._twin = Callee(self.graph, self._variables, self._jit_compile, checked=True)
        # Not `use_recorders`: a context manager takes longer than many small functions.
        state = dispatch.state
        previous, state.recorders = state.recorders, tapes
        try:
            return self._twin(inputs)
        finally:
            state.recorders = previous

    def _constants(self) -> list[Any]:
        """Return the external tensors that are constants of the graph."""
        if self._embedded is None:
            self._embedded = _embedded_tensors(self.graph)
        return self._embedded

    def _call_differentiable(self, inputs: tuple[Any, ...], recorder: Any) -> list[Any]:
        if self._differentiable is None:
            self._differentiable = _Differentiable(self.body, self._jit_compile, self._checked)
        pair = self._differentiable
        results = _run(pair.forward, (*inputs, *pair.further))
        count = len(self.body.outputs)
        outputs, residuals = results[:count], results[count:]
        seeded = pair.backward.seeded
        if seeded:
            recorder.record_custom(
                FunctionPull(pair, self.body, inputs, residuals),
                inputs,
                tuple(outputs[i] for i in seeded),
            )
        if len(seeded) < count:
            integers = [t for i, t in enumerate(outputs) if i not in seeded]
            recorder.end_at(
                INTEGER,
                function_label(self.graph),
                integers[0].dtype.name,
                [t._id for t in inputs],
                map(token_of, integers),
                self.body,
            )
        return outputs


probes.register(Callee, "__call__", "call", lambda self, inputs: self.graph.name)


class ReplaceableCallee(Callee):
    """A graph that implements an API: another implementation may replace it within a graph."""

    def one_by_one(self, inputs: Sequence[Any]) -> list[Any]:
        results = super().one_by_one(inputs)
        graph = dispatch.current_graph()
        if graph is None:
            return results
        attributes = self.graph.function_attributes
        add_implementation(graph, attributes, self.body)
        return mark_call(graph, attributes, results, inputs[: len(self.graph.arguments)])


def _embedded_tensors(graph: Any) -> list[Any]:
    own = [t for t, _ in embedded(graph) if t.dtype in FLOATING_COMPLEX]
    inside = [body.graph for node in graph.nodes for body in bodies_of(node)]
    return own + [tensor for part in inside for tensor in _embedded_tensors(part)]


class _Differentiable:
    """A body that also returns the residuals of its gradient, and the gradient."""

    def __init__(self, body: Body, jit_compile: bool | None, checked: bool = False) -> None:
        self.backward = Backward(
            body.graph, body.graph.outputs, body.inputs, compiled=jit_compile is True
        )
        intermediates = tuple(self.backward.intermediates)
        # The gradient may have captured more than the function itself.
        captured = {id(inner): outer for outer, inner in body.graph.captures.values()}
        self.further = [captured[id(t)] for t in body.graph.inputs[len(body.inputs) :]]
        forward = Body(body.graph, (*body.outputs, *intermediates))
        self.forward = _program(forward, jit_compile, checked)
        self.backward_program = _program(Body(self.backward.graph), jit_compile, checked)

    def pull(
        self, body: Body, inputs: tuple[Any, ...], residuals: list[Any], gradients: Any
    ) -> list[Any]:
        """Return the gradients of one call, from its residuals."""
        recorded = any(r.takes((*inputs, *gradients)) for r in dispatch.state.recorders)
        # Batched gradients, as of Jacobians, go through the operations one by one.
        if recorded or any(type(g) not in (EagerTensor, DTensor) for g in gradients):
            return self._pull_recorded(body, inputs, gradients)
        return self.backward.packed(_run(self.backward_program, (*gradients, *residuals)))

    def _pull_recorded(self, body: Body, inputs: tuple[Any, ...], gradients: Any) -> list[Any]:
        """Compute gradients that are themselves recorded: the function runs again for that."""
        ledger = Ledger(watch_accessed=False)
        tokens = [token_of(t) for t in inputs]
        ledger.watched.update(tokens)
        with dispatch.use_recorders((*dispatch.state.recorders, ledger)):
            outputs = replay(Body(body.graph, body.outputs, body.inputs, effects=False), inputs)
        seeds = [
            (token_of(outputs[i]), gradient)
            for i, gradient in zip(self.backward.seeded, gradients, strict=True)
        ]
        by_token = backpropagate(ledger, seeds, set(tokens), consume=True)
        ledger.clear()
        return [by_token.get(token) for token in tokens]


class FunctionPull(CallPull):
    """The gradient function of one call of a function, with its residuals."""

    __slots__ = ("_body", "_inputs", "_pair", "_residuals")

    def __init__(
        self, pair: _Differentiable, body: Body, inputs: tuple[Any, ...], residuals: list[Any]
    ) -> None:
        self._pair = pair
        self._body = body
        self._inputs = inputs
        self._residuals = residuals

    @property
    def label(self) -> str:
        return function_label(self._body.graph)

    @property
    def graph_body(self) -> Body:
        return self._body

    def __call__(self, *gradients: Any) -> list[Any]:
        return self._pair.pull(self._body, self._inputs, self._residuals, gradients)


def _run(program: Program, tensors: Sequence[Any]) -> list[Any]:
    """Return the results of a program for tensors, of which some may lie on a mesh."""
    if meshes.active:
        mesh = meshes.runner.mesh_of_call(tensors)
        if mesh is not None:
            results: list[Any] = meshes.runner.run_program(program, tensors, mesh)
            return results
    if program.has_strings:
        return _run_on_strings(program, tensors)
    return [EagerTensor(a) for a in program([t._array for t in tensors])]


def _run_on_strings(program: Program, tensors: Sequence[Any]) -> list[Any]:
    """Return the results of a program that takes or returns strings, packed where that pays."""
    packs = program.interpreter.packs
    values = [
        operand_of(tensor, packs=True) if index in packs else value_of(tensor)
        for index, tensor in enumerate(tensors)
    ]
    return [
        wrap(result) if type(result) is PackedStrings else EagerTensor(result)
        for result in program.on_packed(values)
    ]


def _program(body: Body, jit_compile: bool | None, checked: bool) -> Program:
    """Return what runs a body, after the passes."""
    prepare = passes.optimize_checked if checked else passes.optimize
    return Program(body, jit_compile, prepare, parts.partition, checked)


def _checks_numerics(recorder: Any) -> bool:
    return getattr(recorder, "checks_numerics", False)


def function_label(graph: Any) -> str:
    """Return what a graph is called in explanations."""
    return f"tf.function {graph.name!r}"


def _follow_endings(
    recorders: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any]
) -> None:
    """Note that the results of a call depend on the endings that its inputs depend on."""
    for recorder in recorders:
        if recorder.endings is not None:
            recorder.endings.follow([t._id for t in inputs], outputs)
