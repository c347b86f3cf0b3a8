"""Functions and classes of `tf.types`."""
