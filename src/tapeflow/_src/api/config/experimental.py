"""`tf.config.experimental`: former names and experimental switches."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeflow._src.api.config.clusters import ClusterDeviceFilters as ClusterDeviceFilters
from tapeflow._src.api.config.devices import (
    LogicalDeviceConfiguration as VirtualDeviceConfiguration,
)
from tapeflow._src.api.config.devices import (
    PhysicalDevice,
    checked_device,
    get_logical_device_configuration,
    set_logical_device_configuration,
)
from tapeflow._src.api.config.devices import get_visible_devices as get_visible_devices
from tapeflow._src.api.config.devices import list_logical_devices as list_logical_devices
from tapeflow._src.api.config.devices import list_physical_devices as list_physical_devices
from tapeflow._src.api.config.devices import set_visible_devices as set_visible_devices
from tapeflow._src.core import devices, random_state
from tapeflow._src.core.lazy import LazyModule

_jax_device = LazyModule("tapeflow._src.backends.jax_device", "accelerators", "jax")

get_virtual_device_configuration = get_logical_device_configuration
set_virtual_device_configuration = set_logical_device_configuration

__all__ = [
    "ClusterDeviceFilters",
    "VirtualDeviceConfiguration",
    "disable_mlir_bridge",
    "enable_mlir_bridge",
    "enable_op_determinism",
    "enable_tensor_float_32_execution",
    "get_device_details",
    "get_device_policy",
    "get_memory_growth",
    "get_memory_info",
    "get_memory_usage",
    "get_synchronous_execution",
    "get_virtual_device_configuration",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "reset_memory_stats",
    "set_device_policy",
    "set_memory_growth",
    "set_synchronous_execution",
    "set_virtual_device_configuration",
    "set_visible_devices",
    "tensor_float_32_execution_enabled",
]


def enable_op_determinism() -> None:
    """Make runs reproducible: random ops without a seed raise an error.

    Returns:
        None.
    """
    random_state.require_determinism(True)


# -- devices ------------------------------------------------------------------------------------


def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """Return further details of a device: an empty dict for CPUs.

    Of a GPU these are `device_name` and `compute_capability`, of a TPU the former.

    Args:
        device: A device that `tf.config.list_physical_devices` lists.

    Returns:
        A dict.

    Raises:
        ValueError: If it is no physical device of this machine.

    Example:
        >>> tf.config.experimental.get_device_details(tf.config.list_physical_devices()[0])
        {}
    """
    if not isinstance(device, PhysicalDevice) or device not in list_physical_devices():
        raise ValueError(
            "Expected a tf.config.PhysicalDevice (as tf.config.list_physical_devices returns), "
            f"received {device!r}"
        )
    if device.device_type == "CPU":
        return {}
    accelerators = [d for d in list_physical_devices() if d.device_type != "CPU"]
    return dict(_jax_device.details(accelerators.index(device)))


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Set whether GPU memory is allocated on demand; CPU memory always is.

    The setting is accepted; JAX's variable `XLA_PYTHON_CLIENT_PREALLOCATE=false` allocates on
    demand.

    Args:
        device: A device that `tf.config.list_physical_devices` lists.
        enable: A bool.

    Returns:
        None.

    Raises:
        ValueError: For a processor.
    """
    checked_device(device)
    if device.device_type != "CPU":
        _switches.memory_growth[device.name] = bool(enable)
        return
    raise ValueError(
        "Memory growth is a setting of GPUs, and this device is a processor, whose memory always "
        "grows as needed."
    )


def get_memory_growth(device: PhysicalDevice) -> bool:
    """Return whether GPU memory is allocated on demand.

    Args:
        device: A device that `tf.config.list_physical_devices` lists.

    Returns:
        A bool.

    Raises:
        ValueError: For a processor.
    """
    checked_device(device)
    if device.device_type != "CPU":
        return _switches.memory_growth.get(device.name, False)
    raise ValueError("Memory growth is a property of GPUs, and this device is a processor.")


def _check_device(name: str) -> None:
    full = name if "/" in name else f"/device:{name}"
    spec = devices.parse(full) if ":" in name else devices.DeviceSpec()
    if spec.device_type is None or spec.device_index is None:
        raise ValueError(
            f"Failed parsing device name: {name!r}. Note a valid device string should at least "
            f'contain a device type and a device index, like "GPU:0".'
        )
    if not devices.matching(spec):
        raise ValueError(f"No matching devices found for {name!r}")


def get_memory_info(device: str) -> dict[str, int]:
    """Return the current and peak memory use of a device; raise ValueError for CPUs.

    Args:
        device: The name of a device, such as "CPU:0".

    Returns:
        A dict with `current` and `peak`.

    Raises:
        ValueError: For a processor.
    """
    _check_device(device)
    spec = devices.parse(device if "/" in device else f"/device:{device}")
    if spec.device_type != "CPU":
        return dict(_jax_device.memory(spec.to_string()))
    raise ValueError(
        f"Allocator stats not available for device '{device}': nobody counts the memory of "
        f"processors. resource.getrusage() tells how much the process had."
    )


def get_memory_usage(device: str) -> int:
    """Return the memory use of a device in bytes; raise ValueError for CPUs.

    Args:
        device: The name of a device, such as "CPU:0".

    Returns:
        An int.

    Raises:
        ValueError: For a processor.
    """
    return get_memory_info(device)["current"]


def reset_memory_stats(device: str) -> None:
    """Reset the peak memory use of a device; raise ValueError for CPUs.

    Args:
        device: The name of a device, such as "CPU:0".

    Returns:
        None.

    Raises:
        ValueError: For a processor.
    """
    _check_device(device)
    raise ValueError(f"Cannot reset memory stats for device '{device}'")


# -- switches that change nothing here -------------------------------------------------------------


class _Switches:
    memory_growth: ClassVar[dict[str, bool]] = {}
    synchronous = True
    device_policy = "silent"
    tensor_float_32 = True


_switches = _Switches()
_POLICIES = ("silent", "silent_for_int32", "warn", "explicit")


def set_synchronous_execution(enable: bool | None) -> None:
    """Set whether ops finish before their calls return: they always do.

    Args:
        enable: A bool; None for the default, True.

    Returns:
        None.
    """
    _switches.synchronous = True if enable is None else bool(enable)


def get_synchronous_execution() -> bool:
    """Return the last value passed to `set_synchronous_execution`.

    Returns:
        A bool.

    Example:
        >>> tf.config.experimental.get_synchronous_execution()
        True
    """
    return _switches.synchronous


def set_device_policy(device_policy: str | None) -> None:
    """Set how inputs on other devices are handled: there is one memory, so it has no effect.

    Args:
        device_policy: "silent", "silent_for_int32", "warn", "explicit" or None.

    Returns:
        None.

    Raises:
        ValueError: For another policy.
    """
    if device_policy is not None and device_policy not in _POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. It must be one of "
            f"{', '.join(_POLICIES)}, or None."
        )
    _switches.device_policy = device_policy or "silent"


def get_device_policy() -> str:
    """Return the last value passed to `set_device_policy`.

    Returns:
        A string.
    """
    return _switches.device_policy


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Set whether GPUs may use TensorFloat-32; it has no effect on CPUs.

    Args:
        enabled: A bool.

    Returns:
        None.

    Example:
        >>> tf.config.experimental.enable_tensor_float_32_execution(True)
        >>> tf.config.experimental.tensor_float_32_execution_enabled()
        True
    """
    _switches.tensor_float_32 = bool(enabled)


def tensor_float_32_execution_enabled() -> bool:
    """Return the last value passed to `enable_tensor_float_32_execution`.

    Returns:
        A bool.

    Example:
        >>> tf.config.experimental.tensor_float_32_execution_enabled()
        True
    """
    return _switches.tensor_float_32


def enable_mlir_bridge() -> None:
    """Do nothing: there is one compiler.

    Returns:
        None.
    """


def disable_mlir_bridge() -> None:
    """Do nothing: there is one compiler.

    Returns:
        None.
    """
