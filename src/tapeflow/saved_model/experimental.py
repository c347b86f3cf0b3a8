"""`tf.saved_model.experimental`: things made anew where a model is loaded, and policies."""

from __future__ import annotations

from enum import Enum

from tapeflow.core.lazy import later as _later


class VariablePolicy(Enum):
    """What a SavedModel says of its variables besides their values. There is one device here."""

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"


__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {
        "Fingerprint": "tapeflow.saving.fingerprints",
        "TrackableResource": "tapeflow.saving.resources",
        "read_fingerprint": "tapeflow.saving.fingerprints",
    },
)
