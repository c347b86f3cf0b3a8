"""`tf.train`: checkpoints, moving averages, and messages of training data and of clusters.

All of them are loaded when they are used.
"""

from __future__ import annotations

from tapeflow.core.lazy import later as _later
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
        **dict.fromkeys(_MESSAGES, "tapeflow.core.protos"),
        "Checkpoint": "tapeflow.saving.checkpoint",
        "CheckpointManager": "tapeflow.saving.manager",
        "CheckpointOptions": "tapeflow.saving.options",
        "CheckpointView": "tapeflow.saving.views",
        "ClusterSpec": "tapeflow.train.clusters",
        "ExponentialMovingAverage": "tapeflow.train.averages",
        "TrackableView": "tapeflow.saving.views",
        "checkpoints_iterator": "tapeflow.saving.states",
        "get_checkpoint_state": "tapeflow.saving.states",
        "latest_checkpoint": "tapeflow.saving.states",
        "list_variables": "tapeflow.saving.readers",
        "load_checkpoint": "tapeflow.saving.readers",
        "load_variable": "tapeflow.saving.readers",
    },
)
