"""Functions and classes of `tf.keras.regularizers`."""
