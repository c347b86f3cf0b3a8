"""`Recorder`: the timed spans of a run, of all threads.

While it records, the methods that the parts have registered as probes are timed, and interpreted
functions run with timed kernels. A compiled call is one span.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from tapeflow._src.core import probes
from tapeflow._src.executors.interpreter import Interpreter

# As many spans are kept; what comes later is counted.
LIMIT = 2_000_000
# Categories by the level of the host tracer from which on they are recorded.
LEVELS = {
    **dict.fromkeys(("step", "user", "function", "interpreter", "xla"), 1),
    **dict.fromkeys(("trace", "prepare", "compile", "import"), 1),
    **dict.fromkeys(("op", "data"), 2),
}
_now = time.perf_counter_ns
_thread = threading.get_ident


class Span(NamedTuple):
    """An activity of one thread from `start` to `end`, in nanoseconds of `time.perf_counter_ns`.

    `details` are the full name of an operation, or what the user attached to a span.
    """

    thread: int
    category: str
    name: str
    start: int
    end: int
    details: Any


class Recorder:
    """Records spans between `start` and `stop`.

    Args:
        level: Of the host tracer: 0 for nothing, 1 for steps, functions and compilations, 2 for
            operations and stages of datasets, too.
        python: Whether calls of Python functions are recorded, which makes them several times
            slower.
        delay: Nanoseconds after the start for which nothing is recorded.
    """

    def __init__(self, level: int = 2, python: bool = False, delay: int = 0) -> None:
        self._categories = {name for name, least in LEVELS.items() if level >= least}
        self._python = python
        self._delay = delay
        self._spans: list[tuple[int, str, str, int, int, Any]] = []
        self._with_ops: WeakKeyDictionary[Interpreter, Interpreter] = WeakKeyDictionary()
        self.thread_names: dict[int, str] = {}
        self.dropped = 0
        self.begin = self.end = 0
        # The start as time since the epoch.
        self.begin_wall = 0

    def start(self) -> None:
        """Begin to record."""
        self.begin_wall, self.begin = time.time_ns(), _now() + self._delay
        probes.attach(self._observe)
        if self._python:
            tracer = _PythonTracer(self)
            threading.setprofile(tracer)
            sys.setprofile(tracer)

    def stop(self) -> None:
        """End recording."""
        if self._python:
            sys.setprofile(None)
            threading.setprofile(None)
        probes.detach(self._observe)
        self.end = _now()
        self._with_ops.clear()

    def records(self, category: str) -> bool:
        """Whether spans of a category are recorded."""
        return category in self._categories

    def spans(self) -> list[Span]:
        """Return the spans in order of their starts, outer ones before inner ones."""
        spans = [Span(*each) for each in self._spans if each[3] >= self.begin]
        return sorted(spans, key=lambda span: (span.start, -span.end))

    def add(self, category: str, name: str, start: int, end: int, details: Any = None) -> None:
        """Add a span of this thread."""
        thread = _thread()
        if thread not in self.thread_names:
            self.thread_names[thread] = threading.current_thread().name
        if len(self._spans) < LIMIT:
            self._spans.append((thread, category, name, start, end, details))
        else:
            self.dropped += 1

    # -- what is timed -----------------------------------------------------------------------

    def _observe(self, probe: probes.Probe, method: probes.Method) -> probes.Method | None:
        category, label, add = probe.category, probe.label, self.add
        details = probe.details or _nothing
        if category not in self._categories:
            return None
        if category == "interpreter" and self.records("op"):
            method = self._running_ops(method)

        def timed(*args: Any, **kwargs: Any) -> Any:
            start = _now()
            try:
                return method(*args, **kwargs)
            except StopIteration:
                start = 0  # the end of the data is neither a step nor an element
                raise
            finally:
                if start:
                    end = _now()
                    name = label(*args, **kwargs)
                    add(category, name, start, end, details(*args, **kwargs))

        return timed

    def _running_ops(self, method: probes.Method) -> probes.Method:
        """Return a call of interpreters that times the operations, too."""

        def run(interpreter: Interpreter, arrays: Any) -> Any:
            timed = self._with_ops.get(interpreter)
            if timed is None:
                start = _now()
                timed = interpreter.with_kernels(self._timed_kernel)
                self._with_ops[interpreter] = timed
                self.add("prepare", interpreter.body.name, start, _now())
            return method(timed, arrays)

        return run

    def _timed_kernel(self, node: Any, kernel: Any) -> Callable[..., Any]:
        name, full_name, add = node.type, node.name, self.add

        def timed(*args: Any, **kwargs: Any) -> Any:
            start = _now()
            try:
                return kernel(*args, **kwargs)
            finally:
                add("op", name, start, _now(), full_name)

        return timed


def _nothing(*args: Any, **kwargs: Any) -> None:
    return None


class _PythonTracer:
    """Records calls of Python functions; the profile function of each thread."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._local = threading.local()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        try:
            starts = self._local.starts
        except AttributeError:
            starts = self._local.starts = []
        if event == "call":
            starts.append(_now())
        elif event == "return" and starts:
            code = frame.f_code
            where = f"{code.co_filename}:{code.co_firstlineno}"
            self._recorder.add("python", code.co_name, starts.pop(), _now(), where)
