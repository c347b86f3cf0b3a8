"""Functions and classes of `tf.test`."""
