"""The public namespace `tf.keras.protobuf`: messages of Keras 2, by the modules that it has."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "projector_config_pb2": "tapeflow.keras.protobuf.projector_config_pb2",
        "saved_metadata_pb2": "tapeflow.keras.protobuf.saved_metadata_pb2",
        "versions_pb2": "tapeflow.keras.protobuf.versions_pb2",
    },
)
