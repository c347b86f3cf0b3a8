"""`tf.compat.v1.nn`: the namespace `tf.nn`, with signatures of TensorFlow 1 where they differ."""

from __future__ import annotations

from tapeflow.core.lazy import later as _later

__getattr__, __dir__ = _later(__name__, globals(), {}, rest="tapeflow.nn")
