"""`tf.compat.v1.test`: the namespace `tf.test`."""

from __future__ import annotations

from tapeflow.core.lazy import later as _later

__getattr__, __dir__ = _later(__name__, globals(), {}, rest="tapeflow.test")
