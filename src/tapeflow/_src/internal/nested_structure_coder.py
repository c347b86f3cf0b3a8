"""Nested Python values and specs as messages of SavedModels, and back."""

from tapeflow._src.api.structure_protos import NotEncodable as NotEncodableError
from tapeflow._src.api.structure_protos import can_encode as can_encode
from tapeflow._src.api.structure_protos import decode as decode_proto
from tapeflow._src.api.structure_protos import encode as encode_structure

__all__ = ["NotEncodableError", "can_encode", "decode_proto", "encode_structure"]
