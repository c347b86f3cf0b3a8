"""Functions at the root of `tf`: create tensors and move their elements."""

from tapeflow._src.api.arrays.conversion import constant as constant
from tapeflow._src.api.arrays.conversion import convert_to_tensor as convert_to_tensor
from tapeflow._src.api.arrays.conversion import get_static_value as get_static_value
from tapeflow._src.api.arrays.conversion import is_symbolic_tensor as is_symbolic_tensor
from tapeflow._src.api.arrays.conversion import is_tensor as is_tensor
from tapeflow._src.api.arrays.conversion import known_value as known_value
from tapeflow._src.api.arrays.creation import eye as eye
from tapeflow._src.api.arrays.creation import fill as fill
from tapeflow._src.api.arrays.creation import linspace as linspace
from tapeflow._src.api.arrays.creation import meshgrid as meshgrid
from tapeflow._src.api.arrays.creation import one_hot as one_hot
from tapeflow._src.api.arrays.creation import ones as ones
from tapeflow._src.api.arrays.creation import ones_like as ones_like
from tapeflow._src.api.arrays.creation import range as range
from tapeflow._src.api.arrays.creation import sequence_mask as sequence_mask
from tapeflow._src.api.arrays.creation import zeros as zeros
from tapeflow._src.api.arrays.creation import zeros_like as zeros_like
from tapeflow._src.api.arrays.joining import concat as concat
from tapeflow._src.api.arrays.joining import dynamic_partition as dynamic_partition
from tapeflow._src.api.arrays.joining import dynamic_stitch as dynamic_stitch
from tapeflow._src.api.arrays.joining import pad as pad
from tapeflow._src.api.arrays.joining import parallel_stack as parallel_stack
from tapeflow._src.api.arrays.joining import repeat as repeat
from tapeflow._src.api.arrays.joining import split as split
from tapeflow._src.api.arrays.joining import stack as stack
from tapeflow._src.api.arrays.joining import tile as tile
from tapeflow._src.api.arrays.joining import unstack as unstack
from tapeflow._src.api.arrays.movement import batch_to_space as batch_to_space
from tapeflow._src.api.arrays.movement import bitcast as bitcast
from tapeflow._src.api.arrays.movement import depth_to_space as depth_to_space
from tapeflow._src.api.arrays.movement import invert_permutation as invert_permutation
from tapeflow._src.api.arrays.movement import (
    required_space_to_batch_paddings as required_space_to_batch_paddings,
)
from tapeflow._src.api.arrays.movement import reverse as reverse
from tapeflow._src.api.arrays.movement import reverse_sequence as reverse_sequence
from tapeflow._src.api.arrays.movement import roll as roll
from tapeflow._src.api.arrays.movement import space_to_batch as space_to_batch
from tapeflow._src.api.arrays.movement import space_to_batch_nd as space_to_batch_nd
from tapeflow._src.api.arrays.movement import space_to_depth as space_to_depth
from tapeflow._src.api.arrays.movement import transpose as transpose
from tapeflow._src.api.arrays.movement import unravel_index as unravel_index
from tapeflow._src.api.arrays.shapes import broadcast_dynamic_shape as broadcast_dynamic_shape
from tapeflow._src.api.arrays.shapes import broadcast_static_shape as broadcast_static_shape
from tapeflow._src.api.arrays.shapes import broadcast_to as broadcast_to
from tapeflow._src.api.arrays.shapes import ensure_shape as ensure_shape
from tapeflow._src.api.arrays.shapes import expand_dims as expand_dims
from tapeflow._src.api.arrays.shapes import guarantee_const as guarantee_const
from tapeflow._src.api.arrays.shapes import identity as identity
from tapeflow._src.api.arrays.shapes import identity_n as identity_n
from tapeflow._src.api.arrays.shapes import rank as rank
from tapeflow._src.api.arrays.shapes import reshape as reshape
from tapeflow._src.api.arrays.shapes import shape as shape
from tapeflow._src.api.arrays.shapes import shape_n as shape_n
from tapeflow._src.api.arrays.shapes import size as size
from tapeflow._src.api.arrays.shapes import squeeze as squeeze
from tapeflow._src.api.arrays.shapes import stop_gradient as stop_gradient
from tapeflow._src.api.arrays.slicing import boolean_mask as boolean_mask
from tapeflow._src.api.arrays.slicing import gather as gather
from tapeflow._src.api.arrays.slicing import gather_nd as gather_nd
from tapeflow._src.api.arrays.slicing import scatter_nd as scatter_nd
from tapeflow._src.api.arrays.slicing import slice as slice
from tapeflow._src.api.arrays.slicing import strided_slice as strided_slice
from tapeflow._src.api.arrays.slicing import tensor_scatter_nd_add as tensor_scatter_nd_add
from tapeflow._src.api.arrays.slicing import tensor_scatter_nd_max as tensor_scatter_nd_max
from tapeflow._src.api.arrays.slicing import tensor_scatter_nd_min as tensor_scatter_nd_min
from tapeflow._src.api.arrays.slicing import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from tapeflow._src.api.arrays.slicing import tensor_scatter_nd_update as tensor_scatter_nd_update
from tapeflow._src.api.arrays.slicing import where as where
from tapeflow._src.api.arrays.tensor_protos import make_ndarray as make_ndarray
from tapeflow._src.api.arrays.tensor_protos import make_tensor_proto as make_tensor_proto

newaxis = None
