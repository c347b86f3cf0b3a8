"""Strategies with a replica on each of several devices of this machine."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import devices as device_names
from tapeflow._src.distribute.replicated import ReplicatedStrategy
from tapeflow.config import list_logical_devices


def all_devices() -> list[str]:
    """Return the names of the GPUs or, without one, of the CPUs."""
    devices = list_logical_devices("GPU") or list_logical_devices("CPU")
    return [device.name for device in devices]


class MirroredStrategy(ReplicatedStrategy):
    """A replica on each device of one machine, with the same variables on all.

    `run` calls a function once per replica. Batches of `experimental_distribute_dataset` are split
    among the replicas; gradients are summed over them when an optimizer applies them.

    Args:
        devices: Names of devices, such as `["CPU:0", "CPU:1"]`; None for all GPUs or, without one,
            all CPUs, which `tf.config.set_logical_device_configuration` can make several.
        cross_device_ops: Ignored: XLA combines the values of replicas.

    Raises:
        ValueError: A device is named twice.

    Example:
        >>> strategy = tf.distribute.MirroredStrategy(["CPU:0"])
        >>> strategy.num_replicas_in_sync
        1
        >>> with strategy.scope():
        ...     weight = tf.Variable(1.0)
        >>> float(strategy.run(lambda: weight * 2))
        2.0
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        names = devices or all_devices()
        super().__init__([names] if isinstance(names, str) else list(names))


class CentralStorageStrategy(ReplicatedStrategy):
    """A replica on each device of one machine, with the variables on one of them.

    Args:
        compute_devices: Names of the devices of the replicas; None for all GPUs or, without one,
            the first CPU.
        parameter_device: Name of the device of the variables; None for the only compute device, or
            else the first CPU.

    Example:
        >>> strategy = tf.distribute.experimental.CentralStorageStrategy()
        >>> strategy.num_replicas_in_sync
        1
    """

    _isolates_sessions = False

    def __init__(self, compute_devices: Any = None, parameter_device: str | None = None) -> None:
        gpus = [device.name for device in list_logical_devices("GPU")]
        names = list(compute_devices or gpus or ["/device:CPU:0"])
        chosen = parameter_device or (names[0] if len(names) == 1 else "/device:CPU:0")
        super().__init__(names, device_names.resolve(device_names.parse(chosen)))
