"""`tf.config.experimental`: former names, and switches that are still experimental."""

from tapeflow._src.api.config.experimental import ClusterDeviceFilters as ClusterDeviceFilters
from tapeflow._src.api.config.experimental import (
    VirtualDeviceConfiguration as VirtualDeviceConfiguration,
)
from tapeflow._src.api.config.experimental import disable_mlir_bridge as disable_mlir_bridge
from tapeflow._src.api.config.experimental import enable_mlir_bridge as enable_mlir_bridge
from tapeflow._src.api.config.experimental import enable_op_determinism as enable_op_determinism
from tapeflow._src.api.config.experimental import (
    enable_tensor_float_32_execution as enable_tensor_float_32_execution,
)
from tapeflow._src.api.config.experimental import get_device_details as get_device_details
from tapeflow._src.api.config.experimental import get_device_policy as get_device_policy
from tapeflow._src.api.config.experimental import get_memory_growth as get_memory_growth
from tapeflow._src.api.config.experimental import get_memory_info as get_memory_info
from tapeflow._src.api.config.experimental import get_memory_usage as get_memory_usage
from tapeflow._src.api.config.experimental import (
    get_synchronous_execution as get_synchronous_execution,
)
from tapeflow._src.api.config.experimental import (
    get_virtual_device_configuration as get_virtual_device_configuration,
)
from tapeflow._src.api.config.experimental import get_visible_devices as get_visible_devices
from tapeflow._src.api.config.experimental import list_logical_devices as list_logical_devices
from tapeflow._src.api.config.experimental import list_physical_devices as list_physical_devices
from tapeflow._src.api.config.experimental import reset_memory_stats as reset_memory_stats
from tapeflow._src.api.config.experimental import set_device_policy as set_device_policy
from tapeflow._src.api.config.experimental import set_memory_growth as set_memory_growth
from tapeflow._src.api.config.experimental import (
    set_synchronous_execution as set_synchronous_execution,
)
from tapeflow._src.api.config.experimental import (
    set_virtual_device_configuration as set_virtual_device_configuration,
)
from tapeflow._src.api.config.experimental import set_visible_devices as set_visible_devices
from tapeflow._src.api.config.experimental import (
    tensor_float_32_execution_enabled as tensor_float_32_execution_enabled,
)
