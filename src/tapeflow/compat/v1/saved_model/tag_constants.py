"""`tf.compat.v1.saved_model.tag_constants`."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_NAMES = (*("GPU", "SERVING", "TPU", "TRAINING"),)

__getattr__, __dir__ = _later(__name__, globals(), dict.fromkeys(_NAMES, "tapeflow.saved_model"))
