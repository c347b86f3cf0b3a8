"""`Program`: a body prepared to run, by the interpreter or compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tapeflow._src.core import probes
from tapeflow._src.core.errors import InvalidArgumentError
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.executors import background, exiting
from tapeflow._src.executors.check_plan import CheckPlan
from tapeflow._src.executors.compiler import (
    INSTALL,
    has_compiler,
    require_compiler,
    without_compiler,
)
from tapeflow._src.executors.hot_loops import HotLoop
from tapeflow._src.executors.interpreter import Interpreter, kernel_of
from tapeflow._src.executors.packed_values import as_objects, takes_or_returns_strings
from tapeflow._src.executors.signatures import signature
from tapeflow._src.executors.tiers import LIST_ROWS, Run, Tiers
from tapeflow._src.graph.body import Body
from tapeflow._src.graph.compilability import cannot, compile_time_constants
from tapeflow._src.graph.operation import Operation
from tapeflow._src.ops.graph.launch import xla_launch

xla = LazyModule("tapeflow._src.executors.xla", "compiled functions", INSTALL)

Prepare = Callable[[Body], Body]
Split = Callable[[Body, Mapping[int, str]], Body | None]


class Program:
    """Runs a body on arrays. It is rendered at its first call.

    jit_compile: True compiles from the first call on, False never, None when it pays. prepare:
    returns the body that is run in place of this one, such as an optimised one. split: returns a
    body with compiled parts for one that cannot be compiled as a whole, or None; it receives the
    operations that failed to compile, by identity, and why. checked: raise at the first operation
    that computes NaN or infinity.
    """

    __slots__ = (
        "_checked",
        "_interpreter",
        "_jit_compile",
        "_loops",
        "_parts",
        "_prepare",
        "_run",
        "_split",
        "body",
        "has_strings",
        "on_mesh",
    )

    def __init__(
        self,
        body: Body,
        jit_compile: bool | None = None,
        prepare: Prepare | None = None,
        split: Split | None = None,
        checked: bool = False,
    ) -> None:
        self.body = body
        # Whether strings are among the arguments or the results.
        self.has_strings = takes_or_returns_strings(body)
        self._checked = checked
        self._prepare = prepare
        self._split = split
        self._interpreter: Interpreter | None = None
        self._jit_compile = jit_compile
        self._run: Run | None = None
        self._parts: dict[Operation, Program] = {}
        self._loops: list[HotLoop] = []
        # The same body compiled for meshes of devices, once it was called with tensors on one.
        self.on_mesh: Any = None

    @property
    def interpreter(self) -> Interpreter:
        if self._interpreter is None:
            if self._prepare is not None:
                self.body, self._prepare = self._prepare(self.body), None
            moves = self._jit_compile is None and has_compiler()
            self._interpreter = Interpreter(
                self.body,
                checks=self._checks(self.body),
                loops=self._hot_loop if moves else None,
            )
        return self._interpreter

    @property
    def runner(self) -> Run | None:
        """Return the executor: tiers, compiled code or the interpreter; None before a call."""
        return self._run

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        # Not `on_packed`: a Python frame more in every call of a function.
        run = self._run
        if run is None:
            run = self._run = self._runner()
        results = run(arrays)
        return tuple(map(as_objects, results)) if self.has_strings else results

    def on_packed(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Like a call, but strings may be packed, in the arguments and in the results."""
        run = self._run
        if run is None:
            run = self._run = self._runner()
        return run(values)

    def _runner(self) -> Run:
        interpreter = self.interpreter
        if self._jit_compile is None:
            if not has_compiler():
                return without_compiler(self.body.name, interpreter)
            return Tiers(self.body, interpreter, self._in_parts, self._checked, self._loops)
        if self._jit_compile:
            require_compiler(f"{self.body.name} has jit_compile=True")
            return _Compiled(self.body, interpreter, self._checked)
        return interpreter

    def _checks(self, body: Body) -> CheckPlan | None:
        return CheckPlan(body) if self._checked else None

    def _hot_loop(self, node: Operation) -> HotLoop:
        loop = HotLoop(node, self._compile_for_next_call, self._checked)
        self._loops.append(loop)
        return loop

    def _compile_for_next_call(self) -> None:
        if isinstance(self._run, Tiers):
            self._run.compile_running()

    def _in_parts(self, refused: Mapping[int, str]) -> Run | None:
        """Return an interpreter with compiled parts, if any are worth it."""
        body = None if self._split is None else self._split(self.body, refused)
        if body is None:
            return None
        return Interpreter(body, self._kernel_or_part, self._checks(body))

    def _kernel_or_part(self, node: Operation) -> Any:
        if node.definition is not xla_launch:
            return kernel_of(node)
        # By node: an interpreter that is rendered again for a profile runs the same programs.
        program = self._parts.get(node)
        if program is None:
            program = Program(node.attrs["function"], split=self._split, checked=self._checked)
            self._parts[node] = program

        def part(xp: Any, constants: Any, args: Any, resources: Any, **attrs: Any) -> Any:
            return program([*args, *resources])

        return part


probes.register(Program, "_runner", "prepare", lambda self: self.body.name)
# The number of executables that a function with `jit_compile=True` caches.
_CACHED_EXECUTABLES = 64


class _Compiled:
    """A body that is compiled from the first call on, or refused with the reason.

    Inputs that decide shapes are compile-time constants: there is an executable per value.
    """

    def __init__(self, body: Body, interpret: Run, checked: bool = False) -> None:
        self._checked = checked
        self._constants: tuple[int, ...] = ()
        # Operations, by their identity, that have turned out to need constants.
        self._exact: set[int] = set()
        self._body = body
        refusals = cannot(body)
        if refusals:
            self._require_constants(refusals[0].node, refusals[0].reason)
        self._interpret = interpret
        self._executables: dict[Any, Any] = {}
        self._list_rows = LIST_ROWS

    @property
    def executables(self) -> list[Any]:
        """The compiled programs, one for each set of shapes."""
        return list(self._executables.values())

    def _require_constants(self, node: Operation, reason: str) -> None:
        """Find the inputs whose values must be known to compile `node`, which was refused.

        Raises:
            InvalidArgumentError: if it cannot be compiled whatever is known.
        """
        positions = compile_time_constants(self._body, self._exact)
        if positions is None or set(positions) <= set(self._constants):
            raise _refused(self._body, node, reason)
        self._constants = positions

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        key = signature(arrays)
        if key is None or background.forked:
            return self._interpret(arrays)
        if self._constants:
            key = key, tuple(arrays[i].tobytes() for i in self._constants)
        executable = self._executables.get(key)
        try:
            if executable is None:
                executable = self._compile(key, arrays)
            results: tuple[Any, ...] = executable(arrays)
            return results
        except xla.Outgrown:
            self._list_rows *= 4
            del self._executables[key]
            return self(arrays)
        except xla.CannotCompileError as error:
            self._exact.add(id(error.node))
            self._require_constants(error.node, error.reason)
            return self(arrays)
        except xla.Failed:
            # Nothing has been changed. The interpreter raises the error, with its location.
            return self._interpret(arrays)

    @exiting.compiles_by_xla
    def _compile(self, key: Any, arrays: Sequence[Any]) -> Any:
        try:
            executable = xla.Executable(
                self._body, arrays, self._list_rows, self._constants, self._checked
            )
        except xla.CannotCompileError as error:
            if error.cause is not None:
                raise xla.Failed from error
            raise
        if len(self._executables) >= _CACHED_EXECUTABLES:
            del self._executables[next(iter(self._executables))]
        self._executables[key] = executable
        return executable


def _refused(body: Body, node: Operation, reason: str) -> InvalidArgumentError:
    where = "" if node.source is None else f"\n  {node.source}"
    return InvalidArgumentError(
        None,
        None,
        f"{body.name} has jit_compile=True, but XLA cannot compile {node.name!r} ({node.type}): "
        f"{reason}. Leave jit_compile out: then such operations run beside compiled code.{where}",
    )
