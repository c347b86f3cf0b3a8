"""Keras for code written for TensorFlow 1: `tf.compat.v1.layers`, and tools to leave sessions."""
