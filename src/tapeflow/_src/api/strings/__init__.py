"""Functions and classes of `tf.strings`."""
