"""Calls between processes: frames over sockets, whose contents are plain data (`states.py`).

A request is a tuple (method, arguments by name); the reply is (True, result) or (False, error).
Reading either runs no code of the other side.
"""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
from collections.abc import Callable
from typing import Any

from tapeflow._src.core.errors import InternalError, OpError, UnavailableError
from tapeflow._src.data import states

_LENGTH = struct.Struct("<Q")
_CHUNK = 1 << 20
_MOST_BYTES = 1 << 32
_CONNECT_SECONDS = 5.0

Methods = dict[str, Callable[..., Any]]


def split_address(address: str) -> tuple[str, int]:
    """Return the host and the port of `host:port` or `protocol://host:port`."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"An address must be `host:port`. Received: {address!r}")
    return host, int(port)


def _send(connection: socket.socket, data: bytes) -> None:
    connection.sendall(_LENGTH.pack(len(data)))
    connection.sendall(data)


def _receive(connection: socket.socket, size: int) -> bytes:
    """Receive `size` bytes; memory grows with what arrives."""
    data = bytearray()
    while len(data) < size:
        piece = connection.recv(min(_CHUNK, size - len(data)))
        if not piece:
            raise ConnectionError("the other side has closed the connection")
        data += piece
    return bytes(data)


def _receive_frame(connection: socket.socket) -> bytes:
    (size,) = _LENGTH.unpack(_receive(connection, _LENGTH.size))
    if size > _MOST_BYTES:
        raise ConnectionError(f"a message of {size} bytes is longer than {_MOST_BYTES}")
    return _receive(connection, size)


# -- the side that serves ------------------------------------------------------------------------


class _Handler(socketserver.BaseRequestHandler):
    """Answers the requests of one connection, one after the other."""

    server: Server

    def handle(self) -> None:
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.server.connections.add(self.request)
        try:
            while True:
                _send(self.request, self._answer(_receive_frame(self.request)))
        except OSError:
            return
        finally:
            self.server.connections.discard(self.request)

    def _answer(self, request: bytes) -> bytes:
        try:
            method, arguments = states.from_bytes(request)
            if method not in self.server.methods:
                raise InternalError(None, None, f"There is no method {method!r} to call.")
            return states.to_bytes((True, self.server.methods[method](**arguments)))
        except OpError as error:
            return states.to_bytes((False, error))
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            return states.to_bytes((False, InternalError(None, None, message)))


class Server(socketserver.ThreadingTCPServer):
    """Serves methods on a port, each connection in a thread."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str, port: int, methods: Methods) -> None:
        self.methods = methods
        self.connections: set[socket.socket] = set()
        super().__init__((host, port), _Handler)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        port: int = self.server_address[1]
        return port

    def start(self) -> None:
        """Serve in a thread."""
        thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)
        thread.start()

    def stop(self) -> None:
        """Stop serving and close all connections."""
        self.shutdown()
        self.server_close()
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


# -- the side that calls ---------------------------------------------------------------------------


class Client:
    """Calls the methods of a server; one call at a time."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._connection: socket.socket | None = None
        self._lock = threading.Lock()

    def call(self, method: str, **arguments: Any) -> Any:
        """Return the result of a method, or raise its error.

        Raises:
            tf.errors.UnavailableError: the server cannot be reached.
        """
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._connected()
                _send(self._connection, states.to_bytes((method, arguments)))
                succeeded, result = states.from_bytes(_receive_frame(self._connection))
            except OSError as error:
                self._disconnect()
                raise UnavailableError(
                    None, None, f"The data service at {self.address} cannot be reached: {error}"
                ) from error
        if not succeeded:
            raise result
        return result

    def _connected(self) -> socket.socket:
        connection = socket.create_connection(split_address(self.address), _CONNECT_SECONDS)
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        self._disconnect()

    def close(self) -> None:
        """Close the connection; a call that waits for its reply fails."""
        connection = self._connection
        if connection is not None:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                return
