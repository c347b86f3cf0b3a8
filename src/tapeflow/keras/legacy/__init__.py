"""The public namespace `tf.keras.legacy`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.keras.legacy import saving as saving

_explain_missing(__name__)
