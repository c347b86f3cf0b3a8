"""Functions and classes of `tf.queue`."""
