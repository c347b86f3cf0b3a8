"""Functions and classes of `tf.experimental`."""
