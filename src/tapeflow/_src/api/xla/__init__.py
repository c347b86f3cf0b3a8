"""Functions and classes of `tf.xla`."""
