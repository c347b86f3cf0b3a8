"""`tf.compat.v1`: graphs and sessions, variables found by names, the messages of TensorFlow 1.

Messages are loaded when they are used. What has not changed since then is named below.
"""

from __future__ import annotations

from tapeflow._src.api.arrays import bitcast as bitcast
from tapeflow._src.api.arrays import broadcast_dynamic_shape as broadcast_dynamic_shape
from tapeflow._src.api.arrays import broadcast_static_shape as broadcast_static_shape
from tapeflow._src.api.arrays import broadcast_to as broadcast_to
from tapeflow._src.api.arrays import concat as concat
from tapeflow._src.api.arrays import dynamic_partition as dynamic_partition
from tapeflow._src.api.arrays import dynamic_stitch as dynamic_stitch
from tapeflow._src.api.arrays import ensure_shape as ensure_shape
from tapeflow._src.api.arrays import eye as eye
from tapeflow._src.api.arrays import fill as fill
from tapeflow._src.api.arrays import get_static_value as get_static_value
from tapeflow._src.api.arrays import guarantee_const as guarantee_const
from tapeflow._src.api.arrays import identity as identity
from tapeflow._src.api.arrays import identity_n as identity_n
from tapeflow._src.api.arrays import is_tensor as is_tensor
from tapeflow._src.api.arrays import linspace as linspace
from tapeflow._src.api.arrays import make_ndarray as make_ndarray
from tapeflow._src.api.arrays import make_tensor_proto as make_tensor_proto
from tapeflow._src.api.arrays import meshgrid as meshgrid
from tapeflow._src.api.arrays import newaxis as newaxis
from tapeflow._src.api.arrays import one_hot as one_hot
from tapeflow._src.api.arrays import ones as ones
from tapeflow._src.api.arrays import parallel_stack as parallel_stack
from tapeflow._src.api.arrays import range as range
from tapeflow._src.api.arrays import rank as rank
from tapeflow._src.api.arrays import repeat as repeat
from tapeflow._src.api.arrays import (
    required_space_to_batch_paddings as required_space_to_batch_paddings,
)
from tapeflow._src.api.arrays import reshape as reshape
from tapeflow._src.api.arrays import reverse as reverse
from tapeflow._src.api.arrays import roll as roll
from tapeflow._src.api.arrays import scatter_nd as scatter_nd
from tapeflow._src.api.arrays import sequence_mask as sequence_mask
from tapeflow._src.api.arrays import shape_n as shape_n
from tapeflow._src.api.arrays import slice as slice
from tapeflow._src.api.arrays import space_to_batch_nd as space_to_batch_nd
from tapeflow._src.api.arrays import split as split
from tapeflow._src.api.arrays import stack as stack
from tapeflow._src.api.arrays import stop_gradient as stop_gradient
from tapeflow._src.api.arrays import strided_slice as strided_slice
from tapeflow._src.api.arrays import tensor_scatter_nd_add as tensor_scatter_nd_add
from tapeflow._src.api.arrays import tensor_scatter_nd_max as tensor_scatter_nd_max
from tapeflow._src.api.arrays import tensor_scatter_nd_min as tensor_scatter_nd_min
from tapeflow._src.api.arrays import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from tapeflow._src.api.arrays import tensor_scatter_nd_update as tensor_scatter_nd_update
from tapeflow._src.api.arrays import tile as tile
from tapeflow._src.api.arrays import unravel_index as unravel_index
from tapeflow._src.api.arrays import unstack as unstack
from tapeflow._src.api.arrays import zeros as zeros
from tapeflow._src.api.control_flow import group as group
from tapeflow._src.api.control_flow import no_op as no_op
from tapeflow._src.api.control_flow import numpy_function as numpy_function
from tapeflow._src.api.control_flow import py_function as py_function
from tapeflow._src.api.control_flow import switch_case as switch_case
from tapeflow._src.api.fingerprint import fingerprint as fingerprint
from tapeflow._src.api.fingerprint import timestamp as timestamp
from tapeflow._src.api.image.patches import extract_volume_patches as extract_volume_patches
from tapeflow._src.api.math.arithmetic import add as add
from tapeflow._src.api.math.arithmetic import add_n as add_n
from tapeflow._src.api.math.arithmetic import divide as divide
from tapeflow._src.api.math.arithmetic import maximum as maximum
from tapeflow._src.api.math.arithmetic import minimum as minimum
from tapeflow._src.api.math.arithmetic import multiply as multiply
from tapeflow._src.api.math.arithmetic import pow as pow
from tapeflow._src.api.math.arithmetic import subtract as subtract
from tapeflow._src.api.math.arithmetic import truediv as truediv
from tapeflow._src.api.math.arithmetic import truncatediv as truncatediv
from tapeflow._src.api.math.arithmetic import truncatemod as truncatemod
from tapeflow._src.api.math.casting import cast as cast
from tapeflow._src.api.math.casting import complex as complex
from tapeflow._src.api.math.casting import saturate_cast as saturate_cast
from tapeflow._src.api.math.clipping import clip_by_global_norm as clip_by_global_norm
from tapeflow._src.api.math.clipping import clip_by_norm as clip_by_norm
from tapeflow._src.api.math.clipping import clip_by_value as clip_by_value
from tapeflow._src.api.math.comparison import equal as equal
from tapeflow._src.api.math.comparison import greater as greater
from tapeflow._src.api.math.comparison import greater_equal as greater_equal
from tapeflow._src.api.math.comparison import less as less
from tapeflow._src.api.math.comparison import less_equal as less_equal
from tapeflow._src.api.math.comparison import logical_and as logical_and
from tapeflow._src.api.math.comparison import logical_not as logical_not
from tapeflow._src.api.math.comparison import logical_or as logical_or
from tapeflow._src.api.math.comparison import not_equal as not_equal
from tapeflow._src.api.math.counting import histogram_fixed_width as histogram_fixed_width
from tapeflow._src.api.math.counting import histogram_fixed_width_bins as histogram_fixed_width_bins
from tapeflow._src.api.math.counting import unique as unique
from tapeflow._src.api.math.counting import unique_with_counts as unique_with_counts
from tapeflow._src.api.math.elementwise import abs as abs
from tapeflow._src.api.math.elementwise import exp as exp
from tapeflow._src.api.math.elementwise import negative as negative
from tapeflow._src.api.math.elementwise import sigmoid as sigmoid
from tapeflow._src.api.math.elementwise import sign as sign
from tapeflow._src.api.math.elementwise import sqrt as sqrt
from tapeflow._src.api.math.elementwise import square as square
from tapeflow._src.api.math.reduction import cumsum as cumsum
from tapeflow._src.api.math.rounding import floor as floor
from tapeflow._src.api.math.rounding import round as round
from tapeflow._src.api.math.sorting import argsort as argsort
from tapeflow._src.api.math.sorting import searchsorted as searchsorted
from tapeflow._src.api.math.sorting import sort as sort
from tapeflow._src.api.math.trigonometry import acos as acos
from tapeflow._src.api.math.trigonometry import acosh as acosh
from tapeflow._src.api.math.trigonometry import asin as asin
from tapeflow._src.api.math.trigonometry import asinh as asinh
from tapeflow._src.api.math.trigonometry import atan as atan
from tapeflow._src.api.math.trigonometry import atan2 as atan2
from tapeflow._src.api.math.trigonometry import atanh as atanh
from tapeflow._src.api.math.trigonometry import cos as cos
from tapeflow._src.api.math.trigonometry import cosh as cosh
from tapeflow._src.api.math.trigonometry import sin as sin
from tapeflow._src.api.math.trigonometry import sinh as sinh
from tapeflow._src.api.math.trigonometry import tan as tan
from tapeflow._src.api.math.trigonometry import tanh as tanh
from tapeflow._src.api.module import Module as Module
from tapeflow._src.api.printing import print as print
from tapeflow._src.api.random.stateless import random_index_shuffle as random_index_shuffle
from tapeflow._src.api.scopes import control_dependencies as control_dependencies
from tapeflow._src.api.scopes import get_logger as get_logger
from tapeflow._src.api.scopes import init_scope as init_scope
from tapeflow._src.api.sparse.functions import edit_distance as edit_distance
from tapeflow._src.api.type_specs import NoneTensorSpec as NoneTensorSpec
from tapeflow._src.api.type_specs import type_spec_from_value as type_spec_from_value
from tapeflow._src.api.vectorization import vectorized_map as vectorized_map
from tapeflow._src.compat.v1.aliases import aliases as _aliases
from tapeflow._src.compat.v1.assertions import assert_equal as assert_equal
from tapeflow._src.compat.v1.assertions import assert_greater as assert_greater
from tapeflow._src.compat.v1.assertions import assert_greater_equal as assert_greater_equal
from tapeflow._src.compat.v1.assertions import assert_integer as assert_integer
from tapeflow._src.compat.v1.assertions import assert_less as assert_less
from tapeflow._src.compat.v1.assertions import assert_less_equal as assert_less_equal
from tapeflow._src.compat.v1.assertions import assert_near as assert_near
from tapeflow._src.compat.v1.assertions import assert_negative as assert_negative
from tapeflow._src.compat.v1.assertions import assert_non_negative as assert_non_negative
from tapeflow._src.compat.v1.assertions import assert_non_positive as assert_non_positive
from tapeflow._src.compat.v1.assertions import assert_none_equal as assert_none_equal
from tapeflow._src.compat.v1.assertions import assert_positive as assert_positive
from tapeflow._src.compat.v1.assertions import assert_rank as assert_rank
from tapeflow._src.compat.v1.assertions import assert_rank_at_least as assert_rank_at_least
from tapeflow._src.compat.v1.assertions import assert_rank_in as assert_rank_in
from tapeflow._src.compat.v1.assertions import assert_scalar as assert_scalar
from tapeflow._src.compat.v1.assertions import assert_type as assert_type
from tapeflow._src.compat.v1.assertions import verify_tensor_all_finite as verify_tensor_all_finite
from tapeflow._src.compat.v1.behavior import control_flow_v2_enabled as control_flow_v2_enabled
from tapeflow._src.compat.v1.behavior import disable_control_flow_v2 as disable_control_flow_v2
from tapeflow._src.compat.v1.behavior import disable_eager_execution as disable_eager_execution
from tapeflow._src.compat.v1.behavior import (
    disable_resource_variables as disable_resource_variables,
)
from tapeflow._src.compat.v1.behavior import disable_tensor_equality as disable_tensor_equality
from tapeflow._src.compat.v1.behavior import disable_v2_behavior as disable_v2_behavior
from tapeflow._src.compat.v1.behavior import disable_v2_tensorshape as disable_v2_tensorshape
from tapeflow._src.compat.v1.behavior import enable_control_flow_v2 as enable_control_flow_v2
from tapeflow._src.compat.v1.behavior import enable_eager_execution as enable_eager_execution
from tapeflow._src.compat.v1.behavior import enable_resource_variables as enable_resource_variables
from tapeflow._src.compat.v1.behavior import enable_tensor_equality as enable_tensor_equality
from tapeflow._src.compat.v1.behavior import enable_v2_behavior as enable_v2_behavior
from tapeflow._src.compat.v1.behavior import enable_v2_tensorshape as enable_v2_tensorshape
from tapeflow._src.compat.v1.behavior import executing_eagerly as executing_eagerly
from tapeflow._src.compat.v1.behavior import (
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
)
from tapeflow._src.compat.v1.behavior import (
    resource_variables_enabled as resource_variables_enabled,
)
from tapeflow._src.compat.v1.functions import argmax as argmax
from tapeflow._src.compat.v1.functions import argmin as argmin
from tapeflow._src.compat.v1.functions import boolean_mask as boolean_mask
from tapeflow._src.compat.v1.functions import cond as cond
from tapeflow._src.compat.v1.functions import constant as constant
from tapeflow._src.compat.v1.functions import convert_to_tensor as convert_to_tensor
from tapeflow._src.compat.v1.functions import div as div
from tapeflow._src.compat.v1.functions import expand_dims as expand_dims
from tapeflow._src.compat.v1.functions import gather as gather
from tapeflow._src.compat.v1.functions import gather_nd as gather_nd
from tapeflow._src.compat.v1.functions import ones_like as ones_like
from tapeflow._src.compat.v1.functions import pad as pad
from tapeflow._src.compat.v1.functions import py_func as py_func
from tapeflow._src.compat.v1.functions import random_normal as random_normal
from tapeflow._src.compat.v1.functions import random_shuffle as random_shuffle
from tapeflow._src.compat.v1.functions import random_uniform as random_uniform
from tapeflow._src.compat.v1.functions import reduce_all as reduce_all
from tapeflow._src.compat.v1.functions import reduce_any as reduce_any
from tapeflow._src.compat.v1.functions import reduce_logsumexp as reduce_logsumexp
from tapeflow._src.compat.v1.functions import reduce_max as reduce_max
from tapeflow._src.compat.v1.functions import reduce_mean as reduce_mean
from tapeflow._src.compat.v1.functions import reduce_min as reduce_min
from tapeflow._src.compat.v1.functions import reduce_prod as reduce_prod
from tapeflow._src.compat.v1.functions import reduce_sum as reduce_sum
from tapeflow._src.compat.v1.functions import (
    report_uninitialized_variables as report_uninitialized_variables,
)
from tapeflow._src.compat.v1.functions import scatter_add as scatter_add
from tapeflow._src.compat.v1.functions import scatter_update as scatter_update
from tapeflow._src.compat.v1.functions import shape as shape
from tapeflow._src.compat.v1.functions import size as size
from tapeflow._src.compat.v1.functions import squeeze as squeeze
from tapeflow._src.compat.v1.functions import tables_initializer as tables_initializer
from tapeflow._src.compat.v1.functions import to_double as to_double
from tapeflow._src.compat.v1.functions import to_float as to_float
from tapeflow._src.compat.v1.functions import to_int32 as to_int32
from tapeflow._src.compat.v1.functions import to_int64 as to_int64
from tapeflow._src.compat.v1.functions import transpose as transpose
from tapeflow._src.compat.v1.functions import truncated_normal as truncated_normal
from tapeflow._src.compat.v1.functions import tuple as tuple
from tapeflow._src.compat.v1.functions import where as where
from tapeflow._src.compat.v1.functions import while_loop as while_loop
from tapeflow._src.compat.v1.functions import zeros_like as zeros_like
from tapeflow._src.compat.v1.graphs import GraphKeys as GraphKeys
from tapeflow._src.compat.v1.graphs import Print as Print
from tapeflow._src.compat.v1.graphs import add_to_collection as add_to_collection
from tapeflow._src.compat.v1.graphs import add_to_collections as add_to_collections
from tapeflow._src.compat.v1.graphs import colocate_with as colocate_with
from tapeflow._src.compat.v1.graphs import device as device
from tapeflow._src.compat.v1.graphs import get_collection as get_collection
from tapeflow._src.compat.v1.graphs import get_collection_ref as get_collection_ref
from tapeflow._src.compat.v1.graphs import get_default_graph as get_default_graph
from tapeflow._src.compat.v1.graphs import get_default_session as get_default_session
from tapeflow._src.compat.v1.graphs import gradients as gradients
from tapeflow._src.compat.v1.graphs import name_scope as name_scope
from tapeflow._src.compat.v1.graphs import op_scope as op_scope
from tapeflow._src.compat.v1.graphs import placeholder as placeholder
from tapeflow._src.compat.v1.graphs import placeholder_with_default as placeholder_with_default
from tapeflow._src.compat.v1.graphs import reset_default_graph as reset_default_graph
from tapeflow._src.compat.v1.graphs import set_random_seed as set_random_seed
from tapeflow._src.compat.v1.graphs import sparse_placeholder as sparse_placeholder
from tapeflow._src.compat.v1.initializers.classes import (
    constant_initializer as constant_initializer,
)
from tapeflow._src.compat.v1.initializers.classes import (
    glorot_normal_initializer as glorot_normal_initializer,
)
from tapeflow._src.compat.v1.initializers.classes import (
    glorot_uniform_initializer as glorot_uniform_initializer,
)
from tapeflow._src.compat.v1.initializers.classes import ones_initializer as ones_initializer
from tapeflow._src.compat.v1.initializers.classes import (
    orthogonal_initializer as orthogonal_initializer,
)
from tapeflow._src.compat.v1.initializers.classes import (
    random_normal_initializer as random_normal_initializer,
)
from tapeflow._src.compat.v1.initializers.classes import (
    random_uniform_initializer as random_uniform_initializer,
)
from tapeflow._src.compat.v1.initializers.classes import (
    truncated_normal_initializer as truncated_normal_initializer,
)
from tapeflow._src.compat.v1.initializers.classes import (
    uniform_unit_scaling_initializer as uniform_unit_scaling_initializer,
)
from tapeflow._src.compat.v1.initializers.classes import (
    variance_scaling_initializer as variance_scaling_initializer,
)
from tapeflow._src.compat.v1.initializers.classes import zeros_initializer as zeros_initializer
from tapeflow._src.compat.v1.legacy import all_variables as all_variables
from tapeflow._src.compat.v1.legacy import arg_max as arg_max
from tapeflow._src.compat.v1.legacy import arg_min as arg_min
from tapeflow._src.compat.v1.legacy import batch_gather as batch_gather
from tapeflow._src.compat.v1.legacy import batch_scatter_update as batch_scatter_update
from tapeflow._src.compat.v1.legacy import batch_to_space as batch_to_space
from tapeflow._src.compat.v1.legacy import batch_to_space_nd as batch_to_space_nd
from tapeflow._src.compat.v1.legacy import bincount as bincount
from tapeflow._src.compat.v1.legacy import clip_by_average_norm as clip_by_average_norm
from tapeflow._src.compat.v1.legacy import confusion_matrix as confusion_matrix
from tapeflow._src.compat.v1.legacy import container as container
from tapeflow._src.compat.v1.legacy import (
    convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices,
)
from tapeflow._src.compat.v1.legacy import (
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
)
from tapeflow._src.compat.v1.legacy import count_nonzero as count_nonzero
from tapeflow._src.compat.v1.legacy import depth_to_space as depth_to_space
from tapeflow._src.compat.v1.legacy import floor_div as floor_div
from tapeflow._src.compat.v1.legacy import get_local_variable as get_local_variable
from tapeflow._src.compat.v1.legacy import get_seed as get_seed
from tapeflow._src.compat.v1.legacy import hessians as hessians
from tapeflow._src.compat.v1.legacy import initialize_all_tables as initialize_all_tables
from tapeflow._src.compat.v1.legacy import initialize_all_variables as initialize_all_variables
from tapeflow._src.compat.v1.legacy import initialize_local_variables as initialize_local_variables
from tapeflow._src.compat.v1.legacy import initialize_variables as initialize_variables
from tapeflow._src.compat.v1.legacy import moving_average_variables as moving_average_variables
from tapeflow._src.compat.v1.legacy import multinomial as multinomial
from tapeflow._src.compat.v1.legacy import no_regularizer as no_regularizer
from tapeflow._src.compat.v1.legacy import norm as norm
from tapeflow._src.compat.v1.legacy import random_poisson as random_poisson
from tapeflow._src.compat.v1.legacy import reduce_join as reduce_join
from tapeflow._src.compat.v1.legacy import reverse_sequence as reverse_sequence
from tapeflow._src.compat.v1.legacy import scatter_div as scatter_div
from tapeflow._src.compat.v1.legacy import scatter_max as scatter_max
from tapeflow._src.compat.v1.legacy import scatter_min as scatter_min
from tapeflow._src.compat.v1.legacy import scatter_mul as scatter_mul
from tapeflow._src.compat.v1.legacy import scatter_nd_add as scatter_nd_add
from tapeflow._src.compat.v1.legacy import scatter_nd_sub as scatter_nd_sub
from tapeflow._src.compat.v1.legacy import scatter_nd_update as scatter_nd_update
from tapeflow._src.compat.v1.legacy import scatter_sub as scatter_sub
from tapeflow._src.compat.v1.legacy import setdiff1d as setdiff1d
from tapeflow._src.compat.v1.legacy import space_to_batch as space_to_batch
from tapeflow._src.compat.v1.legacy import space_to_depth as space_to_depth
from tapeflow._src.compat.v1.legacy import sparse_to_dense as sparse_to_dense
from tapeflow._src.compat.v1.legacy import string_length as string_length
from tapeflow._src.compat.v1.legacy import string_split as string_split
from tapeflow._src.compat.v1.legacy import string_to_hash_bucket as string_to_hash_bucket
from tapeflow._src.compat.v1.legacy import string_to_number as string_to_number
from tapeflow._src.compat.v1.legacy import substr as substr
from tapeflow._src.compat.v1.legacy import to_bfloat16 as to_bfloat16
from tapeflow._src.compat.v1.legacy import to_complex64 as to_complex64
from tapeflow._src.compat.v1.legacy import to_complex128 as to_complex128
from tapeflow._src.compat.v1.variable_scope import AUTO_REUSE as AUTO_REUSE
from tapeflow._src.compat.v1.variable_scope import VariableScope as VariableScope
from tapeflow._src.compat.v1.variable_scope import get_variable as get_variable
from tapeflow._src.compat.v1.variable_scope import get_variable_scope as get_variable_scope
from tapeflow._src.compat.v1.variable_scope import variable_scope as variable_scope
from tapeflow._src.compat.v1.variables import Variable as Variable
from tapeflow._src.compat.v1.variables import assign as assign
from tapeflow._src.compat.v1.variables import assign_add as assign_add
from tapeflow._src.compat.v1.variables import assign_sub as assign_sub
from tapeflow._src.compat.v1.variables import global_variables as global_variables
from tapeflow._src.compat.v1.variables import (
    global_variables_initializer as global_variables_initializer,
)
from tapeflow._src.compat.v1.variables import is_variable_initialized as is_variable_initialized
from tapeflow._src.compat.v1.variables import local_variables as local_variables
from tapeflow._src.compat.v1.variables import (
    local_variables_initializer as local_variables_initializer,
)
from tapeflow._src.compat.v1.variables import model_variables as model_variables
from tapeflow._src.compat.v1.variables import trainable_variables as trainable_variables
from tapeflow._src.compat.v1.variables import variables_initializer as variables_initializer
from tapeflow._src.compat.v1.wrapping import wrap_function as wrap_function
from tapeflow._src.composite.ragged.tensor import RaggedTensor as RaggedTensor
from tapeflow._src.composite.ragged.tensor import RaggedTensorSpec as RaggedTensorSpec
from tapeflow._src.composite.sparse_tensor import SparseTensor as SparseTensor
from tapeflow._src.composite.sparse_tensor import SparseTensorSpec as SparseTensorSpec
from tapeflow._src.composite.sparse_tensor import SparseTensorValue as SparseTensorValue
from tapeflow._src.composite.tensor_array import TensorArray as TensorArray
from tapeflow._src.composite.tensor_array import TensorArraySpec as TensorArraySpec
from tapeflow._src.core.dimension import Dimension as Dimension
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
from tapeflow._src.core.tensor import Tensor as Tensor
from tapeflow._src.eager.creators import variable_creator_scope as variable_creator_scope
from tapeflow._src.eager.replication import VariableSynchronization as VariableSynchronization
from tapeflow._src.function.decorator import function as function
from tapeflow._src.gradients.custom import custom_gradient as custom_gradient
from tapeflow._src.gradients.custom import grad_pass_through as grad_pass_through
from tapeflow._src.gradients.custom import recompute_grad as recompute_grad
from tapeflow._src.gradients.endpoints import UnconnectedGradients as UnconnectedGradients
from tapeflow._src.gradients.registration import RegisterGradient as RegisterGradient
from tapeflow._src.gradients.registration import no_gradient as no_gradient
from tapeflow._src.gradients.symbolic import AggregationMethod as AggregationMethod
from tapeflow._src.gradients.tape import GradientTape as GradientTape
from tapeflow._src.graph.graph import Graph as Graph
from tapeflow._src.graph.operation import Operation as Operation
from tapeflow._src.ops.indexed_slices import IndexedSlices as IndexedSlices
from tapeflow._src.ops.indexed_slices import IndexedSlicesSpec as IndexedSlicesSpec
from tapeflow._src.sessions.session import InteractiveSession as InteractiveSession
from tapeflow._src.sessions.session import Session as Session
from tapeflow.compat.v1 import graph_util as graph_util
from tapeflow.compat.v1 import initializers as initializers
from tapeflow.compat.v1 import logging as logging
from tapeflow.compat.v1 import train as train
from tapeflow.compat.v1.image import extract_image_patches as extract_image_patches
from tapeflow.compat.v1.io import decode_csv as decode_csv
from tapeflow.compat.v1.io import decode_raw as decode_raw
from tapeflow.compat.v1.io import parse_example as parse_example
from tapeflow.compat.v1.io import parse_single_example as parse_single_example
from tapeflow.compat.v1.io import serialize_many_sparse as serialize_many_sparse
from tapeflow.compat.v1.io import serialize_sparse as serialize_sparse
from tapeflow.compat.v1.sparse import add as sparse_add  # noqa: F401
from tapeflow.compat.v1.sparse import concat as sparse_concat  # noqa: F401
from tapeflow.compat.v1.sparse import reduce_max as sparse_reduce_max  # noqa: F401
from tapeflow.compat.v1.sparse import reduce_max_sparse as sparse_reduce_max_sparse  # noqa: F401
from tapeflow.compat.v1.sparse import reduce_sum as sparse_reduce_sum  # noqa: F401
from tapeflow.compat.v1.sparse import reduce_sum_sparse as sparse_reduce_sum_sparse  # noqa: F401
from tapeflow.compat.v1.sparse import segment_mean as sparse_segment_mean  # noqa: F401
from tapeflow.compat.v1.sparse import segment_sqrt_n as sparse_segment_sqrt_n  # noqa: F401
from tapeflow.compat.v1.sparse import segment_sum as sparse_segment_sum  # noqa: F401
from tapeflow.compat.v1.sparse import split as sparse_split  # noqa: F401
from tapeflow.debugging import Assert as Assert
from tapeflow.graph_util import import_graph_def as import_graph_def
from tapeflow.linalg import einsum as einsum
from tapeflow.linalg import matmul as matmul
from tapeflow.linalg import tensordot as tensordot
from tapeflow.math import angle as angle
from tapeflow.math import betainc as betainc

# the same as in TensorFlow 2
from tapeflow.math import ceil as ceil
from tapeflow.math import conj as conj
from tapeflow.math import cumprod as cumprod
from tapeflow.math import digamma as digamma
from tapeflow.math import erf as erf
from tapeflow.math import erfc as erfc
from tapeflow.math import expm1 as expm1
from tapeflow.math import floordiv as floordiv
from tapeflow.math import floormod as floormod
from tapeflow.math import floormod as mod  # noqa: F401  its name then
from tapeflow.math import igamma as igamma
from tapeflow.math import igammac as igammac
from tapeflow.math import imag as imag
from tapeflow.math import invert_permutation as invert_permutation
from tapeflow.math import is_finite as is_finite
from tapeflow.math import is_inf as is_inf
from tapeflow.math import is_nan as is_nan
from tapeflow.math import lbeta as lbeta
from tapeflow.math import lgamma as lgamma
from tapeflow.math import log as log
from tapeflow.math import log1p as log1p
from tapeflow.math import log_sigmoid as log_sigmoid
from tapeflow.math import logical_xor as logical_xor
from tapeflow.math import polygamma as polygamma
from tapeflow.math import real as real
from tapeflow.math import reciprocal as reciprocal
from tapeflow.math import rint as rint
from tapeflow.math import rsqrt as rsqrt
from tapeflow.math import segment_max as segment_max
from tapeflow.math import segment_mean as segment_mean
from tapeflow.math import segment_min as segment_min
from tapeflow.math import segment_prod as segment_prod
from tapeflow.math import segment_sum as segment_sum
from tapeflow.math import squared_difference as squared_difference
from tapeflow.math import unsorted_segment_max as unsorted_segment_max
from tapeflow.math import unsorted_segment_mean as unsorted_segment_mean
from tapeflow.math import unsorted_segment_min as unsorted_segment_min
from tapeflow.math import unsorted_segment_prod as unsorted_segment_prod
from tapeflow.math import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from tapeflow.math import unsorted_segment_sum as unsorted_segment_sum
from tapeflow.math import zeta as zeta
from tapeflow.strings import as_string as as_string
from tapeflow.version import COMPILER_VERSION as COMPILER_VERSION
from tapeflow.version import GIT_VERSION as GIT_VERSION
from tapeflow.version import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from tapeflow.version import GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER
from tapeflow.version import GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER
from tapeflow.version import VERSION as VERSION
from tapeflow.version import VERSION as __version__  # noqa: F401

_MESSAGES = (
    "AttrValue",
    "ConfigProto",
    "Event",
    "GPUOptions",
    "GraphDef",
    "GraphOptions",
    "HistogramProto",
    "LogMessage",
    "MetaGraphDef",
    "NameAttrList",
    "NodeDef",
    "OptimizerOptions",
    "RunMetadata",
    "RunOptions",
    "SessionLog",
    "Summary",
    "SummaryMetadata",
    "TensorInfo",
)

# Namespaces that have not changed, or whose functions have become more general.
_SAME = (
    "audio",
    "autograph",
    "bitwise",
    "config",
    "dtypes",
    "errors",
    "experimental",
    "feature_column",
    "lite",
    "nest",
    "queue",
    "raw_ops",
    "signal",
    "sysconfig",
    "tpu",
    "types",
    "version",
    "xla",
)
_NAMESPACES = (
    "data",
    "debugging",
    "distribute",
    "gfile",
    "image",
    "io",
    "keras",
    "layers",
    "linalg",
    "losses",
    "math",
    "metrics",
    "nn",
    "python_io",
    "ragged",
    "random",
    "saved_model",
    "sparse",
    "strings",
    "summary",
    "test",
)
_ALIASES_ONLY = ("lookup", "manip", "quantization", "sets", "spectral")

__getattr__, __dir__ = _aliases(
    __name__,
    globals(),
    {
        **dict.fromkeys(_MESSAGES, "tapeflow._src.core.protos"),
        **dict.fromkeys(_SAME, "tapeflow"),
        **{name: f"tapeflow.compat.v1.{name}" for name in _NAMESPACES},
        **dict.fromkeys(_ALIASES_ONLY, "tapeflow._src.compat.v1.namespaces"),
        "load_file_system_library": "tapeflow._src.api.op_libraries",
        "dimension_at_index": "tapeflow.compat",
        "dimension_value": "tapeflow.compat",
        "DeviceSpec": "tapeflow",
        "VariableAggregation": "tapeflow",
        "make_template": "tapeflow._src.compat.v1.template",
    },
)
