"""`tf.data`: sources, transformations, iterators."""
