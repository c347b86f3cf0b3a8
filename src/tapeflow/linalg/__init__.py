"""The public namespace `tf.linalg`."""
