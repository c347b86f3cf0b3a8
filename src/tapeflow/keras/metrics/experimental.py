"""The public namespace `tf.keras.metrics.experimental`, as Keras 2 had it."""

from tapeflow._src.keras.metrics.py_metric import PyMetric as PyMetric
