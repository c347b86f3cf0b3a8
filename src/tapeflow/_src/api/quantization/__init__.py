"""Functions and classes of `tf.quantization`."""
