"""Functions and classes of `tf.signal`."""
