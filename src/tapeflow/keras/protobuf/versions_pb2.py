"""The message of `tf.keras.protobuf.versions_pb2`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.keras_messages import VersionDef as VersionDef

_explain_missing(__name__)
