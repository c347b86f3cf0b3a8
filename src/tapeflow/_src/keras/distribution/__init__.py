"""Functions and classes of `tf.keras.distribution`."""
