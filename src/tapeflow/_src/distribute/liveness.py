"""Which workers of a program are alive: a lost one is named, and nobody waits for it for ever.

Each worker keeps a connection to the first, which passes on what it hears. When a process is
killed, the system closes its connection at once; when its machine stops, keep-alive probes fail.
A worker that ends by itself says so before.

Collectives run on a thread of their own (`Liveness.run`): one that hangs cannot hold up the error,
and the waiting thread handles signals.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, NamedTuple

from tapeflow._src.core.errors import (
    DeadlineExceededError,
    InvalidArgumentError,
    UnavailableError,
)

# How long a collective may still take after a worker has ended: its last data may be on the way.
_GRACE = 1.0
_PAUSE = 0.005
# The errors of workers that were halted.
_HALTS = {"differ": InvalidArgumentError, "late": DeadlineExceededError}
# How often the first worker looks for workers that are late.
_TICK = 1.0
_CHUNK = 1 << 16
_LONGEST_LINE = 1 << 20
# Seconds without an answer before probes, between probes, and their number: a machine that stops
# is noticed after about ten.
_KEEP_ALIVE = (
    *(("TCP_KEEPIDLE", 4), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3)),
    # The same for data that is not acknowledged, in milliseconds.
    ("TCP_USER_TIMEOUT", 10_000),
)
# What errors of Gloo and of its connections say.
_BROKEN = ("gloo", "connection reset", "connection closed", "broken pipe", "socket closed")

_KILLED = (
    "its connection closed without notice, as when a process is killed or crashes, or a machine "
    "stops"
)
_RESUME = (
    "Start all workers again: a program that restores at its start (with "
    "keras.callbacks.BackupAndRestore or tf.train.CheckpointManager) resumes from the last "
    "checkpoint."
)


class Fault(NamedTuple):
    """A worker that is gone, and why."""

    rank: int
    reason: str
    # Whether it said goodbye: then it matters only to those who still need it.
    announced: bool


class _Link:
    """The connection to one other worker."""

    def __init__(self, rank: int, stream: socket.socket, pending: bytes) -> None:
        self.rank, self.stream, self.pending = rank, stream, pending
        self._lock = threading.Lock()
        stream.settimeout(None)
        with suppress(OSError):
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for name, value in _KEEP_ALIVE:
                if hasattr(socket, name):
                    stream.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)

    def send(self, message: Mapping[str, Any]) -> None:
        with suppress(OSError), self._lock:
            self.stream.sendall(json.dumps(message).encode() + b"\n")

    def messages(self) -> list[dict[str, Any]] | None:
        """Return what has arrived, or None if the connection has ended."""
        try:
            content = self.stream.recv(_CHUNK)
        except OSError:
            return None
        if not content or len(self.pending) > _LONGEST_LINE:
            return None
        return self.split(content)

    def split(self, content: bytes) -> list[dict[str, Any]]:
        """Return the complete messages up to and in `content`."""
        *lines, self.pending = (self.pending + content).split(b"\n")
        return [json.loads(line) for line in lines]


class _Job:
    """A call on the thread of collectives."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._woken = threading.Lock()
        self._woken.acquire()
        self.finished = False
        self.result: Any = None
        self.error: BaseException | None = None

    def work(self) -> None:
        try:
            self.result = self._call()
        except BaseException as error:
            self.error = error
        self.finished = True
        self.wake()

    def wake(self) -> None:
        """Let the waiting thread look again."""
        with suppress(RuntimeError):
            self._woken.release()

    def wait(self) -> None:
        """Wait until the job is finished, or `wake` is called."""
        self._woken.acquire()


class Liveness:
    """Watches the other workers of a group.

    Args:
        links: For the first worker, connections to all others by rank; for the others, the
            connection to the first: pairs of a socket and what was received of it already.
        names: Names of the workers, by rank, as they appear in messages.
        rank: The rank of this worker.
    """

    def __init__(
        self, links: Mapping[int, tuple[socket.socket, bytes]], names: Sequence[str], rank: int
    ) -> None:
        self.names, self.rank = tuple(names), rank
        self._lock = threading.Lock()
        self._links = {other: _Link(other, *link) for other, link in links.items()}
        self._gone: dict[int, Fault] = {}
        self._first: Fault | None = None
        self._values: dict[str, Any] = {}
        self._changed = threading.Condition(self._lock)
        self._listeners: list[Callable[[str, Any], None]] = []
        self._handlers: dict[str, Callable[[int, Any], None]] = {}
        # Messages that nobody handles yet.
        self._early: dict[str, list[tuple[int, Any]]] = {}
        # Why no collective can succeed any more, although all workers are there.
        self._halted: tuple[str, str] | None = None
        # Functions that are called when a worker is gone, or the workers are halted.
        self.on_break: list[Callable[[], None]] = []
        # The first worker calls it again and again.
        self.on_tick: Callable[[], None] | None = None
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._waiting: set[_Job] = set()
        self._worker: threading.Thread | None = None
        self._leaving = False
        self._selector = selectors.DefaultSelector()
        for link in self._links.values():
            self._selector.register(link.stream, selectors.EVENT_READ, link)
        thread = threading.Thread(target=self._watch, name="tapeflow_liveness", daemon=True)
        thread.start()
        atexit.register(self.leave)
        os.register_at_fork(after_in_child=self._close)

    # -- what is known of the others ---------------------------------------------------------------

    @property
    def fault(self) -> Fault | None:
        """The first worker that was lost, if one was."""
        return self._first

    def check(self) -> None:
        """Raise if a worker is gone, or if the workers were halted.

        Raises:
            UnavailableError: A worker, which is named, was lost or has ended.
            InvalidArgumentError: The programs of the workers differ.
            DeadlineExceededError: A worker, which is named, does not come.
        """
        if self._halted is not None:
            kind, reason = self._halted
            raise _HALTS[kind](None, None, reason)
        fault = self._first or next(iter(self._gone.values()), None)
        if fault is not None:
            raise self._error(fault)

    def wait_until_gone(self, rank: int) -> None:
        """Wait until a worker has ended, or was lost."""
        with self._changed:
            self._changed.wait_for(lambda: rank in self._gone)

    def _error(self, fault: Fault) -> UnavailableError:
        what = "ended before the others" if fault.announced else "was lost"
        return UnavailableError(
            None,
            None,
            f"{self.names[fault.rank]} {what}: {fault.reason}. {self.names[self.rank]} cannot go "
            f"on without it. {_RESUME}",
        )

    # -- values that all workers share -------------------------------------------------------------

    def set(self, key: str, value: Any) -> None:
        """Set a value, of JSON's types, in all workers, unless the key has one: the first wins."""
        if self.rank == 0:
            self._store(key, value)
        else:
            self._links[0].send({"set": [key, value]})

    def get(self, key: str, timeout: float | None = None) -> Any:
        """Return a value, or None if nobody has set it within `timeout` seconds.

        Raises:
            UnavailableError: A worker is gone.
        """
        with self._changed:
            self._changed.wait_for(lambda: key in self._values or self._gone, timeout)
            if key in self._values:
                return self._values[key]
        self.check()
        return None

    def wait_for(self, keys: Mapping[str, str], timeout: float | None = None) -> list[str]:
        """Wait until all these values are set; return the names of those that are not in time.

        keys: names by the keys of their values.

        Raises:
            UnavailableError: A worker is gone.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: keys.keys() <= self._values.keys() or self._gone or self._halted, timeout
            )
            missing = [name for key, name in keys.items() if key not in self._values]
        if missing:
            self.check()
        return missing

    def listen(self, listener: Callable[[str, Any], None]) -> None:
        """Call a function with each key and its value, once it is set, on any thread."""
        with self._changed:
            self._listeners.append(listener)
            entries = list(self._values.items())
        for key, value in entries:
            listener(key, value)

    def _store(self, key: str, value: Any) -> None:
        with self._changed:
            if key in self._values:
                return
            self._values[key] = value
            listeners = tuple(self._listeners)
            self._changed.notify_all()
        if self.rank == 0:
            self._pass_on({"set": [key, value]})
        for listener in listeners:
            listener(key, value)

    # -- messages of other parts -------------------------------------------------------------------

    def handle(self, kind: str, handler: Callable[[int, Any], None]) -> None:
        """Call a function with the sender and the content of each message of a kind."""
        with self._lock:
            self._handlers[kind] = handler
            early = self._early.pop(kind, [])
        for rank, content in early:
            handler(rank, content)

    def _deliver(self, kind: str, rank: int, content: Any) -> None:
        with self._lock:
            handler = self._handlers.get(kind)
            if handler is None:
                self._early.setdefault(kind, []).append((rank, content))
        if handler is not None:
            handler(rank, content)

    def tell_first(self, kind: str, content: Any) -> None:
        """Send a message, of JSON's types, to the first worker, which may be this one."""
        if self.rank == 0:
            self._deliver(kind, 0, content)
        else:
            self._links[0].send({kind: content})

    def tell_all(self, kind: str, content: Any) -> None:
        """As the first worker: send a message to all, this one included."""
        self._pass_on({kind: content})
        self._deliver(kind, 0, content)

    @property
    def is_broken(self) -> bool:
        """Whether a worker is gone, or the workers were halted."""
        return bool(self._gone) or self._halted is not None

    def halt(self, kind: str, reason: str) -> None:
        """Let this and all later collectives raise an error; the first worker passes it on.

        kind: "differ" if the programs of the workers differ, "late" if one does not come.
        """
        with self._changed:
            if self._halted is not None:
                return
            self._halted = kind, reason
            self._changed.notify_all()
        if self.rank == 0:
            self._pass_on({"halt": self._halted})
        self._wake()

    # -- collectives -------------------------------------------------------------------------------

    def run(self, call: Callable[[], Any]) -> Any:
        """Return what `call` returns, which needs all workers and runs on a thread of its own.

        Raises:
            UnavailableError: A worker, which is named, is gone.
        """
        if threading.current_thread() is self._worker:
            return call()
        self.check()
        if self._worker is None:
            self._worker = threading.Thread(
                target=self._work, name="tapeflow_collectives", daemon=True
            )
            self._worker.start()
        job = _Job(call)
        self._waiting.add(job)
        try:
            self._jobs.put(job)
            if not self._gone and self._halted is None:
                job.wait()
            return self._outcome(job)
        finally:
            self._waiting.discard(job)

    def _work(self) -> None:
        while True:
            self._jobs.get().work()

    def _outcome(self, job: _Job) -> Any:
        """Return or raise what a job did, or raise the error of the worker that it waits for."""
        end = time.monotonic() + _GRACE
        while not job.finished and time.monotonic() < end:
            time.sleep(_PAUSE)
        if not job.finished:
            self.check()
        if job.error is None:
            return job.result
        if self._first is None and not _is_broken(job.error):
            raise job.error
        if self._halted is not None:
            self.check()
        # The connections of the collective break before this one, or after.
        while not self._gone and time.monotonic() < end:
            time.sleep(_PAUSE)
        try:
            self.check()
        except UnavailableError as named:
            raise named from job.error
        raise UnavailableError(
            None,
            None,
            f"{self.names[self.rank]} has lost the connection to another worker: {job.error}. "
            f"{_RESUME}",
        ) from job.error

    # -- the thread that listens -------------------------------------------------------------------

    def _watch(self) -> None:
        for link in self._links.values():
            self._understand(link, link.split(b""))
        while self._selector.get_map():
            for key, _ in self._selector.select(_TICK if self.rank == 0 else None):
                link = key.data
                messages = _received(link)
                if messages is None:
                    self._selector.unregister(link.stream)
                    self._note(Fault(link.rank, _KILLED, announced=False))
                else:
                    self._understand(link, messages)
            if self.on_tick is not None:
                self.on_tick()

    def _understand(self, link: _Link, messages: Sequence[dict[str, Any]]) -> None:
        for message in messages:
            if "set" in message:
                self._store(*message["set"])
            elif "gone" in message:
                rank, reason, announced = message["gone"]
                self._note(Fault(rank, reason, announced))
            elif "halt" in message:
                self.halt(*message["halt"])
            else:
                for kind, content in message.items():
                    self._deliver(kind, link.rank, content)

    def _note(self, fault: Fault) -> None:
        """Remember that a worker is gone, tell the others, and wake up who waits for it."""
        with self._changed:
            if fault.rank in self._gone or self._leaving:
                return
            self._gone[fault.rank] = fault
            if self._first is None and not fault.announced:
                self._first = fault
            self._changed.notify_all()
        if self.rank == 0:
            self._pass_on({"gone": fault})
        self._wake()

    def _wake(self) -> None:
        """Let everybody look who waits for the other workers."""
        for job in tuple(self._waiting):
            job.wake()
        for notify in tuple(self.on_break):
            notify()

    def _pass_on(self, message: Mapping[str, Any]) -> None:
        for link in tuple(self._links.values()):
            link.send(message)

    # -- the end -----------------------------------------------------------------------------------

    def leave(self) -> None:
        """Tell the others that this worker ends, and why."""
        if self._leaving:
            return
        self._leaving = True
        error = getattr(sys, "last_value", None)
        reason = "it has ended" if error is None else f"it ended with {_brief(error)}"
        self._pass_on({"gone": Fault(self.rank, reason, announced=True)})

    def _close(self) -> None:
        """Close the connections in a forked process: they must end with this one."""
        self._leaving = True
        for link in self._links.values():
            with suppress(OSError):
                os.close(link.stream.detach())


def _received(link: _Link) -> list[dict[str, Any]] | None:
    try:
        return link.messages()
    except ValueError:
        return None


def _is_broken(error: BaseException) -> bool:
    """Whether an error says that a connection between workers broke."""
    text = str(error).lower()
    return isinstance(error, Exception) and any(sign in text for sign in _BROKEN)


def _brief(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:200]}"
