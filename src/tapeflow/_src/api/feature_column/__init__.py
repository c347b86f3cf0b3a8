"""Functions and classes of `tf.feature_column`."""
