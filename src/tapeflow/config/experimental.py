"""`tf.config.experimental`: former names, and switches that are still experimental."""

from tapeflow.config.devices import LogicalDeviceConfiguration as VirtualDeviceConfiguration
from tapeflow.config.devices import (
    get_logical_device_configuration,
    set_logical_device_configuration,
)
from tapeflow.config.devices import get_visible_devices as get_visible_devices
from tapeflow.config.devices import list_logical_devices as list_logical_devices
from tapeflow.config.devices import list_physical_devices as list_physical_devices
from tapeflow.core import random_state

get_virtual_device_configuration = get_logical_device_configuration
set_virtual_device_configuration = set_logical_device_configuration

__all__ = [
    "VirtualDeviceConfiguration",
    "enable_op_determinism",
    "get_virtual_device_configuration",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "set_virtual_device_configuration",
]


def enable_op_determinism() -> None:
    """Make runs repeatable: random ops without any seed are refused."""
    random_state.require_determinism(True)
