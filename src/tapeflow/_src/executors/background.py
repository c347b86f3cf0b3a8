"""A background thread that compiles while the program runs.

It is started by the first job. When Python exits, pending jobs are dropped. A thread cannot be
stopped inside the compiler: `exiting` handles the running job. The first job imports JAX, which
imports `concurrent.futures.thread`: that fails once Python has begun to exit, and would leave JAX
half imported, so it is imported with this module.
"""

from __future__ import annotations

import atexit
import concurrent.futures.thread  # noqa: F401  for JAX
import os
import threading
from collections import deque
from collections.abc import Callable

from tapeflow._src.executors import exiting

Job = Callable[[], None]


class Background:
    """Runs jobs one after the other. A job must not raise."""

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._busy = False
        self._stopping = False

    def submit(self, job: Job) -> None:
        """Run `job` after those before it."""
        with self._wake:
            if self._stopping:
                return
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="tapeflow", daemon=True)
                self._thread.start()
            self._wake.notify_all()

    def _work(self) -> None:
        while True:
            with self._wake:
                self._busy = False
                self._wake.notify_all()
                while not self._jobs:
                    if self._stopping:
                        return
                    self._wake.wait()
                job = self._jobs.popleft()
                self._busy = True
            _run(job)
            # The last job and its references would otherwise live until the next.
            del job

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all jobs are done, and return whether they are."""
        with self._wake:
            return self._wake.wait_for(lambda: not self._jobs and not self._busy, timeout)

    def stop(self) -> None:
        """Drop pending jobs, and start no more."""
        with self._wake:
            self._stopping = True
            self._jobs.clear()
            self._wake.notify_all()


@exiting.compiles_by_xla
def _run(job: Job) -> None:
    job()


compiler = Background()


def leave() -> None:
    """Handle jobs, and all other threads inside XLA, when Python exits."""
    compiler.stop()
    exiting.leave()


def _in_child() -> None:
    """Reset in a forked process, which has neither this thread nor XLA's."""
    global forked
    forked = True


forked = False
atexit.register(leave)
os.register_at_fork(after_in_child=_in_child)
