"""Functions and classes of `tf.compat.v1.saved_model`."""
