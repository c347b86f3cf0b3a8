"""Functions and classes of `tf.keras.utils.bounding_boxes`."""
