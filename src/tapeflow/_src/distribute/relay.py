"""A connection to another process that does not break when that process ends.

A client of JAX's coordination service ends its process, without an exception, when the connection
to the service is closed. Through a relay in its own process it waits instead, and who watches the
other process (`liveness`) raises the error.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

_CHUNK = 1 << 16
_PAUSE = 0.01


class Relay:
    """Forwards what clients in this process exchange with an address, while that answers."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host.strip("[]"), port)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"
        # Referenced for as long as the process lives: closing them is what must not happen.
        self._clients: list[socket.socket] = []
        self._closed = threading.Event()
        threading.Thread(target=self._accept, name="tapeflow_relay", daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client = self._server.accept()[0]
            except OSError:
                return
            self._clients.append(client)
            upstream = self._upstream()
            if upstream is None:
                return
            for source, target in ((client, upstream), (upstream, client)):
                threading.Thread(
                    target=_copy, args=(source, target), name="tapeflow_relay", daemon=True
                ).start()

    def _upstream(self) -> socket.socket | None:
        """Return a connection to the address once that answers; None if the relay is closed.

        A client that is connected, and gets no answer, tries again only after 20 seconds: the other
        process may be later by a moment.
        """
        while not self._closed.is_set():
            try:
                return socket.create_connection(self._target)
            except OSError:
                self._closed.wait(_PAUSE)
        return None

    def close(self) -> None:
        """Accept no further clients."""
        self._closed.set()
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    """Send on what arrives until one side ends; the other side is left open."""
    while content := _received(source):
        try:
            target.sendall(content)
        except OSError:
            return
    source.close()


def _received(source: socket.socket) -> bytes:
    """Return what has arrived; nothing if the other end was closed."""
    try:
        return source.recv(_CHUNK)
    except OSError:
        return b""
