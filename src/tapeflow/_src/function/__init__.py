"""`tf.function`: trace types, tracing, concrete functions, calls."""
