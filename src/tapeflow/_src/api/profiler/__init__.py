"""Functions and classes of `tf.profiler`."""
