"""The public namespace `tf.nn`."""
