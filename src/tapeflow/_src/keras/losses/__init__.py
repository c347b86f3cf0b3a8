"""Functions and classes of `tf.keras.losses`."""
