"""`tf.sparse`: tensors given by the elements that are not zero."""

from tapeflow.ops.sparse_tensor import SparseTensor as SparseTensor
