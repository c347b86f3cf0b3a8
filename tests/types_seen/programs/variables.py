import tapeflow as tf

v = tf.Variable([1.0, 2.0], name="v", trainable=True)
reveal_type(v)  # Variable
reveal_type(v + 1.0)  # Tensor
reveal_type(v.assign_add([1.0, 1.0]))  # Variable
reveal_type(v.value())  # Tensor
reveal_type(v[0])  # Tensor
print(v.numpy().mean(), v.name, v.shape, v.trainable)
