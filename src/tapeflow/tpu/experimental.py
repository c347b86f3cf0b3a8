"""`tf.tpu.experimental`: names that programs refer to; using a TPU is refused."""

from tapeflow._src.api.tpu.experimental import DeviceAssignment as DeviceAssignment
from tapeflow._src.api.tpu.experimental import DeviceOrderMode as DeviceOrderMode
from tapeflow._src.api.tpu.experimental import HardwareFeature as HardwareFeature
from tapeflow._src.api.tpu.experimental import Topology as Topology
from tapeflow._src.api.tpu.experimental import TPUSystemMetadata as TPUSystemMetadata
from tapeflow._src.api.tpu.experimental import initialize_tpu_system as initialize_tpu_system
from tapeflow._src.api.tpu.experimental import shutdown_tpu_system as shutdown_tpu_system
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
