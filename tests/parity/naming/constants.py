"""Constants, and sequences of tensors that become one."""

SAME = """
tf.constant(1.0)
tf.constant([1, 2, 3, 4], shape=[2, 2])
tf.constant(7, shape=[2, 2])
tf.constant("a", shape=[2], name="letters")
tf.constant([], shape=[0, 2])
tf.convert_to_tensor([1.0, 2.0])
tf.convert_to_tensor([x, y])
tf.constant_initializer(3)([2])
tf.constant_initializer([1, 2, 3, 4])([2, 2])
tf.zeros([2])
tf.ones([2], name="units")
tf.zeros_like(x)
tf.fill([2], 1.0)
"""

IN_SCOPE = """
"""
