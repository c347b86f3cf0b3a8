"""The devices of compiled programs, and meshes of them.

There are two clients of our own for programs on one device, with and without split loops.

JAX's CPU client hands a program to a pool of threads, and after each split loop it continues on the
thread that finished last. Waking threads takes 0.05 to 0.3 ms on a virtual machine. And OpenMP
keeps a team for every thread that ever called it: oneDNN, called from one thread after the other,
has teams that spin against each other. Of the clients created here, one splits nothing and runs a
program on the calling thread; the other splits long loops, and still allocates a program's memory
on the calling thread, where the heap keeps it (see `backends.heap`).

Programs for several devices run on a client with as many host devices as the processor counts as
(`tf.config.set_logical_device_configuration`), or on the accelerators. `logical_devices` maps names
of devices to JAX's; `mesh` arranges them along named axes, and those of other processes, too.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh
from jaxlib import xla_client

from tapeflow._src.backends import threads
from tapeflow._src.core import devices, process_group

# The number of threads for split loops is read from here, only when a client is created.
_SIZE = "NPROC"
_client_lock = threading.Lock()


def device(split: bool) -> Any:
    """Return the device for programs with split loops, or for those on the calling thread."""
    if not on_processors():
        return jax.local_devices()[devices.placement.accelerator_numbers()[0]]
    with _client_lock:
        return _split() if split else _at_once()


@cache
def on_processors() -> bool:
    """Whether programs run on CPUs here: there is nothing else, or it is hidden."""
    return not devices.placement.accelerators()


@cache
def _split() -> Any:
    return xla_client.make_cpu_client(asynchronous=False).local_devices()[0]


@cache
def _at_once() -> Any:
    with _threads(1):
        return xla_client.make_cpu_client(asynchronous=False).local_devices()[0]


@contextmanager
def enough_threads(count: int) -> Iterator[None]:
    """Create a client in the block whose collectives cannot wait for each other for ever.

    count: the devices of this process. Each may occupy two threads of the pool while it waits for
    devices of other processes; with fewer threads, the last of them never starts.
    """
    with _client_lock, _threads(2 * count + threads.cores()):
        yield


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Create clients with so many threads in the block."""
    before = os.environ.get(_SIZE)
    os.environ[_SIZE] = str(count)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SIZE]
        else:
            os.environ[_SIZE] = before


def accelerators() -> tuple[str, ...]:
    """Return the types of the GPUs and TPUs, in order."""
    if jax.default_backend() == "cpu":
        return ()
    return tuple("TPU" if d.platform == "tpu" else "GPU" for d in jax.local_devices())


@cache
def _host_devices(count: int) -> tuple[Any, ...]:
    return tuple(xla_client.make_cpu_client(asynchronous=False, num_devices=count).local_devices())


def logical_devices(names: Sequence[str]) -> list[Any]:
    """Return JAX's devices of the logical devices with these names.

    Names are those of `tf.config.list_logical_devices`, or full names such as
    `/job:localhost/replica:0/task:0/device:CPU:1`.
    """
    specs = [devices.parse(devices.resolve(devices.parse(name))) for name in names]
    hosts = _host_devices(devices.placement.logical_cpus)
    numbers = devices.placement.accelerator_numbers()
    return [
        hosts[spec.device_index or 0]
        if spec.device_type == "CPU"
        else jax.local_devices()[numbers[spec.device_index or 0]]
        for spec in specs
    ]


@cache
def _mesh(names: tuple[str, ...], shape: tuple[int, ...], axes: tuple[str, ...], _: int) -> Mesh:
    specs = [devices.parse(name) for name in names]
    group = process_group.joined()
    if group is None or not any(map(devices.of_other_process, specs)):
        members = logical_devices(names)
    else:
        members = [group.device(spec.task or 0, spec.device_index or 0) for spec in specs]
    return Mesh(np.array(members, object).reshape(shape), axes)


def mesh(names: Sequence[str], shape: Sequence[int], axes: Sequence[str]) -> Mesh:
    """Return the mesh of logical devices with named axes; equal arguments share it."""
    return _mesh(tuple(names), tuple(shape), tuple(axes), devices.placement.logical_cpus)


def details(number: int) -> dict[str, Any]:
    """Return the model of an accelerator, and of a GPU what it can compute."""
    accelerator = jax.local_devices()[number]
    described: dict[str, Any] = {"device_name": accelerator.device_kind}
    capability = getattr(accelerator, "compute_capability", None)
    if capability is not None:
        described["compute_capability"] = tuple(int(part) for part in str(capability).split("."))
    return described


def memory(name: str) -> dict[str, int]:
    """Return the bytes in use on an accelerator now, and at most so far."""
    statistics = logical_devices([name])[0].memory_stats() or {}
    current = int(statistics.get("bytes_in_use", 0))
    return {"current": current, "peak": int(statistics.get("peak_bytes_in_use", current))}
