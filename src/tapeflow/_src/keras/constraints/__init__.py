"""Functions and classes of `tf.keras.constraints`."""
