"""Functions and classes of `tf.lookup`."""
