"""`tf.compat.v1.ragged`: ragged tensors, and their values in sessions."""

from __future__ import annotations

from tapeflow._src.compat.v1.aliases import aliases as _aliases

__getattr__, __dir__ = _aliases(
    __name__, globals(), {"RaggedTensorValue": "tapeflow._src.sessions.values"}
)
