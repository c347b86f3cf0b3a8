"""Functions and classes of `tf.keras.datasets`."""
