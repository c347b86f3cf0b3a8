"""Functions and classes of `tf.keras.saving`."""
