"""Functions and classes of `tf.config`."""
