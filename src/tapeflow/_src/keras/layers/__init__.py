"""Functions and classes of `tf.keras.layers`."""
