"""The message of `tf.keras.protobuf.versions_pb2`."""

from tapeflow._src.internal.keras_messages import VersionDef as VersionDef
