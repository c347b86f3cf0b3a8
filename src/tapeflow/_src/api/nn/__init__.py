"""Functions and classes of `tf.nn`."""
