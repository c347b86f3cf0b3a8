import tapeflow as tf

x = tf.random.normal([1, 8, 8, 3])
kernel = tf.Variable(tf.random.normal([3, 3, 3, 4]))
reveal_type(tf.nn.conv2d(x, kernel, strides=1, padding="SAME"))  # Tensor
reveal_type(tf.nn.softmax(x))  # Tensor
reveal_type(tf.nn.relu(x) * tf.nn.sigmoid(x))  # Tensor
reveal_type(tf.linalg.inv(tf.eye(3)))  # Tensor
reveal_type(tf.math.top_k(tf.constant([1.0, 2.0]), k=1).values)  # Any
