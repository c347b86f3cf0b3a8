"""Functions and classes of `tf.keras.preprocessing`."""
