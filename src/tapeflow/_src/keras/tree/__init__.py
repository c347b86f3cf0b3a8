"""Functions and classes of `tf.keras.tree`."""
