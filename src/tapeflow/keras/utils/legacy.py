"""The public namespace `tf.keras.utils.legacy`."""

from tapeflow.keras.legacy.saving import deserialize_keras_object as deserialize_keras_object
from tapeflow.keras.legacy.saving import serialize_keras_object as serialize_keras_object
