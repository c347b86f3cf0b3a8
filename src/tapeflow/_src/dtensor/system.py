"""The processes of a program on meshes, and their devices. There is one process."""

from __future__ import annotations

import os
from typing import Any

from tapeflow._src.api.config.devices import (
    LogicalDeviceConfiguration,
    list_logical_devices,
    list_physical_devices,
    set_logical_device_configuration,
)
from tapeflow._src.core.device_mesh import Mesh
from tapeflow._src.core.devices import LOCAL, DeviceSpec

_TYPES = ("CPU", "GPU", "TPU")
_CLIENTS = "DTENSOR_NUM_CLIENTS"
_JOBS = "DTENSOR_JOBS"


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
    """Prepare the devices of this process for meshes.

    Args:
        device_type: "CPU", "GPU" or "TPU"; by default the preferred type.
        enable_coordination_service: Accepted: one process needs none.
        num_logical_cpu_devices: How many devices the processor counts as.
        experimental_reset_context: Accepted for compatibility.
        experimental_enable_megcore: Accepted for compatibility.

    Returns:
        The type of the devices.

    Raises:
        ValueError: If it was called before, or there is no device of the type.
        NotImplementedError: If the environment names several processes.
    """
    if _System.initialized:
        raise ValueError(
            "initialize_accelerator_system was called before: call "
            "tf.experimental.dtensor.shutdown_accelerator_system() first."
        )
    _require_one_client()
    kind = preferred_device_type() if device_type is None else device_type.upper()
    if kind not in _TYPES:
        raise ValueError(f"Expected the device type CPU, GPU or TPU. Received: {device_type}")
    if num_logical_cpu_devices is not None:
        cpus = list_physical_devices("CPU")
        parts = [LogicalDeviceConfiguration() for _ in range(num_logical_cpu_devices)]
        set_logical_device_configuration(cpus[0], parts)
    if not local_devices(kind):
        raise ValueError(f"This process has no devices of type {kind}.")
    _System.initialized = True
    return kind


def shutdown_accelerator_system() -> None:
    """End the use of the devices, after `initialize_accelerator_system`.

    Raises:
        ValueError: If it was not called.
    """
    if not _System.initialized:
        raise ValueError(
            "shutdown_accelerator_system needs initialize_accelerator_system first: nothing is "
            "initialized."
        )
    _System.initialized = False


# Former names.
initialize_multi_client = initialize_tpu_system = initialize_accelerator_system
shutdown_tpu_system = shutdown_accelerator_system


def _require_one_client() -> None:
    """Raise if the environment names several processes: each would compute by itself."""
    clients = int(os.environ.get(_CLIENTS, "1") or 1)
    if clients > 1 or len([job for job in os.environ.get(_JOBS, "").split(",") if job]) > 1:
        raise NotImplementedError(
            f"A mesh of tf.experimental.dtensor has the devices of one process. Received "
            f"{_CLIENTS}={os.environ.get(_CLIENTS)!r}, {_JOBS}={os.environ.get(_JOBS)!r}. Train "
            f"on several machines with tf.distribute.MultiWorkerMirroredStrategy. For a mesh in "
            f"one process, unset these variables; initialize_accelerator_system("
            f"num_logical_cpu_devices=n) makes its processor count as n devices."
        )


def num_clients() -> int:
    """Return the number of processes: 1.

    Returns:
        An integer.

    Raises:
        NotImplementedError: If the environment names several processes.

    Example:
        >>> tf.experimental.dtensor.num_clients()
        1
    """
    _require_one_client()
    return 1


def client_id() -> int:
    """Return the number of this process: 0.

    Returns:
        An integer.

    Raises:
        NotImplementedError: If the environment names several processes.

    Example:
        >>> tf.experimental.dtensor.client_id()
        0
    """
    _require_one_client()
    return 0


def job_name() -> str:
    """Return the name of the job of this process.

    Returns:
        A string.

    Raises:
        NotImplementedError: If the environment names several processes.

    Example:
        >>> tf.experimental.dtensor.job_name()
        'localhost'
    """
    _require_one_client()
    return "localhost"


def full_job_name(task_id: int | None = None) -> str:
    """Return the name of the job with that of the task.

    Args:
        task_id: Number of the task; 0.

    Returns:
        A string.

    Raises:
        ValueError: If there is no such task.

    Example:
        >>> tf.experimental.dtensor.full_job_name()
        'localhost/replica:0/task:0'
    """
    if task_id not in (None, 0):
        raise ValueError(f"There is one task, 0. Received: task_id={task_id}")
    return f"{job_name()}/replica:0/task:0"


def jobs() -> list[str]:
    """Return the addresses of all processes; none are needed for one.

    Returns:
        A list of strings.

    Raises:
        NotImplementedError: If the environment names several processes.

    Example:
        >>> tf.experimental.dtensor.jobs()
        []
    """
    _require_one_client()
    return []


def heartbeat_enabled() -> bool:
    """Return whether processes watch each other; with one, that is always so.

    Returns:
        True.
    """
    return True


def local_devices(device_type: str, for_client_id: int | None = None) -> list[DeviceSpec]:
    """Return the devices of a type of this process.

    Args:
        device_type: "CPU", "GPU" or "TPU".
        for_client_id: Number of the process; 0.

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
    host = DeviceSpec.from_string(LOCAL)
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
    """Wait for all processes of a mesh; one waits for none.

    Args:
        mesh: The mesh.
        barrier_name: Name for messages.
        timeout_in_ms: How long to wait.

    Raises:
        ValueError: If it is no mesh.
    """
    if not isinstance(mesh, Mesh):
        raise ValueError(f"barrier expects a Mesh. Received: {mesh!r}")
