"""The processes of a program on meshes, the clients, and their devices."""

from __future__ import annotations

import os
from typing import Any

from tapeflow._src.api.config.devices import (
    LogicalDeviceConfiguration,
    list_logical_devices,
    list_physical_devices,
    set_logical_device_configuration,
)
from tapeflow._src.core.device_mesh import Mesh, spans_processes
from tapeflow._src.core.devices import DeviceSpec
from tapeflow._src.core.errors import DeadlineExceededError
from tapeflow._src.distribute import clients

_TYPES = ("CPU", "GPU", "TPU")
_CLIENT = "DTENSOR_CLIENT_ID"
_CLIENTS = "DTENSOR_NUM_CLIENTS"
_JOB = "DTENSOR_JOB_NAME"
_JOBS = "DTENSOR_JOBS"
# The barriers so far, by name: each has a number of its own.
_barriers: dict[str, int] = {}


class _System:
    """Whether `initialize_accelerator_system` was called."""

    initialized = False


def is_initialized() -> bool:
    """Return whether the system is initialized."""
    return _System.initialized


def initialize_accelerator_system(
    device_type: str | None = None,
    enable_coordination_service: bool | None = True,
    num_logical_cpu_devices: int | None = None,
    experimental_reset_context: bool | None = False,
    experimental_enable_megcore: bool | None = False,
) -> str:
    """Prepare the devices of this process for meshes, and meet the other processes.

    Environment variables name the processes, each of which runs the same program: `DTENSOR_JOBS`
    has the addresses of all, `DTENSOR_CLIENT_ID` the number of this one.

    Args:
        device_type: "CPU", "GPU" or "TPU"; by default the preferred type.
        enable_coordination_service: Accepted: several processes always have one.
        num_logical_cpu_devices: How many devices the processor counts as.
        experimental_reset_context: Accepted for compatibility.
        experimental_enable_megcore: Accepted for compatibility.

    Returns:
        The type of the devices.

    Raises:
        ValueError: If it was called before, there is no device of the type, or the environment
            variables are wrong.
        DeadlineExceededError: If a process, which is named, did not come in time: within 300
            seconds, or as many as the environment variable `TAPEFLOW_WORKERS_TIMEOUT` says.
        NotImplementedError: If there are several processes, and the devices are no CPUs.
    """
    if _System.initialized:
        raise ValueError(
            "initialize_accelerator_system was called before: call "
            "tf.experimental.dtensor.shutdown_accelerator_system() first."
        )
    kind = preferred_device_type() if device_type is None else device_type.upper()
    if kind not in _TYPES:
        raise ValueError(f"Expected the device type CPU, GPU or TPU. Received: {device_type}")
    if num_logical_cpu_devices is not None:
        cpus = list_physical_devices("CPU")
        parts = [LogicalDeviceConfiguration() for _ in range(num_logical_cpu_devices)]
        set_logical_device_configuration(cpus[0], parts)
    if not local_devices(kind):
        raise ValueError(f"This process has no devices of type {kind}.")
    if num_clients() > 1:
        _join(kind)
    _System.initialized = True
    return kind


def _join(kind: str) -> None:
    """Meet the other processes."""
    if kind != "CPU":
        raise NotImplementedError(
            f"A mesh over several processes has CPUs. Received: device_type={kind!r}, "
            f"{_JOBS}={os.environ.get(_JOBS)!r}. For accelerators, use one process with all of a "
            f"machine's, or tf.distribute.MultiWorkerMirroredStrategy."
        )
    clients.join(job_name(), jobs(), client_id(), f"{_JOBS} and {_CLIENT}")


def shutdown_accelerator_system() -> None:
    """End the use of the devices, after `initialize_accelerator_system`.

    Raises:
        ValueError: If it was not called, or there are several processes.
    """
    if _System.initialized and num_clients() > 1:
        raise ValueError(
            "shutdown_accelerator_system is for programs of one process: of several, each stays "
            "connected to the others until it ends."
        )
    if not _System.initialized:
        raise ValueError(
            "shutdown_accelerator_system needs initialize_accelerator_system first: nothing is "
            "initialized."
        )
    _System.initialized = False


# Former names.
initialize_multi_client = initialize_tpu_system = initialize_accelerator_system
shutdown_tpu_system = shutdown_accelerator_system


def jobs() -> list[str]:
    """Return the addresses of all processes, from the environment variable `DTENSOR_JOBS`.

    Returns:
        A list of strings such as "host0:2222"; empty for a program of one process.

    Example:
        >>> tf.experimental.dtensor.jobs()
        []
    """
    return [job.strip() for job in os.environ.get(_JOBS, "").split(",") if job.strip()]


def num_clients() -> int:
    """Return the number of processes: that of the addresses in `DTENSOR_JOBS`, or 1.

    Returns:
        An integer.

    Raises:
        ValueError: If `DTENSOR_NUM_CLIENTS` is set, and is another number.

    Example:
        >>> tf.experimental.dtensor.num_clients()
        1
    """
    count = len(jobs()) or 1
    stated = os.environ.get(_CLIENTS)
    if stated and stated != str(count):
        raise ValueError(
            f"Expected {_CLIENTS} to be the number of addresses in {_JOBS}. Received: "
            f"{_CLIENTS}={stated!r}, {_JOBS}={os.environ.get(_JOBS)!r}. Set {_JOBS} to the host "
            f"and port of each process, separated by commas, the same in all of them."
        )
    return count


def client_id() -> int:
    """Return the number of this process, from the environment variable `DTENSOR_CLIENT_ID`.

    Returns:
        An integer, from 0 on.

    Raises:
        ValueError: If it is no number of a process.

    Example:
        >>> tf.experimental.dtensor.client_id()
        0
    """
    text = os.environ.get(_CLIENT, "0") or "0"
    if not text.isdecimal() or int(text) >= num_clients():
        raise ValueError(
            f"Expected {_CLIENT} to be an integer from 0 to {num_clients() - 1}, for the "
            f"{num_clients()} processes in {_JOBS}. Received: {text!r}"
        )
    return int(text)


def job_name() -> str:
    """Return the name of the job of all processes, from the variable `DTENSOR_JOB_NAME`.

    Returns:
        A string; by default "localhost" for one process, and "worker" for several.

    Example:
        >>> tf.experimental.dtensor.job_name()
        'localhost'
    """
    return os.environ.get(_JOB) or ("localhost" if num_clients() == 1 else "worker")


def full_job_name(task_id: int | None = None) -> str:
    """Return the name of the job with that of the task.

    Args:
        task_id: Number of the process; by default this one.

    Returns:
        A string.

    Raises:
        ValueError: If there is no such task.

    Example:
        >>> tf.experimental.dtensor.full_job_name()
        'localhost/replica:0/task:0'
    """
    task = client_id() if task_id is None else task_id
    if not 0 <= task < num_clients():
        raise ValueError(
            f"Expected a task from 0 to {num_clients() - 1}. Received: task_id={task_id}"
        )
    return f"{job_name()}/replica:0/task:{task}"


def heartbeat_enabled() -> bool:
    """Return whether processes watch each other; with one, that is always so.

    Returns:
        True.
    """
    return True


def local_devices(device_type: str, for_client_id: int | None = None) -> list[DeviceSpec]:
    """Return the devices of a type of this process, or of another one.

    Args:
        device_type: "CPU", "GPU" or "TPU".
        for_client_id: Number of the process; all have equally many devices.

    Returns:
        A list of `tf.DeviceSpec`.

    Raises:
        ValueError: If it is another type.

    Example:
        >>> tf.experimental.dtensor.local_devices("CPU")[0].device_type
        'CPU'
    """
    if device_type.upper() not in _TYPES:
        raise ValueError(f"Expected the device type CPU, GPU or TPU. Received: {device_type}")
    count = len(list_logical_devices(device_type.upper()))
    host = DeviceSpec.from_string(f"/job:{full_job_name(for_client_id)}")
    return [host.replace(device_type=device_type.upper(), device_index=i) for i in range(count)]


def num_local_devices(device_type: str) -> int:
    """Return the number of devices of a type of this process.

    Args:
        device_type: "CPU", "GPU" or "TPU".

    Returns:
        An integer.
    """
    return len(local_devices(device_type))


def num_global_devices(device_type: str) -> int:
    """Return the number of devices of a type of all processes.

    Args:
        device_type: "CPU", "GPU" or "TPU".

    Returns:
        An integer.
    """
    return num_local_devices(device_type) * num_clients()


def preferred_device_type() -> str:
    """Return "TPU", "GPU" or "CPU": the first of which there are devices.

    Returns:
        A string.
    """
    return next(kind for kind in reversed(_TYPES) if kind == "CPU" or local_devices(kind))


def barrier(mesh: Mesh, barrier_name: str | None = None, timeout_in_ms: Any = None) -> None:
    """Wait until all processes of a mesh have called it, as often as this one.

    Args:
        mesh: The mesh.
        barrier_name: Name of the barrier.
        timeout_in_ms: How long to wait; by default until a process ends.

    Raises:
        ValueError: If it is no mesh.
        DeadlineExceededError: If a process, which is named, did not come in time.
        UnavailableError: If a process, which is named, is gone.
    """
    if not isinstance(mesh, Mesh):
        raise ValueError(f"barrier expects a Mesh. Received: {mesh!r}")
    group = clients.joined()
    if group is None or not spans_processes(mesh):
        return
    name = barrier_name or "barrier"
    number = _barriers[name] = _barriers.get(name, 0) + 1
    seconds = None if timeout_in_ms is None else float(timeout_in_ms) / 1000
    missing = group.meet(f"{name}/{number}", seconds)
    if missing:
        raise DeadlineExceededError(
            None,
            None,
            f"barrier {name!r}: {', '.join(missing)} did not come within {seconds:g} seconds. All "
            f"processes of a mesh must call it.",
        )
