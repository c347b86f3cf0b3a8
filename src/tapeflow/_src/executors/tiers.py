"""When a graph moves from the interpreter to compiled code.

The first calls are interpreted, without delay. When a graph has taken enough time for recurring
shapes, it is compiled in the background; no call waits. When that is ready, a few calls of both are
timed, unless the first leave no doubt, and the faster is chosen. A loop that takes long within one
call moves by itself (see `hot_loops`). With determinism required nothing depends on the clock: a
non-trivial graph is compiled at a fixed call.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.log import logger
from tapeflow._src.core.random_state import determinism_required
from tapeflow._src.executors import background, exiting
from tapeflow._src.executors.compiler import INSTALL
from tapeflow._src.executors.hot_loops import HotLoop
from tapeflow._src.executors.signatures import has_fixed_signature, samples, signature
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.compilability import cannot

xla = LazyModule("tapeflow._src.executors.xla", "compiled functions", INSTALL)

Run = Callable[[Sequence[Any]], tuple[Any, ...]]
# Receives the operations that failed to compile, by identity, with the reasons.
InParts = Callable[[Mapping[int, str]], Run | None]

# A call shorter than this is mostly call overhead, compiled or not.
TRIVIAL_SECONDS = 50e-6
# Compiling takes some tenths of a second of another core, and longer for larger graphs: it pays
# after about as much time. What is called once may never be called again.
HOT_SECONDS = 0.1
HOT_SECONDS_OPERATIONS = 100
HOT_CALLS = 2
# Up to here it matters that a loop with code of its own is called from the interpreter.
SHORT_SECONDS = 1e-3
# Calls of each kind that are timed before one is chosen, unless one is so many times faster.
TRIALS = 5
CLEARLY = 2.0
# With determinism required: the call from which on compiled code runs, and what is worth it.
DETERMINISTIC_CALL = 16
DETERMINISTIC_NODES = 10
# Cached executables, and the number after which each further one has to be twice as hot.
CACHED_EXECUTABLES = 16
EXECUTABLES_FREE = 8
CACHED_SHAPES = 256
# The initial capacity of lists in loops with an unknown number of iterations.
LIST_ROWS = 64


class Slot:
    """The state of a graph for one set of shapes."""

    __slots__ = (
        "calls",
        "executable",
        "fastest",
        "interpreted",
        "list_rows",
        "seconds",
        "state",
        "timed",
    )

    COUNTING, COMPILING, TRYING, COMPILED, INTERPRETED = range(5)

    def __init__(self) -> None:
        self.state = Slot.COUNTING
        self.calls = 0
        # Interpreted time except for the first call, and that of the shortest call.
        self.seconds = 0.0
        self.fastest = math.inf
        self.executable: Any = None
        # The capacity of the executable's lists, where it was a guess.
        self.list_rows = LIST_ROWS
        # Times of the trial: interpreted, and compiled.
        self.interpreted: list[float] = []
        self.timed: list[float] = []


class Tiers:
    """Runs a body, interpreted or compiled. Thread-safe.

    in_parts: for a body that cannot be compiled, returns an interpreter that compiles parts.
    checked: whether compiled code notices NaN and infinity, for the interpreter to explain.
    loops: the loops that the interpreter hands to compiled code.
    """

    def __init__(
        self,
        body: Body,
        interpret: Run,
        in_parts: InParts | None = None,
        checked: bool = False,
        loops: Sequence[HotLoop] = (),
    ) -> None:
        self._body = body
        self.loops = loops
        # The call that is interpreted now, if it may be compiled before it ends.
        self._running: tuple[Slot, Sequence[Any]] | None = None
        self._checked = checked
        self._interpret = interpret
        self._in_parts = in_parts
        self._slots: OrderedDict[Hashable, Slot] = OrderedDict()
        self._only: Slot | None = Slot() if has_fixed_signature(body) else None
        self._compiled = 0
        # Executables requested in the background, finished or not.
        self._ordered = 0
        self._operations: int | None = None
        self._lock = threading.Lock()
        self._compilable: bool | None = None
        self._refused: dict[int, str] = {}

    def __call__(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        slot = self._only or self._slot(arrays)
        if slot.state == Slot.COMPILED and not background.forked:
            return self._run_compiled(slot, arrays)
        if slot.state == Slot.INTERPRETED or background.forked:
            return self._interpret(arrays)
        if slot.state == Slot.TRYING:
            return self._try(slot, arrays)
        if self.loops:
            self._running = slot, arrays
        in_loops = self._loop_seconds()
        start = time.perf_counter()
        results = self._interpret(arrays)
        elapsed = time.perf_counter() - start
        slot.calls += 1
        if slot.calls > 1:  # much happens once, in the first call
            slot.fastest = min(slot.fastest, elapsed)
            if elapsed > SHORT_SECONDS:
                elapsed -= self._loop_seconds() - in_loops
            slot.seconds += elapsed
        if slot.state == Slot.COUNTING:
            self._consider(slot, arrays)
        self._running = None
        return results

    def _loop_seconds(self) -> float:
        """Return the time that loops which are compiled by themselves have taken."""
        return sum([loop.seconds for loop in self.loops]) if self.loops else 0.0

    def slots(self) -> list[Slot]:
        """Return the states of the graph, one for each set of shapes seen recently."""
        with self._lock:
            cached = list(self._slots.values())
        return cached if self._only is None else [self._only, *cached]

    def _slot(self, arrays: Sequence[Any]) -> Slot:
        """Return the state for the shapes of `arrays`; the oldest are evicted."""
        key = signature(arrays)
        with self._lock:
            slot = self._slots.get(key)
            if slot is None:
                slot = self._slots[key] = Slot()
                while len(self._slots) > CACHED_SHAPES:
                    self._slots.popitem(last=False)
            else:
                self._slots.move_to_end(key)
        return slot

    def _run_compiled(self, slot: Slot, arrays: Sequence[Any]) -> tuple[Any, ...]:
        try:
            executable = slot.executable
            if executable is not None:
                results: tuple[Any, ...] = executable(arrays)
                return results
        except xla.Outgrown:
            slot.executable, slot.state = None, Slot.COMPILING
            rows = 2 * slot.list_rows
            background.compiler.submit(lambda: self._compile(slot, arrays, Slot.COMPILED, rows))
        except xla.Failed:
            # Nothing has been changed. The interpreter raises the error, with its location.
            pass
        return self._interpret(arrays)

    # -- getting hot -------------------------------------------------------------------------

    def _consider(self, slot: Slot, arrays: Sequence[Any]) -> None:
        """Compile the graph for these shapes, if it has become worth it."""
        if determinism_required():
            if slot.calls == DETERMINISTIC_CALL - 1:
                self._settle(slot, arrays)
            return
        if slot.calls < HOT_CALLS or slot.seconds < self._hot_seconds(slot):
            return
        if slot.seconds / slot.calls < TRIVIAL_SECONDS:
            slot.state = Slot.INTERPRETED
            return
        self._order(slot, arrays)

    def _hot_seconds(self, slot: Slot) -> float:
        """Return the interpreted time after which compiling pays.

        The first call is not in the sum of the others, and counts as one of them here.
        """
        patience = 2 ** max(0, self._ordered - EXECUTABLES_FREE)
        if slot.seconds < HOT_SECONDS * patience / 2:
            return math.inf
        if self._operations is None:
            self._operations = _count_operations(self._body)
        seconds = HOT_SECONDS * max(1.0, self._operations / HOT_SECONDS_OPERATIONS)
        return seconds * patience * (slot.calls - 1) / slot.calls

    def compile_running(self) -> None:
        """Compile the graph for the next call: a loop takes long in this one."""
        running = self._running
        if running is not None and not determinism_required():
            self._order(*running)

    def _order(self, slot: Slot, arrays: Sequence[Any]) -> None:
        """Have the graph compiled in the background, once."""
        with self._lock:
            if slot.state != Slot.COUNTING:
                return
            slot.state = Slot.COMPILING
            self._ordered += 1
        examples = samples(arrays)
        background.compiler.submit(lambda: self._compile(slot, examples, Slot.TRYING))

    def _settle(self, slot: Slot, arrays: Sequence[Any]) -> None:
        """Compile now and permanently, if the graph is worth it whatever the clock says."""
        nodes = self._body.nodes()
        if len(nodes) >= DETERMINISTIC_NODES or any(n.definition.outputs_are_list for n in nodes):
            self._compile(slot, arrays, Slot.COMPILED)
        else:
            slot.state = Slot.INTERPRETED

    @exiting.compiles_by_xla
    def _compile(self, slot: Slot, arrays: Sequence[Any], then: int, rows: int = LIST_ROWS) -> None:
        if self._compilable is None:
            self._compilable = not cannot(self._body)
            if not self._compilable:
                self._use_parts()
        # Parts of the body may avoid what compiled code does not take.
        if not self._compilable or slot is self._slots.get(None):
            slot.state = Slot.INTERPRETED
            return
        try:
            slot.executable = xla.Executable(self._body, arrays, rows, (), self._checked)
        except Exception as error:
            # Whatever fails in compiling, the interpreter runs the graph.
            logger.debug("%s is not compiled: %s", self._body.name, error)
            slot.state = Slot.INTERPRETED
            if isinstance(error, xla.CannotCompileError) and error.cause is None:
                self._compilable = False
                self._refused[id(error.node)] = error.reason
                self._use_parts()
            return
        self._compiled += 1
        slot.list_rows = rows
        slot.state = then
        self._forget_executables()

    def _use_parts(self) -> None:
        """From now on, compile the parts that can be, each when it gets hot."""
        interpreter = None if self._in_parts is None else self._in_parts(self._refused)
        if interpreter is not None:
            self._interpret = interpreter

    def _forget_executables(self) -> None:
        """Keep the most recently used executables."""
        with self._lock:
            compiled = [slot for slot in self._slots.values() if slot.executable is not None]
            for slot in compiled[: max(0, len(compiled) - CACHED_EXECUTABLES)]:
                slot.state, slot.executable = Slot.COUNTING, None
                slot.calls, slot.seconds = 0, 0.0

    # -- choosing ----------------------------------------------------------------------------

    def _try(self, slot: Slot, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Run some calls compiled, then some interpreted, and choose the faster."""
        compiled = len(slot.timed) < TRIALS + _UNCOUNTED
        start = time.perf_counter()
        results = self._run_compiled(slot, arrays) if compiled else self._interpret(arrays)
        (slot.timed if compiled else slot.interpreted).append(time.perf_counter() - start)
        by_xla = min(slot.timed[_UNCOUNTED:], default=math.inf)
        by_numpy = min(slot.interpreted[_UNCOUNTED:], default=slot.fastest)
        if len(slot.interpreted) >= TRIALS + _UNCOUNTED or by_xla * CLEARLY < by_numpy:
            faster = by_xla < by_numpy
            slot.state = Slot.COMPILED if faster else Slot.INTERPRETED
            if not faster:
                slot.executable = None
            logger.debug(
                "%s takes %.3g ms compiled, %.3g ms interpreted",
                self._body.name,
                by_xla * 1e3,
                by_numpy * 1e3,
            )
        return results


def _count_operations(body: Body) -> int:
    """Return the number of operations, including those of branches and loops."""
    nodes = body.nodes()
    inner = sum(_count_operations(each) for node in nodes for each in bodies_of(node))
    return len(nodes) + inner


# The first calls of either kind move variables to where the others expect them.
_UNCOUNTED = 2
