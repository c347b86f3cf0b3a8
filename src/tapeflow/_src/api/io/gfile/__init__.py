"""Functions and classes of `tf.io.gfile`."""
