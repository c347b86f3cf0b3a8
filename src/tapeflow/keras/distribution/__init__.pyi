# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.distribution.distributions import DataParallel as DataParallel
from tapeflow._src.keras.distribution.distributions import ModelParallel as ModelParallel
from tapeflow._src.keras.distribution.distributions import distribution as distribution
from tapeflow._src.keras.distribution.distributions import set_distribution as set_distribution
from tapeflow._src.keras.distribution.layouts import DeviceMesh as DeviceMesh
from tapeflow._src.keras.distribution.layouts import LayoutMap as LayoutMap
from tapeflow._src.keras.distribution.layouts import TensorLayout as TensorLayout
from tapeflow._src.keras.distribution.placement import distribute_tensor as distribute_tensor
from tapeflow._src.keras.distribution.placement import get_device_count as get_device_count
from tapeflow._src.keras.distribution.placement import initialize as initialize
from tapeflow._src.keras.distribution.placement import list_devices as list_devices
