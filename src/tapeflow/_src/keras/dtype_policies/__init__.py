"""Functions and classes of `tf.keras.dtype_policies`."""
