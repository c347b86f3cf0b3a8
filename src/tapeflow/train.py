"""`tf.train`: messages of training data and of clusters. They are loaded when they are used."""

from __future__ import annotations

from typing import Any

from tapeflow.core import protos as _protos

_MESSAGES = (
    "BytesList",
    "ClusterDef",
    "Example",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "Int64List",
    "JobDef",
    "SequenceExample",
    "ServerDef",
)


def __getattr__(name: str) -> Any:
    if name in _MESSAGES:
        return getattr(_protos, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_MESSAGES)
