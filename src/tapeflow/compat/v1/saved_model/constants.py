"""`tf.compat.v1.saved_model.constants`."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

LEGACY_INIT_OP_KEY = "legacy_init_op"
MAIN_OP_KEY = "saved_model_main_op"

_NAMES = (
    *("ASSETS_DIRECTORY", "ASSETS_KEY", "DEBUG_DIRECTORY", "DEBUG_INFO_FILENAME_PB"),
    *("SAVED_MODEL_FILENAME_PB", "SAVED_MODEL_FILENAME_PBTXT", "SAVED_MODEL_SCHEMA_VERSION"),
    *("VARIABLES_DIRECTORY", "VARIABLES_FILENAME"),
)

__getattr__, __dir__ = _later(__name__, globals(), dict.fromkeys(_NAMES, "tapeflow.saved_model"))
