"""Python's indexing, slicing, gathering, scattering and masking."""

X = "x = tf.reshape(tf.range(24.0), [2, 3, 4])\n"
EXPRESSIONS = """
x[0, 0, 0, 0]
x[2]
x[-3]
x[1.0]
x['a']
x[[0, 1]]
x[[0, 1], :]
x[[0, 1, 2, 3]]
x[[0], [1]]
x[::0]
x[..., ...]
x[0:1, ..., 0].shape
x[None].shape
x[tf.newaxis, ..., None, 0].shape
x[tf.constant(1)].shape
x[tf.constant(1, tf.int64)].shape
x[tf.constant(1, tf.int16)].shape
x[tf.constant(1, tf.int8)].shape
x[tf.constant(1, tf.uint8)].shape
x[tf.constant([1])].shape
x[tf.constant(1.0)]
x[tf.constant(1):].shape
x[tf.constant(1, tf.int64):].shape
x[tf.constant(1, tf.int64):tf.constant(2)].shape
x[np.int64(1)].shape
x[np.array(1)].shape
x[np.array([1])]
x[np.array([0, 1])]
x[True]
x[False]
x[np.True_]
x[np.array([True, False])].shape
x[[True, False]]
x[tf.constant([True, False])].shape
x[tf.constant([True, False, True])].shape
x[tf.constant(True)]
x[x > 5].shape
x[:, tf.constant([True, False, True])]
x[1, x > 5]
x[()].shape
x[1:0].shape
x[5:].shape
x[-5:1].shape
x[::-1, 0, 0]
x[5::-1, 0, 0]
x[:-5:-1, 0, 0]
x[0:-10:-1, 0, 0]
x[:, 2:0:-1, 0]
x[2 ** 31]
x[2 ** 40:]
x[:2 ** 40].shape
x[:2 ** 31].shape
x[-2 ** 40:].shape
x[0, 1:2 ** 33].shape
x[:, 1.5:]
x[:, 'a':]
x[:, None:None:None].shape
x[tf.Variable(1)].shape
x[tf.Variable([True, False])].shape
tf.Variable(x)[1, 0].shape
tf.Variable(x)[x > 5].shape
tf.constant(5)[0]
tf.constant(5)[...]
tf.constant(5)[None]
tf.constant('abc')[0]
x[tf.TensorShape([1])]
x[0][1][2]
x[tf.constant(5):tf.constant(1)].shape
x[tf.constant(0), tf.constant(1):, ::tf.constant(2)].shape
x[tf.constant(-1)].shape
x[tf.constant(-1), 0, 0]
x[tf.constant(7)]
x[{}]
x[None, None, None, 0, 0, 0, None].shape
x[np.newaxis, tf.constant(1), ..., -1:].shape
x[slice(0, 1)].shape
x[slice(0, 1), 0].shape
x[range(2)]
x[np.int32(0):np.int64(1)].shape
x[np.float32(1)]
x[1j]
x[tf.range(3) > 1]
tf.slice(x, [0, 0, 0], [1, 1, 1])
tf.slice(x, [0, 0, 0], [-1, -1, -1]).shape
tf.slice(x, [0, 0], [1, 1])
tf.slice(x, [0, 0, 0], [3, 1, 1])
tf.slice(x, [0, 0, 4], [1, 1, 1])
tf.slice(x, [0, 0, 4], [1, 1, 0]).shape
tf.slice(x, [0, 0, -1], [1, 1, 1])
tf.slice(x, [0, 0, 1], [1, 1, -2])
tf.slice(x, 0, 1)
tf.slice([1, 2, 3], 1, 1)
tf.slice([1, 2, 3], [1], [2])
tf.slice([1, 2, 3], [1], tf.constant([2], tf.int64))
tf.slice([1, 2, 3], [1.0], [2])
tf.strided_slice(x, [0], [1]).shape
tf.strided_slice(x, [0, 0], [1])
tf.strided_slice(x, [0, 0], [1, 1], [1])
tf.strided_slice(x, 0, 1, 1)
tf.strided_slice(x, [0, 0, 0, 0], [1, 1, 1, 1])
tf.strided_slice(x, [0], [1], [0])
tf.strided_slice(x, [1], [0], [-1], shrink_axis_mask=1)
tf.strided_slice(x, [5], [6], [1], shrink_axis_mask=1)
tf.strided_slice(x, [0, 5, 0], [0, 0, 1], [1, 1, 1], ellipsis_mask=2).shape
tf.strided_slice(x, [0, 5], [0, 0], ellipsis_mask=3)
tf.strided_slice(x, [0], [1], new_axis_mask=1, shrink_axis_mask=1).shape
tf.strided_slice(x, [0], [1], begin_mask=1, end_mask=1).shape
tf.strided_slice(x, [1], [2], var=None).shape
tf.strided_slice(x, [1], [1], begin_mask=1, shrink_axis_mask=1)[0, 0]
tf.strided_slice(x, [1, 0], [2, 1], new_axis_mask=2, ellipsis_mask=2).shape
tf.raw_ops.StridedSliceGrad(shape=[3], begin=[0], end=[2], strides=[1], dy=[1.0, 2.0])
tf.raw_ops.StridedSliceGrad(shape=[3], begin=[0], end=[2], strides=[1], dy=[1.0, 2.0, 3.0])
tf.raw_ops.TensorStridedSliceUpdate(input=[1, 2, 3], begin=[0], end=[2], strides=[1], value=8)
tf.gather([1, 2, 3], [3])
tf.gather([1, 2, 3], [[0, 1], [2, -1]])
tf.gather([1, 2, 3], 3)
tf.gather([1, 2, 3], 1)
tf.gather(1, 0)
tf.gather([1, 2, 3], [0], axis=1)
tf.gather([1, 2, 3], [0], axis=-2)
tf.gather(x, [0], axis=-1).shape
tf.gather(x, [[0, 1]], axis=1).shape
tf.gather(x, [[0], [1]], batch_dims=1).shape
tf.gather(x, [[0], [1]], axis=2, batch_dims=1).shape
tf.gather(x, [[0], [1]], axis=0, batch_dims=1)
tf.gather(x, [[0], [1], [1]], batch_dims=1)
tf.gather(x, [[0], [1]], batch_dims=3)
tf.gather(x, [[0], [1]], batch_dims=-1).shape
tf.gather(x, [[0], [1]], batch_dims=-3)
tf.gather(x, [[0], [1]], batch_dims=2).shape
tf.gather(x, [[0], [9]], batch_dims=1)
tf.gather([1, 2], [0.0])
tf.gather([1, 2], tf.constant([0], tf.int16))
tf.gather([1, 2], tf.constant([0], tf.uint8))
tf.gather(['a', 'b'], [1])
tf.gather(tf.zeros([0, 3]), tf.zeros([0], tf.int32)).shape
tf.gather(tf.zeros([0, 3]), [0])
tf.gather(x, [0], axis=[1]).shape
tf.gather(x, [0], axis=1.0)
tf.gather(x, [0], validate_indices=True).shape
tf.gather_nd(x, [[0, 1], [1, 2]])
tf.gather_nd(x, [[0, 1, 2, 3]])
tf.gather_nd(x, [[2]])
tf.gather_nd(x, [[-1]])
tf.gather_nd(x, [[[0, 5]]])
tf.gather_nd(x, 1)
tf.gather_nd(x, [1]).shape
tf.gather_nd(5, [0])
tf.gather_nd(5, tf.zeros([2, 0], tf.int32))
tf.gather_nd(x, [[0], [1]], batch_dims=1).shape
tf.gather_nd(x, [[[0, 1]], [[1, 2]]], batch_dims=1)
tf.gather_nd(x, [[0], [1]], batch_dims=2)
tf.gather_nd(x, [[0], [1]], batch_dims=-1)
tf.gather_nd(x, [[[0], [1], [2]], [[0], [1], [2]]], batch_dims=2)
tf.gather_nd(x, [[0], [1], [0]], batch_dims=1)
tf.gather_nd(x, [[2]], bad_indices_policy='IGNORE')
tf.gather_nd(x, [[2]], bad_indices_policy='ERROR')
tf.gather_nd(['a', 'b'], [[1]])
tf.gather_nd(x, [[0.0]])
tf.scatter_nd([[0], [2], [0]], [1, 2, 3], [4])
tf.scatter_nd([[4]], [1], [4])
tf.scatter_nd([[-1]], [1], [4])
tf.scatter_nd([[0, 1]], [[1, 2]], [2, 2, 2])
tf.scatter_nd([[0, 1]], [[1, 2, 3]], [2, 2, 2])
tf.scatter_nd([0], [1], [4])
tf.scatter_nd([0], 1, [4])
tf.scatter_nd([[0]], [1], [-4])
tf.scatter_nd([[0]], [1], 4)
tf.scatter_nd([[0]], [1], [[4]])
tf.scatter_nd([[0, 0, 0]], [1], [4])
tf.scatter_nd(tf.zeros([0, 1], tf.int32), tf.zeros([0]), [3])
tf.scatter_nd([[0]], ['a'], [2])
tf.scatter_nd([[0], [0]], ['a', 'b'], [2])
tf.scatter_nd([[0], [0]], [True, True], [2])
tf.scatter_nd([[9]], [1], [2], bad_indices_policy='IGNORE')
tf.scatter_nd([[9]], [1], [2], bad_indices_policy='x')
tf.scatter_nd([[0]], [1], tf.constant([2], tf.int64))
tf.scatter_nd(5, 1, [2])
tf.scatter_nd([[0]], [1], [0])
tf.scatter_nd([[0, 0]], [1], [2, 0])
tf.tensor_scatter_nd_update([1, 2, 3], [[1]], [9])
tf.tensor_scatter_nd_update([1, 2, 3], [[1], [1]], [9, 8])
tf.tensor_scatter_nd_update([1, 2, 3], [[3]], [9])
tf.tensor_scatter_nd_update([1, 2, 3], [[1]], [9.5])
tf.tensor_scatter_nd_update([1, 2, 3], [[1]], [[9]])
tf.tensor_scatter_nd_update([1, 2, 3], [1], 9)
tf.tensor_scatter_nd_update([1, 2, 3], [1], [9])
tf.tensor_scatter_nd_update(['a', 'b'], [[1]], ['c'])
tf.tensor_scatter_nd_update([True, False], [[1]], [True])
tf.tensor_scatter_nd_add([1, 2, 3], [[1], [1]], [9, 8])
tf.tensor_scatter_nd_sub([1, 2, 3], [[1], [1]], [9, 8])
tf.tensor_scatter_nd_max([1, 2, 3], [[1], [1]], [9, 8])
tf.tensor_scatter_nd_min([1, 2, 3], [[1], [1]], [-9, 8])
tf.tensor_scatter_nd_max(x, [[0, 1]], tf.fill([1, 4], 6.0))[0]
tf.tensor_scatter_nd_add([1, 2, 3], [[5]], [9], bad_indices_policy='IGNORE')
tf.tensor_scatter_nd_add([1, 2, 3], [[5]], [9])
tf.tensor_scatter_nd_add([1, 2, 3], [[-1]], [9])
tf.tensor_scatter_nd_add([1, 2, 3], [[0, 0]], [9])
tf.tensor_scatter_nd_add([1, 2, 3], [[1]], [9, 8])
tf.where([[1, 0], [0, 2]])
tf.where([True, False])
tf.where(True)
tf.where(False)
tf.where(['a', ''])
tf.where([1.0, 0.0, float('nan')])
tf.where([1j, 0])
tf.where([True, False], 1, 2)
tf.where([True, False], 1.0, 2)
tf.where([True, False], 1, 2.0)
tf.where([True, False], [1, 2], [3])
tf.where([True, False], [1, 2, 3], [3])
tf.where([1, 0], 1, 2)
tf.where([True, False], 1)
tf.where([True], None, 1)
tf.where(tf.constant([[True], [False]]), [1, 2], [3, 4])
tf.where([True, False], 'a', 'b')
tf.where([True, False], tf.constant(1), tf.constant(1.0))
tf.where([True, False], True, False)
tf.where([True, False], 1j, 1.0)
tf.boolean_mask([1, 2, 3], [True, False, True])
tf.boolean_mask([1, 2, 3], [True, False])
tf.boolean_mask([1, 2, 3], True)
tf.boolean_mask([[1, 2], [3, 4]], [[True, False], [False, True]])
tf.boolean_mask([[1, 2], [3, 4]], [True, False], axis=1)
tf.boolean_mask([[1, 2], [3, 4]], [True, False], axis=-1)
tf.boolean_mask([[1, 2], [3, 4]], [True, False], axis=2)
tf.boolean_mask([[1, 2], [3, 4]], [1, 0])
tf.boolean_mask([1, 2], [[True, False]])
tf.boolean_mask(['a', 'b'], np.array([True, False]))
tf.boolean_mask(tf.zeros([0, 2]), tf.zeros([0], tf.bool))
tf.boolean_mask([1, 2], tf.Variable([True, False]))
tf.boolean_mask([[1, 2], [3, 4]], [True, False], axis=tf.constant(1))
tf.random.stateless_normal([3], [1, 0], 0.0, 0.05)
tf.random.stateless_uniform([3], [1, 0], -0.05, 0.05)
tf.random.stateless_uniform([3], [1, 0], 0, 5, tf.int32)
tf.where(tf.constant([1, 0]), 1, 2)
tf.where(tf.constant([True]), tf.constant(1), 2.5)
tf.where(tf.constant([True]), 2.5, tf.constant(1))
tf.where(tf.constant([True]), np.float64(1), np.float32(2))
"""
PROGRAMS = [(line, X + line) for line in EXPRESSIONS.strip().splitlines()]
