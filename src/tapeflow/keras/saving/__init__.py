"""The public namespace `tf.keras.saving`."""

from tapeflow._src.core.lazy import later as _later
from tapeflow._src.keras.saving.deserialization import (
    deserialize_keras_object as deserialize_keras_object,
)
from tapeflow._src.keras.saving.object_registration import CustomObjectScope as CustomObjectScope
from tapeflow._src.keras.saving.object_registration import (
    custom_object_scope as custom_object_scope,
)
from tapeflow._src.keras.saving.object_registration import get_custom_objects as get_custom_objects
from tapeflow._src.keras.saving.object_registration import (
    get_registered_name as get_registered_name,
)
from tapeflow._src.keras.saving.object_registration import (
    get_registered_object as get_registered_object,
)
from tapeflow._src.keras.saving.object_registration import (
    register_keras_serializable as register_keras_serializable,
)
from tapeflow._src.keras.saving.serialization import (
    serialize_keras_object as serialize_keras_object,
)

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "KerasFileEditor": "tapeflow._src.keras.models.file_editor",
        "load_model": "tapeflow._src.keras.models.model_files",
        "load_weights": "tapeflow._src.keras.models.weights_files",
        "save_model": "tapeflow._src.keras.models.model_files",
        "save_weights": "tapeflow._src.keras.models.weights_files",
    },
)
