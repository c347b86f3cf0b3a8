"""The servers of a data service: `DispatchServer` and `WorkerServer`, and their configurations."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from tapeflow._src.core.errors import OpError
from tapeflow._src.data.service.dispatcher import Dispatcher
from tapeflow._src.data.service.wire import Client, Server, split_address
from tapeflow._src.data.service.worker import Worker

# The hosts that servers listen on: this one, unless the variable names another address.
_HOST_VARIABLE = "TAPEFLOW_DATA_SERVICE_HOST"
_PROTOCOL = "grpc"
_HEARTBEAT_MS = 1000
# What others may call of a dispatcher.
_METHODS = (
    *("register_dataset", "element_spec", "register_worker", "workers", "report_lost"),
    *("tasks", "task", "finish_task", "split"),
)


def _host() -> str:
    return os.environ.get(_HOST_VARIABLE, "127.0.0.1")


class DispatcherConfig(NamedTuple):
    """The configuration of a dispatcher.

    Args:
        port: The port to listen on; 0 for any that is free.
        protocol: The prefix of addresses. Messages are the same for all.
        work_dir: The folder for the state of a dispatcher that can be restarted.
        fault_tolerant_mode: Whether the state is written, so that a dispatcher that is started
            with the same `work_dir` goes on.
        worker_addresses: The addresses of all workers, for policies that assign each a part of its
            own; the port may be `%port%`.
        job_gc_check_interval_ms: Accepted; finished jobs are small and stay.
        job_gc_timeout_ms: Accepted, likewise.
        worker_timeout_ms: Accepted; a worker that clients cannot reach is checked at once.
        worker_max_concurrent_snapshots: Accepted.
    """

    port: int = 0
    protocol: str | None = _PROTOCOL
    work_dir: str | None = None
    fault_tolerant_mode: bool = False
    worker_addresses: Sequence[str] | None = None
    job_gc_check_interval_ms: int | None = 0
    job_gc_timeout_ms: int | None = 0
    worker_timeout_ms: int | None = None
    worker_max_concurrent_snapshots: int = 0


class WorkerConfig(NamedTuple):
    """The configuration of a worker.

    Args:
        dispatcher_address: The address of the dispatcher, `host:port`.
        worker_address: The address under which clients reach the worker; `%port%` stands for the
            port that it listens on.
        port: The port to listen on; 0 for any that is free.
        protocol: The prefix of addresses.
        heartbeat_interval_ms: How often the worker shows itself to the dispatcher; 0 for a second.
        dispatcher_timeout_ms: How long the dispatcher is waited for at the start; 0 for an hour.
        data_transfer_protocol: Accepted; elements are sent over the same connections.
        data_transfer_address: Accepted.
    """

    dispatcher_address: str
    worker_address: str | None = "localhost:%port%"
    port: int = 0
    protocol: str | None = _PROTOCOL
    heartbeat_interval_ms: int | None = 0
    dispatcher_timeout_ms: int | None = 0
    data_transfer_protocol: str | None = None
    data_transfer_address: str | None = "localhost:%dts_port%"


class _Server:
    """A server in this process, with threads of its own."""

    def __init__(self) -> None:
        self._server: Server | None = None
        self._stopped = threading.Event()

    def _running(self) -> Server:
        if self._server is None:
            raise RuntimeError(f"{type(self).__name__} is not running: call `start()` first.")
        return self._server

    def join(self) -> None:
        """Wait until the server is stopped."""
        self._stopped.wait()

    def stop(self) -> None:
        """Stop the server."""
        self._stop()

    def _stop(self) -> None:
        self._stopped.set()
        server, self._server = self._server, None
        if server is not None:
            server.stop()

    def __del__(self) -> None:
        self._stop()


class DispatchServer(_Server):
    """The server that knows datasets and workers, and divides the work.

    Args:
        config: A `DispatcherConfig`.
        start: Whether to start at once.
    """

    def __init__(self, config: Any = None, start: bool = True) -> None:
        super().__init__()
        self._config = config or DispatcherConfig()
        if self._config.fault_tolerant_mode and not self._config.work_dir:
            raise ValueError("`fault_tolerant_mode=True` needs a `work_dir` for the state.")
        self._dispatcher: Dispatcher | None = None
        self._port = self._config.port
        if start:
            self.start()

    def start(self) -> None:
        """Start the server."""
        if self._server is not None:
            return
        config = self._config
        work_dir = config.work_dir if config.fault_tolerant_mode else None
        addresses = None if config.worker_addresses is None else list(config.worker_addresses)
        dispatcher = self._dispatcher = Dispatcher(addresses, work_dir)
        methods = {name: getattr(dispatcher, name) for name in _METHODS}
        self._server = Server(_host(), self._port, methods)
        self._server.start()

    @property
    def target(self) -> str:
        """The address that clients use: `protocol://localhost:port`."""
        return f"{self._config.protocol or _PROTOCOL}://{self._address}"

    @property
    def _address(self) -> str:
        return f"localhost:{self._running().port}"

    def _num_workers(self) -> int:
        self._running()
        return 0 if self._dispatcher is None else len(self._dispatcher.workers())


class WorkerServer(_Server):
    """A server that produces elements.

    Args:
        config: A `WorkerConfig`.
        start: Whether to start at once.
    """

    def __init__(self, config: Any, start: bool = True) -> None:
        super().__init__()
        if not getattr(config, "dispatcher_address", None):
            raise ValueError("`config` must have the `dispatcher_address`, such as localhost:5000.")
        self._config = config
        self._worker: Worker | None = None
        self._address_ = ""
        if start:
            self.start()

    def start(self) -> None:
        """Start the server and register it with the dispatcher."""
        if self._server is not None:
            return
        dispatcher = Client(self._config.dispatcher_address)
        worker = self._worker = Worker(dispatcher)
        methods = {name: getattr(worker, name) for name in ("ping", "get_element")}
        self._server = Server(_host(), self._config.port, methods)
        self._server.start()
        pattern = self._config.worker_address or "localhost:%port%"
        self._address_ = pattern.replace("%port%", str(self._server.port))
        split_address(self._address_)
        self._register(dispatcher)
        interval = (self._config.heartbeat_interval_ms or _HEARTBEAT_MS) / 1000
        beat = threading.Thread(
            target=_heartbeat,
            args=(self._stopped, Client(dispatcher.address), self._address_, interval),
            daemon=True,
        )
        beat.start()

    def _register(self, dispatcher: Client) -> None:
        """Register with the dispatcher, which may be started a little later."""
        seconds = (self._config.dispatcher_timeout_ms or 3_600_000) / 1000
        pause, waited = 0.05, 0.0
        while True:
            try:
                dispatcher.call("register_worker", address=self._address_)
                return
            except OpError as error:
                if error.error_code != _UNAVAILABLE or waited >= seconds:
                    self._stop()
                    raise
            self._stopped.wait(pause)
            waited += pause

    @property
    def _address(self) -> str:
        self._running()
        return self._address_

    def _num_tasks(self) -> int:
        return 0 if self._worker is None else self._worker.count_tasks()


_UNAVAILABLE = 14


def _heartbeat(stopped: threading.Event, dispatcher: Client, address: str, seconds: float) -> None:
    while not stopped.wait(seconds):
        try:
            dispatcher.call("register_worker", address=address)
        except OpError:
            continue  # the dispatcher may be restarted
