"""Functions and classes of `tf.linalg`."""
