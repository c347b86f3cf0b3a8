"""`tf.types`: types for annotations, and for values of one's own as arguments of functions."""

from tapeflow.types import experimental as experimental
