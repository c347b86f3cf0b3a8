"""Functions and classes of `tf.keras.callbacks`."""
