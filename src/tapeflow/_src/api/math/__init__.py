"""Functions and classes of `tf.math`."""
