"""Keras, written with the public names of `tf` as a user would."""
