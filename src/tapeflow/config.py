"""`tf.config`: the devices there are, and how the library is to behave."""

from __future__ import annotations

from typing import NamedTuple

from tapeflow.core import devices


class PhysicalDevice(NamedTuple):
    """A device of the machine."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device as programs see it."""

    name: str
    device_type: str


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of the machine, of one type or all."""
    every = [devices.parse(name) for name in devices.available()]
    return [
        PhysicalDevice(f"/physical_device:{d.kind}:{d.index}", str(d.kind))
        for d in every
        if device_type is None or d.kind == device_type
    ]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices as programs see them, of one type or all."""
    every = [devices.parse(name) for name in devices.available()]
    return [
        LogicalDevice(f"/device:{d.kind}:{d.index}", str(d.kind))
        for d in every
        if device_type is None or d.kind == device_type
    ]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that programs may use: all of them."""
    return list_physical_devices(device_type)


def set_soft_device_placement(enabled: bool) -> None:
    """Whether `tf.device` may replace a device that is not there by one that is."""
    devices.placement.soft = bool(enabled)


def get_soft_device_placement() -> bool:
    """Whether `tf.device` may replace a device that is not there by one that is."""
    return devices.placement.soft
