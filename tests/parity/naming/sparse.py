"""Sparse tensors."""

SAME = """
tf.sparse.from_dense(x)
tf.sparse.from_dense(x, name="few")
[tf.sparse.from_dense(x), tf.sparse.from_dense(x)]
tf.sparse.to_dense(tf.sparse.from_dense(x))
tf.sparse.to_dense(tf.sparse.from_dense(x), name="full")
tf.sparse.add(tf.sparse.from_dense(rows), tf.sparse.from_dense(rows))
tf.sparse.add(tf.sparse.from_dense(x), y)
tf.sparse.add(x, tf.sparse.from_dense(y))
tf.sparse.add(tf.sparse.from_dense(rows), tf.sparse.from_dense(rows), 0.1)
tf.sparse.bincount(tf.sparse.from_dense(n))
tf.sparse.bincount(n)
tf.sparse.bincount(n, name="counts")
tf.sparse.bincount(tf.sparse.from_dense(tf.reshape(n, [1, 3])), axis=-1)
tf.sparse.bincount(tf.reshape(n, [1, 3]), axis=-1)
tf.sparse.concat(0, [tf.sparse.from_dense(rows), tf.sparse.from_dense(rows)])
tf.sparse.concat(0, [tf.sparse.from_dense(rows), tf.sparse.from_dense(rows)], name="both")
tf.sparse.cross([tf.reshape(s, [2, 1]), tf.reshape(s, [2, 1])])
tf.sparse.cross([tf.reshape(s, [2, 1]), tf.reshape(s, [2, 1])], name="crossed")
tf.sparse.cross([tf.reshape(s, [2, 1]), tf.reshape(s, [2, 1])], separator="_")
tf.sparse.cross_hashed([tf.reshape(s, [2, 1]), tf.reshape(s, [2, 1])])
tf.sparse.cross_hashed([tf.reshape(s, [2, 1])], 10, name="crossed")
tf.sparse.expand_dims(tf.sparse.from_dense(x))
tf.sparse.expand_dims(tf.sparse.from_dense(x), 0)
tf.sparse.expand_dims(tf.sparse.from_dense(x), 1, name="more")
tf.sparse.eye(3)
tf.sparse.eye(3, 4, name="one")
tf.sparse.fill_empty_rows(tf.sparse.from_dense(x), 1.0)
tf.sparse.fill_empty_rows(tf.sparse.from_dense(x), 1.0, name="filled")
tf.sparse.map_values(tf.sin, tf.sparse.from_dense(x))
tf.sparse.mask(tf.IndexedSlices(x, labels), [0])
tf.sparse.mask(tf.IndexedSlices(x, labels), [0], name="masked")
tf.sparse.maximum(tf.sparse.from_dense(x), tf.sparse.from_dense(y))
tf.sparse.maximum(tf.sparse.from_dense(x), tf.sparse.from_dense(y), name="larger")
tf.sparse.minimum(tf.sparse.from_dense(x), tf.sparse.from_dense(y))
tf.sparse.minimum(tf.sparse.from_dense(x), tf.sparse.from_dense(y), name="smaller")
tf.sparse.reduce_max(tf.sparse.from_dense(x), 1)
tf.sparse.reduce_max(tf.sparse.from_dense(x), 1, name="largest")
tf.sparse.reduce_max(tf.sparse.from_dense(x), 1, output_is_sparse=True)
tf.sparse.reduce_sum(tf.sparse.from_dense(x), 1)
tf.sparse.reduce_sum(tf.sparse.from_dense(x))
tf.sparse.reduce_sum(tf.sparse.from_dense(x), 1, name="total")
tf.sparse.reduce_sum(tf.sparse.from_dense(x), 1, output_is_sparse=True)
tf.sparse.segment_sum(x, labels, labels)
tf.sparse.segment_sum(x, labels, labels, name="total")
tf.sparse.segment_sum(x, labels, labels, num_segments=3)
tf.sparse.segment_mean(x, labels, labels)
tf.sparse.segment_mean(x, labels, labels, num_segments=3)
tf.sparse.segment_sqrt_n(x, labels, labels)
tf.sparse.segment_sqrt_n(x, labels, labels, num_segments=3)
tf.sparse.slice(tf.sparse.from_dense(x), [0, 0], [1, 2])
tf.sparse.slice(tf.sparse.from_dense(x), [0, 0], [1, 2], name="cut")
tf.sparse.softmax(tf.sparse.from_dense(x))
tf.sparse.softmax(tf.sparse.from_dense(x), name="shares")
tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(x), tf.transpose(y))
tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(x), tf.transpose(y), name="product")
tf.sparse.sparse_dense_matmul(x, tf.sparse.from_dense(tf.transpose(y)))
tf.sparse.to_indicator(tf.sparse.from_dense(tf.reshape(n, [1, 3])), 5)
tf.sparse.to_indicator(tf.sparse.from_dense(tf.reshape(n, [1, 3])), 5, name="seen")
tf.sparse.from_dense(x) * y
tf.sparse.from_dense(x) / y
tf.SparseTensor([[0, 0]], [1.0], [2, 2])
tf.SparseTensor(tf.cast(x, tf.int64), v[:2], [2, 3, 4])
tf.sparse.eye(n[0])
tf.sparse.eye(n[0], name="one")
tf.sparse.reshape(tf.sparse.from_dense(rows), [3, -1]).indices
tf.sparse.reshape(tf.sparse.from_dense(rows), [3, -1], name="other").indices
tf.sparse.transpose(tf.sparse.from_dense(x)).values
tf.sparse.reorder(tf.sparse.from_dense(x)).values
tf.sparse.add(tf.sparse.from_dense(x), tf.sparse.from_dense(y)).values
tf.sparse.to_indicator(tf.sparse.from_dense(tf.reshape(n, [3, 1])), 5)
tf.SparseTensor([[0, 0]], v[:1], [2, 2])
[tf.SparseTensor([[0, 0]], [1.0], [2, 2]), tf.SparseTensor([[0, 0]], [1.0], [2, 2])]
tf.sparse.from_dense(x).with_values(v)
tf.sparse.slice(tf.sparse.from_dense(x), [0, 0], [1, 2]).values
tf.sparse.expand_dims(tf.sparse.from_dense(x), -2)
"""

IN_SCOPE = """
tf.sparse.split(tf.sparse.from_dense(x), 2, 0)
tf.sparse.transpose(tf.sparse.from_dense(rows))
tf.sparse.transpose(tf.sparse.from_dense(rows), [1, 0])
tf.sparse.transpose(tf.sparse.from_dense(rows), name="turned")
"""
