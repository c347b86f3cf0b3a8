"""`FunctionExplanation`: the traces of a function, why each exists, and how each of them runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from tapeflow._src.core.source import Location
from tapeflow._src.core.spec import TensorSpec
from tapeflow._src.core.units import size_text, time_text
from tapeflow._src.executors.program import Program
from tapeflow._src.executors.tiers import Slot, Tiers
from tapeflow._src.function.retracing import spec_text
from tapeflow._src.function.trace_types import Literal
from tapeflow._src.graph.compilability import cannot

_TIERS = {
    Slot.COUNTING: "interpreter, counting calls",
    Slot.COMPILING: "interpreter, being compiled",
    Slot.TRYING: "comparing interpreter and XLA",
    Slot.COMPILED: "XLA",
    Slot.INTERPRETED: "interpreter",
}


@dataclass(frozen=True)
class HostOperation:
    """An operation that XLA does not run: it stays with the interpreter."""

    op: str
    name: str
    reason: str
    location: Location | None

    def __str__(self) -> str:
        where = f", {self.location.short()}" if self.location else ""
        return f"{self.op} ({self.name}){where}: {self.reason}"


@dataclass(frozen=True)
class Execution:
    """How a graph runs for one set of shapes.

    Attributes:
        part: "call", or "forward" and "backward" of differentiated calls, or a loop of one.
        tier: The executor that runs it.
        calls: The calls that were counted; compiled calls are not.
        interpreted_seconds: The time of an interpreted call, None if it was not measured.
        compiled_seconds: The time of a compiled call, None if it was not measured.
        memory: Bytes that a compiled call needs beside its arguments; None if not compiled.
    """

    part: str
    tier: str
    calls: int
    interpreted_seconds: float | None
    compiled_seconds: float | None
    memory: int | None

    def __str__(self) -> str:
        parts = [f"{self.part}: {self.tier}"]
        if self.calls:
            parts.append(f"{self.calls} interpreted calls counted")
        if self.interpreted_seconds is not None:
            parts.append(f"{time_text(self.interpreted_seconds)} interpreted")
        if self.compiled_seconds is not None:
            parts.append(f"{time_text(self.compiled_seconds)} compiled")
        if self.memory is not None:
            parts.append(f"{size_text(self.memory)} of memory beside the arguments")
        return ", ".join(parts)


@dataclass(frozen=True)
class TraceExplanation:
    """One trace of a function.

    Attributes:
        signature: The types of the arguments.
        location: The line of the call that caused it, None if there is no user code.
        reason: Which argument changed from what to what, and the repair; None for the first trace.
        seconds: How long tracing took.
        operations: The number of operations in the graph, before optimisation.
        executions: How it runs, by shapes.
        on_host: The operations that XLA does not run.
    """

    signature: str
    location: Location | None
    reason: str | None
    seconds: float
    operations: int
    executions: tuple[Execution, ...]
    on_host: tuple[HostOperation, ...]

    def lines(self) -> Iterator[str]:
        """Yield the explanation line by line."""
        where = f" at {self.location.short()}" if self.location else ""
        code = f"  `{self.location.code()}`" if self.location and self.location.code() else ""
        if self.seconds:
            yield f"{self.signature}: traced{where} in {time_text(self.seconds)}{code}"
            yield f"  why: {self.reason or 'the first call'}"
        else:
            yield f"{self.signature}:"
        yield f"  {self.operations} operations"
        for execution in self.executions:
            yield f"  {execution}"
        for operation in self.on_host:
            yield f"  on the host: {operation}"

    def __str__(self) -> str:
        return "\n".join(self.lines())


@dataclass(frozen=True)
class FunctionExplanation:
    """The traces of a function.

    Attributes:
        name: The name of the function.
        location: Where it is defined, None if that is not known.
        calls: The calls of all traces.
        traces: The traces, in order.
        input_signature: The `input_signature` that would have made one trace of them all, as text;
            None if there is one trace, or no such signature.
    """

    name: str
    location: Location | None
    calls: int
    traces: tuple[TraceExplanation, ...]
    input_signature: str | None

    def __str__(self) -> str:
        where = f", defined at {self.location.short()}" if self.location else ""
        lines = [f"tf.function {self.name}{where}: {self.calls} calls, {len(self.traces)} traces"]
        for number, trace in enumerate(self.traces, 1):
            first, *others = trace.lines()
            lines += [f"{number}. {first}", *(f"  {line}" for line in others)]
        if self.input_signature is not None:
            lines.append(f"One trace for all: input_signature={self.input_signature}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>"
            + "".join(f"<td style='text-align:left'>{escape(cell)}</td>" for cell in _cells(trace))
            + "</tr>"
            for trace in self.traces
        )
        head = "".join(f"<th>{name}</th>" for name in ("trace", "called at", "why", "runs as"))
        footer = (
            ""
            if self.input_signature is None
            else f"<p>One trace for all: <code>input_signature={escape(self.input_signature)}"
            "</code></p>"
        )
        title = escape(f"{self.name}: {self.calls} calls, {len(self.traces)} traces")
        return f"<p><b>{title}</b></p><table><tr>{head}</tr>{rows}</table>{footer}"


def _cells(trace: TraceExplanation) -> list[str]:
    return [
        trace.signature,
        trace.location.short() if trace.location else "",
        trace.reason or "the first call",
        "; ".join(map(str, (*trace.executions, *trace.on_host))),
    ]


def explain_function(function: Any) -> FunctionExplanation:
    """Return the explanation of a function's traces."""
    code = getattr(function.python_function, "__code__", None)
    location = (
        None if code is None else Location(code.co_filename, code.co_firstlineno, code.co_name)
    )
    history = function._history
    traces = tuple(
        _trace(traced, traced.concrete())
        for traced in history.traces
        if traced.concrete() is not None
    )
    return FunctionExplanation(
        function.name,
        location,
        history.calls(function._calls),
        traces,
        _common_signature([traced.types for traced in history.traces]),
    )


def explain_concrete(concrete: Any) -> TraceExplanation:
    """Return how one concrete function runs."""
    return TraceExplanation(
        concrete.graph.name,
        None,
        None,
        0.0,
        len(concrete.graph.nodes),
        tuple(_executions(concrete._callee)),
        _on_host(concrete),
    )


def _trace(traced: Any, concrete: Any) -> TraceExplanation:
    signature = ", ".join(f"{name}={_type_text(type_)}" for name, _, type_ in traced.types.typed)
    return TraceExplanation(
        f"({signature})",
        traced.location,
        traced.reason,
        traced.seconds,
        len(concrete.graph.nodes),
        tuple(_executions(concrete._callee)),
        _on_host(concrete),
    )


def _type_text(type_: Any) -> str:
    if isinstance(type_, TensorSpec):
        return f"{type_.dtype.name}{type_.shape}"
    return repr(type_.value) if isinstance(type_, Literal) else str(type_)


def _on_host(concrete: Any) -> tuple[HostOperation, ...]:
    return tuple(
        HostOperation(refusal.node.type, refusal.node.name, refusal.reason, refusal.node.source)
        for refusal in cannot(concrete._callee.program.body)
    )


def _executions(callee: Any) -> Iterator[Execution]:
    yield from _of_program("call", callee.program)
    pair = callee._differentiable
    if pair is not None:
        yield from _of_program("forward", pair.forward)
        yield from _of_program("backward", pair.backward_program)


def _of_program(part: str, program: Program) -> Iterator[Execution]:
    runner = program.runner
    if runner is None:
        return
    if isinstance(runner, Tiers):
        for slot in runner.slots():
            yield _of_slot(part, slot)
        for loop in runner.loops:
            if loop.is_compiled:
                yield Execution(f"{part}, loop {loop.name}", "XLA", 0, None, None, loop.memory)
        return
    executables = getattr(runner, "executables", None)
    if executables is None:
        yield Execution(part, "interpreter (jit_compile=False)", 0, None, None, None)
        return
    for executable in executables:
        yield Execution(part, "XLA (jit_compile=True)", 0, None, None, executable.memory)


def _of_slot(part: str, slot: Slot) -> Execution:
    interpreted = min(slot.interpreted, default=None)
    if interpreted is None and slot.calls > 1:
        interpreted = slot.seconds / (slot.calls - 1)
    memory = None if slot.executable is None else slot.executable.memory
    return Execution(
        part,
        _TIERS[slot.state],
        slot.calls,
        interpreted,
        min(slot.timed, default=None),
        memory,
    )


def _common_signature(types: list[Any]) -> str | None:
    """Return the `input_signature` that serves all these types, as text."""
    if len(types) < 2 or len({tuple(t.parameters) for t in types}) > 1:
        return None
    parts = []
    for arguments in zip(*(function_type.types for function_type in types)):
        part = _common_spec(arguments)
        if part is None:
            return None
        parts.append(part)
    return f"[{', '.join(parts)}]"


def _common_spec(arguments: tuple[Any, ...]) -> str | None:
    specs = [_as_spec(argument) for argument in arguments]
    if None in specs or len({spec.dtype for spec in specs if spec is not None}) > 1:
        return None
    first = specs[0]
    if first is None:
        return None
    shape = first.shape.most_specific_common_supertype([s.shape for s in specs[1:] if s])
    return spec_text(shape, first.dtype.name)


def _as_spec(type_: Any) -> TensorSpec | None:
    """Return the spec of a tensor that could be passed in place of an argument."""
    if isinstance(type_, TensorSpec):
        return type_
    value = type_.value if isinstance(type_, Literal) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return TensorSpec([], "int32" if isinstance(value, int) else "float32")
