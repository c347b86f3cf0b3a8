"""Functions and classes of `tf.keras.models`."""
