"""Functions and classes of `tf.keras.backend`."""
