"""On-stack replacement: a loop that runs for long moves to compiled code between two iterations.

The state of a loop is its variables, which are plain values. The interpreter runs a loop in
stretches of some milliseconds. Once these have taken long enough, the loop is compiled in the
background as a function of its variables, and when that is ready, the next stretch is run by it. If
it is slower, the interpreter goes on; else it runs all that remains. Where compiled code fails, it
has changed nothing, and the interpreter goes on from the same iteration. A loop that cannot be
moved is reported, so that its function is compiled for the next call. With determinism required
nothing happens.
"""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from tapeflow._src.core.dtypes import variant as variant_dtype
from tapeflow._src.core.lazy import LazyModule
from tapeflow._src.core.log import logger
from tapeflow._src.core.random_state import determinism_required
from tapeflow._src.executors import background, exiting
from tapeflow._src.executors.compiler import INSTALL
from tapeflow._src.executors.counted_loops import counted_loop
from tapeflow._src.executors.signatures import samples, signature
from tapeflow._src.graph.body import Body, bodies_of
from tapeflow._src.graph.compilability import cannot
from tapeflow._src.graph.operation import Operation

xla = LazyModule("tapeflow._src.executors.xla", "compiled loops", INSTALL)

# Interpreted time after which a loop is compiled. Until JAX is imported and the loop traced, both
# threads wait for the interpreter lock half of the time: a call that would end soon should not.
HOT_SECONDS = 0.1
HOT_SECONDS_WITHOUT_JAX = 0.5
# The length of a stretch between two looks at the clock.
STRETCH_SECONDS = 5e-3
_GROWTH = 4
# A stretch this long is long enough to tell how long an iteration takes.
_MEASURABLE_SECONDS = 1e-3
# A compiled loop must prove itself on about this much of interpreted time.
TRIAL_SECONDS = 0.02
# The length of a call of a compiled loop.
CALL_SECONDS = 0.5
# Programs of one loop, one for each set of shapes.
CACHED_PROGRAMS = 4
_ZERO = np.array(0, np.int64)


class HotLoop:
    """A loop of a function. Thread-safe.

    too_long: called when the loop has run for long and cannot be moved.
    checked: whether compiled code notices NaN and infinity, for the interpreter to explain.
    """

    def __init__(
        self, node: Operation, too_long: Callable[[], None], checked: bool = False
    ) -> None:
        self._node = node
        self._too_long = too_long
        self._checked = checked
        self._programs: dict[Hashable, _Program] = {}
        self._lock = threading.Lock()
        # Whether nothing more is to be done: it cannot be moved, and that was reported.
        self._settled = False
        # Processor time that was interpreted, and time in compiled code, in all calls together.
        self.interpreted = 0.0
        self.compiled = 0.0

    @property
    def name(self) -> str:
        """The name of the loop."""
        return self._node.name

    @property
    def is_compiled(self) -> bool:
        """Whether compiled code runs it for some shapes."""
        return any(program.ready for program in self._programs.values())

    @property
    def memory(self) -> int:
        """The bytes that a compiled call needs beside the loop variables."""
        return max([program.memory for program in self._programs.values()], default=0)

    @property
    def seconds(self) -> float:
        """The time that the loop has taken, as long as it may be moved."""
        return 0.0 if self._settled else self.interpreted + self.compiled

    @property
    def is_hot(self) -> bool:
        """Whether it has run for so long that it pays to move it."""
        if self.interpreted < HOT_SECONDS:
            return False
        return self.interpreted >= HOT_SECONDS_WITHOUT_JAX or "jax" in sys.modules

    def enter(self) -> _Run:
        """Return the state of one run of the loop."""
        return _Run(self)

    def move(self, values: tuple[Any, ...], rate: float) -> tuple[Any, ...] | None:
        """Return all loop variables after the iterations that compiled code has run, if any.

        values: all loop variables. rate: the seconds that an interpreted iteration takes, 0 if that
        is unknown.

        Raises:
            Failed: compiled code has detected an error, and changed nothing.
        """
        program = self._program(values)
        if program is None or not program.ready:
            return None
        start = time.perf_counter()
        try:
            return program.run(values, rate)
        finally:
            self.compiled += time.perf_counter() - start

    def _program(self, values: tuple[Any, ...]) -> _Program | None:
        """Return the program for loop variables of these shapes; the first time, compile it."""
        if self._settled or determinism_required() or background.forked:
            return None
        key = signature(values)
        program = self._programs.get(key)
        if program is not None:
            if program.refused:
                self._give_up()
            return program
        if key is None or len(self._programs) >= CACHED_PROGRAMS or not self._can_move():
            self._give_up()
            return None
        with self._lock:
            if key in self._programs:
                return None
            program = self._programs[key] = _Program(self._node, self._checked)
        examples = samples(values)
        background.compiler.submit(lambda: program.compile(examples))
        return None

    def _can_move(self) -> bool:
        """Whether the loop can be compiled by itself and stopped between two iterations."""
        body: Body = self._node.attrs["body"]
        for before, after in zip(body.inputs, body.outputs):
            if before is not after and before.dtype is variant_dtype:
                return False  # lists grow: each iteration would need a program of its own
        return not cannot(counted_loop(self._node)) and not _acts(self._node.attrs["cond"])

    def _give_up(self) -> None:
        self._settled = True
        self._too_long()


def _acts(body: Body) -> bool:
    """Whether running a body once more than necessary shows: effects, or random numbers."""
    return any(
        node.definition.effect is not None or any(map(_acts, bodies_of(node)))
        for node in body.nodes()
    )


class _Run:
    """One run of a loop by the interpreter, in stretches."""

    __slots__ = ("_failed", "_iterations", "_loop", "_processor", "_start")

    def __init__(self, loop: HotLoop) -> None:
        self._loop = loop
        self._iterations = 0
        self._start = self._processor = 0.0
        self._failed = False

    def move(self, *values: Any) -> tuple[Any, ...] | None:
        """Return all loop variables if compiled code has run iterations, else None."""
        loop = self._loop
        rate = self._measure() if self._iterations else 0.0
        moved = None
        if loop.is_hot and not self._failed:
            try:
                moved = loop.move(values, rate)
            except xla.Failed:
                # The interpreter raises the error, in its iteration.
                self._failed = True
        self._iterations = self._iterations or 1
        self._start, self._processor = time.perf_counter(), time.thread_time()
        return moved

    def _measure(self) -> float:
        """Return the seconds that an iteration has taken, and choose the next stretch."""
        elapsed = time.perf_counter() - self._start
        self._loop.interpreted += time.thread_time() - self._processor
        rate = elapsed / self._iterations
        longest = max(1, int(STRETCH_SECONDS / max(rate, 1e-9)))
        self._iterations = min(_GROWTH * self._iterations, longest)
        return rate if elapsed > _MEASURABLE_SECONDS else 0.0

    def stretch(self) -> Iterable[None]:
        """Return an iterator over the iterations until the next call of `move`."""
        return itertools.repeat(None, self._iterations)


def is_faster(compiled: float, interpreted: float) -> bool:
    """Whether a compiled iteration that takes so many seconds is worth it."""
    return compiled < interpreted


class _Program:
    """A compiled loop, for one set of shapes."""

    def __init__(self, node: Operation, checked: bool) -> None:
        self._node = node
        self._checked = checked
        self._executable: Any = None
        # The seconds that a compiled iteration takes, once that is known to be less.
        self._rate: float | None = None
        self.refused = False

    @property
    def ready(self) -> bool:
        """Whether there is compiled code to run."""
        return self._executable is not None

    @property
    def memory(self) -> int:
        """The bytes that a call needs beside its arguments."""
        executable = self._executable
        return 0 if executable is None else int(executable.memory)

    @exiting.compiles_by_xla
    def compile(self, examples: Sequence[Any]) -> None:
        """Compile the loop for loop variables like these."""
        try:
            body = counted_loop(self._node)
            arrays = [*examples, _ZERO, _ZERO]
            self._executable = xla.Executable(body, arrays, checked=self._checked)
        except Exception as error:
            # Whatever fails in compiling, the interpreter runs the loop.
            logger.debug("The loop %s is not compiled: %s", self._node.name, error)
            self.refused = True

    def run(self, values: tuple[Any, ...], rate: float) -> tuple[Any, ...] | None:
        """Return the loop variables after all iterations, or some if compiled code is slower."""
        try:
            if self._rate is None:
                return self._try(values, rate) if rate else None
            return self._finish(values, self._rate)
        except xla.Outgrown:
            self._executable, self.refused = None, True
            raise

    def _try(self, values: tuple[Any, ...], rate: float) -> tuple[Any, ...]:
        """Run some iterations, and the others too if these have been faster."""
        limit = max(1, int(TRIAL_SECONDS / rate))
        # The first call moves variables to where the second expects them.
        values, count = self._call(values, limit)
        start = time.perf_counter()
        if count == limit:
            values, count = self._call(values, limit)
        if count < limit:
            return values
        compiled = (time.perf_counter() - start) / limit
        logger.debug(
            "An iteration of %s takes %.3g ms compiled, %.3g ms interpreted",
            self._node.name,
            compiled * 1e3,
            rate * 1e3,
        )
        if not is_faster(compiled, rate):
            self._executable = None
            return values
        self._rate = compiled
        return self._finish(values, compiled)

    def _finish(self, values: tuple[Any, ...], rate: float) -> tuple[Any, ...]:
        """Run all iterations that remain, in calls that Ctrl-C can interrupt between."""
        limit = max(1, int(CALL_SECONDS / max(rate, 1e-9)))
        count = limit
        while count == limit:
            values, count = self._call(values, limit)
        return values

    def _call(self, values: tuple[Any, ...], limit: int) -> tuple[tuple[Any, ...], int]:
        *results, count = self._executable([*values, _ZERO, np.array(limit)])
        return tuple(results), int(count)
