"""Functions and classes of `tf.keras.ops`."""
