"""Functions and classes of `tf.debugging`."""
