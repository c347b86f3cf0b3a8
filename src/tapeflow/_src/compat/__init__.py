"""`tf.compat`."""
