"""`tf.compat.v1.saved_model.builder`."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__, globals(), {"SavedModelBuilder": "tapeflow._src.saved_model.session_loading"}
)
