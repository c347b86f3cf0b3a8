import tapeflow as tf

x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
y = x @ x + 1.0 - 2.0 * x
reveal_type(x)  # Tensor
reveal_type(y / 3)  # Tensor
reveal_type(x.shape)  # TensorShape
reveal_type(x.dtype)  # DType
reveal_type(x.numpy())  # ndarray
reveal_type(tf.reduce_mean(x, axis=0))  # Tensor
reveal_type(x[:, 0] > 1.0)  # Tensor
rows: int = x.shape[0] * 2
print(float(tf.norm(x)), len(x), list(x), x.ndim)
