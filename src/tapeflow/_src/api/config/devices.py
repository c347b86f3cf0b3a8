"""`tf.config`: the available devices, and how missing ones are handled."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any, NamedTuple

from tapeflow._src.core import devices as _devices
from tapeflow._src.core.devices import LogicalDevice as LogicalDevice
from tapeflow._src.core.lazy import LazyModule


class PhysicalDevice(NamedTuple):
    """A device of the machine: its name and type.

    Args:
        name: The name, such as "/physical_device:CPU:0".
        device_type: The type, such as "CPU".

    Example:
        >>> tf.config.list_physical_devices("CPU")[0].device_type
        'CPU'
    """

    name: str
    device_type: str


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")
_jax_device = LazyModule("tapeflow._src.backends.jax_device", "accelerators", "jax")


@cache
def _accelerators() -> tuple[str, ...]:
    """Return the types of the GPUs and TPUs that plugins of JAX provide; usually there are none."""
    if not entry_points(group="jax_plugins") and find_spec("jax_plugins") is None:
        return ()
    kinds: tuple[str, ...] = _jax_device.accelerators()
    return kinds


def _visible_accelerators() -> list[str]:
    """Return the types of the accelerators that are not hidden."""
    return [device.device_type for device in get_visible_devices() if device is not _CPU]


def _visible_numbers() -> list[int]:
    """Return where each visible accelerator is among all."""
    every = [device for device in list_physical_devices() if device != _CPU]
    visible = get_visible_devices()
    return [number for number, device in enumerate(every) if device in visible]


class _Visibility:
    """The accelerators that programs may use; None for all."""

    chosen: list[PhysicalDevice] | None = None


_visibility = _Visibility()


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """List the devices of the machine, optionally of one type.

    Args:
        device_type: "CPU", "GPU", …; all by default.

    Returns:
        A list of `tf.config.PhysicalDevice`.

    Example:
        >>> tf.config.list_physical_devices()
        [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    kinds = _accelerators()
    every = [_CPU] + [
        PhysicalDevice(f"/physical_device:{kind}:{kinds[:i].count(kind)}", kind)
        for i, kind in enumerate(kinds)
    ]
    return [d for d in every if device_type in (None, d.device_type)]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """List the logical devices, optionally of one type.

    Args:
        device_type: "CPU", "GPU", …; all by default.

    Returns:
        A list of `tf.config.LogicalDevice`.

    Example:
        >>> tf.config.list_logical_devices("GPU")
        []
    """
    every = [_devices.parse(name) for name in _devices.available()]
    return [
        LogicalDevice(f"/device:{d.device_type}:{d.device_index}", str(d.device_type))
        for d in every
        if device_type is None or d.device_type == device_type
    ]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """List the devices that programs may use.

    Args:
        device_type: "CPU", "GPU", …; all by default.

    Returns:
        A list of `tf.config.PhysicalDevice`.

    Example:
        >>> len(tf.config.get_visible_devices("CPU"))
        1
    """
    chosen = _visibility.chosen
    physical = list_physical_devices(device_type)
    return [d for d in physical if d is _CPU or chosen is None or d in chosen]


def set_visible_devices(
    devices: PhysicalDevice | Iterable[PhysicalDevice], device_type: str | None = None
) -> None:
    """Select the devices that programs may use; the processor cannot be hidden.

    Args:
        devices: A device, or several.
        device_type: "CPU", "GPU", …; all by default.

    Returns:
        None.

    Raises:
        ValueError: If there is no such device.
        RuntimeError: If the processor would be hidden, or devices are in use already.

    Example:
        >>> tf.config.set_visible_devices([], "GPU")
    """
    single = isinstance(devices, PhysicalDevice) or not isinstance(devices, Iterable)
    chosen = [devices] if single else list(devices)
    for device in chosen:
        checked_device(device, device_type)
    if _CPU not in chosen and device_type in (None, "CPU"):
        raise RuntimeError("The CPU cannot be hidden: ops need it to run on.")
    others = [d for d in get_visible_devices() if device_type not in (None, d.device_type)]
    selected = [d for d in list_physical_devices() if d in chosen or d in others]
    if selected == get_visible_devices():
        return
    if _devices.placement.in_use:
        raise RuntimeError(
            "The visible devices cannot be changed any more: devices are in use. Call "
            "tf.config.set_visible_devices at the start of the program."
        )
    _visibility.chosen = selected


def checked_device(device: Any, device_type: str | None = None) -> PhysicalDevice:
    """Return `device`; raise ValueError if there is no such device of that type."""
    if device not in list_physical_devices(device_type):
        raise ValueError(f"Unrecognized device: {device!r}")
    physical: PhysicalDevice = device
    return physical


def set_soft_device_placement(enabled: bool) -> None:
    """Set whether `tf.device` may replace a missing device by an existing one.

    Args:
        enabled: A bool.

    Returns:
        None.

    Example:
        >>> tf.config.set_soft_device_placement(True)
        >>> tf.config.get_soft_device_placement()
        True
    """
    _devices.placement.soft = bool(enabled)


def get_soft_device_placement() -> bool:
    """Return whether `tf.device` may replace a missing device by an existing one.

    Returns:
        A bool.

    Example:
        >>> tf.config.get_soft_device_placement()
        True
    """
    return _devices.placement.soft


class LogicalDeviceConfiguration(NamedTuple):
    """Configuration of one logical device.

    Args:
        memory_limit: Must be None for a processor.
        experimental_priority: Must be None for a processor.
        experimental_device_ordinal: Accepted for compatibility.
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Any) -> None:
    """Divide a physical device into logical devices, for instance to try out a strategy.

    Args:
        device: A device that `tf.config.list_physical_devices` lists.
        logical_devices: A list of `tf.config.LogicalDeviceConfiguration`, one per logical device.

    Returns:
        None.

    Raises:
        ValueError: If the list is empty, or sets a limit or priority of a processor.
        RuntimeError: If the devices are in use already, and their number would change.
    """
    checked_device(device)
    if device is not _CPU and device != _CPU:
        raise NotImplementedError(
            f"{device.name} cannot be divided: XLA has one device per accelerator. Divide the "
            "processor, or use the accelerators as they are."
        )
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
    placement = _devices.placement
    if placement.in_use and placement.logical_cpus != len(logical_devices):
        raise RuntimeError(
            f"The processor counts as {placement.logical_cpus} devices, and they are in use: their "
            "number cannot be changed any more. Call tf.config.set_logical_device_configuration at "
            "the start of the program."
        )
    placement.logical_cpus = len(logical_devices)


def get_logical_device_configuration(device: PhysicalDevice) -> Any:
    """Return the logical devices that a physical device was divided into, or None.

    Args:
        device: A device that `tf.config.list_physical_devices` lists.

    Returns:
        A list of `tf.config.LogicalDeviceConfiguration`, or None.
    """
    checked_device(device)
    count = _devices.placement.logical_cpus
    return None if count == 1 else [LogicalDeviceConfiguration() for _ in range(count)]


_devices.placement.accelerators = _visible_accelerators
_devices.placement.accelerator_numbers = _visible_numbers
