"""The devices of the program, of one process or of several, and tensors on them."""

from __future__ import annotations

import hashlib
import os
import random
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow._src.internal import meshes
from tapeflow._src.keras.distribution.arrangement import on_devices, spans_devices
from tapeflow._src.keras.utils.seeds import set_random_seed

_VARIABLES = {
    "job_addresses": "KERAS_DISTRIBUTION_JOB_ADDRESSES",
    "num_processes": "KERAS_DISTRIBUTION_NUM_PROCESSES",
    "process_id": "KERAS_DISTRIBUTION_PROCESS_ID",
}


def list_devices(device_type: str | None = None) -> list[str]:
    """Return the names of the devices of all processes: `["cpu:0"]`.

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
    group = meshes.processes()
    if group is not None and kind == "CPU":
        total = group.size * group.devices
    else:
        total = len(tf.config.list_logical_devices(kind))
    return [f"{kind.lower()}:{number}" for number in range(total)]


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
    """Meet the other processes of a program, each of which runs the same one.

    What is not passed is read from the environment variables `KERAS_DISTRIBUTION_JOB_ADDRESSES`,
    `KERAS_DISTRIBUTION_NUM_PROCESSES` and `KERAS_DISTRIBUTION_PROCESS_ID`. Afterwards, devices and
    meshes are those of all processes, and what no seed determines is drawn equally in all.

    Args:
        job_addresses: Addresses of the processes such as "host0:1234", separated by commas; that
            of the first, where all meet, is enough.
        num_processes: Number of processes; by default that of the addresses.
        process_id: Number of this process, from 0 on.

    Returns:
        None.

    Raises:
        ValueError: The settings contradict each other.
        NotImplementedError: The devices are no CPUs.
        DeadlineExceededError: A process, which is named, did not come in time: within 300 seconds,
            or as many as the environment variable `TAPEFLOW_WORKERS_TIMEOUT` says.
    """
    passed = {
        "job_addresses": job_addresses,
        "num_processes": num_processes,
        "process_id": process_id,
    }
    settings = {k: os.environ.get(_VARIABLES[k]) if v is None else v for k, v in passed.items()}
    addresses = [each.strip() for each in str(settings["job_addresses"] or "").split(",") if each]
    count = _number("num_processes", settings, len(addresses) or 1)
    if count == 1:
        return
    if len(addresses) not in (1, count):
        raise ValueError(
            f"Expected `job_addresses` with the host and port of each of the {count} processes, or "
            f"of the first. Received: job_addresses={settings['job_addresses']!r}, num_processes="
            f"{settings['num_processes']}. The variable {_VARIABLES['job_addresses']} sets them, "
            f"too."
        )
    number = _number("process_id", settings, -1)
    if not 0 <= number < count:
        raise ValueError(
            f"Expected `process_id`, or {_VARIABLES['process_id']}, to be the number of this "
            f"process, from 0 to {count - 1}. Received: {settings['process_id']}"
        )
    addresses += [""] * (count - len(addresses))
    meshes.join_processes(addresses, number, "job_addresses and process_id")
    _share_seeds()


def _number(name: str, settings: dict[str, Any], default: int) -> int:
    """Return a setting as an integer."""
    text = settings[name]
    if text in (None, ""):
        return default
    try:
        return int(text)
    except (TypeError, ValueError):
        raise ValueError(
            f"Expected `{name}`, or {_VARIABLES[name]}, to be an integer. Received: {text!r}"
        ) from None


def _share_seeds() -> None:
    """Seed Python, NumPy and Keras alike, unless that was done in each process."""
    state = repr((random.getstate(), np.random.get_state(legacy=True))).encode()
    seed = meshes.shared_number(random.getrandbits(31), hashlib.sha256(state).digest())
    if seed is not None:
        set_random_seed(seed)


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
