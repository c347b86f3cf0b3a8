"""The messages of `tf.keras.protobuf.projector_config_pb2`."""

from tapeflow._src.core.lazy import explain_missing as _explain_missing
from tapeflow._src.internal.keras_messages import EmbeddingInfo as EmbeddingInfo
from tapeflow._src.internal.keras_messages import ProjectorConfig as ProjectorConfig
from tapeflow._src.internal.keras_messages import SpriteMetadata as SpriteMetadata

_explain_missing(__name__)
