"""`tf.test`: test cases that know tensors, gradients compared with differences, benchmarks.

What needs `unittest` is loaded when it is used.
"""

from tapeflow._src.api.test.capabilities import gpu_device_name as gpu_device_name
from tapeflow._src.api.test.capabilities import is_built_with_cuda as is_built_with_cuda
from tapeflow._src.api.test.capabilities import (
    is_built_with_gpu_support as is_built_with_gpu_support,
)
from tapeflow._src.api.test.capabilities import is_built_with_rocm as is_built_with_rocm
from tapeflow._src.api.test.capabilities import is_built_with_xla as is_built_with_xla
from tapeflow._src.api.test.capabilities import is_cpu_target_available as is_cpu_target_available
from tapeflow._src.api.test.capabilities import is_gpu_available as is_gpu_available
from tapeflow._src.api.test.derivatives import compute_gradient as compute_gradient
from tapeflow._src.api.test.graph_defs import assert_equal_graph_def as assert_equal_graph_def
from tapeflow._src.core.lazy import later as _later
from tapeflow.test import experimental as experimental

__all__ = [
    "Benchmark",
    "TestCase",
    "assert_equal_graph_def",
    "benchmark_config",
    "compute_gradient",
    "disable_with_predicate",
    "experimental",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_built_with_xla",
    "is_cpu_target_available",
    "is_gpu_available",
    "main",
    "with_eager_op_as_function",
]

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "Benchmark": "tapeflow._src.api.test.benchmark",
        "TestCase": "tapeflow._src.api.test.case",
        "benchmark_config": "tapeflow._src.api.test.benchmark",
        "disable_with_predicate": "tapeflow._src.api.test.running",
        "main": "tapeflow._src.api.test.running",
        "with_eager_op_as_function": "tapeflow._src.api.test.running",
    },
)
