# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.api.experimental.execution import (
    function_executor_type as function_executor_type,
)
from tapeflow._src.api.experimental.execution import async_clear_error as async_clear_error
from tapeflow._src.api.experimental.execution import async_scope as async_scope
from tapeflow._src.api.experimental.execution import enable_strict_mode as enable_strict_mode
from tapeflow._src.api.experimental.filesystems import (
    register_filesystem_plugin as register_filesystem_plugin,
)
from tapeflow._src.api.optionals import Optional as Optional
from tapeflow._src.composite.extension_types.batching import (
    BatchableExtensionType as BatchableExtensionType,
)
from tapeflow._src.composite.extension_types.batching import (
    ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder,
)
from tapeflow._src.composite.extension_types.dispatch import (
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
)
from tapeflow._src.composite.extension_types.dispatch import (
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
)
from tapeflow._src.composite.extension_types.dispatch import (
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
)
from tapeflow._src.composite.extension_types.dispatch import (
    unregister_dispatch_for as unregister_dispatch_for,
)
from tapeflow._src.composite.extension_types.dispatch import dispatch_for_api as dispatch_for_api
from tapeflow._src.composite.extension_types.extension_type import ExtensionType as ExtensionType
from tapeflow._src.composite.extension_types.specs import ExtensionTypeSpec as ExtensionTypeSpec
from tapeflow._src.composite.ragged.dynamic_shape import DynamicRaggedShape as DynamicRaggedShape
from tapeflow._src.composite.ragged.row_partition import RowPartition as RowPartition
from tapeflow._src.composite.structured import StructuredTensor as StructuredTensor
from tapeflow._src.core.dtypes import float4_e2m1fn as float4_e2m1fn
from tapeflow._src.core.dtypes import float8_e4m3b11fnuz as float8_e4m3b11fnuz
from tapeflow._src.core.dtypes import float8_e4m3fn as float8_e4m3fn
from tapeflow._src.core.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from tapeflow._src.core.dtypes import float8_e5m2 as float8_e5m2
from tapeflow._src.core.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from tapeflow._src.core.dtypes import int2 as int2
from tapeflow._src.core.dtypes import int4 as int4
from tapeflow._src.core.dtypes import uint2 as uint2
from tapeflow._src.core.dtypes import uint4 as uint4
from tapeflow.experimental import dlpack as dlpack
from tapeflow.experimental import dtensor as dtensor
from tapeflow.experimental import extension_type as extension_type
from tapeflow.experimental import numpy as numpy
from tapeflow.experimental import tensorrt as tensorrt
