"""Functions and classes of `tf.keras.visualization`."""
