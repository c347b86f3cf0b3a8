"""`tf.sparse`: tensors given by the elements that are not zero."""

from tapeflow._src.api.sparse.arithmetic import add as add
from tapeflow._src.api.sparse.arithmetic import map_values as map_values
from tapeflow._src.api.sparse.arithmetic import maximum as maximum
from tapeflow._src.api.sparse.arithmetic import minimum as minimum
from tapeflow._src.api.sparse.arithmetic import reduce_max as reduce_max
from tapeflow._src.api.sparse.arithmetic import reduce_sum as reduce_sum
from tapeflow._src.api.sparse.arithmetic import sampled_addmm as sampled_addmm
from tapeflow._src.api.sparse.arithmetic import softmax as softmax
from tapeflow._src.api.sparse.arithmetic import sparse_dense_matmul as sparse_dense_matmul
from tapeflow._src.api.sparse.counting import bincount as bincount
from tapeflow._src.api.sparse.counting import cross as cross
from tapeflow._src.api.sparse.counting import cross_hashed as cross_hashed
from tapeflow._src.api.sparse.counting import to_indicator as to_indicator
from tapeflow._src.api.sparse.cutting import mask as mask
from tapeflow._src.api.sparse.cutting import retain as retain
from tapeflow._src.api.sparse.cutting import slice as slice
from tapeflow._src.api.sparse.cutting import split as split
from tapeflow._src.api.sparse.functions import from_dense as from_dense
from tapeflow._src.api.sparse.functions import to_dense as to_dense
from tapeflow._src.api.sparse.layout import concat as concat
from tapeflow._src.api.sparse.layout import expand_dims as expand_dims
from tapeflow._src.api.sparse.layout import eye as eye
from tapeflow._src.api.sparse.layout import fill_empty_rows as fill_empty_rows
from tapeflow._src.api.sparse.layout import reorder as reorder
from tapeflow._src.api.sparse.layout import reset_shape as reset_shape
from tapeflow._src.api.sparse.layout import reshape as reshape
from tapeflow._src.api.sparse.layout import transpose as transpose
from tapeflow._src.api.sparse.segments import segment_mean as segment_mean
from tapeflow._src.api.sparse.segments import segment_sqrt_n as segment_sqrt_n
from tapeflow._src.api.sparse.segments import segment_sum as segment_sum
from tapeflow._src.composite.sparse_tensor import SparseTensor as SparseTensor
from tapeflow._src.core.lazy import explain_missing as _explain_missing

_explain_missing(__name__)
