"""`tf.config`: the devices there are, and what happens to those that are not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from tapeflow._src.core import devices


class PhysicalDevice(NamedTuple):
    """A device of the machine."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device as programs see it."""

    name: str
    device_type: str


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of the machine, of one type or all."""
    return [_CPU] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices as programs see them, of one type or all."""
    every = [devices.parse(name) for name in devices.available()]
    return [
        LogicalDevice(f"/device:{d.device_type}:{d.device_index}", str(d.device_type))
        for d in every
        if device_type is None or d.device_type == device_type
    ]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that programs may use: all of them."""
    return list_physical_devices(device_type)


def set_visible_devices(
    devices: PhysicalDevice | Iterable[PhysicalDevice], device_type: str | None = None
) -> None:
    """Choose the devices that programs may use, of one type or of all.

    There is one processor, and ops need a device to run on: it cannot be hidden.
    """
    chosen = [devices] if isinstance(devices, PhysicalDevice) else list(devices)
    for device in chosen:
        known_device(device, device_type)
    if not chosen and device_type in (None, "CPU"):
        raise RuntimeError(
            "The CPU is the only device there is, and cannot be hidden: ops need one to run on."
        )


def known_device(device: Any, device_type: str | None = None) -> PhysicalDevice:
    """`device`, or ValueError if there is no such device of that type."""
    if device not in list_physical_devices(device_type):
        raise ValueError(f"Unrecognized device: {device!r}")
    found: PhysicalDevice = device
    return found


def set_soft_device_placement(enabled: bool) -> None:
    """Whether `tf.device` may replace a device that is not there by one that is."""
    devices.placement.soft = bool(enabled)


def get_soft_device_placement() -> bool:
    """Whether `tf.device` may replace a device that is not there by one that is."""
    return devices.placement.soft


class LogicalDeviceConfiguration(NamedTuple):
    """One of the devices as which programs see a device of the machine."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Any) -> None:
    """See the processor as several devices."""
    known_device(device)
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
    """The logical devices of a device, if it was divided."""
    known_device(device)
    count = devices.placement.logical_cpus
    return None if count == 1 else [LogicalDeviceConfiguration() for _ in range(count)]
