"""`tf.experimental`: what is still being tried."""

from tapeflow.ops.ragged.partition import RowPartition as RowPartition
from tapeflow.ops.ragged.shape import DynamicRaggedShape as DynamicRaggedShape
from tapeflow.optionals import Optional as Optional

__all__ = ["DynamicRaggedShape", "Optional", "RowPartition"]
