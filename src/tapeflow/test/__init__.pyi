# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.api.test.benchmark import Benchmark as Benchmark
from tapeflow._src.api.test.benchmark import benchmark_config as benchmark_config
from tapeflow._src.api.test.capabilities import (
    is_built_with_gpu_support as is_built_with_gpu_support,
)
from tapeflow._src.api.test.capabilities import gpu_device_name as gpu_device_name
from tapeflow._src.api.test.capabilities import is_built_with_cuda as is_built_with_cuda
from tapeflow._src.api.test.capabilities import is_built_with_rocm as is_built_with_rocm
from tapeflow._src.api.test.capabilities import is_built_with_xla as is_built_with_xla
from tapeflow._src.api.test.capabilities import is_cpu_target_available as is_cpu_target_available
from tapeflow._src.api.test.capabilities import is_gpu_available as is_gpu_available
from tapeflow._src.api.test.case import TestCase as TestCase
from tapeflow._src.api.test.derivatives import compute_gradient as compute_gradient
from tapeflow._src.api.test.graph_defs import assert_equal_graph_def as assert_equal_graph_def
from tapeflow._src.api.test.running import disable_with_predicate as disable_with_predicate
from tapeflow._src.api.test.running import main as main
from tapeflow._src.api.test.running import with_eager_op_as_function as with_eager_op_as_function
from tapeflow.test import experimental as experimental
