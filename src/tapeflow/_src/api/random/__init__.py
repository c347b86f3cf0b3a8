"""Functions and classes of `tf.random`."""
