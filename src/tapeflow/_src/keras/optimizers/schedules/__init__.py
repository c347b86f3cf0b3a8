"""Functions and classes of `tf.keras.optimizers.schedules`."""
