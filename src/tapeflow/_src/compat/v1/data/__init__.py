"""Functions and classes of `tf.compat.v1.data`."""
