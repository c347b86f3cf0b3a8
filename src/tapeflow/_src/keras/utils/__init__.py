"""Functions and classes of `tf.keras.utils`."""
