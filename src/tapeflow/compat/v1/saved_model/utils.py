"""`tf.compat.v1.saved_model.utils`."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_NAMES = ("build_tensor_info", "get_tensor_from_tensor_info")

__getattr__, __dir__ = _later(
    __name__, globals(), dict.fromkeys(_NAMES, "tapeflow._src.saved_model.signature_defs")
)
