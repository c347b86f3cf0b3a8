"""`tf.experimental`: what is still being tried."""

from tapeflow.core.lazy import submodules as _submodules
from tapeflow.experimental import extension_type as extension_type
from tapeflow.extension_types.batching import BatchableExtensionType as BatchableExtensionType
from tapeflow.extension_types.batching import ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder
from tapeflow.extension_types.dispatch import dispatch_for_api as dispatch_for_api
from tapeflow.extension_types.dispatch import (
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
)
from tapeflow.extension_types.dispatch import (
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
)
from tapeflow.extension_types.dispatch import (
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
)
from tapeflow.extension_types.dispatch import unregister_dispatch_for as unregister_dispatch_for
from tapeflow.extension_types.extension_type import ExtensionType as ExtensionType
from tapeflow.extension_types.specs import ExtensionTypeSpec as ExtensionTypeSpec
from tapeflow.ops.ragged.partition import RowPartition as RowPartition
from tapeflow.ops.ragged.shape import DynamicRaggedShape as DynamicRaggedShape
from tapeflow.optionals import Optional as Optional

__all__ = [
    "BatchableExtensionType",
    "DynamicRaggedShape",
    "ExtensionType",
    "ExtensionTypeBatchEncoder",
    "ExtensionTypeSpec",
    "Optional",
    "RowPartition",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_unary_elementwise_apis",
    "extension_type",
    "numpy",
    "unregister_dispatch_for",
]

# Loaded when it is used: few programs do, and it is large.
__getattr__ = _submodules("tapeflow.experimental", "numpy")
