# Made by `make stubs` from the table in the module of the same name.

from tapeflow.core.dtypes import float4_e2m1fn as float4_e2m1fn
from tapeflow.core.dtypes import float8_e4m3b11fnuz as float8_e4m3b11fnuz
from tapeflow.core.dtypes import float8_e4m3fn as float8_e4m3fn
from tapeflow.core.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from tapeflow.core.dtypes import float8_e5m2 as float8_e5m2
from tapeflow.core.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from tapeflow.core.dtypes import int2 as int2
from tapeflow.core.dtypes import int4 as int4
from tapeflow.core.dtypes import uint2 as uint2
from tapeflow.core.dtypes import uint4 as uint4
from tapeflow.experimental import dlpack as dlpack
from tapeflow.experimental import dtensor as dtensor
from tapeflow.experimental import extension_type as extension_type
from tapeflow.experimental import numpy as numpy
from tapeflow.experimental import tensorrt as tensorrt
from tapeflow.experimental.execution import async_clear_error as async_clear_error
from tapeflow.experimental.execution import async_scope as async_scope
from tapeflow.experimental.execution import enable_strict_mode as enable_strict_mode
from tapeflow.experimental.execution import function_executor_type as function_executor_type
from tapeflow.experimental.filesystems import (
    register_filesystem_plugin as register_filesystem_plugin,
)
from tapeflow.extension_types.batching import BatchableExtensionType as BatchableExtensionType
from tapeflow.extension_types.batching import ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder
from tapeflow.extension_types.dispatch import (
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
)
from tapeflow.extension_types.dispatch import (
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
)
from tapeflow.extension_types.dispatch import (
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
)
from tapeflow.extension_types.dispatch import dispatch_for_api as dispatch_for_api
from tapeflow.extension_types.dispatch import unregister_dispatch_for as unregister_dispatch_for
from tapeflow.extension_types.extension_type import ExtensionType as ExtensionType
from tapeflow.extension_types.specs import ExtensionTypeSpec as ExtensionTypeSpec
from tapeflow.ops.ragged.partition import RowPartition as RowPartition
from tapeflow.ops.ragged.shape import DynamicRaggedShape as DynamicRaggedShape
from tapeflow.optionals import Optional as Optional
from tapeflow.structured import StructuredTensor as StructuredTensor
