"""Functions and classes of `tf.keras.wrappers`."""
