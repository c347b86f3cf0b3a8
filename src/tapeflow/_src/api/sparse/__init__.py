"""Functions and classes of `tf.sparse`."""
