"""How the workers of a cluster meet: each calls the first, which waits until all are there.

The first worker listens at its address in the cluster. It answers where to continue, or which
worker is missing. The connections stay open for as long as the processes live: that a worker has
ended is seen there by name.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from tapeflow._src.core.errors import DeadlineExceededError, InvalidArgumentError

# What users set to name the workers, as it appears in messages.
TF_CONFIG = "TF_CONFIG"
_PAUSE = 0.05
_BYTES = 1 << 16


class Connection:
    """A connection to another worker, by which lines of JSON are exchanged."""

    def __init__(self, stream: socket.socket) -> None:
        self.stream = stream
        self._pending = b""
        with suppress(OSError):
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @property
    def own_host(self) -> str:
        """The address of this machine, as the other worker sees it."""
        return str(self.stream.getsockname()[0])

    def send(self, message: dict[str, Any]) -> None:
        self.stream.sendall(json.dumps(message).encode() + b"\n")

    def receive(self, deadline: float | None = None) -> dict[str, Any] | None:
        """Return the next message, None if the other worker has ended; raises TimeoutError."""
        while b"\n" not in self._pending:
            left = None if deadline is None else max(deadline - time.monotonic(), 1e-3)
            self.stream.settimeout(left)
            content = self.stream.recv(_BYTES)
            if not content:
                return None
            self._pending += content
        line, _, self._pending = self._pending.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def detach(self) -> tuple[socket.socket, bytes]:
        """Return the socket, and what has arrived of the next messages."""
        return self.stream, self._pending

    def close(self) -> None:
        self.stream.close()


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        return int(probe.getsockname()[1])


def await_all(
    names: Sequence[str],
    address: str,
    cluster: dict[str, Any],
    timeout: float,
    announce: Callable[[Connection], dict[str, Any]],
    setting: str = TF_CONFIG,
) -> dict[int, Connection]:
    """As the first worker: wait for all others, then tell each what `announce` returns.

    Raises:
        DeadlineExceededError: workers, which are named, did not come in time.
        InvalidArgumentError: a worker that called knows another cluster.
    """
    deadline = time.monotonic() + timeout
    present: dict[int, Connection] = {}
    try:
        with _listening(address, setting) as server:
            while len(present) < len(names) - 1:
                server.settimeout(max(deadline - time.monotonic(), 1e-3))
                try:
                    connection = Connection(server.accept()[0])
                    _admit(connection, names, cluster, present, deadline, setting)
                except TimeoutError:
                    if time.monotonic() >= deadline:
                        break
    except BaseException as error:
        _refuse(present.values(), str(error))
        raise
    missing = [names[i] for i in range(1, len(names)) if i not in present]
    if missing:
        reason = (
            f"{', '.join(missing)} did not connect to {names[0]} within {timeout:g} seconds; "
            f"{len(names) - len(missing)} of {len(names)} workers are there. Start the same "
            f"program with its own {setting} on every worker."
        )
        _refuse(present.values(), reason)
        raise DeadlineExceededError(None, None, reason)
    for connection in present.values():
        connection.send(announce(connection))
        connection.stream.settimeout(None)
    return present


def _admit(
    connection: Connection,
    names: Sequence[str],
    cluster: dict[str, Any],
    present: dict[int, Connection],
    deadline: float,
    setting: str,
) -> None:
    """Note the worker that has called; a stranger is sent away."""
    try:
        # What calls without a word is no worker: it must not keep the others waiting.
        hello = connection.receive(min(deadline, time.monotonic() + 5))
        rank = None if hello is None else hello.get("rank")
    except (OSError, ValueError):
        hello = rank = None
    if hello is None or not isinstance(rank, int) or not 0 < rank < len(names):
        connection.close()
        return
    if hello.get("cluster") != cluster:
        reason = (
            f"{names[rank]} was started with another cluster than {names[0]}: "
            f"{hello.get('cluster')} instead of {cluster}. The cluster in {setting} must be the "
            f"same on all workers."
        )
        _refuse([connection], reason)
        raise InvalidArgumentError(None, None, reason)
    if rank in present:
        present[rank].close()
    present[rank] = connection


def _refuse(connections: Any, reason: str) -> None:
    for connection in connections:
        with suppress(OSError):
            connection.send({"error": reason})
            connection.close()


def _listening(address: str, setting: str) -> socket.socket:
    """Return a socket that listens at the port of `address`, on all interfaces."""
    port = int(address.rsplit(":", 1)[1])
    try:
        if socket.has_dualstack_ipv6():
            return socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
        return socket.create_server(("", port))
    except OSError as error:
        raise InvalidArgumentError(
            None,
            None,
            f"This worker cannot listen at {address}, its address in the cluster: {error}. Another "
            f"process may use the port, or {setting} of two processes may name the same one.",
        ) from error


def call_first(
    names: Sequence[str], address: str, rank: int, cluster: dict[str, Any], timeout: float
) -> tuple[Connection, dict[str, Any]]:
    """As another worker: call the first, wait until all are there, and return what it says.

    Raises:
        DeadlineExceededError: the first worker was not reached in time, or another is missing.
    """
    deadline = time.monotonic() + timeout
    host, _, port = address.rpartition(":")
    while True:
        try:
            stream = socket.create_connection((host.strip("[]"), int(port)), timeout=5)
            connection = Connection(stream)
            connection.send({"rank": rank, "cluster": cluster})
            # The first worker itself reports who is missing, shortly after the same time.
            answer = connection.receive(deadline + 10)
        except OSError as error:
            answer, problem = None, str(error)
        else:
            problem = "it ended the connection"
        if answer is not None:
            break
        if time.monotonic() >= deadline:
            raise DeadlineExceededError(
                None,
                None,
                f"{names[rank]} did not reach {names[0]}, which all workers meet at, within "
                f"{timeout:g} seconds: {problem}.",
            )
        time.sleep(_PAUSE)
    if "error" in answer:
        raise DeadlineExceededError(None, None, str(answer["error"]))
    connection.stream.settimeout(None)
    return connection, answer
