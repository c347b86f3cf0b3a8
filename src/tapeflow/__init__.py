"""Tapeflow: TensorFlow 2's programming model, small, readable and fast."""

from tapeflow._src.core.lazy import later as _later
from tapeflow._src.core.registry import PACKAGES as _PACKAGES

# dtypes and shapes
from tapeflow._src.core.converters import (
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from tapeflow._src.core.devices import DeviceSpec as DeviceSpec
from tapeflow._src.core.dtypes import DType as DType
from tapeflow._src.core.dtypes import as_dtype as as_dtype
from tapeflow._src.core.dtypes import bfloat16 as bfloat16
from tapeflow._src.core.dtypes import bool as bool
from tapeflow._src.core.dtypes import complex64 as complex64
from tapeflow._src.core.dtypes import complex128 as complex128
from tapeflow._src.core.dtypes import double as double
from tapeflow._src.core.dtypes import float16 as float16
from tapeflow._src.core.dtypes import float32 as float32
from tapeflow._src.core.dtypes import float64 as float64
from tapeflow._src.core.dtypes import half as half
from tapeflow._src.core.dtypes import int8 as int8
from tapeflow._src.core.dtypes import int16 as int16
from tapeflow._src.core.dtypes import int32 as int32
from tapeflow._src.core.dtypes import int64 as int64
from tapeflow._src.core.dtypes import qint8 as qint8
from tapeflow._src.core.dtypes import qint16 as qint16
from tapeflow._src.core.dtypes import qint32 as qint32
from tapeflow._src.core.dtypes import quint8 as quint8
from tapeflow._src.core.dtypes import quint16 as quint16
from tapeflow._src.core.dtypes import resource as resource
from tapeflow._src.core.dtypes import string as string
from tapeflow._src.core.dtypes import uint8 as uint8
from tapeflow._src.core.dtypes import uint16 as uint16
from tapeflow._src.core.dtypes import uint32 as uint32
from tapeflow._src.core.dtypes import uint64 as uint64
from tapeflow._src.core.dtypes import variant as variant
from tapeflow._src.core.shape import TensorShape as TensorShape
from tapeflow._src.core.spec import TensorSpec as TensorSpec
from tapeflow._src.core.spec import TypeSpec as TypeSpec

# tensors and variables
from tapeflow._src.core.tensor import Tensor as Tensor
from tapeflow._src.eager import mode as _mode  # noqa: F401  makes eager the base mode
from tapeflow._src.core import on_demand as _on_demand
from tapeflow._src.eager import dtensor as _dtensor
from tapeflow._src.eager import large as _large
from tapeflow._src.eager.creators import variable_creator_scope as variable_creator_scope
from tapeflow._src.eager.variable import Variable as Variable
from tapeflow._src.eager.replication import VariableAggregation as VariableAggregation
from tapeflow._src.eager.replication import VariableSynchronization as VariableSynchronization
from tapeflow._src.graph.graph import Graph as Graph
from tapeflow._src.graph.operation import Operation as Operation
from tapeflow._src.ops.indexed_slices import IndexedSlices as IndexedSlices
from tapeflow._src.ops.indexed_slices import IndexedSlicesSpec as IndexedSlicesSpec
from tapeflow._src.composite.ragged.tensor import RaggedTensor as RaggedTensor
from tapeflow._src.composite.ragged.tensor import RaggedTensorSpec as RaggedTensorSpec
from tapeflow._src.composite.sparse_tensor import SparseTensor as SparseTensor
from tapeflow._src.composite.sparse_tensor import SparseTensorSpec as SparseTensorSpec

# namespaces
from tapeflow import errors as errors
from tapeflow import nest as nest
from tapeflow import version as version
from tapeflow._src.api.module import Module as Module
from tapeflow._src.api.scopes import control_dependencies as control_dependencies
from tapeflow._src.api.scopes import device as device
from tapeflow._src.api.scopes import executing_eagerly as executing_eagerly
from tapeflow._src.api.scopes import get_current_name_scope as get_current_name_scope
from tapeflow._src.api.scopes import get_logger as get_logger
from tapeflow._src.api.scopes import init_scope as init_scope
from tapeflow._src.api.scopes import inside_function as inside_function
from tapeflow._src.api.scopes import name_scope as name_scope
from tapeflow.version import COMPILER_VERSION as __compiler_version__  # noqa: F401
from tapeflow.version import GIT_VERSION as __git_version__  # noqa: F401
from tapeflow.version import VERSION as __version__  # noqa: F401  `tf.__version__`

# gradients
from tapeflow._src.gradients import control_flow as _control_flow  # noqa: F401  of branches and loops
from tapeflow._src.gradients.custom import custom_gradient as custom_gradient
from tapeflow._src.gradients.custom import grad_pass_through as grad_pass_through
from tapeflow._src.gradients.custom import recompute_grad as recompute_grad
from tapeflow._src.gradients.endpoints import UnconnectedGradients as UnconnectedGradients
from tapeflow._src.gradients.registration import RegisterGradient as RegisterGradient
from tapeflow._src.gradients.registration import no_gradient as no_gradient
from tapeflow._src.gradients.symbolic import AggregationMethod as AggregationMethod
from tapeflow._src.gradients.symbolic import gradients as gradients
from tapeflow._src.gradients.symbolic import hessians as hessians
from tapeflow._src.gradients.tape import GradientTape as GradientTape

# arrays
from tapeflow._src.api.arrays import batch_to_space as batch_to_space
from tapeflow._src.api.arrays import bitcast as bitcast
from tapeflow._src.api.arrays import boolean_mask as boolean_mask
from tapeflow._src.api.arrays import broadcast_dynamic_shape as broadcast_dynamic_shape
from tapeflow._src.api.arrays import broadcast_static_shape as broadcast_static_shape
from tapeflow._src.api.arrays import broadcast_to as broadcast_to
from tapeflow._src.api.arrays import concat as concat
from tapeflow._src.api.arrays import constant as constant
from tapeflow._src.api.arrays import convert_to_tensor as convert_to_tensor
from tapeflow._src.api.arrays import dynamic_partition as dynamic_partition
from tapeflow._src.api.arrays import dynamic_stitch as dynamic_stitch
from tapeflow._src.api.arrays import ensure_shape as ensure_shape
from tapeflow._src.api.arrays import expand_dims as expand_dims
from tapeflow._src.api.arrays import eye as eye
from tapeflow._src.api.arrays import fill as fill
from tapeflow._src.api.arrays import gather as gather
from tapeflow._src.api.arrays import gather_nd as gather_nd
from tapeflow._src.api.arrays import get_static_value as get_static_value
from tapeflow._src.api.arrays import guarantee_const as guarantee_const
from tapeflow._src.api.arrays import identity as identity
from tapeflow._src.api.arrays import identity_n as identity_n
from tapeflow._src.api.arrays import is_symbolic_tensor as is_symbolic_tensor
from tapeflow._src.api.arrays import is_tensor as is_tensor
from tapeflow._src.api.arrays import linspace as linspace
from tapeflow._src.api.arrays import make_ndarray as make_ndarray
from tapeflow._src.api.arrays import make_tensor_proto as make_tensor_proto
from tapeflow._src.api.arrays import meshgrid as meshgrid
from tapeflow._src.api.arrays import newaxis as newaxis
from tapeflow._src.api.arrays import one_hot as one_hot
from tapeflow._src.api.arrays import ones as ones
from tapeflow._src.api.arrays import ones_like as ones_like
from tapeflow._src.api.arrays import pad as pad
from tapeflow._src.api.arrays import parallel_stack as parallel_stack
from tapeflow._src.api.arrays import range as range
from tapeflow._src.api.arrays import rank as rank
from tapeflow._src.api.arrays import repeat as repeat
from tapeflow._src.api.arrays import (
    required_space_to_batch_paddings as required_space_to_batch_paddings,
)
from tapeflow._src.api.arrays import reshape as reshape
from tapeflow._src.api.arrays import reverse as reverse
from tapeflow._src.api.arrays import reverse_sequence as reverse_sequence
from tapeflow._src.api.arrays import roll as roll
from tapeflow._src.api.arrays import scatter_nd as scatter_nd
from tapeflow._src.api.arrays import sequence_mask as sequence_mask
from tapeflow._src.api.arrays import shape as shape
from tapeflow._src.api.arrays import shape_n as shape_n
from tapeflow._src.api.arrays import size as size
from tapeflow._src.api.arrays import slice as slice
from tapeflow._src.api.arrays import space_to_batch as space_to_batch
from tapeflow._src.api.arrays import space_to_batch_nd as space_to_batch_nd
from tapeflow._src.api.arrays import split as split
from tapeflow._src.api.arrays import squeeze as squeeze
from tapeflow._src.api.arrays import stack as stack
from tapeflow._src.api.arrays import stop_gradient as stop_gradient
from tapeflow._src.api.arrays import strided_slice as strided_slice
from tapeflow._src.api.arrays import tensor_scatter_nd_add as tensor_scatter_nd_add
from tapeflow._src.api.arrays import tensor_scatter_nd_max as tensor_scatter_nd_max
from tapeflow._src.api.arrays import tensor_scatter_nd_min as tensor_scatter_nd_min
from tapeflow._src.api.arrays import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from tapeflow._src.api.arrays import tensor_scatter_nd_update as tensor_scatter_nd_update
from tapeflow._src.api.arrays import tile as tile
from tapeflow._src.api.arrays import transpose as transpose
from tapeflow._src.api.arrays import unravel_index as unravel_index
from tapeflow._src.api.arrays import unstack as unstack
from tapeflow._src.api.arrays import where as where
from tapeflow._src.api.arrays import zeros as zeros
from tapeflow._src.api.arrays import zeros_like as zeros_like


# math: element-wise
from tapeflow._src.api.math.arithmetic import add as add
from tapeflow._src.api.math.arithmetic import add_n as add_n
from tapeflow._src.api.math.trigonometry import atan2 as atan2
from tapeflow._src.api.math.arithmetic import divide as divide
from tapeflow._src.api.math.comparison import equal as equal
from tapeflow._src.api.math.comparison import greater as greater
from tapeflow._src.api.math.comparison import greater_equal as greater_equal
from tapeflow._src.api.math.comparison import less as less
from tapeflow._src.api.math.comparison import less_equal as less_equal
from tapeflow._src.api.math.comparison import logical_and as logical_and
from tapeflow._src.api.math.comparison import logical_not as logical_not
from tapeflow._src.api.math.comparison import logical_or as logical_or
from tapeflow._src.api.math.arithmetic import maximum as maximum
from tapeflow._src.api.math.arithmetic import minimum as minimum
from tapeflow._src.api.math.arithmetic import multiply as multiply
from tapeflow._src.api.math.comparison import not_equal as not_equal
from tapeflow._src.api.math.arithmetic import pow as pow
from tapeflow._src.api.math.arithmetic import realdiv as realdiv
from tapeflow._src.api.math.arithmetic import scalar_mul as scalar_mul
from tapeflow._src.api.math.arithmetic import subtract as subtract
from tapeflow._src.api.math.arithmetic import truediv as truediv
from tapeflow._src.api.math.arithmetic import truncatediv as truncatediv
from tapeflow._src.api.math.arithmetic import truncatemod as truncatemod
from tapeflow._src.api.math.elementwise import abs as abs
from tapeflow._src.api.math.trigonometry import acos as acos
from tapeflow._src.api.math.trigonometry import acosh as acosh
from tapeflow._src.api.math.trigonometry import asin as asin
from tapeflow._src.api.math.trigonometry import asinh as asinh
from tapeflow._src.api.math.trigonometry import atan as atan
from tapeflow._src.api.math.trigonometry import atanh as atanh
from tapeflow._src.api.math.trigonometry import cos as cos
from tapeflow._src.api.math.trigonometry import cosh as cosh
from tapeflow._src.api.math.elementwise import exp as exp
from tapeflow._src.api.math.rounding import floor as floor
from tapeflow._src.api.math.elementwise import negative as negative
from tapeflow._src.api.math.rounding import round as round
from tapeflow._src.api.math.elementwise import sigmoid as sigmoid
from tapeflow._src.api.math.elementwise import sign as sign
from tapeflow._src.api.math.trigonometry import sin as sin
from tapeflow._src.api.math.trigonometry import sinh as sinh
from tapeflow._src.api.math.elementwise import sqrt as sqrt
from tapeflow._src.api.math.elementwise import square as square
from tapeflow._src.api.math.trigonometry import tan as tan
from tapeflow._src.api.math.trigonometry import tanh as tanh
from tapeflow._src.api.math.casting import cast as cast
from tapeflow._src.api.math.casting import complex as complex
from tapeflow._src.api.math.casting import saturate_cast as saturate_cast
from tapeflow._src.api.math.clipping import clip_by_global_norm as clip_by_global_norm
from tapeflow._src.api.math.clipping import clip_by_norm as clip_by_norm
from tapeflow._src.api.math.clipping import clip_by_value as clip_by_value

# math: reductions, sorting, counting
from tapeflow._src.api.math.counting import histogram_fixed_width as histogram_fixed_width
from tapeflow._src.api.math.counting import histogram_fixed_width_bins as histogram_fixed_width_bins
from tapeflow._src.api.math.counting import unique as unique
from tapeflow._src.api.math.counting import unique_with_counts as unique_with_counts
from tapeflow._src.api.math.reduction import argmax as argmax
from tapeflow._src.api.math.reduction import argmin as argmin
from tapeflow._src.api.math.reduction import cumsum as cumsum
from tapeflow._src.api.math.reduction import reduce_all as reduce_all
from tapeflow._src.api.math.reduction import reduce_any as reduce_any
from tapeflow._src.api.math.reduction import reduce_logsumexp as reduce_logsumexp
from tapeflow._src.api.math.reduction import reduce_max as reduce_max
from tapeflow._src.api.math.reduction import reduce_mean as reduce_mean
from tapeflow._src.api.math.reduction import reduce_min as reduce_min
from tapeflow._src.api.math.reduction import reduce_prod as reduce_prod
from tapeflow._src.api.math.reduction import reduce_sum as reduce_sum
from tapeflow._src.api.math.sorting import argsort as argsort
from tapeflow._src.api.math.sorting import searchsorted as searchsorted
from tapeflow._src.api.math.sorting import sort as sort

_PACKAGES += ("tapeflow._src.ops", "tapeflow._src.composite", "tapeflow._src.data")
_large.register("tapeflow._src.executors.large_ops")
_dtensor.register("tapeflow._src.executors.xla_spmd")
_on_demand.provide("large draws", "tapeflow._src.executors.draws")
_on_demand.provide("string programs", "tapeflow._src.executors.string_programs")

# What is loaded when it is used; type checkers read `__init__.pyi`
__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "__internal__": "tapeflow.__internal__",
        "__operators__": "tapeflow.__operators__",
        "audio": "tapeflow.audio",
        "bitwise": "tapeflow.bitwise",
        "dtypes": "tapeflow.dtypes",
        "math": "tapeflow.math",
        "ragged": "tapeflow.ragged",
        "autodiff": "tapeflow.autodiff",
        "autograph": "tapeflow.autograph",
        "compat": "tapeflow.compat",
        "config": "tapeflow.config",
        "data": "tapeflow.data",
        "debugging": "tapeflow.debugging",
        "distribute": "tapeflow.distribute",
        "experimental": "tapeflow.experimental",
        "explain": "tapeflow.explain",
        "feature_column": "tapeflow.feature_column",
        "graph_util": "tapeflow.graph_util",
        "image": "tapeflow.image",
        "io": "tapeflow.io",
        "keras": "tapeflow.keras",
        **dict.fromkeys(("initializers", "losses", "metrics", "optimizers"), "tapeflow.keras"),
        "linalg": "tapeflow.linalg",
        "lite": "tapeflow.lite",
        "load_library": "tapeflow._src.api.op_libraries",
        "load_op_library": "tapeflow._src.api.op_libraries",
        "lookup": "tapeflow.lookup",
        "nn": "tapeflow.nn",
        "profiler": "tapeflow.profiler",
        "quantization": "tapeflow.quantization",
        "queue": "tapeflow.queue",
        "random": "tapeflow.random",
        "raw_ops": "tapeflow.raw_ops",
        "saved_model": "tapeflow.saved_model",
        "sets": "tapeflow.sets",
        "signal": "tapeflow.signal",
        "sparse": "tapeflow.sparse",
        "strings": "tapeflow.strings",
        "sysconfig": "tapeflow.sysconfig",
        "summary": "tapeflow.summary",
        "test": "tapeflow.test",
        "tpu": "tapeflow.tpu",
        "train": "tapeflow.train",
        "types": "tapeflow.types",
        "xla": "tapeflow.xla",
        "function": "tapeflow._src.function.decorator",
        **dict.fromkeys(
            (
                "case",
                "cond",
                "foldl",
                "foldr",
                "group",
                "map_fn",
                "no_op",
                "numpy_function",
                "py_function",
                "scan",
                "switch_case",
                "tuple",
                "while_loop",
            ),
            "tapeflow._src.api.control_flow",
        ),
        **dict.fromkeys(
            (
                "constant_initializer",
                "ones_initializer",
                "random_normal_initializer",
                "random_uniform_initializer",
                "zeros_initializer",
            ),
            "tapeflow._src.api.arrays.initializers",
        ),
        **dict.fromkeys(("fingerprint", "timestamp"), "tapeflow._src.api.fingerprint"),
        "vectorized_map": "tapeflow._src.api.vectorization",
        "random_index_shuffle": "tapeflow._src.api.random.stateless",
        **dict.fromkeys(("eig", "eigvals", "einsum", "norm", "tensordot"), "tapeflow.linalg"),
        **dict.fromkeys(
            ("Assert", "assert_equal", "assert_greater", "assert_less", "assert_rank"),
            "tapeflow.debugging",
        ),
        "CriticalSection": "tapeflow._src.api.critical_section",
        "OptionalSpec": "tapeflow._src.api.optionals",
        **dict.fromkeys(("TensorArray", "TensorArraySpec"), "tapeflow._src.composite.tensor_array"),
        **dict.fromkeys(("NoneTensorSpec", "type_spec_from_value"), "tapeflow._src.api.type_specs"),
        "matmul": "tapeflow._src.api.linalg.products",
        "print": "tapeflow._src.api.printing",
        "import_graph_def": "tapeflow.graph_util",
        "install_as_tensorflow": "tapeflow._src.standin",
        "extract_volume_patches": "tapeflow._src.api.image.patches",
        "edit_distance": "tapeflow._src.api.sparse.functions",
        "as_string": "tapeflow.strings",
    },
)
