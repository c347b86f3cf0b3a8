"""`tf.compat.v1.keras`: the namespace `tf.keras`, and tools for code that leaves sessions."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__, globals(), {"utils": "tapeflow.compat.v1.keras.utils"}, rest="tapeflow.keras"
)
