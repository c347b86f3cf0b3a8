"""`tf.train`: checkpoints, moving averages, and messages of training data and of clusters.

All of them are loaded when they are used.
"""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later
from tapeflow.train import experimental as experimental

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

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        **dict.fromkeys(_MESSAGES, "tapeflow._src.core.protos"),
        "Checkpoint": "tapeflow._src.checkpoint.checkpoint",
        "CheckpointManager": "tapeflow._src.checkpoint.manager",
        "CheckpointOptions": "tapeflow._src.checkpoint.options",
        "CheckpointView": "tapeflow._src.checkpoint.views",
        "ClusterSpec": "tapeflow._src.train.clusters",
        "ExponentialMovingAverage": "tapeflow._src.train.averages",
        "TrackableView": "tapeflow._src.checkpoint.views",
        "checkpoints_iterator": "tapeflow._src.checkpoint.states",
        "get_checkpoint_state": "tapeflow._src.checkpoint.states",
        "latest_checkpoint": "tapeflow._src.checkpoint.states",
        "list_variables": "tapeflow._src.checkpoint.readers",
        "load_checkpoint": "tapeflow._src.checkpoint.readers",
        "load_variable": "tapeflow._src.checkpoint.readers",
    },
)
