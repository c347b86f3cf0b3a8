"""The public namespace `tf.math`."""
