"""Functions and classes of `tf.image`."""
