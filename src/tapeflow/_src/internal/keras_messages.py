"""The protobuf messages of Keras 2: notes of SavedModels, and settings of the projector."""

from __future__ import annotations

from typing import Any

from tapeflow._src.core import protos as _protos

EmbeddingInfo: Any = _protos.EmbeddingInfo
ProjectorConfig: Any = _protos.ProjectorConfig
SavedMetadata: Any = _protos.SavedMetadata
SavedObject: Any = SavedMetadata.SavedObject
SpriteMetadata: Any = _protos.SpriteMetadata
VersionDef: Any = _protos.VersionDef
