"""`tf.config`: the available devices, and how missing ones are handled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from tapeflow._src.core import devices


class PhysicalDevice(NamedTuple):
    """A device of the machine: its name and type."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device as programs address it: its name and type."""

    name: str
    device_type: str


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """List the devices of the machine, optionally of one type."""
    return [_CPU] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """List the logical devices, optionally of one type."""
    every = [devices.parse(name) for name in devices.available()]
    return [
        LogicalDevice(f"/device:{d.device_type}:{d.device_index}", str(d.device_type))
        for d in every
        if device_type is None or d.device_type == device_type
    ]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """List the devices that programs may use: all of them."""
    return list_physical_devices(device_type)


def set_visible_devices(
    devices: PhysicalDevice | Iterable[PhysicalDevice], device_type: str | None = None
) -> None:
    """Select the devices that programs may use.

    There is one processor, and ops need a device to run on: it cannot be hidden.
    """
    chosen = [devices] if isinstance(devices, PhysicalDevice) else list(devices)
    for device in chosen:
        checked_device(device, device_type)
    if not chosen and device_type in (None, "CPU"):
        raise RuntimeError(
            "The CPU is the only device there is, and cannot be hidden: ops need one to run on."
        )


def checked_device(device: Any, device_type: str | None = None) -> PhysicalDevice:
    """Return `device`; raise ValueError if there is no such device of that type."""
    if device not in list_physical_devices(device_type):
        raise ValueError(f"Unrecognized device: {device!r}")
    physical: PhysicalDevice = device
    return physical


def set_soft_device_placement(enabled: bool) -> None:
    """Set whether `tf.device` may replace a missing device by an existing one."""
    devices.placement.soft = bool(enabled)


def get_soft_device_placement() -> bool:
    """Whether `tf.device` may replace a missing device by an existing one."""
    return devices.placement.soft


class LogicalDeviceConfiguration(NamedTuple):
    """Configuration of one logical device."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Any) -> None:
    """Divide a physical device into logical devices."""
    checked_device(device)
    if not logical_devices:
        raise ValueError("A device is divided into at least one logical device.")
    for logical in logical_devices:
        if logical.memory_limit is not None:
            raise ValueError(
                "A virtual CPU device has no memory limit of its own: the processor uses the "
                "memory of the machine. Leave memory_limit out."
            )
        if logical.experimental_priority is not None:
            raise ValueError(
                "A virtual CPU device has no priority: leave experimental_priority out."
            )
    devices.placement.logical_cpus = len(logical_devices)


def get_logical_device_configuration(device: PhysicalDevice) -> Any:
    """Return the logical devices that a physical device was divided into, or None."""
    checked_device(device)
    count = devices.placement.logical_cpus
    return None if count == 1 else [LogicalDeviceConfiguration() for _ in range(count)]
