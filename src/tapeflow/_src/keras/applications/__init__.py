"""Functions and classes of `tf.keras.applications`."""
