"""`tf.compat.v1.saved_model.signature_def_utils`."""

from __future__ import annotations

from tapeflow._src.core.lazy import later as _later

_NAMES = (
    *("build_signature_def", "classification_signature_def", "is_valid_signature"),
    *("predict_signature_def", "regression_signature_def"),
)

__getattr__, __dir__ = _later(
    __name__, globals(), dict.fromkeys(_NAMES, "tapeflow._src.saved_model.signature_defs")
)
