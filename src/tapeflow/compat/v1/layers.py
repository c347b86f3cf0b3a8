"""`tf.compat.v1.layers`: layers whose weights belong to variable scopes."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

__getattr__, __dir__ = _later(__name__, globals(), {}, rest="tapeflow._src.keras.tf1.layers")
