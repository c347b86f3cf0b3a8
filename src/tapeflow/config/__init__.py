"""`tf.config`: the devices there are, and how the library is to behave."""

from tapeflow._src.api.config.clusters import (
    experimental_connect_to_cluster as experimental_connect_to_cluster,
)
from tapeflow._src.api.config.clusters import (
    experimental_connect_to_host as experimental_connect_to_host,
)
from tapeflow._src.api.config.devices import LogicalDevice as LogicalDevice
from tapeflow._src.api.config.devices import (
    LogicalDeviceConfiguration as LogicalDeviceConfiguration,
)
from tapeflow._src.api.config.devices import PhysicalDevice as PhysicalDevice
from tapeflow._src.api.config.devices import (
    get_logical_device_configuration as get_logical_device_configuration,
)
from tapeflow._src.api.config.devices import get_soft_device_placement as get_soft_device_placement
from tapeflow._src.api.config.devices import get_visible_devices as get_visible_devices
from tapeflow._src.api.config.devices import list_logical_devices as list_logical_devices
from tapeflow._src.api.config.devices import list_physical_devices as list_physical_devices
from tapeflow._src.api.config.devices import (
    set_logical_device_configuration as set_logical_device_configuration,
)
from tapeflow._src.api.config.devices import set_soft_device_placement as set_soft_device_placement
from tapeflow._src.api.config.devices import set_visible_devices as set_visible_devices
from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.function.run_eagerly import functions_run_eagerly as functions_run_eagerly
from tapeflow._src.function.run_eagerly import run_functions_eagerly as run_functions_eagerly
from tapeflow.config import experimental as experimental
from tapeflow.config import optimizer as optimizer
from tapeflow.config import threading as threading

experimental_functions_run_eagerly = functions_run_eagerly
experimental_run_functions_eagerly = run_functions_eagerly

_explain_missing(__name__)
