# Made by `make stubs` from the table in the module of the same name.

from tapeflow.keras.protobuf import projector_config_pb2 as projector_config_pb2
from tapeflow.keras.protobuf import saved_metadata_pb2 as saved_metadata_pb2
from tapeflow.keras.protobuf import versions_pb2 as versions_pb2
