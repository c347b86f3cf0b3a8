"""The messages of `tf.keras.protobuf.saved_metadata_pb2`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.keras_messages import SavedMetadata as SavedMetadata
from tapeflow._src.internal.keras_messages import SavedObject as SavedObject

_explain_missing(__name__)
