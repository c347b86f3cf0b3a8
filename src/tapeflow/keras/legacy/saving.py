"""`tf.keras.legacy.saving`: configs in the form of Keras 2, which has no modules in them."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.keras.legacy.saving import deserialize_keras_object as deserialize_keras_object
from tapeflow._src.keras.legacy.saving import serialize_keras_object as serialize_keras_object

_explain_missing(__name__)
