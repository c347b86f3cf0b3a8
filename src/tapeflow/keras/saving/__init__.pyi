# Made by `make stubs` from the table in the module of the same name.

from tapeflow._src.keras.models.file_editor import KerasFileEditor as KerasFileEditor
from tapeflow._src.keras.models.model_files import load_model as load_model
from tapeflow._src.keras.models.model_files import save_model as save_model
from tapeflow._src.keras.models.weights_files import load_weights as load_weights
from tapeflow._src.keras.models.weights_files import save_weights as save_weights
from tapeflow._src.keras.saving.deserialization import (
    deserialize_keras_object as deserialize_keras_object,
)
from tapeflow._src.keras.saving.object_registration import (
    custom_object_scope as custom_object_scope,
)
from tapeflow._src.keras.saving.object_registration import (
    get_registered_name as get_registered_name,
)
from tapeflow._src.keras.saving.object_registration import (
    get_registered_object as get_registered_object,
)
from tapeflow._src.keras.saving.object_registration import (
    register_keras_serializable as register_keras_serializable,
)
from tapeflow._src.keras.saving.object_registration import CustomObjectScope as CustomObjectScope
from tapeflow._src.keras.saving.object_registration import get_custom_objects as get_custom_objects
from tapeflow._src.keras.saving.serialization import (
    serialize_keras_object as serialize_keras_object,
)
