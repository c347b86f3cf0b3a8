"""`tf.compat.v1.ragged`: the namespace `tf.ragged`, and values of ragged tensors in sessions."""

from __future__ import annotations

from tapeflow.core.lazy import later as _later

__getattr__, __dir__ = _later(
    __name__,
    globals(),
    {"RaggedTensorValue": "tapeflow.sessions.values"},
    rest="tapeflow.ragged",
)
