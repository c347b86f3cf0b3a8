"""Functions and classes of `tf.keras.initializers`."""
