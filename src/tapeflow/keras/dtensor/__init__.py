"""The public namespace `tf.keras.dtensor`, as Keras 2 has it."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.keras.dtensor import experimental as experimental

_explain_missing(__name__)
