"""Tapeflow: TensorFlow 2's programming model, small, readable and fast."""

# dtypes and shapes
from tapeflow.core.dtypes import DType as DType
from tapeflow.core.dtypes import as_dtype as as_dtype
from tapeflow.core.dtypes import bfloat16 as bfloat16
from tapeflow.core.dtypes import bool as bool
from tapeflow.core.dtypes import complex64 as complex64
from tapeflow.core.dtypes import complex128 as complex128
from tapeflow.core.dtypes import double as double
from tapeflow.core.dtypes import float16 as float16
from tapeflow.core.dtypes import float32 as float32
from tapeflow.core.dtypes import float64 as float64
from tapeflow.core.dtypes import half as half
from tapeflow.core.dtypes import int8 as int8
from tapeflow.core.dtypes import int16 as int16
from tapeflow.core.dtypes import int32 as int32
from tapeflow.core.dtypes import int64 as int64
from tapeflow.core.dtypes import qint8 as qint8
from tapeflow.core.dtypes import qint16 as qint16
from tapeflow.core.dtypes import qint32 as qint32
from tapeflow.core.dtypes import quint8 as quint8
from tapeflow.core.dtypes import quint16 as quint16
from tapeflow.core.dtypes import resource as resource
from tapeflow.core.dtypes import string as string
from tapeflow.core.dtypes import uint8 as uint8
from tapeflow.core.dtypes import uint16 as uint16
from tapeflow.core.dtypes import uint32 as uint32
from tapeflow.core.dtypes import uint64 as uint64
from tapeflow.core.dtypes import variant as variant
from tapeflow.core.shape import TensorShape as TensorShape
from tapeflow.core.spec import TensorSpec as TensorSpec
from tapeflow.core.spec import TypeSpec as TypeSpec

# tensors and variables
from tapeflow.core.tensor import Tensor as Tensor
from tapeflow.eager import mode as _mode  # noqa: F401  makes eager the base mode
from tapeflow.eager.variable import Variable as Variable
from tapeflow.eager.variable import VariableAggregation as VariableAggregation
from tapeflow.eager.variable import VariableSynchronization as VariableSynchronization
from tapeflow.ops.indexed_slices import IndexedSlices as IndexedSlices

# namespaces
from tapeflow import config as config
from tapeflow import errors as errors
from tapeflow import linalg as linalg
from tapeflow import math as math
from tapeflow import nest as nest
from tapeflow import nn as nn
from tapeflow import raw_ops as raw_ops
from tapeflow import version as version
from tapeflow.scopes import device as device
from tapeflow.scopes import executing_eagerly as executing_eagerly
from tapeflow.scopes import get_logger as get_logger
from tapeflow.scopes import name_scope as name_scope
from tapeflow.version import VERSION as __version__

# gradients
from tapeflow.gradients.tape import GradientTape as GradientTape
from tapeflow.gradients.tape import UnconnectedGradients as UnconnectedGradients

# arrays
from tapeflow.arrays import constant as constant
from tapeflow.arrays import convert_to_tensor as convert_to_tensor

# math

# math: reductions, sorting, counting
from tapeflow.math.counting import histogram_fixed_width as histogram_fixed_width
from tapeflow.math.counting import histogram_fixed_width_bins as histogram_fixed_width_bins
from tapeflow.math.counting import unique as unique
from tapeflow.math.counting import unique_with_counts as unique_with_counts
from tapeflow.math.reduction import argmax as argmax
from tapeflow.math.reduction import argmin as argmin
from tapeflow.math.reduction import cumsum as cumsum
from tapeflow.math.reduction import reduce_all as reduce_all
from tapeflow.math.reduction import reduce_any as reduce_any
from tapeflow.math.reduction import reduce_logsumexp as reduce_logsumexp
from tapeflow.math.reduction import reduce_max as reduce_max
from tapeflow.math.reduction import reduce_mean as reduce_mean
from tapeflow.math.reduction import reduce_min as reduce_min
from tapeflow.math.reduction import reduce_prod as reduce_prod
from tapeflow.math.reduction import reduce_sum as reduce_sum
from tapeflow.math.sorting import argsort as argsort
from tapeflow.math.sorting import searchsorted as searchsorted
from tapeflow.math.sorting import sort as sort

# linalg

# nn

# random
from tapeflow import random as random
from tapeflow.random.stateless import random_index_shuffle as random_index_shuffle
