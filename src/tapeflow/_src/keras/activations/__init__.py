"""Functions and classes of `tf.keras.activations`."""
