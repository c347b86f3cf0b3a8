# Made by `make stubs` from the table in the module of the same name.

from tapeflow.keras.distribution.distributions import DataParallel as DataParallel
from tapeflow.keras.distribution.distributions import ModelParallel as ModelParallel
from tapeflow.keras.distribution.distributions import distribution as distribution
from tapeflow.keras.distribution.distributions import set_distribution as set_distribution
from tapeflow.keras.distribution.layouts import DeviceMesh as DeviceMesh
from tapeflow.keras.distribution.layouts import LayoutMap as LayoutMap
from tapeflow.keras.distribution.layouts import TensorLayout as TensorLayout
from tapeflow.keras.distribution.placement import distribute_tensor as distribute_tensor
from tapeflow.keras.distribution.placement import get_device_count as get_device_count
from tapeflow.keras.distribution.placement import initialize as initialize
from tapeflow.keras.distribution.placement import list_devices as list_devices
