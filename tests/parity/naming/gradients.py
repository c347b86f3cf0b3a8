"""Gradients: of tapes, and of `tf.gradients`."""

SAME = """
tf.gradients(tf.reduce_sum(tf.tanh(x)), x)
gradient(lambda a: tf.reduce_mean(tf.tanh(a) * 2.0), x)
gradient(lambda a, b: a**b, x, y)
gradient(tf.tanh, x)
gradient(tf.sigmoid, x)
gradient(tf.nn.relu, x)
gradient(tf.exp, x)
gradient(abs, x)
gradient(tf.matmul, x, square)
gradient(lambda a, b: a @ b, x, square)
gradient(tf.linalg.inv, square)
gradient(tf.transpose, x)
gradient(lambda a: a[0], x)
gradient(lambda a: tf.gather_nd(a, [[0, 1]]), x)
gradient(lambda a: tf.cast(a, tf.float64), x)
gradient(tf.nn.bias_add, x, tf.zeros([3]))
gradient(tf.complex, x, y)
gradient(lambda a: tf.nn.conv2d(a, tf.ones([2, 2, 3, 1]), 1, "SAME"), images)
gradient(lambda a: tf.clip_by_value(a, 0.0, 1.0), x)
gradient(lambda a: tf.sqrt(tf.exp(a)), x)
"""

IN_SCOPE = """
gradient(lambda a, b: a * b, x, y)
gradient(lambda a, b: a / b, x, y)
gradient(tf.multiply, x, y)
gradient(tf.reduce_sum, x)
tf.gradients(x * y, [x, y])
"""
