"""`tf.sparse`: tensors given by the elements that are not zero."""

from tapeflow.ops.sparse_tensor import SparseTensor as SparseTensor
from tapeflow.sparse.functions import from_dense as from_dense
from tapeflow.sparse.functions import to_dense as to_dense
