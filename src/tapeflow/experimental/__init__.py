"""`tf.experimental`: what is still being tried."""

from tapeflow.core.lazy import submodules as _submodules
from tapeflow.ops.ragged.partition import RowPartition as RowPartition
from tapeflow.ops.ragged.shape import DynamicRaggedShape as DynamicRaggedShape
from tapeflow.optionals import Optional as Optional

__all__ = ["DynamicRaggedShape", "Optional", "RowPartition", "numpy"]

# Loaded when it is used: few programs do, and it is large.
__getattr__ = _submodules("tapeflow.experimental", "numpy")
