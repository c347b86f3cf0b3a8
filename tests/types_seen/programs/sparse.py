import tapeflow as tf

sparse = tf.SparseTensor(indices=[[0, 0]], values=[1.0], dense_shape=[2, 2])
reveal_type(sparse)  # SparseTensor
reveal_type(tf.sparse.to_dense(sparse))  # Tensor
reveal_type(tf.cast(sparse, tf.int32))  # SparseTensor
