"""The devices of this process, and tensors on them. There is one process."""

from __future__ import annotations

import os
from typing import Any

import tapeflow as tf
from tapeflow._src.internal import meshes
from tapeflow._src.keras.distribution.arrangement import on_devices, spans_devices

_VARIABLES = {
    "job_addresses": "KERAS_DISTRIBUTION_JOB_ADDRESSES",
    "num_processes": "KERAS_DISTRIBUTION_NUM_PROCESSES",
    "process_id": "KERAS_DISTRIBUTION_PROCESS_ID",
}


def list_devices(device_type: str | None = None) -> list[str]:
    """Return the names of the devices: `["cpu:0"]`.

    Args:
        device_type: "cpu", "gpu" or "tpu"; None is GPUs, or CPUs if there are none.

    Returns:
        A list of strings.

    Example:
        >>> "cpu:0" in tf.keras.distribution.list_devices("cpu")
        True
    """
    if device_type is None:
        kind = "GPU" if tf.config.list_logical_devices("GPU") else "CPU"
    else:
        kind = device_type.upper()
    devices = tf.config.list_logical_devices(kind)
    return [f"{kind.lower()}:{number}" for number in range(len(devices))]


def get_device_count(device_type: str | None = None) -> int:
    """Return the number of devices of a type.

    Args:
        device_type: "cpu", "gpu" or "tpu"; None is GPUs, or CPUs if there are none.

    Returns:
        An integer.

    Example:
        >>> tf.keras.distribution.get_device_count("cpu") >= 1
        True
    """
    return len(list_devices(device_type))


def initialize(
    job_addresses: str | None = None,
    num_processes: int | None = None,
    process_id: int | None = None,
) -> None:
    """Prepare the processes of a program; there can be one here.

    What is not passed is read from the environment variables `KERAS_DISTRIBUTION_JOB_ADDRESSES`,
    `KERAS_DISTRIBUTION_NUM_PROCESSES` and `KERAS_DISTRIBUTION_PROCESS_ID`.

    Args:
        job_addresses: Addresses of the processes, separated by commas.
        num_processes: Number of processes; 1.
        process_id: Number of this process.

    Returns:
        None.

    Raises:
        NotImplementedError: There is more than one process.
    """
    given = {
        "job_addresses": job_addresses,
        "num_processes": num_processes,
        "process_id": process_id,
    }
    settings = {k: os.environ.get(_VARIABLES[k]) if v is None else v for k, v in given.items()}
    addresses = [each for each in str(settings["job_addresses"] or "").split(",") if each]
    if int(settings["num_processes"] or len(addresses) or 1) > 1:
        raise NotImplementedError(
            f"A mesh of keras.distribution has the devices of one process. Received: num_processes="
            f"{settings['num_processes']}, job_addresses={settings['job_addresses']!r}. Train on "
            f"several machines by creating and compiling the model in the scope of "
            f"tf.distribute.MultiWorkerMirroredStrategy; its fit averages gradients as "
            f"DataParallel does. For a mesh in one process, leave these settings out."
        )


def distribute_tensor(tensor: Any, layout: Any) -> Any:
    """Return a tensor in a layout; on a mesh of one device, that is the tensor itself.

    Within a function that is traced, the layout constrains how XLA partitions the program.

    Args:
        tensor: A tensor.
        layout: A `TensorLayout`, or a `tf.experimental.dtensor.Layout`.

    Returns:
        A tensor.

    Raises:
        ValueError: The mesh has devices that do not exist.
    """
    if isinstance(layout, tf.experimental.dtensor.Layout):
        return meshes.place_tensor(tf.convert_to_tensor(tensor), layout)
    if not spans_devices(layout.device_mesh):
        return tensor
    return meshes.place_tensor(tf.convert_to_tensor(tensor), on_devices(layout))
