"""`tf.saved_model.experimental`: things made anew where a model is loaded, and policies."""

from __future__ import annotations

from enum import Enum
from typing import Any

from tapeflow.core.lazy import LazyModule as _LazyModule

_fingerprints = _LazyModule("tapeflow.saving.fingerprints")
_resources = _LazyModule("tapeflow.saving.resources")

_PARTS = {
    "Fingerprint": _fingerprints,
    "TrackableResource": _resources,
    "read_fingerprint": _fingerprints,
}


class VariablePolicy(Enum):
    """What a SavedModel says of its variables besides their values. There is one device here."""

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return getattr(_PARTS[name], name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_PARTS, "VariablePolicy"])
