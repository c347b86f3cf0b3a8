"""The public namespace `tf.keras.metrics.experimental`, as Keras 2 had it."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.metrics.py_metric import PyMetric as PyMetric

_explain_missing(__name__)
