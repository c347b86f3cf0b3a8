"""Functions and classes of `tf.keras.distillation`."""
