"""`tf.compat.v1.layers`: layers whose weights belong to variable scopes."""

from __future__ import annotations

from tapeflow.core.lazy import later as _later

__getattr__, __dir__ = _later(__name__, globals(), {}, rest="tapeflow.keras.tf1.layers")
