"""Functions and classes of `tf.keras.random`."""
