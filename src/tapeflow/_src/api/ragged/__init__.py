"""Functions and classes of `tf.ragged`."""
