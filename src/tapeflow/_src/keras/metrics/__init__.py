"""Functions and classes of `tf.keras.metrics`."""
