"""Replicas as threads that run in turn: each until it needs the others, or ends.

One runs at a time, so that results do not depend on the scheduler. A replica that calls
`merge_call` waits until all have done so; the function to merge by then runs on the thread that
started them, across all replicas.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from tapeflow._src.api.scopes import device as device_scope
from tapeflow._src.api.scopes import name_scope
from tapeflow._src.core import dispatch
from tapeflow._src.core.thread_state import Snapshot, restore, snapshot
from tapeflow._src.distribute.contexts import entered
from tapeflow._src.distribute.per_replica import regroup, select


class _Stopped(BaseException):
    """Raised in a replica that waits for others, one of which has failed."""


class Replica(threading.Thread):
    """Calls a function as one replica."""

    def __init__(self, index: int, call: Callable[[Replica], Any], state: Snapshot) -> None:
        super().__init__(name=f"tapeflow_replica_{index}", daemon=True)
        self.index = index
        self._call = call
        self._state = state
        self._resumed = threading.Semaphore(0)
        self._paused = threading.Semaphore(0)
        self._stopping = False
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None
        # The function to merge by, with its arguments; then what it returned for this replica.
        self.request: Any = None
        self._merged: Any = None

    def run(self) -> None:
        self._resumed.acquire()
        try:
            if not self._stopping:
                restore(self._state)
                self.result = self._call(self)
        except _Stopped:
            pass
        except BaseException as error:
            self.error = error
        finally:
            self.done = True
            self._paused.release()

    def advance(self) -> None:
        """Let the replica run until it ends or asks to merge. Called by the starting thread."""
        self._resumed.release()
        self._paused.acquire()

    def stop(self) -> None:
        """End a replica that waits."""
        self._stopping = True
        self._resumed.release()

    def merge(self, request: tuple[Callable[..., Any], Any, Any]) -> Any:
        """Wait for all replicas, and return the result of merging. Called by the replica."""
        self.request = request
        self._paused.release()
        self._resumed.acquire()
        if self._stopping:
            raise _Stopped
        merged, self._merged = self._merged, None
        return merged

    def deliver(self, merged: Any) -> None:
        """Hand over the result of merging."""
        self.request, self._merged = None, merged


def run_replicas(
    strategy: Any, count: int, devices: Sequence[str], call: Callable[[Replica], Any]
) -> Any:
    """Call a function once per replica; return the regrouped results."""
    state = snapshot()

    def on_device(replica: Replica) -> Any:
        scope = name_scope(f"replica_{replica.index}") if replica.index else None
        with device_scope(devices[replica.index]):
            if scope is None or dispatch.current_graph() is None:
                return call(replica)
            with scope:
                return call(replica)

    replicas = [Replica(index, on_device, state) for index in range(count)]
    for replica in replicas:
        replica.start()
    try:
        while not _advance(replicas):
            _merge(strategy, replicas)
    finally:
        for replica in replicas:
            if not replica.done:
                replica.stop()
    return regroup([replica.result for replica in replicas])


def _advance(replicas: Sequence[Replica]) -> bool:
    """Let all replicas run until they merge or end; return whether they have ended."""
    for replica in replicas:
        replica.advance()
        if replica.error is not None:
            raise replica.error
    ended = [replica.done for replica in replicas]
    if any(ended) and not all(ended):
        raise RuntimeError(
            f"Replicas {[r.index for r in replicas if not r.done]} called merge_call, all_reduce "
            f"or a method that needs them all, and the others have ended: all replicas must make "
            f"the same calls."
        )
    return all(ended)


def _merge(strategy: Any, replicas: Sequence[Replica]) -> None:
    """Run the function that all replicas wait for, across replicas."""
    merge_fn = replicas[0].request[0]
    args = regroup([replica.request[1] for replica in replicas])
    kwargs = regroup([replica.request[2] for replica in replicas])
    with entered(strategy, None):
        result = merge_fn(strategy, *args, **kwargs)
    for replica in replicas:
        replica.deliver(select(replica.index, result))
