"""`tf.profiler.experimental.client` and `server`: other processes, whose profiles are refused."""

from __future__ import annotations

from typing import Any, NoReturn

from tapeflow._src.core.errors import UnimplementedError


def trace(
    service_addr: str,
    logdir: Any,
    duration_ms: int,
    worker_list: str = "",
    num_tracing_attempts: int = 3,
    options: Any = None,
) -> NoReturn:
    """Raise UnimplementedError: there is no service that other processes ask for profiles.

    Args:
        service_addr: The address of the service.
        logdir: The folder of the profile.
        duration_ms: How long to trace.
        worker_list: Further addresses.
        num_tracing_attempts: How often to try.
        options: Options of the profiler.

    Returns:
        Nothing: it always raises.
    """
    raise _refusal("client.trace", service_addr)


def monitor(service_addr: str, duration_ms: int, level: int = 1) -> NoReturn:
    """Raise UnimplementedError: there is no service that other processes ask for profiles.

    Args:
        service_addr: The address of the service.
        duration_ms: How long to monitor.
        level: How much to report.

    Returns:
        Nothing: it always raises.
    """
    raise _refusal("client.monitor", service_addr)


def start(port: int) -> NoReturn:
    """Raise UnimplementedError: there is no service that other processes ask for profiles.

    Args:
        port: The port.

    Returns:
        Nothing: it always raises.
    """
    raise _refusal("server.start", port)


def _refusal(function: str, address: Any) -> UnimplementedError:
    return UnimplementedError(
        None,
        None,
        f"tf.profiler.experimental.{function}: profiles are recorded by the process that runs, and "
        f"none are served or asked for at {address!r}. Call tf.profiler.experimental.start(logdir) "
        "and stop() in that process.",
    )
