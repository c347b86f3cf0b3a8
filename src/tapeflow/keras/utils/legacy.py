"""The public namespace `tf.keras.utils.legacy`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow.keras.legacy.saving import deserialize_keras_object as deserialize_keras_object
from tapeflow.keras.legacy.saving import serialize_keras_object as serialize_keras_object

_explain_missing(__name__)
