"""`tf.compat.v1.nn.rnn_cell`: recurrent cells whose weights belong to variable scopes."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

__getattr__, __dir__ = _later(__name__, globals(), {}, rest="tapeflow._src.keras.tf1.rnn_cell")
