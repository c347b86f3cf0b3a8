"""Functions and classes of `tf.keras.quantizers`."""
