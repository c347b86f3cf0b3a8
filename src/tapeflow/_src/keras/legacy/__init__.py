"""Functions and classes of `tf.keras.legacy`."""
