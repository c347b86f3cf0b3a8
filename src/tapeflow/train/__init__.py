"""`tf.train`: checkpoints, moving averages, and messages of training data and of clusters.

All of them are loaded when they are used.
"""

from __future__ import annotations

from typing import Any

from tapeflow.core import protos as _protos
from tapeflow.core.lazy import LazyModule as _LazyModule
from tapeflow.train import experimental as experimental

_averages = _LazyModule("tapeflow.train.averages")
_checkpoint = _LazyModule("tapeflow.saving.checkpoint")
_clusters = _LazyModule("tapeflow.train.clusters")
_manager = _LazyModule("tapeflow.saving.manager")
_options = _LazyModule("tapeflow.saving.options")
_readers = _LazyModule("tapeflow.saving.readers")
_states = _LazyModule("tapeflow.saving.states")
_views = _LazyModule("tapeflow.saving.views")

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
_PARTS = {
    **dict.fromkeys(_MESSAGES, _protos),
    "Checkpoint": _checkpoint,
    "CheckpointManager": _manager,
    "CheckpointOptions": _options,
    "CheckpointView": _views,
    "ClusterSpec": _clusters,
    "ExponentialMovingAverage": _averages,
    "TrackableView": _views,
    "checkpoints_iterator": _states,
    "get_checkpoint_state": _states,
    "latest_checkpoint": _states,
    "list_variables": _readers,
    "load_checkpoint": _readers,
    "load_variable": _readers,
}


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return getattr(_PARTS[name], name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_PARTS, "experimental"])
