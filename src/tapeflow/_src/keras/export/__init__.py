"""Functions and classes of `tf.keras.export`."""
