"""Times of the stages of a dataset while it runs: own time, elements, and time with their sources.

The stages are observed through probes, so that datasets pay nothing while nobody observes them.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

from tapeflow._src.core import probes


@dataclass
class StageTime:
    """Measurements of one stage."""

    elements: int = 0
    own: float = 0.0
    total: float = 0.0


class StageTimer:
    """Measures the stages that run between `start` and `stop`, in all threads."""

    def __init__(self) -> None:
        self._times: dict[int, StageTime] = {}
        self._stages: dict[int, Any] = {}
        # Cursors are kept alive, or another could have the same identity.
        self._cursors: list[Any] = []
        self._local = threading.local()

    def start(self) -> None:
        """Begin to measure."""
        probes.attach(self._observe)

    def stop(self) -> None:
        """End measuring."""
        probes.detach(self._observe)

    def of(self, stage: Any) -> StageTime:
        """Return what was measured of a stage."""
        return self._times.get(id(stage), StageTime())

    def _observe(self, probe: probes.Probe, method: probes.Method) -> probes.Method | None:
        if probe.category == "cursor":
            return self._noting(method)
        if probe.category == "data":
            return self._timing(method)
        return None

    def _noting(self, method: probes.Method) -> probes.Method:
        def cursor(stage: Any) -> Any:
            created = method(stage)
            self._cursors.append(created)
            # A stage without work of its own returns the cursor of its source.
            self._stages.setdefault(id(created), stage)
            return created

        return cursor

    def _timing(self, method: probes.Method) -> probes.Method:
        def timed(cursor: Any, *arguments: Any) -> Any:
            stage = self._stages.get(id(cursor))
            stack = self._stack()
            is_outermost = not stack or stack[-1][0] is not stage
            frame: list[Any] = [stage, 0.0]
            stack.append(frame)
            count = 0
            start = time.perf_counter()
            try:
                result = method(cursor, *arguments)
                count = _count(result, bool(arguments))
                return result
            finally:
                elapsed = time.perf_counter() - start
                stack.pop()
                if stack:
                    stack[-1][1] += elapsed
                if stage is not None:
                    measured = self._times.setdefault(id(stage), StageTime())
                    measured.own += elapsed - frame[1]
                    if is_outermost:
                        measured.elements += count
                        measured.total += elapsed

        return timed

    def _stack(self) -> list[Any]:
        if not hasattr(self._local, "stack"):
            self._local.stack = []
        stack: list[Any] = self._local.stack
        return stack


def _count(result: Any, in_rows: bool) -> int:
    if not in_rows:
        return 1
    return 0 if result is None else int(result[0].shape[0]) if result else 0
